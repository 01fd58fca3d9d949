import type { BoardRule } from '../../domain/data/board-rules.ts'
import { ServiceError } from '../../domain/errors.ts'
import { about } from '../../domain/in-both.ts'
import { isInYuan, type StockCode, shownCode } from '../../domain/instrument.ts'
import { LOT, wholeLots } from '../../domain/lot.ts'
import { moneyFromYuan, type Price, type Quantity } from '../../domain/money.ts'
import { type OrderRecord, type OrderTerms, PRICE_TYPE } from '../../domain/order.ts'
import { counterpartyPrice } from '../../domain/reckoned-price.ts'
import { repetition } from '../../domain/repetition.ts'
import { err, ok, type Result } from '../../domain/result.ts'
import { DISK_LOW_TEXT, OTHER_CURRENCY_TEXT } from '../../domain/risk.ts'
import { BY_HAND } from '../../domain/trade-record.ts'
import type { ExecuteBuy, ExecuteSell, OrderAnswer, PlaceOrder } from '../../protocol/orders.ts'
import { partQuantity } from '../../strategy/stop-profit/order-size.ts'
import { isWithdrawnKey } from '../model/kept-denial.ts'
import type { AskedForOne, Instant, QueuedOfBatch, QueuedOrder } from '../model/order-queue.ts'
import type { Waiting } from '../model/waiting.ts'
import { positionsOf } from '../turn/holding.ts'
import { answerOf, finish, isAwaited, orderNotSent } from '../turn/replies.ts'
import type { Turn } from '../turn/turn.ts'
import { approve, refusedFromQueue, type WantedOrder } from './approval.ts'
import { freeShares } from './available.ts'
import { joinBatch, keepBatch } from './batches.ts'
import { recordDeniedBuy } from './denials.ts'
import {
  enqueue,
  isOfBatch,
  leaveBatch,
  mustWait,
  seenBy,
  takeNext,
  waitsUntil,
} from './order-queue.ts'
import { freePlaces, rateOf } from './order-rate.ts'
import { codeOf, joinEarlier, submit } from './orders.ts'
import { boardRuleOf } from './quote-rules.ts'
import { repeatedRequest } from './untold.ts'

/** Who is to be answered, and until when somebody waits for it, by the wall clock. */
export interface Asker {
  readonly ref: number
  readonly deadlineMs?: number | undefined
}

/** One order as a person words it: sent, or put behind those that wait for their turn. */
export function placeOrder(turn: Turn, request: PlaceOrder, asker: Asker): void {
  const terms = termsOf(request)
  const waiting: Waiting = { ref: asker.ref, kind: 'placeOrder', total: 1, answers: new Map() }
  if (joinEarlier(waiting, turn, { ...request, terms })) return finish(turn, waiting)
  takeOne(turn, request, { wanted: wantedOf(turn, request), waiting, asker })
}

/** Sells shares of a holding, or a part of what may be sold today: a whole one is all of it, and so is less than a lot. */
export function executeSell(turn: Turn, request: ExecuteSell, asker: Asker): void {
  const code = codeOf(request.code)
  const waiting: Waiting = { ref: asker.ref, kind: 'executeSell', total: 1, answers: new Map() }
  const { priceType } = request
  const price = request.price as Price
  const wanted = request.quantity as Quantity | undefined
  const terms = {
    code,
    side: 'sell',
    priceType,
    price,
    ...(wanted && { quantity: wanted }),
  } as const
  if (joinEarlier(waiting, turn, { ...request, terms })) return finish(turn, waiting)
  if (!positionsOf(turn.state).has(code)) {
    throw new ServiceError('UNKNOWN_POSITION', `未持有 ${code} (not held)`)
  }
  takeOne(turn, request, { wanted: wantedOf(turn, request), waiting, asker })
}

interface OneOrder {
  readonly wanted: WantedOrder
  readonly waiting: Waiting
  readonly asker: Asker
}

