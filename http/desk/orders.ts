import { createHash } from 'node:crypto'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { z } from 'zod'
import { ServiceError } from '../../src/domain/errors.ts'
import { IDEMPOTENCY_KEY, orderIdOfKey, orderNumber } from '../../src/domain/ids.ts'
import { normalizeCode, type StockCode, whyNoCode } from '../../src/domain/instrument.ts'
import { type Price, priceFromYuan } from '../../src/domain/money.ts'
import { ORDER_TYPE, PRICE_TYPE, PRICE_TYPES, type Side, sideOf } from '../../src/domain/order.ts'
import { priceTypeFault, takesProtection } from '../../src/domain/price-type.ts'
import { explainRefusal } from '../../src/domain/refusals.ts'
import type { AccountRequest, ReplyTo } from '../../src/protocol/account.ts'
import type { OrderAnswer } from '../../src/protocol/orders.ts'
import { invalid } from '../message/errors.ts'
import { withBoth } from '../message/in-both.ts'
import type { HttpRequest } from '../message/request.ts'
import type { AccountLink, CallOptions } from '../port/service.ts'
import type { FrontLimits } from './context.ts'
import type { Telling } from './tellings.ts'

const KEY_HEADER = 'idempotency-key'

/** Any spelling of a stock code; {@link codeOf} says whether it is one. */
export const stockCode = z.string().min(1).max(32)
/** 23 or 24 as the description says it; the routes say which values they take, and why not another. */
export const orderType = z.int().meta({
  enum: Object.values(ORDER_TYPE),
  description: '23 买入 (buy), 24 卖出 (sell)',
})

const PRICE_TYPE_WORDS: Readonly<Record<keyof typeof PRICE_TYPE, string>> = {
  latest: '最新价 (latest price)',
  limit: '限价 (limit, needs a price)',
  shConvert5Cancel: '沪、北 五档即成剩撤 (Shanghai, Beijing: best five, rest canceled)',
  shConvert5Limit: '沪、北 五档即成剩转限价 (Shanghai, Beijing: best five, rest becomes a limit)',
  peerBest: '对手方最优 (best of the other side)',
  mineBest: '本方最优 (best of the own side)',
  szRestCancel: '深 即成剩撤 (Shenzhen: at once, rest canceled)',
  szConvert5Cancel: '深 五档即成剩撤 (Shenzhen: best five, rest canceled)',
  szFullOrCancel: '深 全额成交或撤 (Shenzhen: all or nothing)',
}
/** The same for the kinds of price. */
export const priceType = z.int().meta({
  enum: [...PRICE_TYPES],
  description: Object.entries(PRICE_TYPE_WORDS)
    .map(([name, words]) => `${PRICE_TYPE[name as keyof typeof PRICE_TYPE]} ${words}`)
    .join('; '),
})

/** The caller's own key; {@link idempotencyKey} says whether it is one. */
export const clientKey = z.string().meta({
  pattern: IDEMPOTENCY_KEY.source,
  description: 'the same as the header Idempotency-Key; one key is one order',
})

export const shares = z.int().positive().max(100_000_000)

/** What both backends ask of one order: a stock, 23 to buy or 24 to sell, and shares. */
export const orderedFields = {
  stock_code: stockCode,
  order_type: orderType.refine(
    (type) => sideOf(type) !== undefined,
    '须为 23 买入或 24 卖出 (must be 23 to buy or 24 to sell)',
  ),
  order_volume: shares,
}

/** The side of a checked body. */
export function sideBy(orderType: number): Side {
  const side = sideOf(orderType)
  if (side === undefined)
    throw invalid({ order_type: ['order_type: 须为 23 或 24 (must be 23 or 24)'] })
  return side
}

interface OrderedBody {
  readonly stock_code: string
  readonly side: Side
  readonly order_volume: number
  readonly price_type: number
  readonly price?: number | undefined
}

/** The order that a checked body means. Errors  `VALIDATION` when its amount cannot be counted. */
export function orderedBy(body: OrderedBody) {
  const { side, order_volume: quantity, price_type: priceType } = body
  const code = codeOf(body.stock_code)
  const price = orderPrice({ code, priceType }, body.price)
  if (!Number.isSafeInteger(price * quantity)) {
    throw invalid({ order_volume: ['order_volume: 金额过大 (price times volume is too large)'] })
  }
  return { code, side, quantity, priceType, price }
}

