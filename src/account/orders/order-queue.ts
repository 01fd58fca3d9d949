import { ServiceError } from '../../domain/errors.ts'
import { about } from '../../domain/in-both.ts'
import type { Price } from '../../domain/money.ts'
import type { OrderQueueSeen } from '../../domain/risk-input.ts'
import { BY_HAND } from '../../domain/trade-record.ts'
import type { AskedForOne, Instant, QueuedOfBatch, QueuedOrder } from '../model/order-queue.ts'
import type { AccountState } from '../model/state.ts'
import { isAwaited, orderNotSent, someNotSent } from '../turn/replies.ts'
import type { Turn } from '../turn/turn.ts'
import { type Refused, recordRefusal } from './approval.ts'
import { freePlaces, rateOf, waitMsOf } from './order-rate.ts'

/** Whether the order of a person that comes now has to wait: there is no place, or others wait already. */
export const mustWait = (turn: Turn): boolean =>
  turn.state.queue.length > 0 || freePlaces(turn) === 0

/** The queue as an order would find it that is given up on at `until`. */
export function seenBy(turn: Turn, until: Instant): OrderQueueSeen {
  const { state, inputs } = turn
  const waiting = state.queue.length
  return {
    waiting,
    waitingMax: state.policy.limits.pacedOrdersMax,
    waitMs: waitMsOf(turn, waiting),
    waitMsMax: Math.max(0, until.wallMs - inputs.wallMs),
  }
}

/**
 * Until when an order may wait: no longer than is allowed, and so that the trading client can have answered before
 * the deadline of whoever waits for it, by the wall clock.
 */
export function waitsUntil({ state, inputs }: Turn, waitMs: number, deadlineMs?: number): Instant {
  const { callTimeoutMs } = state.policy.limits
  const leftMs = deadlineMs === undefined ? waitMs : deadlineMs - inputs.wallMs - callTimeoutMs
  const ms = Math.max(0, Math.min(waitMs, leftMs))
  return { nowMs: inputs.nowMs + ms, wallMs: inputs.wallMs + ms }
}

export const enqueue = ({ state }: Turn, order: QueuedOrder): void => {
  state.queue.push(order)
  state.dataVersion += 1
}

/** The order that waits under this id. */
export const queuedUnder = ({ queue }: AccountState, clientOrderId: string) =>
  queue.find((order) => order.clientOrderId === clientOrderId)

/**
 * Its time is up, so it is not sent any more. By the market clock too where that goes as real time does: a computer that
 * slept would otherwise send in the evening what was asked for in the morning.
 */
export const isPassed = ({ state, inputs }: Turn, { until }: Pick<QueuedOrder, 'until'>): boolean =>
  inputs.wallMs > until.wallMs || (state.policy.tempo === 'real' && inputs.nowMs > until.nowMs)

/** Takes the first one whose turn has come; undefined when none may leave now. */
export function takeNext(turn: Turn): QueuedOrder | undefined {
  const { queue } = turn.state
  if (queue.length === 0 || freePlaces(turn) === 0) return undefined
  turn.state.dataVersion += 1
  return queue.shift()
}

/** An order of several, not one under its own key. */
export const isOfBatch = (order: QueuedOrder): order is QueuedOfBatch =>
  order.asked.kind === 'executeBuy'

/**
 * They are not sent: each request that waits for one of them hears why, and so does the journal. `source`: who took
 * them out of the queue.
 */
export function drop(
  turn: Turn,
  orders: readonly QueuedOrder[],
  { error, source }: { readonly error: ServiceError; readonly source?: string },
): void {
  if (orders.length === 0) return
  const { state } = turn
  const gone = new Set(orders)
  state.queue.splice(0, Infinity, ...state.queue.filter((order) => !gone.has(order)))
  state.dataVersion += 1
  for (const order of orders) {
    if (isOfBatch(order)) continue
    recordRefusal(
      turn,
      { ...described(order.asked), ...(source !== undefined && { source }) },
      error,
    )
    orderNotSent(turn, order.clientOrderId, error)
  }
  for (const [key, ids] of byBatch(orders)) {
    const count = ids.length
    const stocks = { zh: `${count} 只`, en: `${count} of the stocks: ` }
    leaveBatch(turn, key, ids, { reason: about(stocks, error.message), source })
  }
}

/** Orders of a request for several do not wait any more and are not sent, for one reason. */
export function leaveBatch(
  turn: Turn,
  key: string,
  clientOrderIds: readonly string[],
  { reason, source = SERVICE }: { readonly reason: string; readonly source?: string | undefined },
): void {
  turn.emit({
    kind: 'batchAdvanced',
    key,
    clientOrderIds,
    isSent: false,
    refusals: [reason],
    source,
  })
  someNotSent(turn, clientOrderIds, reason)
}
const SERVICE = 'service'

