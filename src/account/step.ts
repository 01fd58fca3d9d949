import { ServiceError } from '../domain/errors.ts'
import type { StockCode } from '../domain/instrument.ts'
import type { DriverEvent } from '../protocol/driver.ts'
import type { Restored } from '../protocol/store.ts'
import { askForBooks, pollOpen, watchOpen } from './client/books.ts'
import { pollFills } from './client/catch-up.ts'
import { pollDoubtful } from './client/doubt.ts'
import { connect, onTerminalSeen, ping, shortenWait } from './client/link.ts'
import { followMode, tellMode } from './client/mode.ts'
import { onCallTimedOut, onDriverEvent } from './client/on-driver.ts'
import { poll, reconcile, recoverAgain } from './client/reconcile.ts'
import { endOfEarlierLives } from './client/shown.ts'
import { noteDayEnds } from './client/unheard-fills.ts'
import { type AccountCommand, onRequest } from './commands/on-request.ts'
import { mustBeServed } from './commands/served.ts'
import { keepFromMs } from './model/days.ts'
import { formerOf, isDealtWith } from './model/restore.ts'
import { followAmendments } from './orders/amend.ts'
import { cancelAllOpen, retryCancels } from './orders/cancel-all.ts'
import { followCancels } from './orders/cancels.ts'
import { followCosts } from './orders/costs.ts'
import { recordDenial } from './orders/denials.ts'
import { unarrived } from './orders/doubt-rules.ts'
import { notePoint } from './orders/equity-points.ts'
import { dropOfEarlierLife } from './orders/order-queue.ts'
import { followQueue, watchQueue } from './orders/paced.ts'
import { AFTER_START, followParameters } from './orders/shown-stops.ts'
import { watchLoss, watchTriggers } from './orders/triggers.ts'
import { answersLost, lastNewsMs, SERVICE } from './orders/untold.ts'
import type { StrategyManifest } from './strategies/manifest.ts'
import { STRATEGIES } from './strategies/registry.ts'
import { followOrders, runStrategies, settleFills } from './strategies/run.ts'
import { learnNames } from './turn/holding.ts'
import type { TimerName, Turn } from './turn/turn.ts'

type Strategies = readonly StrategyManifest[]

/** Everything that can happen to an account. */
export type AccountInput =
  /** First input of an incarnation, after the state was loaded. */
  | ({
      readonly kind: 'started'
      readonly incarnation: number
      /** The last restore that the database knows of. */
      readonly restored?: Restored | null
    } & OpenDay)
  | {
      readonly kind: 'request'
      readonly request: AccountCommand
      readonly ref: number
      /** Wall clock: nobody waits for the answer any longer; absent, somebody always does. */
      readonly deadlineMs?: number
    }
  | { readonly kind: 'driver'; readonly event: DriverEvent }
  | { readonly kind: 'callTimedOut'; readonly callId: number }
  | { readonly kind: 'timer'; readonly name: TimerName }
  | { readonly kind: 'quotes'; readonly crossed: readonly StockCode[] }
  | ({ readonly kind: 'dayOpened' } & OpenDay)
  /** The clock of the computer jumped by more than `limits.account.clock_stop_ms` and is not followed. */
  | { readonly kind: 'clockDoubted'; readonly offMs: number }
  /** It is followed again; the market clock was set by `shiftMs` for it. */
  | { readonly kind: 'clockTrusted'; readonly shiftMs: number }
  /** The market data tell what stocks are called that this account watches. */
  | { readonly kind: 'named'; readonly names: Readonly<Record<string, string>> }
  /** The terminal has come back, or its quotes have. */
  | { readonly kind: 'terminalSeen' }
  /** The market clock has passed the moment at which something is due. */
  | { readonly kind: 'alarm' }
  /** One page of records to forget; the shell found their numbers. */
  | {
      readonly kind: 'recordsCleared'
      readonly scope: 'today' | 'all'
      readonly ids: readonly number[]
      readonly source: string
    }

