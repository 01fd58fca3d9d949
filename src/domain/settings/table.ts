import { accountRows } from './account.ts'
import { carriedOverRows } from './carried-over.ts'
import { gridRows } from './grid.ts'
import { marketHealthRows } from './market-health.ts'
import { orderRows } from './orders.ts'
import type { Row } from './row.ts'
import { stopProfitRows } from './stop-profit.ts'
import { withoutEffectRows } from './without-effect.ts'

/**
 * Every setting that this service shares with existing configurations, under its run-time name, in run-time
 * units: the section `strategy` of the file, the parameters of the API, the form of the console and the
 * page of settings in the documentation are made from it. The order is the order of `steward check`.
 *
 * A strategy brings a file of rows and one line here.
 */
const GROUPS = {
  account: accountRows,
  stop_profit: stopProfitRows,
  orders: orderRows,
  grid: gridRows,
  market_health: marketHealthRows,
  carried_over: carriedOverRows,
  without_effect: withoutEffectRows,
} as const
export const SETTINGS = {
  ...GROUPS.account,
  ...GROUPS.stop_profit,
  ...GROUPS.orders,
  ...GROUPS.grid,
  ...GROUPS.market_health,
  ...GROUPS.carried_over,
  ...GROUPS.without_effect,
} as const

/** Which file of rows a constant stands in: people read them under such headings. */
export const GROUP_OF: ReadonlyMap<string, string> = new Map(
  Object.entries(GROUPS).flatMap(([group, rows]) =>
    Object.keys(rows).map((name) => [name, group] as const),
  ),
)

type Rows = typeof SETTINGS
type ValueOf<R extends Row> = R['default']

/** Names of the section `strategy` of the file: what stands inside of another constant is none. */
export type ConstantName = {
  [K in keyof Rows]: Rows[K] extends { readonly within: object } ? never : K
}[keyof Rows]
/** The values of the section, defaults filled in. */
export type Constants = { readonly [K in ConstantName]: ValueOf<Rows[K]> }

/** Settings that the API changes while the service runs. */
export type SettingName = {
  [K in keyof Rows]: Rows[K] extends { readonly offer: infer O }
    ? O extends { readonly saved: 'never' }
      ? never
      : K
    : never
}[keyof Rows]
/** Their values, in run-time units (decimal ratios, yuan). */
export type Settings = { readonly [K in SettingName]: NonNullable<ValueOf<Rows[K]>> }

const NAMED = Object.entries<Row>(SETTINGS)

/** The rows of the section `strategy`. */
export const CONSTANTS: readonly (readonly [name: string, row: Row])[] = NAMED.filter(
  ([, { within }]) => within === undefined,
)

/** Setting one of these gives a warning: a dead setting must not look alive. */
export const WITHOUT_EFFECT: ReadonlySet<string> = new Set(Object.keys(withoutEffectRows))