/**
 * The client order id under which an order is one order: that of the caller's key, from the header
 * or the body, else a fresh one.
 *
 * Errors  `VALIDATION` when the two differ or the key has an unusable form.
 */
export function idempotencyKey(
  { headers, repeated }: Pick<HttpRequest, 'headers' | 'repeated'>,
  inBody: string | undefined,
  { accountId, newKey }: KeyMaker,
): string {
  const inHeader = headers.get(KEY_HEADER)
  const isAmbiguous =
    repeated.has(KEY_HEADER) ||
    (inHeader !== undefined && inBody !== undefined && inHeader !== inBody)
  if (isAmbiguous) {
    throw invalid({
      client_order_id: [
        'Idempotency-Key 与 client_order_id 须只有一个且相同 (Idempotency-Key and client_order_id must be one and equal)',
      ],
    })
  }
  const key = inHeader ?? inBody
  if (key === undefined) return newKey(accountId)
  if (!IDEMPOTENCY_KEY.test(key)) {
    throw invalid({
      client_order_id: [
        'Idempotency-Key 须为 1 至 64 个可见的 ASCII 字符 (the idempotency key must be 1 to 64 visible ASCII characters)',
      ],
    })
  }
  if (OTHER_ADDRESSES.has(key)) {
    throw invalid({
      client_order_id: [
        `不能用 ${key} 作键，请用另一个键 (it is the name of another address, so nobody could ask about the order: choose another key)`,
      ],
    })
  }
  return orderIdFor(accountId, key)
}

/** What is no order below `/orders`, or is taken out of an address on its way. */
const OTHER_ADDRESSES: ReadonlySet<string> = new Set(['queued', 'preview', '.', '..'])

/** The client order id that a caller's own key stands for. */
export const orderIdFor = (accountId: string, key: string): string =>
  orderIdOfKey(accountId, key, (text) => createHash('sha256').update(text).digest())

interface KeyMaker {
  readonly accountId: string
  /** A fresh client order id, for callers that send no key. */
  readonly newKey: (accountId: string) => string
}

/** A code in any spelling. Errors  throws `CODE_INVALID` or `UNKNOWN_EXCHANGE`. */
export function codeOf(text: string, field = 'stock_code'): StockCode {
  const code = normalizeCode(text)
  if (code.ok) return code.value
  throw invalid({ [field]: [`${field}: ${whyNoCode(code.error)}`] }, code.error)
}

/** A price in yuan with at most four decimals. Errors  throws `VALIDATION`. */
export function priceOf(yuan: number, field: string): Price {
  const price = priceFromYuan(yuan)
  if (price.ok) return price.value
  throw invalid({
    [field]: [
      `${field}: 须为 0 至 999999.9999 元，最多四位小数 (must be from 0 to 999999.9999 yuan with at most 4 decimals)`,
    ],
  })
}

/**
 * The price that goes with a price type: needed for a limit order, the worst one for market orders on boards that ask
 * for it, 0 for all others.
 *
 * Errors  `VALIDATION` when nobody knows the type, or not on the exchange of the code.
 */
export function orderPrice(
  { code, priceType }: { readonly code: StockCode; readonly priceType: number },
  yuan: number | undefined,
): Price {
  if (!PRICE_TYPES.has(priceType)) {
    const known = [...PRICE_TYPES].join(', ')
    throw invalid({ price_type: [`price_type: 须为其中之一：${known} (must be one of ${known})`] })
  }
  const fault = priceTypeFault(code, priceType)
  if (fault !== undefined) throw invalid({ price_type: [`price_type: ${fault}`] })
  const price = priceOf(yuan ?? 0, 'price')
  if (priceType !== PRICE_TYPE.limit) return takesProtection(code, priceType) ? price : (0 as Price)
  if (price === 0)
    throw invalid({
      price: ['price: 限价委托须给出大于 0 的价格 (a limit order needs a price above 0)'],
    })
  return price
}

