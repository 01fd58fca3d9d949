import { ServiceError } from '../domain/errors.ts'
import type { StockCode } from '../domain/instrument.ts'
import { moneyFromYuan, type Price, type Quantity } from '../domain/money.ts'
import { PRICE_TYPE } from '../domain/order.ts'
import type { ExecuteBuy, ExecuteSell } from '../protocol/account.ts'
import { codeOf, denial, joinKnown, known, submit } from './orders.ts'
import { counterPrice } from './quote-rules.ts'
import { finish } from './replies.ts'
import type { Waiting } from './state.ts'
import type { Turn } from './turn.ts'

const LOT = 100
const wholeLots = (shares: number): number => Math.floor(shares / LOT) * LOT

/**
 * Buys `POSITION_UNIT` yuan of each chosen stock at the latest price. A stock that cannot be bought
 * now (permission, no price) counts as not bought; the others go on.
 *
 * Source  domain facts 3.5; `count` is the number of stocks.
 */
export function executeBuy(turn: Turn, request: ExecuteBuy, ref: number): void {
  const codes = chosen(turn, request)
  const waiting: Waiting = { ref, kind: 'executeBuy', total: codes.length, answers: new Map() }
  for (const { code, key } of codes) {
    const earlier = known(turn, key, request.requestHash)
    if (earlier !== undefined) {
      joinKnown(waiting, turn, earlier)
      continue
    }
    const price = counterPrice('buy', turn.inputs.quote(code))
    const refused = denial(turn, code, 'buy')
    if (refused !== undefined || price === 0) {
      turn.warn(`${code} not bought: ${refused?.message ?? 'no price'}`)
      continue
    }
    const budget = moneyFromYuan(turn.state.settings.POSITION_UNIT)
    waiting.answers.set(key, undefined)
    submit(turn, {
      clientOrderId: key,
      requestHash: request.requestHash,
      code,
      side: 'buy',
      quantity: Math.max(LOT, wholeLots(budget / price)) as Quantity,
      priceType: PRICE_TYPE.latest,
      price: 0 as Price,
      strategy: 'M_real',
      source: request.source,
    })
  }
  finish(turn, waiting)
}

interface Choice {
  readonly code: StockCode
  readonly key: string
}

/** `keys[i]` belongs to `codes[i]`: made by the shell, because hashing is not a rule of the account. */
function chosen(turn: Turn, { strategy, count, codes, keys }: ExecuteBuy): readonly Choice[] {
  const all = codes.map((text, i) => ({ code: codeOf(text), key: keys[i] ?? '' }))
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
  const earlier = known(turn, request.key, request.requestHash)
  if (earlier !== undefined) {
    joinKnown(waiting, turn, earlier)
    return finish(turn, waiting)
  }
  const position = turn.state.positions.get(code)
  if (position === undefined) {
    throw new ServiceError('UNKNOWN_POSITION', `未持有 ${code} (not held)`)
  }
  const refused = denial(turn, code, 'sell')
  if (refused?.code === 'SELL_NOT_ALLOWED') return finish(turn, waiting)
  if (refused !== undefined) throw refused
  const part = wholeLots(position.sellable * (request.ratio ?? 1))
  const quantity = request.quantity ?? (part === 0 ? position.sellable : part)
  if (quantity > position.sellable || quantity === 0) {
    const text = `可卖数量不足: ${code} sellable ${position.sellable}, asked ${quantity}`
    throw new ServiceError('INSUFFICIENT_SELLABLE', text)
  }
  waiting.answers.set(request.key, undefined)
  submit(turn, {
    clientOrderId: request.key,
    requestHash: request.requestHash,
    code,
    side: 'sell',
    quantity: quantity as Quantity,
    priceType: request.priceType,
    price: request.price as Price,
    strategy: 'manual_real',
    source: request.source,
  })
  finish(turn, waiting)
}
