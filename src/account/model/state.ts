import type { StockCode } from '../../domain/instrument.ts'
import type { BrokerAsset, BrokerDeal, BrokerOrder } from '../../domain/order.ts'
import type { Position } from '../../domain/position.ts'
import type { Settings } from '../../domain/settings/table.ts'
import type { QueryKind, QueryRows } from '../../protocol/driver.ts'
import type { DoubtPoll, PendingCall } from './calls.ts'
import type { CancelTry, CancelWatch } from './cancel-watch.ts'
import { type Connection, DISCONNECTED } from './connection.ts'
import { type Costs, type EarningsMeta, emptyCosts, NOTHING_EARNED } from './costs.ts'
import type { Difference, ReconcileRun } from './differences.ts'
import { type EquityBook, emptyEquityBook } from './equity-book.ts'
import type { Batch } from './events.ts'
import { emptyGridBook, type GridBook } from './grid-book.ts'
import type { HeldStop } from './held-stop.ts'
import type { KeptDenial } from './kept-denial.ts'
import {
  type DayTotal,
  KILL_SWITCH_OFF,
  type KillSwitch,
  NO_DAY_TOTAL,
  NOTHING_TOLD,
  type ProtectiveTold,
} from './kill-switch.ts'
import { OrderBook } from './order-book.ts'
import { noNumbers, type OrderNumbers } from './order-numbers.ts'
import type { HeldBack, Instant, QueuedOrder } from './order-queue.ts'
import type { AccountPolicy, RiskPolicy } from './policy.ts'
import { QuoteTrust } from './quote-trust.ts'
import type { Restore } from './restore.ts'
import type { ChangedLimits } from './risk-limits.ts'
import type { CashKnown, SharesBook } from './shown.ts'
import type { Simulation } from './simulation.ts'
import { StrategyMemories } from './strategy-memory.ts'
import { DecisionTrace } from './trace.ts'
import { UnseenOrders } from './unseen-orders.ts'
import type { Waiting } from './waiting.ts'

/** A deal that has been booked, by its key; the serial number of its record with it. */
export interface BookedDeal {
  readonly deal: BrokerDeal
  readonly recordId: number
  readonly strategy: string
  /** Client order id of the order that it fills; '' for none, undefined for what an earlier release booked. */
  readonly clientOrderId?: string
  /** Exchange day of the booking. */
  readonly day: string
}

/** An order that was missing in each list since, wall clock of the asking. */
export interface Unlisted {
  readonly anyMs: number
  /** In those since that were long enough to mean something. */
  readonly fullMs: number | undefined
  /** Missing for so long now that it is no fault of a single list. */
  readonly isSettled: boolean
}

/** Of a stock, when an order was decided that could not leave in time. */
export interface NeverSent {
  /** Time of the quote that it was decided on. */
  readonly quoteMs: number
  /** Wall clock from which this quote may be acted upon again. */
  readonly untilWallMs: number
}

/** Refusals of automatic orders that have been told: what was wanted and why not → market clock, epoch ms. */
export type ToldRefusals = Map<string, number>

/**
 * What the journal tells, and what follows from that. It changes only in `apply`, one event at a time, and folding the
 * journal gives it again.
 */
