type CamelCase<Name> = Name extends `${infer Word}_${infer Rest}`
  ? `${Word}${Capitalize<CamelCase<Rest>>}`
  : Name

/** A section of the file under the names of the code: `ping_ms` is `pingMs`. */
export const inCamelCase = <S extends object>(section: S) =>
  Object.fromEntries(
    Object.entries(section).map(([name, value]) => [
      name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase()),
      value,
    ]),
  ) as { readonly [Name in keyof S as CamelCase<Name>]: S[Name] } // as the type spells them
