import { replacementOf } from '../../domain/amendment.ts'
import { POLICY, ServiceError } from '../../domain/errors.ts'
import { type Price, type Quantity, shares } from '../../domain/money.ts'
import {
  type Amendment,
  isNamed,
  type OrderRecord,
  PRICE_TYPE,
  PRICE_TYPES,
  toldNumber,
} from '../../domain/order.ts'
import { isOpen } from '../../domain/order-state.ts'
import { BY_HAND } from '../../domain/trade-record.ts'
import type { AmendAnswer, AmendOrder } from '../../protocol/orders.ts'
import { dayInForce } from '../model/days.ts'
import type { AccountState } from '../model/state.ts'
import { answerOf } from '../turn/replies.ts'
import type { Turn } from '../turn/turn.ts'
import { approve, recordRefusal, refusedInPlaceOf, type WantedOrder } from './approval.ts'
import {
  cancel,
  type FollowUpPolicy,
  followUp,
  isPartSought,
  type Rest,
  type RestOrder,
} from './follow-up.ts'
import { orderNamed } from './named-order.ts'
import type { IntentOutcome } from './order-intent.ts'
import { isPassed, queuedUnder, seenBy } from './order-queue.ts'
import { waitMsOf } from './order-rate.ts'
import { amendedUnder, known, submit } from './orders.ts'

/**
 * Changes an open order of a person: the cancel and what is to take its place are one commit, and the rest follows the
 * order's end (`followAmendments`), over a restart too. What no rule would let pass is refused now, and the order stays.
 */
export function amendOrder(turn: Turn, request: AmendOrder, ref: number): void {
  const order = orderOf(turn.state, request.orderId)
  const { amendment: earlier } = order
  if (earlier?.clientOrderId === request.key && earlier.requestHash === request.requestHash) {
    return turn.reply(ref, answer(turn, order, true))
  }
  const { code, side } = order
  const { key, requestHash } = request
  const sent = known(turn, { key, requestHash, terms: { code, side } })
  // Found again at the trading client by books that are older than it.
  if (sent !== undefined) return turn.reply(ref, answerOfSent(order, sent))
  mustBeAmendable(turn, order)
  const amendment = amendmentOf(turn, order, request)
  const left = (amendment.quantity - order.filledQuantity) as Quantity
  const queue = seenBy(turn, amendment.until)
  const wanted = wantedOf(order, amendment, left)
  const refusal = refusedInPlaceOf(turn, wanted, { replaced: order, queue })
  if (refusal !== undefined) return turn.refuse(ref, refusal)
  const { clientOrderId, code: stockCode } = order
  turn.emit({ kind: 'orderAmended', clientOrderId, stockCode, amendment, source: request.source })
  cancel(turn, order, { source: request.source, isRestWanted: false, isReplaced: true })
  turn.reply(ref, answer(turn, orderOf(turn.state, request.orderId), false))
}

/** Errors  throws `UNKNOWN_ORDER`, and `CONFLICT` for one that waits for its turn, or where several have that number. */
function orderOf(state: AccountState, orderId: string): OrderRecord {
  const order = orderNamed(state, orderId)
  if (order !== undefined) return order
  if (queuedUnder(state, orderId) !== undefined) {
    const text = `委托 ${orderId} 正在排队，请撤销后重新下单 (it waits for its turn: withdraw it and place another)`
    throw new ServiceError('CONFLICT', text)
  }
  throw new ServiceError('UNKNOWN_ORDER', `委托 ${orderId} 不存在 (no such order)`)
}

/** Errors  throws `CONFLICT`, `ORDER_IN_DOUBT_HELD`, `NOT_CONNECTED`, `DISK_FULL`. */
function mustBeAmendable(turn: Turn, order: OrderRecord): void {
  const { state } = turn
  const { clientOrderId, status } = order
  const refuse = (text: string) => {
    throw new ServiceError('CONFLICT', `委托 ${toldNumber(order) || clientOrderId} ${text}`)
  }
  if (!isOpen(status)) return refuse(`已终结，无可改部分 (it has ended: ${status})`)
  if (status === 'submitted' || status === 'inDoubt') {
    const text = `委托 ${clientOrderId} 结果未知，核实后才能改单 (in doubt: it can be changed once that is settled)`
    throw new ServiceError('ORDER_IN_DOUBT_HELD', text)
  }
  if (order.amendment?.outcome === 'canceling') refuse('正在改单 (it is being changed already)')
  if (status === 'pendingCancel' || state.cancels.has(clientOrderId)) {
    return refuse('正在撤单 (it is being canceled)')
  }
  if (!isNamed(order))
    refuse('在交易客户端没有编号，请在下单的终端处理 (it has no number to cancel it by)')
  if (order.signalType !== undefined || state.grid.orders.has(clientOrderId)) {
    refuse('由策略跟踪，只能撤单 (a strategy follows it: it can only be canceled)')
  }
  if (state.connection.phase !== 'connected') {
    throw new ServiceError(
      'NOT_CONNECTED',
      '交易客户端未连接 (the trading client is not connected)',
    )
  }
}