/** The exchange day that is open at the market. */
interface OpenDay {
  readonly day: string
  /** By a clock that was checked: a later one that an account lives on was opened too early. */
  readonly isSure?: boolean
}

/**
 * Everything an account decides. Deterministic: the same state, input and readings of clock and
 * board give the same events and effects. The caller makes the events durable, then performs the
 * effects.
 *
 * Errors  none: a request that cannot be followed is refused by an effect. A throw is a bug.
 */
export function step(turn: Turn, input: AccountInput, strategies = STRATEGIES): void {
  stepTogether(turn, [input], strategies)
}

/**
 * The same for inputs that have come together, as the answer to an order and the reports about it do. Each is counted by
 * what guards the account, as if it had come alone; what the account wants by itself is asked once, when all is known.
 */
export function stepTogether(
  turn: Turn,
  inputs: readonly AccountInput[],
  strategies = STRATEGIES,
): void {
  const { isReady, simulation } = turn.state
  for (const input of inputs) {
    decide(turn, input, strategies)
    followMode(turn)
    watchTriggers(turn)
  }
  watchLoss(turn)
  cancelAllOpen(turn)
  followAmendments(turn)
  followQueue(turn)
  const before = { isReady, isSimulation: simulation !== undefined, crossed: crossedBy(inputs) }
  // What strategies say may be what a suspended account has crashed of.
  if (turn.inputs.isSuspended !== true) decideByItself(turn, before, strategies)
  const isAlarm = inputs.some(({ kind }) => kind === 'alarm')
  // Two runs of an exact replay are the same in what follows from market time alone.
  const isTimely = isAlarm || turn.state.policy.tempo !== 'exact'
  followCosts(turn, isTimely)
  askForBooks(turn)
  watchOpen(turn)
  watchQueue(turn)
  shortenWait(turn)
  if (isAlarm) notePoint(turn)
}

const crossedBy = (inputs: readonly AccountInput[]): readonly StockCode[] =>
  inputs.flatMap((input) => (input.kind === 'quotes' ? input.crossed : []))

function decideByItself(
  turn: Turn,
  before: Parameters<typeof runStrategies>[1],
  strategies: Strategies,
): void {
  settleFills(turn, strategies)
  followOrders(turn, strategies)
  // What they note and want would be written; once there is space they look at everything.
  if (turn.inputs.isDiskLow === true) turn.state.hasRested = true
  else runStrategies(turn, before, strategies)
}

function decide(turn: Turn, input: AccountInput, strategies: Strategies): void {
  switch (input.kind) {
    case 'started':
      return started(turn, input)
    case 'request':
      return request(turn, input, strategies)
    case 'driver':
      return onDriverEvent(turn, input.event)
    case 'callTimedOut':
      return onCallTimedOut(turn, input.callId)
    case 'timer':
      return TIMERS[input.name](turn)
    case 'quotes':
      return // the strategies evaluate after every input
    case 'dayOpened':
      return passDay(turn, input)
    case 'recordsCleared':
    case 'clockDoubted':
    case 'clockTrusted':
      return turn.emit(input)
    case 'named':
      return learnNames(turn.state, input.names)
    case 'terminalSeen':
      return onTerminalSeen(turn)
    case 'alarm':
      return // what is due is done after every input
  }
}

const TIMERS: Readonly<Record<TimerName, (turn: Turn) => void>> = {
  reconnect: connect,
  ping,
  poll,
  doubt: pollDoubtful,
  fills: pollFills,
  cancels: followCancels,
  version: raiseVersion,
  reconcile,
  cancelAll: retryCancels,
  recover: recoverAgain,
  open: pollOpen,
  queue: () => {}, // it is followed after every input
  amend: () => {}, // and so are they
}

/** Clients that compare versions see a sign of life even when nothing moves (docs/domain.md 10.3). */
function raiseVersion(turn: Turn): void {
  turn.state.dataVersion += 1
  turn.timer('version', turn.state.policy.limits.versionHeartbeatMs)
}