/** What is known of a request before it is an order. */
function described(asked: AskedForOne): Refused {
  const { key: clientOrderId, requestHash, source, code, quantity = 0, priceType } = asked
  const isSale = asked.kind === 'executeSell'
  return {
    clientOrderId,
    requestHash,
    source,
    code,
    quantity,
    priceType,
    price: asked.price as Price,
    side: isSale ? 'sell' : asked.side,
    strategy: isSale ? BY_HAND.sell : asked.strategy,
  }
}

function byBatch(orders: readonly QueuedOrder[]): ReadonlyMap<string, readonly string[]> {
  const batches = new Map<string, string[]>()
  for (const order of orders) {
    if (!isOfBatch(order)) continue
    const ids = batches.get(order.asked.key) ?? []
    batches.set(order.asked.key, [...ids, order.clientOrderId])
  }
  return batches
}

/** What nobody waits for any more, or may not be sent as things stand, leaves the queue; in every turn. */
export function dropFallen(turn: Turn): void {
  const { state } = turn
  if (state.queue.length === 0) return
  const { level } = state.killSwitch
  if (level !== 'off') {
    const text = `排队中因急停未发出 (taken out of the queue: the kill switch is at ${level})`
    const blocked = state.queue.filter((order) => level !== 'entries' || isPurchase(order))
    drop(turn, blocked, { error: new ServiceError('KILL_SWITCH', text) })
  }
  const passed = state.queue.filter((order) => isPassed(turn, order))
  drop(turn, passed, { error: new ServiceError('DEADLINE_PASSED', passedText(state)) })
}

const passedText = (state: AccountState): string =>
  `排队超时，未发出；单笔可用同一键重发 (its turn did not come in time: not sent; one order may be sent again under the same key; risk.max_orders_per_second ${rateOf(state)}, limits.account.paced_wait_ms)`

const isPurchase = ({ asked }: QueuedOrder): boolean =>
  asked.kind === 'executeBuy' || (asked.kind === 'placeOrder' && asked.side === 'buy')

/** Without the trading client nothing of it can be sent. */
export function dropAll(turn: Turn): void {
  const text = '交易客户端已断开，排队委托未发出 (the trading client is gone: not sent)'
  drop(turn, [...turn.state.queue], { error: new ServiceError('NOT_CONNECTED', text) })
}

/** The orders that a person means: all, one by its id, or those of one request by its key. */
const meant = ({ queue }: AccountState, id: string): readonly QueuedOrder[] =>
  queue.filter(({ clientOrderId, asked }) => id === '' || id === clientOrderId || id === asked.key)

const WITHDRAWN = '排队中被撤销，未发出 (withdrawn from the queue: not sent)'

/** Takes orders out of the queue, as a person wants. Their ids. */
export function withdraw(turn: Turn, id: string, source: string): readonly string[] {
  const orders = meant(turn.state, id)
  drop(turn, orders, { error: new ServiceError('ORDER_WITHDRAWN', WITHDRAWN), source })
  return orders.map(({ clientOrderId }) => clientOrderId)
}

const GONE =
  '请求方已断开，排队委托未发出；可用同一键重发 (the caller has gone: not sent; it may be sent again under the same key)'

/**
 * Whoever asked is gone without an answer and may ask again under another key: what has not been sent is not sent,
 * unless another request waits for the same.
 */
export function withdrawForGone(turn: Turn, key: string, source: string): readonly string[] {
  const { state } = turn
  const orders = meant(state, key).filter(
    ({ clientOrderId }) =>
      [...state.waiting].filter((waiting) => isAwaited(waiting, clientOrderId)).length <= 1,
  )
  drop(turn, orders, { error: new ServiceError('DEADLINE_PASSED', GONE), source })
  return orders.map(({ clientOrderId }) => clientOrderId)
}

/** Whoever was to bring the answers is gone, so nobody can be told of what waits and has not been answered. */
export function dropAwaited(turn: Turn, source: string): void {
  const { queue, waiting } = turn.state
  const requests = [...waiting]
  const awaited = queue.filter(({ clientOrderId }) =>
    requests.some((request) => isAwaited(request, clientOrderId)),
  )
  drop(turn, awaited, { error: new ServiceError('DEADLINE_PASSED', GONE), source })
}

/** An earlier life of this account had promised to send them; nothing is sent by itself after a restart. */
export function dropOfEarlierLife(turn: Turn): void {
  for (const [key, { queued = [] }] of [...turn.state.batches]) {
    if (queued.length === 0) continue
    const reason = `${queued.length} 只在服务重启时仍在排队，已放弃、未发出 (dropped at a restart: ${queued.length} were still queued and never sent)`
    turn.warn(`request ${key}: ${reason}`)
    leaveBatch(turn, key, queued, { reason })
  }
}
