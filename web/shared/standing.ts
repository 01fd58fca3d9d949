import type { Schemas } from './api.ts'
import { allOf, type Tri } from './freshness.ts'
import type { GridSessionRow, KillSwitchAnswer, PositionRow, Switches } from './wire.ts'

/**
 * Everything that decides whether orders of strategies leave. null and undefined = not known: never heard of, or
 * so long ago that it may be otherwise by now.
 */
export interface Deciders {
  readonly isConnected: Tri
  /** What stops orders now, by the operator or by a hold. */
  readonly kill: (Partial<KillSwitchAnswer> & Pick<KillSwitchAnswer, 'level_in_force'>) | undefined
  /** Books from a backup that nobody has looked at yet. */
  readonly isRestoreHeld: Tri
  /** Why the account itself decides nothing; null = it does, undefined = a service that cannot tell. */
  readonly resting?: KillSwitchAnswer['resting'] | undefined
  /** Compared with the trading client. */
  readonly isReady: Tri
  readonly isInSession: Tri
  /** Quotes of what is held arrive. */
  readonly hasQuotes: Tri
  readonly switches: Switches
  /** What keeps back the exits of every holding, as their lines say; undefined where none says so. */
  readonly exitsHeld?: ExitsHeld | undefined
  /** Holdings, and of them those whose own switch is on. */
  readonly stocks: Part | undefined
  /** Grid sessions that have not ended, and of them those that are not paused. */
  readonly sessions: Part | undefined
}
const EXITS_HELD = ['module_off', 'protective_limit'] as const
type ExitsHeld = (typeof EXITS_HELD)[number]
interface Part {
  readonly on: number
  readonly all: number
}

/** What a page has read of an account, each only as long as it may be believed. */
export interface Heard {
  readonly isConnected: boolean | undefined
  readonly switches: Switches | undefined
  readonly kill: Partial<KillSwitchAnswer> | undefined
  readonly rows: readonly PositionRow[] | undefined
  readonly grids: readonly GridSessionRow[] | undefined
}

/** Puts together what decides. An older service that lacks a field leaves it unknown. */
export function decidersOf({ isConnected, switches = {}, kill, rows, grids }: Heard): Deciders {
  const { level_in_force: level, is_in_session: open } = kill ?? {}
  const live = grids?.filter(({ status }) => status === 'active')
  return {
    // A simulation has let the trading client go, and works without it.
    isConnected: switches.simulationMode === true ? true : (isConnected ?? null),
    kill: level === undefined ? undefined : { ...kill, level_in_force: level },
    isRestoreHeld: kill?.holds?.some(({ name }) => name === 'restore') ?? null,
    resting: kill?.resting,
    isReady: kill?.is_ready ?? null,
    isInSession: open ?? null,
    hasQuotes: quotesOf(kill, rows),
    switches,
    exitsHeld: EXITS_HELD.find((held) => rows?.some(({ why }) => why?.reasons.includes(held))),
    stocks: rows && {
      on: rows.filter((row) => row.stop_profit_enabled !== false).length,
      all: rows.length,
    },
    sessions: live && { on: live.filter((one) => one.enabled !== false).length, all: live.length },
  }
}

/** Whether an account decides by itself; null where nothing tells. */
export const isWorking = (kill: Partial<KillSwitchAnswer> | undefined): Tri =>
  kill?.resting === undefined ? null : kill.resting === null

/** What keeps an account of a list from sending anything; an older service says nothing of its disk. */
export const restingOf = ({
  is_reduced: isReduced,
  overview,
}: Pick<Schemas['OverviewRow'], 'is_reduced' | 'overview'>): KillSwitchAnswer['resting'] =>
  isReduced ? 'suspended' : (overview?.resting ?? null)

/** Whether quotes of the holdings arrive: unknown outside the hours, and where nothing tells. */
function quotesOf(
  kill: Partial<KillSwitchAnswer> | undefined,
  rows: readonly PositionRow[] | undefined,
): Tri {
  const market = kill?.triggers?.find(({ name }) => name === 'stale_market')
  if (kill?.is_in_session === false || rows?.length === 0) return true // nothing is missed
  if (market === undefined || rows === undefined) return null
  // A price without an age, as of a stock that only a simulation holds, may be of any time.
  if (market.actual === null) return rows.some((row) => row.is_priced === true) ? null : false
  return market.limit === 0 || market.actual <= market.limit
}

/** What stands in the way, or what would have to be known. */
export type Reason =
  | 'restore'
  | 'suspended'
  | 'disk_space'
  | 'disk_late'
  | 'kill'
  | 'connection'
  | 'ready'
  | 'session'
  | 'master'
  | 'exits'
  | 'grid'
  | ExitsHeld
  | 'allowBuy'
  | 'allowSell'
  | 'quotes'
  | 'stocks'
  | 'noStocks'
  | 'sessions'
  | 'noSessions'

