import type { Tri } from './freshness.ts'
import type { OrderRow } from './wire.ts'

/** How loud it is: news, something to look at, something to act on. */
export type Severity = 'info' | 'warn' | 'critical'
export const SEVERITIES = ['info', 'warn', 'critical'] as const satisfies readonly Severity[]

/** How a severity is told. */
export const WAYS = ['off', 'desktop', 'sound', 'both'] as const
export type Way = (typeof WAYS)[number]

type KillLevel = 'off' | 'entries' | 'all' | 'cancel_all'

/** What a page knows of an account at a moment; what nobody knows is undefined or null. */
export interface Seen {
  readonly accountId: string
  /** The service answers. */
  readonly isAnswering: boolean
  /** A node of the cluster runs it; absent without a cluster. */
  readonly isRun?: Tri | undefined
  /** The account decides by itself: it neither crashed too often, nor lacks room on the disk. */
  readonly isWorking?: Tri | undefined
  /** Off after every start of the service for an account at a real client, until somebody confirms it. */
  readonly isMasterOn?: Tri | undefined
  /** Nothing goes to the trading client, no stop either. */
  readonly isSimulation?: Tri | undefined
  readonly isConnected: Tri
  readonly hasQuotes: Tri
  readonly killLevel: KillLevel | undefined
  readonly orders: readonly OrderRow[] | undefined
  /** Orders in doubt, where nothing tells which. */
  readonly doubts?: number | undefined
  readonly differences: number | undefined
}

export type AlertKind =
  | 'lost'
  | 'back'
  | 'unowned'
  | 'owned'
  | 'resting'
  | 'working'
  | 'masterOff'
  | 'masterOn'
  | 'simulated'
  | 'live'
  | 'disconnected'
  | 'connected'
  | 'noQuotes'
  | 'killRaised'
  | 'killLowered'
  | 'stopSale'
  | 'filled'
  | 'partFilled'
  | 'rejected'
  | 'doubt'
  | 'difference'

/** Something that a person wants to hear of who does not look at the page. */
export interface Alert {
  readonly kind: AlertKind
  readonly severity: Severity
  readonly accountId: string
  /** What it is about within the account; a later one of the same subject takes its place. */
  readonly subject: string
  readonly order?: OrderRow
  readonly level?: KillLevel
  readonly count?: number
}

/** The last that was known of each part: what is unknown for a while is compared with what was before. */
export type Memory = Partial<Omit<Seen, 'accountId' | 'orders'>> & {
  readonly orders?: ReadonlyMap<string, OrderRow>
}

const SEVERITY: Readonly<Record<AlertKind, Severity>> = {
  lost: 'critical',
  back: 'info',
  unowned: 'critical',
  owned: 'info',
  resting: 'critical',
  working: 'info',
  masterOff: 'critical',
  masterOn: 'info',
  simulated: 'critical',
  live: 'info',
  disconnected: 'critical',
  connected: 'info',
  noQuotes: 'warn',
  killRaised: 'critical',
  killLowered: 'info',
  stopSale: 'critical',
  filled: 'info',
  partFilled: 'info',
  rejected: 'warn',
  doubt: 'critical',
  difference: 'warn',
}
const RANK: Readonly<Record<KillLevel, number>> = { off: 0, entries: 1, all: 2, cancel_all: 3 }
const REJECTED = 57
const STOP = 'stop_loss'

/** What has happened since the last look. The first look tells nothing: what was there already is no news. */
export function alertsOf(
  memory: Memory | undefined,
  seen: Seen,
): { readonly alerts: readonly Alert[]; readonly memory: Memory } {
  const { accountId } = seen
  const found = memory === undefined ? [] : [...ofState(memory, seen), ...ofOrders(memory, seen)]
  const alerts = found.map((one) => ({ ...one, severity: SEVERITY[one.kind], accountId }))
  return { alerts, memory: remembered(memory, seen) }
}

type Found = Omit<Alert, 'severity' | 'accountId'>

function remembered(memory: Memory = {}, seen: Seen): Memory {
  const orders = seen.orders && new Map(seen.orders.map((row) => [row.client_order_id, row]))
  return {
    isAnswering: seen.isAnswering,
    isRun: seen.isRun ?? memory.isRun ?? null,
    isWorking: seen.isWorking ?? memory.isWorking ?? null,
    isMasterOn: seen.isMasterOn ?? memory.isMasterOn ?? null,
    isSimulation: seen.isSimulation ?? memory.isSimulation ?? null,
    isConnected: seen.isConnected ?? memory.isConnected ?? null,
    hasQuotes: seen.hasQuotes ?? memory.hasQuotes ?? null,
    ...known('killLevel', seen.killLevel ?? memory.killLevel),
    ...known('differences', seen.differences ?? memory.differences),
    ...known('doubts', seen.doubts ?? memory.doubts),
    ...known('orders', orders ?? memory.orders),
  }
}