/** An order that has to wait is judged twice: now, so that what cannot be is refused at once, and in its turn. */
function takeOne(turn: Turn, asked: AskedForOne, { wanted, waiting, asker }: OneOrder): void {
  const { state, inputs } = turn
  const { key: clientOrderId } = asked
  waiting.answers.set(clientOrderId, undefined)
  state.waiting.add(waiting)
  if (!mustWait(turn)) return sendOne(turn, wanted)
  const until = waitsUntil(turn, state.policy.limits.pacedWaitMs, asker.deadlineMs)
  const refusal = refusedFromQueue(turn, wanted, seenBy(turn, until))
  if (refusal !== undefined) return orderNotSent(turn, clientOrderId, refusal)
  const { nowMs, wallMs } = inputs
  enqueue(turn, { clientOrderId, code: wanted.code, asked, queued: { nowMs, wallMs }, until })
}

/** Every rule is asked now; whoever waits for the order hears what they say. */
function sendOne(turn: Turn, wanted: WantedOrder): void {
  const { clientOrderId } = wanted
  const approval = approve(turn, wanted)
  if (!approval.ok) return orderNotSent(turn, clientOrderId, approval.error)
  const simulated = submit(turn, approval.value)
  if (simulated !== undefined) answerAwaiting(turn, clientOrderId, simulated.answer)
}

function answerAwaiting(turn: Turn, clientOrderId: string, answer: OrderAnswer): void {
  for (const waiting of [...turn.state.waiting]) {
    if (!isAwaited(waiting, clientOrderId)) continue
    waiting.answers.set(clientOrderId, answer)
    finish(turn, waiting)
  }
}

/** The order that a request means as things stand now. Errors  throws `CODE_INVALID`, `UNKNOWN_EXCHANGE`. */
function wantedOf(turn: Turn, asked: AskedForOne): WantedOrder {
  const { key: clientOrderId, requestHash, source } = asked
  if (asked.kind === 'placeOrder') {
    return { clientOrderId, requestHash, ...termsOf(asked), strategy: asked.strategy, source }
  }
  const code = codeOf(asked.code)
  const free = freeShares(turn.state, code)
  return {
    clientOrderId,
    requestHash,
    code,
    side: 'sell',
    quantity:
      (asked.quantity as Quantity | undefined) ??
      shareOfAll(asked.ratio ?? 1, free, boardRuleOf(code, turn.state.day)),
    priceType: asked.priceType,
    price: asked.price as Price,
    strategy: BY_HAND.sell,
    source,
  }
}

/**
 * A part goes in whole lots of the board, in hundreds where each share counts; all of it with its odd remainder, which
 * nothing else would sell.
 */
const shareOfAll = (
  ratio: number,
  free: Quantity,
  { lotMin, lotStep }: Pick<BoardRule, 'lotMin' | 'lotStep'>,
): Quantity =>
  ratio >= 1 ? free : partQuantity(ratio, free, { lotMin, lot: lotStep > 1 ? lotStep : LOT })

const termsOf = ({ code, side, quantity, priceType, price }: PlaceOrder): OrderTerms => ({
  code: codeOf(code),
  side,
  quantity: quantity as Quantity,
  priceType,
  price: price as Price,
})

/**
 * Buys `POSITION_UNIT` yuan of each chosen stock at the latest price. A stock that cannot be bought
 * now (a rule, no price) counts as not bought, with its reason in the message; the others go on. Those for which
 * there is no place within the second wait for their turn, and the request with them.
 *
 * Source  docs/domain.md 3.9; `count` is the number of stocks.
 *
 * Errors  throws `ORDER_WITHDRAWN` for a key that was given up, `ORDER_RATE` when so many cannot wait; then none is sent.
 */
