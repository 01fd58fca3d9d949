import type { DriverRegistration } from '../drivers/registration.ts'
import * as registry from '../drivers/registry.ts'

/** What configurations know of the drivers: everything here follows from their registrations. */

const REGISTERED = { ...registry }
type Registered = typeof REGISTERED
export type DriverName = keyof Registered
export type DriverKind = DriverRegistration['kind']

export const DRIVERS: Readonly<Record<DriverName, DriverRegistration>> = REGISTERED

const isName = (name: string): name is DriverName => Object.hasOwn(DRIVERS, name)
export const DRIVER_NAMES = Object.keys(DRIVERS).filter(isName)

/** The registrations that have something, by name: what it is. */
type Having<K extends keyof DriverRegistration> = {
  readonly [N in DriverName as Registered[N] extends Readonly<Record<K, unknown>>
    ? N
    : never]: Registered[N] extends Readonly<Record<K, infer Part>> ? Part : never
}
export const having = <K extends keyof DriverRegistration>(part: K): Having<K> =>
  Object.fromEntries(
    DRIVER_NAMES.flatMap((name) =>
      DRIVERS[name][part] === undefined ? [] : [[name, DRIVERS[name][part]]],
    ),
  ) as Having<K> // the very keys and values of the type

type LimitsOf<Kind extends DriverKind> = {
  readonly [N in keyof Having<'limits'> as Registered[N]['kind'] extends Kind
    ? N
    : never]: Having<'limits'>[N]
}
/** Sections of `limits` of the drivers of one kind. */
export const limitsOf = <Kind extends DriverKind>(kind: Kind): LimitsOf<Kind> =>
  Object.fromEntries(
    Object.entries(having('limits')).filter(
      ([name]) => isName(name) && DRIVERS[name].kind === kind,
    ),
  ) as LimitsOf<Kind> // the very keys and values of the type

const EMBEDDED = DRIVER_NAMES.find((name) => DRIVERS[name].kind === 'embedded')

/** A market that a driver brings goes with that driver; everything else is played on the embedded one. */
export function defaultDriver(marketSource: string): DriverName {
  if (isName(marketSource) && DRIVERS[marketSource].quotes !== undefined) return marketSource
  if (EMBEDDED === undefined) throw new Error('no driver is embedded')
  return EMBEDDED
}

/** Which driver an account gets that names none, in both languages. */
const NAMED_BY_QUOTES = Object.keys(having('quotes')).join(', ')
export const DRIVER_TEXT = `驱动，默认随行情来源（${NAMED_BY_QUOTES}），其余为 ${EMBEDDED} (driver; by default that of the quotes: ${NAMED_BY_QUOTES}; else ${EMBEDDED})`

export const isReal = ({ driver }: { readonly driver: DriverName }): boolean =>
  DRIVERS[driver].kind === 'real'

/** Name of a market source as health snapshots show it. */
export const shownSource = (source: string): string =>
  (isName(source) && DRIVERS[source].quotes?.shownAs) || source