/** After one of these the request may or may not have been worked on. */
const LOST: ReadonlySet<string> = new Set([
  'DEADLINE_EXCEEDED',
  'CALL_TIMEOUT',
  'ACTOR_RESTARTING',
  'STOPPING',
])
export const IN_DOUBT = Symbol('in doubt')

interface OrderAsk<R extends AccountRequest> {
  readonly request: HttpRequest
  readonly link: Pick<AccountLink, 'ask' | 'withdraw'>
  readonly order: R
  readonly options: CallOptions
  readonly telling: Pick<Telling, 'unknown'>
}

/**
 * Asks for an order whose caller is still there. When the answer gets lost the outcome is unknown, and
 * saying "try again" would invite a second order. Only an ask that fails before the event loop has
 * turned once has surely not left this thread; its error is thrown as it is.
 */
export async function askForOrder<R extends AccountRequest>({
  request,
  link,
  order,
  options,
  telling,
}: OrderAsk<R>): Promise<ReplyTo<R> | typeof IN_DOUBT> {
  await mustBeThere(request)
  let mayHaveLeft = false
  const turn = setImmediate(() => {
    mayHaveLeft = true
  })
  try {
    request.onGone(() => {
      link.withdraw(options.correlationId)
      telling.unknown() // what has left, its next request may repeat
    })
    return await link.ask(order, options)
  } catch (error) {
    const isInDoubt = mayHaveLeft && error instanceof ServiceError && LOST.has(error.code)
    if (!isInDoubt) throw error
    telling.unknown()
    return IN_DOUBT
  } finally {
    clearImmediate(turn)
  }
}

/**
 * A service that stood still finds requests in its sockets that are as old as that, and behind some of
 * them the end of a connection whose caller has given up. It shows when the sockets have been looked at
 * once more: that lies between two turns of what comes after them.
 */
async function mustBeThere(request: HttpRequest): Promise<void> {
  await nextTurn()
  await nextTurn()
  if (request.isGone)
    throw new ServiceError(
      'DEADLINE_PASSED',
      '调用方已离开，未执行 (its caller has gone: not executed)',
    )
}

/** Where direct mode lists the orders of its account; each, and each request for several, has an address of its own below. */
export const DIRECT_LIST = '/api/orders'

/** What existing scripts have to read in an answer without a number. */
const UNKNOWN_TEXT =
  '委托已发出，结果未知，并非失败：请勿换用新的 Idempotency-Key 重复下单；请查询 location，或以同一 Idempotency-Key（或以 client_order_id 为 Idempotency-Key）重发同一请求，即可获知结果 (sent, and nobody knows yet what became of it. It has not failed: do not send it again under another key; ask at location, or repeat the request with the same Idempotency-Key, or with client_order_id as Idempotency-Key)'

/**
 * An order whose fate nobody knows yet: without a number, and where to ask again. Repeating it under the
 * same key tells what has become of it and never sends another.
 *
 * @param location where it is told what became of it
 * @param before what is to be said first
 */
export const unknownFields = (clientOrderId: string, location: string, before = '') => ({
  state: 'unknown' as const,
  message: before === '' ? UNKNOWN_TEXT : `${before}；${UNKNOWN_TEXT}`,
  order_id: null,
  client_order_id: clientOrderId,
  location,
})

/** For clients that go by headers. */
export const unknownHeaders = (
  location: string,
  { retryAfterSeconds }: Pick<FrontLimits, 'retryAfterSeconds'>,
): Readonly<Record<string, string>> => ({
  Location: location,
  'Retry-After': String(retryAfterSeconds),
})

export const replayedHeader = (isReplayed: boolean): Readonly<Record<string, string>> =>
  isReplayed ? { 'Idempotency-Replayed': 'true' } : {}

/** One order as the answers of both backends show it. */
export const orderFields = ({ orderId, clientOrderId, state, statusMessage }: OrderAnswer) =>
  withBoth({
    order_id: orderId === '' ? null : orderNumber(orderId),
    client_order_id: clientOrderId,
    status: state,
    message: statusMessage,
    ...(state === 'rejected' && refusalFields(statusMessage)),
  })

/** What the words of the broker mean, beside them. */
export function refusalFields(text: string) {
  const { code, explanation } = explainRefusal(text)
  return { refusal_code: code, refusal_explanation: explanation }
}