/** Errors  throws `VALIDATION` when nothing would change, or fewer shares are wanted than are filled. */
function amendmentOf(
  turn: Turn,
  order: OrderRecord,
  { key, requestHash, source, ...asked }: AmendOrder,
): Amendment {
  const { amendMs } = turn.state.policy.limits
  const { nowMs, wallMs } = turn.inputs
  const isPriced = asked.price !== undefined
  if (!isPriced && !PRICE_TYPES.has(order.priceType)) {
    throw invalid(
      'price',
      `委托的报价类型 ${order.priceType} 无法由此重报，请给出 price (it has a kind of price that cannot be placed here: give a price)`,
    )
  }
  const terms = {
    quantity: (asked.quantity ?? order.quantity) as Quantity,
    priceType: isPriced ? PRICE_TYPE.limit : order.priceType,
    price: (asked.price ?? order.price) as Price,
  }
  const { quantity, priceType, price } = terms
  const filled = Math.max(order.filledQuantity, order.venueFilledQuantity ?? 0)
  if (quantity <= filled) {
    throw invalid(
      'order_volume',
      `须多于已成交的 ${shares(filled)} 股 (must be more than the ${shares(filled)} shares that are filled)`,
    )
  }
  if (!Number.isSafeInteger(price * quantity)) {
    throw invalid('order_volume', '金额过大 (price times volume is too large)')
  }
  if (quantity === order.quantity && price === order.price && priceType === order.priceType) {
    throw invalid(
      'price',
      '与原委托相同，请给出不同的 price 或 order_volume (nothing would change: give another price or order_volume)',
    )
  }
  return {
    clientOrderId: key,
    requestHash,
    ...terms,
    source,
    until: { nowMs: nowMs + amendMs, wallMs: wallMs + amendMs },
    outcome: 'canceling',
    reason: '',
  }
}

function invalid(field: string, text: string): ServiceError {
  const message = `${field}: ${text}`
  return new ServiceError('VALIDATION', message, { [field]: [message] })
}

const wantedOf = (
  { code, side, strategy }: OrderRecord,
  { clientOrderId, requestHash, priceType, price, source }: Amendment,
  quantity: Quantity,
): WantedOrder => ({
  clientOrderId,
  requestHash,
  code,
  side,
  quantity,
  priceType,
  price,
  strategy: strategy === 'external' ? BY_HAND[side] : strategy,
  source,
})

function answer(turn: Turn, order: OrderRecord, replayed: boolean): AmendAnswer {
  const { clientOrderId, amendment } = order as OrderRecord & { amendment: Amendment }
  const sent = successorOf(turn.state, order)
  return {
    orderId: toldNumber(order) || clientOrderId,
    clientOrderId: amendment.clientOrderId,
    outcome: amendment.outcome,
    reason: amendment.reason,
    ...(sent !== undefined && { order: answerOf(sent, replayed) }),
    replayed,
  }
}

/** The order in its place, as soon as it is in the books. */
const successorOf = ({ orders }: AccountState, { amendment }: OrderRecord) =>
  amendment && orders.bearing(amendment.clientOrderId)

const answerOfSent = (order: OrderRecord, sent: OrderRecord): AmendAnswer => ({
  orderId: toldNumber(order) || order.clientOrderId,
  clientOrderId: sent.clientOrderId,
  outcome: 'sent',
  reason: '',
  order: answerOf(sent, true),
  replayed: true,
})

/** After every input: what took too long is given up, and what has ended makes room for the order in its place. */
export function followAmendments(turn: Turn): void {
  const { state, inputs } = turn
  if (state.amending.size === 0 || inputs.isSuspended === true) return
  for (const order of amendedOrders(state)) {
    // Books that were put back from a copy find the order in its place at the trading client.
    if (successorOf(state, order) !== undefined) endSent(turn, order)
    else if (isStopped(state, order)) dropAmendment(turn, order, STOPPED)
    // Nothing is sent of an open one; whether its time is up is looked at all the same.
    else if (isOpen(order.status)) giveUpOpen(turn, order)
  }
  followUp(turn, AMENDMENTS)
  watchAmendments(turn)
}

/** Whoever raises the level means what is on its way too, also when it is lowered before the old order has ended. */
const isStopped = ({ killSwitch: { level } }: AccountState, { side }: OrderRecord): boolean =>
  level === 'entries' ? side === 'buy' : level !== 'off'
const STOPPED = '改单期间设置了急停 (the kill switch was set meanwhile)'

/** Whoever wants an order gone wants nothing in its place. */
export function abandonAmendment(turn: Turn, orderId: string): void {
  const order = orderNamed(turn.state, orderId)
  if (order !== undefined) dropAmendment(turn, order, '已请求撤单 (a cancel was asked for since)')
}