export function executeBuy(turn: Turn, request: ExecuteBuy, { ref, deadlineMs }: Asker): void {
  const { state, inputs } = turn
  const { pacedAnswerMs } = state.policy.limits
  const patient = deadlineMs === undefined ? {} : { answerByMs: deadlineMs - pacedAnswerMs }
  if (joinBatch(turn, request, { ref, ...patient })) return
  mustStand(turn, request)
  if (inputs.isDiskLow === true) throw new ServiceError('DISK_FULL', DISK_LOW_TEXT)
  mustBeNew(turn, request)
  const codes = chosen(turn, request)
  mustFit(turn, codes.length)
  const waiting: Waiting = {
    ref,
    kind: 'executeBuy',
    total: codes.length,
    answers: new Map(),
    refusals: [],
    ...patient,
  }
  const until = waitsUntil(turn, state.policy.limits.pacedBatchMs)
  for (const choice of codes) takeOneOf(turn, request, { choice, waiting, until })
  keepBatch(turn, request, waiting)
  finish(turn, waiting)
}

/**
 * Its orders bear keys of their own, so the rules that each of them is asked do not meet the one that was given up.
 *
 * Errors  throws `ORDER_WITHDRAWN`.
 */
function mustStand({ state }: Turn, { key }: ExecuteBuy): void {
  const kept = state.denials.get(key)
  if (kept !== undefined && isWithdrawnKey(kept)) throw new ServiceError(kept.code, kept.message)
}

/**
 * Amounts become other shares as prices move, and a sample other stocks: so the request is compared.
 *
 * Errors  throws `ORDER_IN_DOUBT_HELD`, `ORDER_UNTOLD`.
 */
function mustBeNew(turn: Turn, { requestHash }: ExecuteBuy): void {
  const earlier = repeatedRequest(turn, requestHash)
  if (earlier === undefined) return
  const { code, message } = repetition(earlier)
  throw new ServiceError(code, message, { client_order_id: [earlier.clientOrderId] })
}

interface OneOfSeveral {
  readonly choice: Choice
  readonly waiting: Waiting
  readonly until: Instant
}

/** One stock of several: bought, or put behind those that wait for their turn. */
function takeOneOf(turn: Turn, asked: ExecuteBuy, { choice, waiting, until }: OneOfSeveral): void {
  const { code, key: clientOrderId } = choice
  const terms = { code, side: 'buy' } as const
  const { requestHash } = asked
  if (joinEarlier(waiting, turn, { key: clientOrderId, requestHash, terms })) return
  if (mustWait(turn)) {
    const { nowMs, wallMs } = turn.inputs
    waiting.answers.set(clientOrderId, undefined)
    return enqueue(turn, { clientOrderId, code, asked, queued: { nowMs, wallMs }, until })
  }
  const bought = buy(turn, asked, choice)
  if (bought.ok) waiting.answers.set(clientOrderId, bought.value?.answer)
  else waiting.refusals = [...(waiting.refusals ?? []), bought.error]
}

/** So many that not all of them can wait: it is said before any of them is sent. */
function mustFit(turn: Turn, count: number): void {
  const { queue, policy } = turn.state
  const { pacedOrdersMax } = policy.limits
  const places = queue.length > 0 ? 0 : freePlaces(turn)
  if (count - places + queue.length <= pacedOrdersMax) return
  const rate = rateOf(turn.state)
  throw new ServiceError(
    'ORDER_RATE',
    `委托排队已满：每秒最多 ${rate} 笔，已有 ${queue.length} 笔等待，本次 ${count} 笔，均未发出 (the queue, in which ${queue.length} wait, has no room for ${count} more: none was sent; risk.max_orders_per_second ${rate}, limits.account.paced_orders_max ${pacedOrdersMax})`,
  )
}

/** One stock of several: what a simulation answers at once, or why it was not bought. */
function buy(
  turn: Turn,
  request: ExecuteBuy,
  choice: Choice,
): Result<ReturnType<typeof submit>, string> {
  const wanted = purchaseOf(turn, request, choice)
  const approval = wanted.ok ? approve(turn, wanted.value) : wanted
  if (approval.ok) return ok(submit(turn, approval.value))
  const { message } = approval.error
  turn.warn(`${choice.code} not bought: ${message}`)
  const stock = `${shownCode(choice.code)} `
  return err(about({ zh: stock, en: stock }, message))
}

