import { ServiceError } from '../../domain/errors.ts'
import { isRepo } from '../../domain/instrument.ts'
import { shares } from '../../domain/money.ts'
import { type BrokerOrder, isVanished, type OrderRecord, toldNumber } from '../../domain/order.ts'
import { reckonedPrice } from '../../domain/reckoned-price.ts'
import type { DriverEvent, QueryKind, QueryRows } from '../../protocol/driver.ts'
import type { ResolveDoubt } from '../../protocol/orders.ts'
import { strangerLike } from '../fold/order-fold.ts'
import type { DoubtPoll } from '../model/calls.ts'
import {
  hasDoubt,
  isDoubtOpen,
  isInDoubt,
  isOfEarlierDay,
  isTimely,
  mayArrive,
  ordersLike,
  strangersLike,
} from '../orders/doubt-rules.ts'
import { isFrozenFor } from '../orders/freeze.ts'
import { reasonOfVanished, verdictOf } from '../orders/vanished.ts'
import { answerOf, orderAnswered } from '../turn/replies.ts'
import type { Turn } from '../turn/turn.ts'
import { askForClearance, takeClearance, whatStands } from './clearance.ts'
import { isAnyMissing, settleMsOf } from './listed.ts'
import { onPositionReport } from './position-reports.ts'
import { applyReport, REPORTS, recoverAgain } from './reconcile.ts'
import { mayHaveFilled, noteUndecided, noteVanished, wouldBeRepeated } from './unheard-fills.ts'

/** Polls for orders in doubt. The timer goes on until nothing is undecided. */
export function pollDoubtful(turn: Turn): void {
  const { state } = turn
  if (!isDoubtOpen(state) && !isAnyMissing(state)) return
  const { doubtQueryIntervalMs, doubtSettleMs, positionQueryIntervalMs } = state.policy.limits
  // The computer has slept, or was halted, and the client with it: its lists lag behind as much as before.
  if (turn.inputs.wallMs - state.doubtDueMs > doubtSettleMs) state.absentSinceMs.clear()
  quarantineOld(turn)
  askForClearance(turn)
  doubtPoll(turn)
  // What only the operator can decide is polled for less often.
  const delayMs = hasDoubt(state) ? doubtQueryIntervalMs : positionQueryIntervalMs
  state.doubtDueMs = turn.inputs.wallMs + delayMs
  turn.timer('doubt', delayMs)
}

/** From now on lists say everything of the orders that it stands behind; the next one is asked for at once. */
export function onBarrierAnswered(
  turn: Turn,
  event: Extract<DriverEvent, { kind: 'barrierAnswered' }>,
): void {
  if (!takeClearance(turn, event)) return
  for (const order of [...turn.state.orders.doubtful()]) retell(turn, order)
  doubtPoll(turn)
  recoverAgain(turn) // after a restore nothing was asked before this
}

/** A person who was told that it may still arrive is told when it no longer can. */
function retell(turn: Turn, order: OrderRecord): void {
  if (order.isQuarantined !== true || isVanished(order)) return
  const numbers = numbersOf(candidatesFor(turn, order))
  if (reasonOf(turn, order, numbers) !== order.statusMessage) quarantine(turn, order, numbers)
}

/** Asks for all four reports, each after now. One poll at a time. */
export function doubtPoll(turn: Turn): void {
  const { state, inputs } = turn
  if (!state.isReady || turn.isAsked('doubt')) return
  const cleared = new Set(state.laneClearedMs.keys())
  const { nextCallId: askedAt } = state
  state.doubtPoll = { askedMs: inputs.wallMs, askedAt, cleared, reports: new Map() }
  for (const what of REPORTS) turn.query(what, 'doubt')
}

/** One report of a poll. Nothing is concluded before all have come. */
export function onDoubtReport(turn: Turn, report: QueryRows): void {
  const { state } = turn
  if (state.doubtPoll === undefined) return applyReport(turn, report)
  const reports = new Map(state.doubtPoll.reports).set(report.what, report)
  const poll = { ...state.doubtPoll, reports }
  state.doubtPoll = poll
  const [orders, deals, ...rest] = REPORTS.map((what) => reports.get(what))
  if (orders === undefined || deals === undefined || rest.includes(undefined)) return
  state.doubtPoll = undefined
  const take = () => {
    state.parked.clear()
    state.hasParked = false
    applyReport(turn, orders)
    applyReport(turn, deals)
  }
  take()
  // What nobody can read may be the order that is looked for, or what is frozen for it.
  const isWhole = [...reports.values()].every(({ leftOut }) => leftOut === undefined)
  if (isWhole) decideAll(turn, { poll, take })
  followHoldings(turn, poll)
}