interface Recorded {
  seq: number
  day: string
  /** The last exchange days that it has lived through, the oldest first; the open one is the last. */
  days: readonly string[]
  nextRecordId: number
  /** Client order ids made here so far; their entropy. */
  idCounter: number
  settings: Settings
  readonly stored: Map<string, number | boolean>
  /** Limits that were changed while the account ran, and all that are in force: those of the file with them laid over. */
  changedLimits: ChangedLimits
  risk: RiskPolicy
  readonly positions: Map<StockCode, Position>
  /** Holdings that lists have lacked until they counted as closed, and deals do not explain it; the oldest first. */
  readonly lost: Map<StockCode, LostHolding>
  readonly orders: OrderBook
  readonly deals: Map<string, BookedDeal>
  /** Client order id of a request for several stocks → what became of it. */
  readonly batches: Map<string, Batch>
  /** Client order id of an order that was refused here → the refusal, oldest first. */
  readonly denials: Map<string, KeptDenial>
  /** What may not be sent at all, whatever the rules say. */
  killSwitch: KillSwitch
  /** Refusals of the broker since it last took or filled an order of ours. */
  rejectsInRow: number
  dayTotal: DayTotal
  /** Of days before that. */
  earlierTotals: readonly DayTotal[]
  /** Of the limit of protective sales. */
  protectiveTold: ProtectiveTold
  /** By serial number, the oldest first. */
  readonly differences: Map<number, Difference>
  /** Serial number of a trade record → what a person has written beside it. */
  readonly fillNotes: Map<number, string>
  readonly grid: GridBook
  /** What holdings have cost, and what sales have earned is numbered by. */
  readonly costs: Costs
  earnings: EarningsMeta
  /** The last time that the books were put back from a backup. */
  restore: Restore | undefined
  /** Number of the last change of a token that is in the journal; 0: none. */
  tokenChange: number
  /** Broker's order number → client order id. */
  readonly orderIds: Map<string, string>
  /** Orders of signals that are not finished with; follows from `orders`. */
  readonly tracked: Set<string>
  /** Orders that are canceled so that another may take their place; follows from `orders`. */
  readonly amending: Set<string>
}

/** A holding as it was when it was closed, and what deals have told of it. */
export interface LostHolding {
  readonly held: Position
  /** Shares that those of before had left of it. */
  readonly left: number
  /** Shares of those that were told since. */
  readonly sold: number
  readonly bought: number
  /** Market clock. */
  readonly sinceMs: number
}

/** What the broker has said, and what that proves. Nothing of it is kept: every incarnation asks anew. */
interface FromBroker {
  connection: Connection
  asset: BrokerAsset | undefined
  assetAtMs: number
  /** What it has said of the shares of each stock, and of cash, with the moment of each word. */
  readonly shares: SharesBook
  cash: CashKnown
  /** Reports gathered while recovering. */
  readonly reports: Map<QueryKind, QueryRows>
  /** Kinds of reports whose last one had rows that nobody could read, and which: what it lacks may be there. */
  readonly leftOut: Map<QueryKind, readonly string[]>
  /** This connection pushes news of orders. */
  isPushing: boolean
  /** A push could not be read since the last comparison. */
  isPushUnread: boolean
  /** Holdings missing from reports in a row → how much that proves, in hundredths of a list. */
  readonly missing: Map<StockCode, number>
  /** What this connection has said of the numbers of orders. */
  readonly numbers: OrderNumbers
  /** Orders with a number that the last lists of this connection did not show. */
  readonly unlisted: Map<string, Unlisted>
  /** Orders of which the last asked-for report cannot be proven to know. */
  readonly unseen: UnseenOrders
  /** Rows that may be an order in doubt which lost its remark: nobody's until that is decided. */
  readonly parked: Map<string, BrokerOrder>
  /** Rows or deals were left aside and must be asked for again. */
  hasParked: boolean
  /** On this connection a barrier has said that nothing that was sent before it can arrive. */
  isLaneEmpty: boolean
  /**
   * Orders in doubt that can no longer arrive → wall clock when a barrier said so, on this connection.
   * What is in doubt and not in here may still come, whatever the lists show.
   */
  readonly laneClearedMs: Map<string, number>
  /** What the last barrier said still stands; empty when it said nothing. */
  laneFault: string
  /** Lists that the client did not give when it was last asked → what it said instead. */
  readonly unanswered: Map<QueryKind, string>
  /** Wall clock until which a call of the owner before, on another computer, may still arrive. */
  formerUntilMs: number
  /** Orders in doubt → wall clock when this connection began to look for them. */
  readonly doubtSinceMs: Map<string, number>
  /** Orders in doubt → wall clock of the first poll, asked for after their clearance, that did not find them. */
  readonly absentSinceMs: Map<string, number>
  /** Wall clock at which the next poll for them is due. */
  doubtDueMs: number
  /** The poll under way: all of its reports are needed to conclude anything. */
  doubtPoll: DoubtPoll | undefined
  /** Orders whose cancel was in hand → wall clock of the first list since that shows them without one. */
  readonly undoneSinceMs: Map<string, number>
  /** Orders whose end tells of a part and counts none, and that others may follow: from which call on deals were asked for after it. */
  readonly partEnds: Map<string, number>
  /** Orders that were open as the last day of this life ended → wall clock of that, until a list tells of their fills. */
  readonly dayEnds: Map<string, number>
  /** What cash was when a deal was last booked: as long as it is that, a change of it is no surprise. */
  assetAtDeal: BrokerAsset | undefined
  /** Calls from this one on left after the last deal was booked. */
  dealtAt: number
  /** The comparison under way, and the last one that ended. */
  run: ReconcileRun | undefined
  lastRun: ReconcileRun | undefined
  /** It has never compared its books with the broker: there are none yet. */
  isNewborn: boolean
  /** Holdings and cash are to be asked for again. */
  isBooksWanted: boolean
  /** All four reports of this connection have been compared: it knows what it has. */
  isReady: boolean
}