/** For `POSITION_UNIT` yuan at the price that is reckoned with, in whole lots, at least one. */
function purchaseOf(
  turn: Turn,
  request: ExecuteBuy,
  { code, key }: Choice,
): Result<WantedOrder, ServiceError> {
  const price = counterpartyPrice('buy', turn.inputs.quote(code))
  const error = whyNoAmount(code, price)
  if (error !== undefined) {
    recordDeniedBuy(turn, request, { clientOrderId: key, code, strategy: BY_HAND.buy }, error)
    return err(error)
  }
  const budget = moneyFromYuan(turn.state.settings.POSITION_UNIT)
  return ok({
    clientOrderId: key,
    requestHash: request.requestHash,
    code,
    side: 'buy',
    quantity: Math.max(LOT, wholeLots(budget / price)) as Quantity,
    priceType: PRICE_TYPE.latest,
    price: 0 as Price,
    strategy: BY_HAND.buy,
    source: request.source,
  })
}

/** Why an amount of yuan is no number of shares. */
function whyNoAmount(code: StockCode, price: Price): ServiceError | undefined {
  if (!isInYuan(code)) return new ServiceError('OTHER_CURRENCY', OTHER_CURRENCY_TEXT)
  return price === 0 ? new ServiceError('NO_PRICE', '无行情 (no price)') : undefined
}

interface Choice {
  readonly code: StockCode
  readonly key: string
}

/** `keys[i]` belongs to `codes[i]`: made by the shell, because hashing is not a rule of the account. */
function chosen(turn: Turn, { strategy, count, codes, keys }: ExecuteBuy): readonly Choice[] {
  const named = codes.map((text, i) => ({ code: codeOf(text), key: keys[i] ?? '' }))
  const all = [...new Map(named.map((choice) => [choice.key, choice])).values()]
  if (strategy === 'custom_stock') return all.slice(0, count)
  return strategy === 'random_pool' ? sample(all, count, turn.state.idCounter) : []
}

/** A sample without repetition that depends on nothing but the orders placed before: a restart changes nothing. */
function sample<T>(items: readonly T[], count: number, seed: number): readonly T[] {
  const rest = [...items]
  const picked: T[] = []
  let random = (seed * 2_654_435_761 + 1) >>> 0
  while (picked.length < count && rest.length > 0) {
    random = (Math.imul(random, 1_664_525) + 1_013_904_223) >>> 0
    picked.push(...rest.splice(Math.floor((random / 2 ** 32) * rest.length), 1))
  }
  return picked
}

/** Sends what waits and has a place now, the first one first; each is judged as things stand in its turn. */
export function sendQueued(turn: Turn): void {
  for (;;) {
    const order = takeNext(turn)
    if (order === undefined) return
    const found = turn.state.orders.bearing(order.clientOrderId)
    if (found !== undefined) joinFound(turn, order, found)
    else if (isOfBatch(order)) sendOfBatch(turn, order)
    else sendOne(turn, wantedOf(turn, order.asked))
  }
}

/** While it waited, the trading client has shown an order with its id: another process sent it under that key. */
function joinFound(turn: Turn, queued: QueuedOrder, found: OrderRecord): void {
  if (isOfBatch(queued)) noteSent(turn, queued)
  answerAwaiting(turn, queued.clientOrderId, answerOf(found, true))
}

function sendOfBatch(turn: Turn, queued: QueuedOfBatch): void {
  const { code, clientOrderId, asked: request } = queued
  const { key, source } = request
  const bought = buy(turn, request, { code, key: clientOrderId })
  if (bought.ok) return noteSent(turn, queued)
  leaveBatch(turn, key, [clientOrderId], { reason: bought.error, source })
}

/** An order of several waits no more: there is one. */
function noteSent(turn: Turn, { asked: { key, source }, clientOrderId }: QueuedOfBatch): void {
  const advanced = { key, clientOrderIds: [clientOrderId], isSent: true, refusals: [], source }
  turn.emit({ kind: 'batchAdvanced', ...advanced })
}