function started(turn: Turn, input: Extract<AccountInput, { kind: 'started' }>): void {
  const lastMs = lastNewsMs(turn.state)
  turn.state.formerUntilMs = turn.inputs.wallMs + turn.state.policy.limits.formerCallsMs
  turn.emit({ kind: 'actorStarted', incarnation: input.incarnation })
  endOfEarlierLives(turn)
  dropOfEarlierLife(turn)
  noticeRestore(turn, input.restored ?? null)
  const { clockDoubt } = turn.inputs
  if (clockDoubt !== undefined) turn.emit({ kind: 'clockDoubted', offMs: clockDoubt.offMs })
  // The life before may have ended with answers on their way.
  answersLost(turn, lastMs, SERVICE)
  openDay(turn, input)
  turn.timer('version', turn.state.policy.limits.versionHeartbeatMs)
  followMode(turn)
  followParameters(turn, SERVICE, AFTER_START)
  tellMode(turn, input.incarnation)
  connect(turn)
}

/** Said once; the mark is kept, so that a crash before the comparison changes nothing. */
function noticeRestore(turn: Turn, restored: Restored | null): void {
  const { restore } = turn.state
  if (restored === null || isDealtWith(restore, restored.mark)) return
  const { mark, fromEpoch, clientEpoch } = restored
  const found = { mark, fromEpoch, clientEpoch, ...formerOf(restore) }
  turn.emit({ kind: 'restoreFound', ...found, isPersonAsked: true })
  const seen = clientEpoch > 0 ? `, the trading client has seen epoch ${clientEpoch}` : ''
  turn.warn(
    `账户数据由备份恢复：完整核对并经人工确认前不发出委托 (the books are from a backup of epoch ${fromEpoch}${seen}: nothing is sent until all four reports have been compared and a person has confirmed what was found)`,
  )
}

/** The terminal may have slept with the computer: for a moment its lists may lack what was filled meanwhile. */
function passDay(turn: Turn, input: OpenDay): void {
  const { dayEnds, day, orders } = turn.state
  if (input.day > day) {
    dayEnds.clear()
    for (const { clientOrderId } of orders.open()) dayEnds.set(clientOrderId, turn.inputs.wallMs)
  }
  openDay(turn, input)
}

/** From when on is kept what has ended is written into the journal, so that folding it needs no configuration. */
function openDay(turn: Turn, { day, isSure = false }: OpenDay): void {
  const { state, inputs } = turn
  if (day === state.day) return
  if (day < state.day) {
    // A clock that stands behind what has been acted upon (a replay that repeats) opens no day again.
    if (!isSure) return
    turn.error(`day ${state.day} was opened too early; it is ${day}`)
    turn.emit({ kind: 'dayTakenBack', day, before: state.day })
  } else {
    const keepDays = state.policy.limits.ordersKeepDays
    const fromMs = keepFromMs(state, { day, nowMs: inputs.nowMs, keepDays })
    noteDayEnds(turn, day)
    const ids = [...unarrived(state)]
    const mayArrive = ids.length > 0 ? { mayArrive: ids } : {}
    turn.emit({ kind: 'dayOpened', day, keepFromMs: fromMs, ...mayArrive })
  }
  state.dataVersion += 1
}

/** Refusals of an account that takes nothing at all now: nothing is written about them. */
const NOT_NOW: ReadonlySet<string> = new Set(['DISK_FULL', 'ACCOUNT_SUSPENDED'])

/** A refused request changes nothing but the journal: rules throw before their first event. */
function request(
  turn: Turn,
  input: Extract<AccountInput, { kind: 'request' }>,
  strategies: Strategies,
): void {
  watchLoss(turn) // prices may have fallen since the last input
  const before = turn.events.length
  try {
    mustBeServed(turn.inputs, input.request.kind)
    onRequest(turn, input, strategies)
  } catch (error) {
    if (!(error instanceof ServiceError) || turn.events.length > before) throw error
    if (!NOT_NOW.has(error.code)) recordDenial(turn, input.request, error)
    turn.refuse(input.ref, error)
  }
}