/** The key of an order that is to take the place of another one is withdrawn before it has. */
export function withdrawAmendment(turn: Turn, key: string): void {
  const order = amendedUnder(turn.state, key)
  if (order !== undefined) dropAmendment(turn, order, '此键已作废 (its key was withdrawn)')
}

function dropAmendment(turn: Turn, order: OrderRecord, reason: string): void {
  const { amendment } = order
  if (amendment?.outcome !== 'canceling') return
  const { clientOrderId } = order
  turn.emit({ kind: 'amendmentEnded', clientOrderId, outcome: 'dropped', reason })
  // The same request under the same key is not carried out a second time.
  const wanted = wantedOf(order, amendment, amendment.quantity)
  recordRefusal(turn, wanted, { code: 'ORDER_NOT_REPLACED', message: reason })
  // While something was to take its place, the cancel may have rested too.
  if (isOpen(order.status)) turn.timer('cancels', turn.state.policy.limits.cancelRetryIntervalMs)
}

const amendedOrders = ({ amending, orders }: AccountState): readonly OrderRecord[] =>
  [...amending].flatMap((id) => orders.get(id) ?? [])

function giveUpOpen(turn: Turn, order: OrderRecord): void {
  const rest = restOf(turn, order)
  if (rest !== 'later' && 'dropped' in rest) dropAmendment(turn, order, rest.dropped)
}

/** They follow an order as the rests of strategies do, but that nothing is canceled for its age. */
const AMENDMENTS: FollowUpPolicy = {
  working: ({ amending }) => amending,
  timeLimitMs: () => Number.POSITIVE_INFINITY,
  isFilledCanceled: false,
  timeoutSource: '',
  timedOut: () => false,
  restOf,
  freezeMs: ({ policy }) => policy.limits.amendFreezeMs,
  retry: ({ policy: { limits } }) => ({
    triesMax: limits.amendTriesMax,
    intervalMs: limits.amendRetryMs,
  }),
  resubmit,
  ended: (turn, order, ending) => {
    if (ending.kind === 'dropped') return dropAmendment(turn, order, ending.reason)
    endSent(turn, order)
  },
}

const endSent = (turn: Turn, { clientOrderId }: OrderRecord): void =>
  turn.emit({ kind: 'amendmentEnded', clientOrderId, outcome: 'sent', reason: '' })

function restOf(turn: Turn, order: OrderRecord): Exclude<Rest, undefined> {
  const { state, inputs } = turn
  const { amendment } = order as OrderRecord & { amendment: Amendment }
  const next = replacementOf(order, amendment, {
    day: dayInForce(state, inputs.nowMs),
    isLate: isPassed(turn, amendment),
    isCancelGivenUp: state.cancelsGivenUp.has(order.clientOrderId),
    isPartSought: isPartSought(state, order),
  })
  if (next.kind === 'drop') return { dropped: next.reason }
  if (next.kind === 'wait' || !state.isReady) return 'later'
  return { quantity: next.quantity, price: amendment.price }
}

/** By the door of people. What a rule refuses is written down once nothing more is tried. */
function resubmit(turn: Turn, order: OrderRecord, { quantity }: RestOrder): IntentOutcome {
  const { amendment } = order as OrderRecord & { amendment: Amendment }
  const approval = approve(turn, wantedOf(order, amendment, quantity), () => true)
  if (approval.ok) {
    submit(turn, approval.value)
    return { kind: 'sent', clientOrderId: amendment.clientOrderId, fills: undefined }
  }
  const { code, message } = approval.error
  const isRate = code === 'ORDER_RATE'
  const untilMs = turn.inputs.nowMs + waitMsOf(turn, 0)
  const isPassing = POLICY[code].retry !== 'never'
  return { kind: 'refused', refusal: { code, message, isPassing, ...(isRate && { untilMs }) } }
}

/** What is to be done without any news: to give up in time, and to try again. */
function watchAmendments(turn: Turn): void {
  const { state, inputs } = turn
  let delayMs = Number.POSITIVE_INFINITY
  for (const { clientOrderId, amendment, updatedMs, status } of amendedOrders(state)) {
    if (amendment === undefined) continue
    delayMs = Math.min(delayMs, amendment.until.wallMs + 1 - inputs.wallMs)
    if (isOpen(status)) continue
    const againMs = state.reorderTries.get(clientOrderId)?.nextMs
    const freeMs = updatedMs + state.policy.limits.amendFreezeMs
    for (const atMs of [againMs, freeMs]) {
      if (atMs !== undefined && atMs > inputs.nowMs)
        delayMs = Math.min(delayMs, atMs - inputs.nowMs)
    }
  }
  if (Number.isFinite(delayMs)) turn.timer('amend', Math.max(1, Math.ceil(delayMs)))
}