interface Ready {
  readonly poll: DoubtPoll
  /** Follows its orders and deals. */
  readonly take: () => void
}

function decideAll(turn: Turn, { poll, take }: Ready): void {
  const { state } = turn
  const eventCount = turn.events.length
  for (const order of [...state.orders.doubtful()]) {
    if (isInDoubt(order) || isOfEarlierDay(state, order)) decide(turn, order, poll)
  }
  // What was withheld for an order that is decided now belongs to somebody.
  if (turn.events.length > eventCount) take()
}

/**
 * After the deals, as in every comparison: what moved by one of them would pass for something that the client did. What is
 * there is news at once. What is missing is for the lists that are asked for now and then: these come so often that
 * several in a row would prove nothing.
 */
function followHoldings(turn: Turn, { askedAt, askedMs, reports }: DoubtPoll): void {
  turn.asked = { at: askedAt, wallMs: askedMs }
  const positions = reports.get('positions')
  if (positions?.what === 'positions') {
    for (const row of positions.rows) onPositionReport(turn, row)
  }
  const asset = reports.get('asset')
  if (asset !== undefined) applyReport(turn, asset)
}

/**
 * What two polls, far enough apart, say about an order that neither shows under its own remark:
 * nothing like it, and it was never taken; one row like it that can be no other order's, and it is
 * that; anything else is for the operator. Both were asked for after the order's clearance: before it,
 * lists say only what has arrived so far.
 */
function decide(turn: Turn, order: OrderRecord, poll: DoubtPoll): void {
  const { askedMs, cleared, reports } = poll
  const { state, inputs } = turn
  const { clientOrderId } = order
  if (!cleared.has(clientOrderId)) return
  const sinceMs = state.absentSinceMs.get(clientOrderId)
  if (sinceMs === undefined) {
    state.absentSinceMs.set(clientOrderId, inputs.wallMs)
    return
  }
  if (askedMs - sinceMs < settleMsIn(turn, order, reports)) return
  if (isOfEarlierDay(state, order)) return endWithItsDay(turn, order, poll)
  if (isVanished(order)) return decideVanished(turn, order, reports)
  settle(turn, order, reports)
  orderAnswered(turn, clientOrderId)
}

function settle(turn: Turn, order: OrderRecord, reports: Reports): void {
  const { state, inputs } = turn
  const candidates = candidatesFor(turn, order)
  const [first, second] = candidates
  if (first === undefined) {
    // While nobody knows what day it is, the lists may be those of the next one, which are empty.
    if (inputs.clockDoubt !== undefined) return
    // Listed nowhere, and yet something is frozen that may be its: the list is behind. Poll again.
    const terms = { rates: state.policy.feeRates, day: state.day }
    if (isFrozenFor(pricedAsFrozen(turn, order), reports, terms)) return
    if (!isNewsOfStock(turn, order, reports) && !mayHaveFilled(turn, order)) absent(turn, order)
  } else if (second === undefined && isOnlyOrderOf(turn, order, first)) bind(turn, order, first)
  else quarantine(turn, order, numbersOf(candidates))
}

/**
 * Its day is over, and it cannot come any more. Whether it came then, and what was filled of it, no list of orders says now;
 * what this poll shows of holdings and cash is without it.
 */
function endWithItsDay(turn: Turn, { clientOrderId }: OrderRecord, { askedAt }: DoubtPoll): void {
  const { state, inputs } = turn
  if (inputs.clockDoubt !== undefined) return // its day may not be over
  state.absentSinceMs.delete(clientOrderId)
  const unseen = state.unseen.get(clientOrderId)
  if (unseen !== undefined) state.unseen.set(clientOrderId, { numberedAt: askedAt, ...unseen })
  turn.moveOrder(clientOrderId, 'expire', { message: '委托日已过，未见于交易客户端' })
  orderAnswered(turn, clientOrderId)
}

/** A purchase without a price has frozen what it was reckoned at as it was sent; where nobody knows that, as it is now. */
function pricedAsFrozen({ inputs }: Turn, order: OrderRecord): OrderRecord {
  const { code, price, quotedPrice } = order
  return { ...order, price: price || quotedPrice || reckonedPrice(order, inputs.quote(code)) }
}

/** Rows that are nobody's and may be it. */
const candidatesFor = ({ state }: Turn, { clientOrderId }: OrderRecord): readonly BrokerOrder[] =>
  [...state.parked.values()].filter((row) =>
    ordersLike(state, row).some((like) => like.clientOrderId === clientOrderId),
  )