const known = <K extends string, V>(name: K, value: V | undefined) =>
  (value === undefined ? {} : { [name]: value }) as { [key in K]?: V }

function* ofState(before: Memory, seen: Seen): Iterable<Found> {
  if (before.isAnswering !== seen.isAnswering) {
    yield { kind: seen.isAnswering ? 'back' : 'lost', subject: 'service' }
  }
  yield* ofOwner(before.isRun, seen.isRun)
  yield* ofWork(before.isWorking, seen.isWorking)
  yield* ofSwitches(before, seen)
  const connection = turned(before.isConnected, seen.isConnected)
  if (connection !== undefined) {
    yield { kind: connection ? 'connected' : 'disconnected', subject: 'connection' }
  }
  if (turned(before.hasQuotes, seen.hasQuotes) === false) {
    yield { kind: 'noQuotes', subject: 'quotes' }
  }
  yield* ofKillSwitch(before.killLevel, seen.killLevel)
  const count = more(before.differences, seen.differences)
  if (count > 0) yield { kind: 'difference', subject: 'difference', count }
  const doubts = more(before.doubts, seen.doubts)
  if (doubts > 0) yield { kind: 'doubt', subject: 'doubt', count: doubts }
}

function* ofOwner(before: Tri | undefined, now: Tri | undefined): Iterable<Found> {
  const run = turned(before, now ?? null)
  if (run !== undefined) yield { kind: run ? 'owned' : 'unowned', subject: 'owner' }
}

function* ofWork(before: Tri | undefined, now: Tri | undefined): Iterable<Found> {
  const working = turned(before, now ?? null)
  if (working !== undefined) yield { kind: working ? 'working' : 'resting', subject: 'working' }
}

function* ofSwitches(before: Memory, now: Seen): Iterable<Found> {
  const master = turned(before.isMasterOn, now.isMasterOn ?? null)
  if (master !== undefined) yield { kind: master ? 'masterOn' : 'masterOff', subject: 'master' }
  const simulation = turned(before.isSimulation, now.isSimulation ?? null)
  if (simulation !== undefined) yield { kind: simulation ? 'simulated' : 'live', subject: 'mode' }
}

/** How many there are now that were not there. */
const more = (before: number | undefined, now: number | undefined): number =>
  (now ?? 0) - (before ?? now ?? 0)

/** What it is now, where it was known to be otherwise. */
const turned = (before: Tri | undefined, now: Tri): boolean | undefined =>
  before === !now && now !== null ? now : undefined

function* ofKillSwitch(
  before: KillLevel | undefined,
  level: KillLevel | undefined,
): Iterable<Found> {
  if (level === undefined || before === undefined || level === before) return
  const kind = RANK[level] > RANK[before] ? 'killRaised' : 'killLowered'
  yield { kind, subject: 'kill', level }
}

function* ofOrders({ orders: before }: Memory, { orders }: Seen): Iterable<Found> {
  if (before === undefined || orders === undefined) return
  for (const order of orders) {
    const kind = newsOf(before.get(order.client_order_id), order)
    if (kind !== undefined) yield { kind, subject: order.client_order_id, order }
  }
}

/** The loudest that is new of an order. */
function newsOf(before: OrderRow | undefined, order: OrderRow): AlertKind | undefined {
  const isNew = (is: (row: OrderRow) => boolean) =>
    is(order) && (before === undefined || !is(before))
  if (isNew(({ state }) => state === 'inDoubt')) return 'doubt'
  if (isNew(({ status }) => status === REJECTED)) return 'rejected'
  if (before === undefined && order.strategy === STOP) return 'stopSale'
  if (order.traded_volume <= (before?.traded_volume ?? 0)) return undefined
  return order.traded_volume < order.volume ? 'partFilled' : 'filled'
}

/** Who looks for a moment must not be shouted at: the loudest first, and how many there are besides. */
export function fewest(
  alerts: readonly Alert[],
  max: number,
): { readonly shown: readonly Alert[]; readonly left: number } {
  const loudest = [...alerts].sort(
    (a, b) => SEVERITIES.indexOf(b.severity) - SEVERITIES.indexOf(a.severity),
  )
  return { shown: loudest.slice(0, max), left: Math.max(0, alerts.length - max) }
}
