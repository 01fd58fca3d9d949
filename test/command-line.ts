import { type ParseArgsConfig, parseArgs } from 'node:util'

type Options = NonNullable<ParseArgsConfig['options']>
type Values<T extends Options> = ReturnType<typeof parseArgs<{ options: T }>>['values']

/** What the caller of a command has written; one that it does not know is told in a line, with what it takes. */
export function optionsOf<const T extends Options>(
  options: T,
  usage: string,
): Values<T> | undefined {
  try {
    return parseArgs({ options }).values
  } catch (error) {
    wrongUse(error instanceof Error ? error.message : String(error), usage)
    return undefined
  }
}

export function wrongUse(text: string, usage: string): void {
  process.stderr.write(`${text}\n\n${usage}\n`)
  process.exitCode = 2
}