const isOnlyOrderOf = ({ state }: Turn, order: OrderRecord, row: BrokerOrder): boolean =>
  ordersLike(state, row).length === 1 && isTimely(order, row, state.policy.limits)

/**
 * A poll that shows its stock otherwise than the books is followed before the next one decides. One that lacks it shows that all
 * was sold, or that the client is not ready: for a stop that is no reason to wait.
 */
function isNewsOfStock({ state }: Turn, order: OrderRecord, reports: Reports): boolean {
  const { code } = order
  const listed = reports.get('positions')
  if (listed?.what !== 'positions' || isRepo(code)) return false
  const row = listed.rows.findLast((each) => each.code === code)
  if (row === undefined && !wouldBeRepeated(order)) return false
  return (row?.quantity ?? 0) !== (state.positions.get(code)?.quantity ?? 0)
}

function absent(turn: Turn, order: OrderRecord): void {
  const { clientOrderId } = order
  noteVanished(turn, order)
  turn.state.absentSinceMs.delete(clientOrderId)
  turn.moveOrder(clientOrderId, 'absent', { message: '交易客户端未收到该委托' })
}

function bind(turn: Turn, { clientOrderId }: OrderRecord, report: BrokerOrder): void {
  turn.state.absentSinceMs.delete(clientOrderId)
  turn.state.parked.delete(report.orderId)
  const text = `taken for order ${report.orderId} by code, side, quantity and time; its remark was lost`
  turn.warnOfOrder(clientOrderId, text)
  turn.emit({ kind: 'orderReported', clientOrderId, report })
}

type Reports = ReadonlyMap<QueryKind, QueryRows>

/** A list that shows much less than it should has to last before anything is concluded from it. */
function settleMsIn(turn: Turn, order: OrderRecord, reports: Reports): number {
  const orders = reports.get('orders')
  const isShortAsked = isVanished(order) && orders?.what === 'orders'
  return isShortAsked ? settleMsOf(turn, orders.rows) : turn.state.policy.limits.doubtSettleMs
}

function decideVanished(turn: Turn, order: OrderRecord, reports: Reports): void {
  const { state, inputs } = turn
  if (inputs.clockDoubt !== undefined) return // the lists may be those of another day
  const verdict = verdictOf(order, reports, {
    rates: state.policy.feeRates,
    day: state.day,
    isHeld: state.positions.has(order.code),
    isLike: order.strategy !== 'external' && strangersLike(state, order).length > 0,
  })
  if (verdict === 'ended') {
    if (isNewsOfStock(turn, order, reports) || mayHaveFilled(turn, order)) return
    return endVanished(turn, order)
  }
  if (verdict !== 'unclear') quarantineVanished(turn, order, verdict)
}

/** It can fill nothing more, by all that the broker says. */
function endVanished(turn: Turn, order: OrderRecord): void {
  const { clientOrderId, filledQuantity, quantity } = order
  noteVanished(turn, order)
  turn.state.absentSinceMs.delete(clientOrderId)
  turn.state.doubtSinceMs.delete(clientOrderId)
  const message = `交易客户端的当日委托中已无该委托，也没有为其冻结，按已终结处理，成交 ${shares(filledQuantity)}/${shares(quantity)} (no longer listed, and nothing is frozen for it: ended, with ${shares(filledQuantity)} of ${shares(quantity)} filled)`
  turn.moveOrder(clientOrderId, 'expire', { message })
  orderAnswered(turn, clientOrderId)
}

function quarantineVanished(
  turn: Turn,
  order: OrderRecord,
  why: Parameters<typeof reasonOfVanished>[0],
): void {
  const { clientOrderId } = order
  noteUndecided(turn, order)
  const candidates = strangersLike(turn.state, order).map(({ orderId }) => orderId)
  const reason = reasonOfVanished(why, candidates)
  turn.emit({ kind: 'orderQuarantined', clientOrderId, candidates, reason })
  turn.error(`order ${clientOrderId}, ${toldNumber(order) || NO_NUMBER}: ${reason}`)
}

const NO_NUMBER = 'whose number is that of another order now'

/** For a person from here on. */
function quarantine(turn: Turn, order: OrderRecord, candidates: readonly string[]): void {
  const { clientOrderId } = order
  noteUndecided(turn, order)
  const reason = reasonOf(turn, order, candidates)
  turn.emit({ kind: 'orderQuarantined', clientOrderId, candidates, reason })
  const stands = whatStands(turn, order)
  const rows = candidates.join(', ') || 'none'
  turn.error(
    `order ${clientOrderId} cannot be cleared up; candidates: ${rows}${stands && '; '}${stands}`,
  )
}

