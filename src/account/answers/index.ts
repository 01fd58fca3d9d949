import type { Resource } from '../../protocol/account.ts'
import { sessionsAnswer } from '../strategies/grid/answers/questions.ts'
import * as direct from './direct.ts'
import * as gateway from './gateway.ts'
import { joined } from './held-rows.ts'
import { overview } from './overview.ts'
import * as queued from './queued.ts'
import * as safety from './safety.ts'
import type { View, ViewInputs, ViewParts } from './view.ts'

/** How a read model is made, and what it depends on besides the state. */
interface Entry {
  readonly view: View
  /** The same as parts of its JSON, where rows can be kept from one time to the next. */
  readonly parts?: ViewParts
  /** Shows prices: stale as soon as a quote of a holding moves. */
  readonly showsQuotes: boolean
  /** Needs trade records from the store. */
  readonly needsRecords: boolean
  /** Ends before the time stamp, which the front appends. */
  readonly isOpenEnded: boolean
}

const entry = (view: View, traits: Partial<Entry> = {}): Entry => ({
  view,
  showsQuotes: false,
  needsRecords: false,
  isOpenEnded: false,
  ...traits,
})
const open = { isOpenEnded: true }
const quotes = { showsQuotes: true }
const records = { needsRecords: true }

/** The grid family says `success` besides what the `status` family says. */
const answerOf = (fields: object): object => ({
  success: true,
  status: 'success',
  ...fields,
  data: fields,
})

export const VIEWS: Readonly<Record<Resource, Entry>> = {
  connection: entry(direct.connection, open),
  status: entry(direct.status, { ...open, ...quotes }),
  positions: entry(direct.positions, { ...open, ...quotes, parts: direct.positionsParts }),
  positionsAll: entry(direct.positionsAll, { ...open, ...quotes, parts: direct.positionsAllParts }),
  orders: entry(direct.orders, open),
  queuedOrders: entry(queued.queuedOrders, open),
  tradeRecords: entry(direct.tradeRecords, { ...open, ...records }),
  config: entry(direct.config, open),
  debug: entry(direct.debug, open),
  stockPool: entry(direct.stockPool, open),
  events: entry(direct.events, { ...open, ...quotes }),
  killSwitch: entry(safety.killSwitch, { ...open, ...quotes }),
  reconcile: entry(safety.reconcile, open),
  gridSessions: entry((inputs) => answerOf(sessionsAnswer(inputs)), open),
  v1Status: entry(gateway.v1Status),
  v1Positions: entry(gateway.v1Positions, { ...quotes, parts: gateway.v1PositionsParts }),
  v1Asset: entry(gateway.v1Asset, quotes),
  v1Orders: entry(gateway.v1Orders),
  v1QueuedOrders: entry(queued.v1QueuedOrders),
  v1Trades: entry(gateway.v1Trades),
  v1KillSwitch: entry(safety.v1KillSwitch, quotes),
  v1Reconcile: entry(safety.v1Reconcile),
  overview: entry(overview, quotes),
  gatewayStatus: entry(gateway.gatewayStatus, quotes),
}

/** JSON text of a read model in UTF-8, finished but for the time stamp of the open-ended ones. */
export function render(resource: Resource, inputs: ViewInputs): Uint8Array {
  const { view, parts, isOpenEnded } = VIEWS[resource]
  if (parts !== undefined) {
    const bytes = joined([...parts(inputs)])
    return isOpenEnded ? bytes.subarray(0, -1) : bytes
  }
  const text = JSON.stringify(view(inputs))
  return Buffer.from(isOpenEnded ? text.slice(0, -1) : text)
}
