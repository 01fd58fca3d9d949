import { ServiceError } from '../../domain/errors.ts'
import { bareCode, type StockCode } from '../../domain/instrument.ts'
import { moneyFromYuan, type Price, type Quantity } from '../../domain/money.ts'
import { PRICE_TYPE } from '../../domain/order.ts'
import { counterpartyPrice } from '../../domain/reckoned-price.ts'
import { err, type Result } from '../../domain/result.ts'
import { DISK_LOW_TEXT, repetition } from '../../domain/risk.ts'
import type { ExecuteBuy, ExecuteSell } from '../../protocol/account.ts'
import type { Waiting } from '../model/state.ts'
import { positionsOf } from '../turn/holding.ts'
import { finish } from '../turn/replies.ts'
import type { Turn } from '../turn/turn.ts'
import { type ApprovedOrder, approve } from './approval.ts'
import { freeShares } from './available.ts'
import { joinBatch, keepBatch } from './batches.ts'
import { recordDeniedBuy } from './denials.ts'
import { codeOf, joinEarlier, submit } from './orders.ts'
import { repeatedRequest } from './untold.ts'

const LOT = 100
const BUY_STRATEGY = 'M_real'
const wholeLots = (shares: number): number => Math.floor(shares / LOT) * LOT

/**
 * Buys `POSITION_UNIT` yuan of each chosen stock at the latest price. A stock that cannot be bought
 * now (a rule, no price) counts as not bought, with its reason in the message; the others go on.
 *
 * Source  docs/domain.md 3.9; `count` is the number of stocks.
 */
export function executeBuy(turn: Turn, request: ExecuteBuy, ref: number): void {
  if (joinBatch(turn, request, ref)) return
  if (turn.inputs.isDiskLow === true) throw new ServiceError('DISK_FULL', DISK_LOW_TEXT)
  mustBeNew(turn, request)
  const codes = chosen(turn, request)
  const waiting: Waiting = { ref, kind: 'executeBuy', total: codes.length, answers: new Map() }
  const refusals: string[] = []
  for (const { code, key } of codes) {
    const earlier = { key, requestHash: request.requestHash, terms: { code, side: 'buy' } } as const
    if (joinEarlier(waiting, turn, earlier)) continue
    const approval = approvePurchase(turn, request, { code, key })
    if (!approval.ok) {
      const { message } = approval.error
      turn.warn(`${code} not bought: ${message}`)
      refusals.push(`${bareCode(code)} ${message}`)
      continue
    }
    waiting.answers.set(key, submit(turn, approval.value)?.answer)
  }
  waiting.refusals = refusals
  keepBatch(turn, request, waiting)
  finish(turn, waiting)
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

/** For `POSITION_UNIT` yuan at the price that is reckoned with, in whole lots, at least one. */
function approvePurchase(
  turn: Turn,
  request: ExecuteBuy,
  { code, key }: Choice,
): Result<ApprovedOrder, ServiceError> {
  const price = counterpartyPrice('buy', turn.inputs.quote(code))
  if (price === 0) {
    const error = new ServiceError('NO_PRICE', '无行情 (no price)')
    recordDeniedBuy(turn, request, { clientOrderId: key, code, strategy: BUY_STRATEGY }, error)
    return err(error)
  }
  const budget = moneyFromYuan(turn.state.settings.POSITION_UNIT)
  return approve(turn, {
    clientOrderId: key,
    requestHash: request.requestHash,
    code,
    side: 'buy',
    quantity: Math.max(LOT, wholeLots(budget / price)) as Quantity,
    priceType: PRICE_TYPE.latest,
    price: 0 as Price,
    strategy: BUY_STRATEGY,
    source: request.source,
  })
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

/** Sells shares of a holding, or a part of what may be sold today. Less than a lot of a part sells all of it. */
export function executeSell(turn: Turn, request: ExecuteSell, ref: number): void {
  const code = codeOf(request.code)
  const waiting: Waiting = { ref, kind: 'executeSell', total: 1, answers: new Map() }
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
  const free = freeShares(turn.state, code)
  const part = wholeLots(free * (request.ratio ?? 1))
  const quantity = request.quantity ?? (part === 0 ? free : part)
  const approval = approve(turn, {
    clientOrderId: request.key,
    requestHash: request.requestHash,
    code,
    side: 'sell',
    quantity: quantity as Quantity,
    priceType,
    price,
    strategy: 'manual_real',
    source: request.source,
  })
  if (approval.ok) {
    waiting.answers.set(request.key, submit(turn, approval.value)?.answer)
    return finish(turn, waiting)
  }
  const { code: refusal, message } = approval.error
  if (refusal !== 'SELL_NOT_ALLOWED') return turn.refuse(ref, approval.error)
  waiting.refusals = [message]
  finish(turn, waiting)
}