export interface Verdict {
  /** What may leave: orders of both sides, of one, or none; or nobody can tell. */
  readonly may: 'trade' | 'sellOnly' | 'buyOnly' | 'nothing' | 'unknown'
  /** What stops the rest, or is not known. Absent when nothing does. */
  readonly because?: Reason
}

export type Strategy = 'exits' | 'grid'

/** A gate on the way of an order: open, shut, or not known. */
type Gate = readonly [reason: Reason, isOpen: Tri]

/**
 * Whether orders of a strategy leave, and if not, what stops them: what stops most comes first. One shut gate is
 * enough to say no, whatever else is not known; to say yes, all must be known.
 */
export function verdictOf(strategy: Strategy, deciders: Deciders): Verdict {
  const common = shared(deciders)
  const own = [...common, ...ownGates(strategy, deciders)]
  const { switches, kill } = deciders
  const entries: Gate = ['kill', kill === undefined ? null : kill.level_in_force !== 'entries']
  const sells = [...own, ['allowSell', switches.allowSell ?? null] as const]
  // Take-profit and stop-loss sell; what they may add to a holding is no part of the question.
  if (strategy === 'exits') return oneSided(sells)
  const buys = [...own, entries, ['allowBuy', switches.allowBuy ?? null] as const]
  return bothSides(oneSided(buys), oneSided(sells))
}

/** The gates that every order passes, and then the switch of all strategies. */
function shared({
  isRestoreHeld,
  resting,
  kill,
  isConnected,
  isReady,
  isInSession,
  switches,
}: Deciders): Gate[] {
  const level = kill?.level_in_force
  return [
    // Whoever cannot tell of these cannot tell of the kill switch either.
    ['restore', isRestoreHeld !== true],
    ['suspended', resting !== 'suspended'],
    ['disk_space', resting !== 'disk_space'],
    ['disk_late', resting !== 'disk_late'],
    ['kill', level === undefined ? null : level === 'off' || level === 'entries'],
    ['connection', isConnected],
    ['ready', isReady],
    ['session', isInSession],
    ['master', switches.isMonitoring ?? null],
  ]
}

function ownGates(strategy: Strategy, deciders: Deciders): Gate[] {
  const { switches, hasQuotes, exitsHeld, stocks, sessions } = deciders
  const isGrid = strategy === 'grid'
  const part = isGrid ? sessions : stocks
  const none = part?.all === 0
  return [
    [strategy, (isGrid ? switches.enableGridTrading : switches.enableAutoTrading) ?? null],
    ...(isGrid ? [] : EXITS_HELD.map((held): Gate => [held, exitsHeld !== held])),
    ['quotes', hasQuotes],
    [
      isGrid ? (none ? 'noSessions' : 'sessions') : none ? 'noStocks' : 'stocks',
      part === undefined ? null : part.on > 0,
    ],
  ]
}

function oneSided(gates: readonly Gate[]): Verdict {
  const all = allOf(gates.map(([, isOpen]) => isOpen))
  if (all === true) return { may: 'trade' }
  const [because] = gates.find(([, isOpen]) => isOpen === all) ?? []
  return { may: all === null ? 'unknown' : 'nothing', ...(because && { because }) }
}

function bothSides(buys: Verdict, sells: Verdict): Verdict {
  if (buys.may === sells.may) return buys
  const isUnknown = buys.may === 'unknown' || sells.may === 'unknown'
  if (isUnknown) return buys.may === 'unknown' ? buys : sells
  return buys.may === 'trade' ? { ...sells, may: 'buyOnly' } : { ...buys, may: 'sellOnly' }
}

export type Tone = 'ok' | 'warn' | 'error' | 'plain'

/** How loud a verdict is: what a person has to mend is an alarm, what a person has chosen a warning. */
export function toneOf({ may, because }: Verdict): Tone {
  if (may === 'trade') return 'ok'
  if (may === 'unknown' || because === undefined) return 'plain'
  if (LOUD.has(because)) return 'error'
  return QUIET.has(because) ? 'plain' : 'warn'
}
const LOUD: ReadonlySet<Reason> = new Set([
  'restore',
  'suspended',
  'disk_space',
  'disk_late',
  'kill',
  'connection',
  'ready',
  'quotes',
  'protective_limit',
])
const QUIET: ReadonlySet<Reason> = new Set(['session', 'noStocks', 'noSessions'])

/** One verdict where both strategies are stopped by the same thing; else one for each. */
export function standingOf(
  deciders: Deciders,
): readonly { readonly of: Strategy | 'both'; readonly verdict: Verdict }[] {
  const [exits, grid] = [verdictOf('exits', deciders), verdictOf('grid', deciders)]
  const isSame = exits.because !== undefined && exits.because === grid.because
  if (isSame && exits.may === grid.may) return [{ of: 'both', verdict: exits }]
  return [
    { of: 'exits', verdict: exits },
    { of: 'grid', verdict: grid },
  ]
}