/** What is under way: calls, requests, and orders that are not sent yet or not again. */
interface Underway {
  nextCallId: number
  readonly calls: Map<number, PendingCall>
  readonly waiting: Set<Waiting>
  /** Keys whose callers will get no answer and whose orders are not here yet → market clock of that news, oldest first. */
  readonly untoldKeys: Map<string, number>
  /** When the last orders were sent, oldest first; as many as the rate rule counts. */
  readonly sent: Instant[]
  /** Orders of people that wait for their turn, the first one first. */
  readonly queue: QueuedOrder[]
  /** Orders of strategies for which there was no place, by owner, stock and side. */
  readonly heldBack: Map<string, HeldBack>
  /** Stocks whose last order was never sent, until a newer quote is seen. */
  readonly neverSent: Map<StockCode, NeverSent>
  /** The last refusals of automatic orders, by owner and stock, so that none is told with every tick. */
  readonly refusals: Map<string, ToldRefusals>
  /** Resubmissions that were refused for now: how often, and when to try again by the market clock. */
  readonly reorderTries: Map<string, { readonly count: number; readonly nextMs: number }>
  /** Orders that keep their place although their time was up: when they are looked at again, by the market clock. */
  readonly nextLooks: Map<string, number>
  /** Stop-losses that orders of their own stock keep back. */
  readonly heldStops: Map<StockCode, HeldStop>
  /** Cancels without a confirmed end. */
  readonly cancels: Map<string, CancelWatch>
  /** Cancels that were tried as often as allowed: for a person now. */
  readonly cancelsGivenUp: Set<string>
  /** Cancels that the kill switch asked for. */
  readonly cancelTries: Map<string, CancelTry>
  /** Polls in a row for deals that orders say exist. */
  fillPolls: number
  /** The timer that looks after open orders runs. */
  isWatchingOpen: boolean
  /** When it was last said that a restore waits for a person, by the wall clock; 0: not yet. */
  restoreToldWallMs: number
  /** Wall clock of the turn. */
  wallMs: number
}

/** What strategies judge by, and what they have come to. */
interface Judgement {
  /** As the market data call stocks; not kept, told anew in every life. */
  readonly names: Map<StockCode, string>
  /** What the quotes of the holdings are worth. */
  readonly quoteTrust: QuoteTrust
  /** Stocks whose quotes of this day have been looked at for an ex-day; only the open day's are kept. */
  readonly compared: { day: string; readonly codes: Set<StockCode> }
  /** Loss at which somebody sells who acts in place of the account's own strategy, decimal; undefined: nobody does. In memory only. */
  actingStopRatio: number | undefined
  /** Something may have happened that strategies were not asked about: once they are, they look at everything. */
  hasRested: boolean
  /** What strategies remember besides. */
  readonly memories: StrategyMemories
  /** Why strategies did or did not act. */
  readonly trace: DecisionTrace
}

