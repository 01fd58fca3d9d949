import type { Way } from '../shared/alerts.ts'
import type { Schemas } from '../shared/api.ts'

/** What the service has said; undefined: nothing that may be believed. */
export interface Said {
  readonly service: Schemas['FirstStart'] | undefined
  readonly limits: Schemas['RiskLimits'] | undefined
  /** Holdings as the trading client has reported them. */
  readonly holdings:
    | readonly { readonly stop_loss_price: number | null; readonly stop_profit_enabled: boolean }[]
    | undefined
  /** Seconds by which the clock is off and not followed. */
  readonly clockOff: number | null | undefined
  readonly alerts: Alerts
}

/** What the reader has chosen in this browser. */
export interface Alerts {
  /** How what has to be acted on is told. */
  readonly way: Way
  /** The browser shows notifications of this page. */
  readonly hasLeave: boolean
  /** Nobody wants any here. */
  readonly areDeclined: boolean
}

export type State = 'done' | 'todo' | 'unknown'
export type ItemName = 'backup' | 'access' | 'limits' | 'stops' | 'clock' | 'autostart' | 'alerts'
export interface Item {
  readonly name: ItemName
  readonly state: State
  /** The screen on which it is mended; undefined: outside of the page. */
  readonly to: string | undefined
}

const stateOf = (isDone: boolean | undefined): State =>
  isDone === undefined ? 'unknown' : isDone ? 'done' : 'todo'

/** Each item of the checklist, judged from what was said. What nobody has said is unknown, never done. */
export function checklist({ service, limits, holdings, clockOff, alerts }: Said): readonly Item[] {
  const { backup = null, access = null, autostart = null } = service ?? {}
  return [
    item('backup', backup === null ? undefined : backup === 'scheduled'),
    item('access', access === null ? undefined : access !== 'open', 'settings'),
    item('limits', limits && areSet(limits), 'settings'),
    item('stops', holdings?.every(hasStop), 'positions'),
    item('clock', clockOff === null || clockOff === undefined ? undefined : clockOff === 0, 'risk'),
    item('autostart', autostart ?? undefined),
    item('alerts', alerts.areDeclined || isTold(alerts), 'settings'),
  ]
}

const item = (name: ItemName, isDone: boolean | undefined, to?: string): Item => ({
  name,
  state: stateOf(isDone),
  to,
})

/** Of these it is said what helps, also where nobody can tell; of the others what is wrong. */
const HELPED: ReadonlySet<ItemName> = new Set(['backup', 'autostart'])
/** Whether something is said below an item: nothing is called wrong before it is known to be. */
export const isExplained = ({ name, state }: Pick<Item, 'name' | 'state'>): boolean =>
  state === 'todo' || (state === 'unknown' && HELPED.has(name))

/** Those without which one order, or one day, may cost everything. */
const WANTED: ReadonlySet<string> = new Set(['max_daily_loss', 'max_order_value'])
const areSet = ({ limits }: Schemas['RiskLimits']): boolean | undefined => {
  const wanted = limits.filter(({ name }) => WANTED.has(name))
  return wanted.length < WANTED.size ? undefined : wanted.every(({ value }) => Number(value) > 0)
}

const hasStop: (row: NonNullable<Said['holdings']>[number]) => boolean = (row) =>
  row.stop_profit_enabled && (row.stop_loss_price ?? 0) > 0

/** A notification that the browser does not show tells nobody; a sound is heard without leave. */
const isTold = ({ way, hasLeave }: Alerts): boolean =>
  way === 'sound' || way === 'both' || (way === 'desktop' && hasLeave)

/** Shown only while something is to do: what is unknown alone is no reason. */
export const isAnythingToDo = (items: readonly Item[]): boolean =>
  items.some(({ state }) => state === 'todo')