/** What a person has to know of it: whether it may still arrive, and which rows it may be. */
function reasonOf(turn: Turn, order: OrderRecord, candidates: readonly string[]): string {
  const stands = whatStands(turn, order)
  const unfound = isToldAsMoved(turn, order) ? MOVED : '长时间无法核实，请人工确认'
  const guess =
    candidates.length === 0 ? unfound : `可能为委托 ${candidates.join('、')}，请人工确认`
  return `存疑：${stands}${stands && '；'}${guess}`
}

/** What was found once stays said, also when costs have followed what has moved. */
const isToldAsMoved = (turn: Turn, order: OrderRecord): boolean =>
  mayHaveFilled(turn, order) || order.statusMessage.includes(MOVED)

const MOVED =
  '交易客户端的当日委托中没有该委托，而持仓已有变化、成交列表未能说明，可能是它的成交，请人工确认 (not listed, and shares of its stock have moved by what no deal tells, which may be its fills)'

const numbersOf = (rows: readonly BrokerOrder[]): readonly string[] =>
  rows.map(({ orderId }) => orderId)

/** Polled for too long without a poll that could decide: lists that fail or never come, or no clearance. */
function quarantineOld(turn: Turn): void {
  const { state, inputs } = turn
  if (!state.isReady) return
  for (const order of [...state.orders.values()]) {
    if (!isInDoubt(order)) continue
    const sinceMs = state.doubtSinceMs.get(order.clientOrderId) ?? inputs.wallMs
    state.doubtSinceMs.set(order.clientOrderId, sinceMs)
    if (inputs.wallMs - sinceMs >= state.policy.limits.doubtQuarantineMs) giveUp(turn, order)
  }
}

function giveUp(turn: Turn, order: OrderRecord): void {
  const why = mayHaveFilled(turn, order) ? 'moved' : 'unsettled'
  if (isVanished(order)) quarantineVanished(turn, order, why)
  else quarantine(turn, order, numbersOf(candidatesFor(turn, order)))
}

/**
 * The operator's word on a quarantined order: never taken, or taken under a number that the
 * broker's list shows and nobody has. Of one that the broker had and lists no more: it has ended, or it has that
 * number now.
 *
 * Errors  `UNKNOWN_ORDER`, `ORDER_IN_DOUBT_HELD` while a machine still looks, and for "never taken" while
 *         it may still arrive, `CONFLICT`.
 */
export function resolveDoubt(turn: Turn, request: ResolveDoubt, ref: number): void {
  const { state } = turn
  const { clientOrderId, orderId, source } = request
  const order = state.orders.get(clientOrderId)
  if (order === undefined) {
    throw new ServiceError('UNKNOWN_ORDER', `委托 ${clientOrderId} 不存在 (no such order)`)
  }
  if (order.status !== 'inDoubt') {
    throw new ServiceError(
      'CONFLICT',
      `委托 ${clientOrderId} 的结果已知，当前状态 ${order.status}，无需处理 (not in doubt: it is ${order.status})`,
    )
  }
  if (order.isQuarantined !== true) {
    const text = `order ${clientOrderId} is still being looked for; wait until it is quarantined`
    throw new ServiceError('ORDER_IN_DOUBT_HELD', text)
  }
  const isUnclaimed = state.parked.has(orderId) || strangerLike(state, order, orderId) !== undefined
  if (orderId !== '' && !isUnclaimed) {
    const text = `order_id ${orderId} is not an unclaimed order of the trading client's list`
    throw new ServiceError('CONFLICT', text)
  }
  if (orderId === '' && isVanished(order)) {
    turn.emit({ kind: 'doubtDecided', clientOrderId, orderId, isOver: true, source })
    return decided(turn, clientOrderId, ref)
  }
  if (orderId === '' && mayArrive(state, order)) {
    const text = `委托 ${clientOrderId} 仍可能到达柜台，不能确认为未收到；${whatStands(turn, order)}。请等待，或重启交易客户端后再试 (it may still arrive: wait, or restart the trading client and try again)`
    throw new ServiceError('ORDER_IN_DOUBT_HELD', text)
  }
  turn.emit({ kind: 'doubtDecided', clientOrderId, orderId, source })
  decided(turn, clientOrderId, ref)
}

function decided(turn: Turn, clientOrderId: string, ref: number): void {
  const { state } = turn
  state.absentSinceMs.delete(clientOrderId)
  state.doubtSinceMs.delete(clientOrderId)
  doubtPoll(turn) // what was withheld is somebody's now
  const order = state.orders.get(clientOrderId)
  if (order !== undefined) turn.reply(ref, answerOf(order, false))
}