/** All that an account knows. */
export interface AccountState extends Recorded, FromBroker, Underway, Judgement {
  readonly policy: AccountPolicy
  /** Points of equity that are stored: not in the journal, loaded from their rows. */
  equity: EquityBook
  /** Present while the account is in simulation mode. */
  simulation: Simulation | undefined
  /** Goes up with whatever callers are shown. */
  dataVersion: number
  recordsVersion: number
  /** Goes up with every change of a note. */
  notesVersion: number
}

export function emptyState(policy: AccountPolicy): AccountState {
  return {
    policy,
    seq: 0,
    day: '',
    days: [],
    nextRecordId: 1,
    idCounter: 0,
    settings: policy.settings,
    stored: new Map(),
    changedLimits: {},
    risk: policy.risk,
    positions: new Map(),
    lost: new Map(),
    names: new Map(),
    orders: new OrderBook(),
    deals: new Map(),
    batches: new Map(),
    denials: new Map(),
    killSwitch: KILL_SWITCH_OFF,
    rejectsInRow: 0,
    dayTotal: NO_DAY_TOTAL,
    protectiveTold: NOTHING_TOLD,
    earlierTotals: [],
    differences: new Map(),
    fillNotes: new Map(),
    notesVersion: 1,
    grid: emptyGridBook(),
    costs: emptyCosts(),
    earnings: NOTHING_EARNED,
    equity: emptyEquityBook(),
    restore: undefined,
    restoreToldWallMs: 0,
    tokenChange: 0,
    orderIds: new Map(),
    tracked: new Set(),
    amending: new Set(),
    connection: DISCONNECTED,
    asset: undefined,
    assetAtMs: 0,
    nextCallId: 1,
    calls: new Map(),
    waiting: new Set(),
    sent: [],
    untoldKeys: new Map(),
    queue: [],
    heldBack: new Map(),
    reports: new Map(),
    leftOut: new Map(),
    isPushUnread: false,
    missing: new Map(),
    laneClearedMs: new Map(),
    isLaneEmpty: false,
    formerUntilMs: 0,
    laneFault: '',
    unanswered: new Map(),
    absentSinceMs: new Map(),
    doubtDueMs: Number.POSITIVE_INFINITY,
    numbers: noNumbers(),
    unlisted: new Map(),
    doubtSinceMs: new Map(),
    doubtPoll: undefined,
    parked: new Map(),
    hasParked: false,
    cancels: new Map(),
    undoneSinceMs: new Map(),
    cancelsGivenUp: new Set(),
    nextLooks: new Map(),
    actingStopRatio: undefined,
    heldStops: new Map(),
    reorderTries: new Map(),
    neverSent: new Map(),
    refusals: new Map(),
    fillPolls: 0,
    partEnds: new Map(),
    dayEnds: new Map(),
    run: undefined,
    lastRun: undefined,
    isNewborn: false,
    shares: new Map(),
    cash: {},
    unseen: new UnseenOrders(),
    wallMs: 0,
    isBooksWanted: false,
    isPushing: false,
    isWatchingOpen: false,
    hasRested: false,
    assetAtDeal: undefined,
    dealtAt: 0,
    cancelTries: new Map(),
    quoteTrust: new QuoteTrust(policy),
    compared: { day: '', codes: new Set() },
    trace: new DecisionTrace(policy.limits),
    memories: new StrategyMemories(policy),
    simulation: undefined,
    isReady: false,
    dataVersion: 1,
    recordsVersion: 1,
  }
}
