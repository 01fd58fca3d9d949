import { effectiveAfterDeals } from '../../domain/ex-day.ts'
import type { Price } from '../../domain/money.ts'
import type { BrokerDeal } from '../../domain/order.ts'
import type { Position } from '../../domain/position.ts'
import type { Turn } from '../turn/turn.ts'
import { unshownShares } from './available.ts'
import { dealsOf, hasDealt, NONE, type Row } from './ex-day.ts'
import { unseenPurchases, untoldBy, untoldOf } from './unheard-orders.ts'

/* A cost that the broker tells while an adjusted one stands in for it (docs/domain.md 4.5): of which scale it is. */

/**
 * What the broker's new cost means while an adjusted one stood in for it: it is adjusted by now, or it still is
 * that of the old scale, with fees or deals.
 */
export function costAfterReport(
  turn: Turn,
  before: Position,
  { costPrice, quantity }: Row,
): Pick<Position, 'effectiveCost' | 'exDay'> {
  const { effectiveCost = NONE, exDay, code } = before
  if (costPrice === before.costPrice || effectiveCost <= 0) return {}
  const had = before.quantity
  const adjusted = adjustedByUnheard(turn, before, { costPrice, quantity })
  if (adjusted !== undefined && adjusted > 0) return { effectiveCost: adjusted }
  const change = { had, has: quantity, unshown: unshownShares(turn.state, code) }
  const price = hasDealt(turn, code) ? averageOf(dealsOf(turn, code), change) : 0
  const effective = effectiveAfterDeals(
    { before: before.costPrice, effective: effectiveCost, after: costPrice },
    { had, has: price > 0 ? quantity : had, price }, // shares may also have been given
  )
  if (effective > 0 && adjusted !== NONE) return { effectiveCost: effective }
  return { effectiveCost: NONE, ...(exDay && { exDay: { ...exDay, isCostAdjusted: true } }) }
}

interface Change {
  readonly had: number
  readonly has: number
  /** Of deals that are booked, what the holding lacked; sales are negative. */
  readonly unshown: number
}

/**
 * What the newest deals that come to this change were made at: earlier ones are in the cost already, and later ones are not
 * yet where the report is behind. 0 without any on its side.
 */
function averageOf(deals: readonly BrokerDeal[], { had, has, unshown }: Change): number {
  const side = has > had ? 'buy' : 'sell'
  const ones = deals.filter((deal) => deal.side === side).toReversed()
  const most = Math.abs(has - had)
  let later = Math.max(0, (has > had ? unshown : -unshown) - most)
  const counted = { shares: 0, amount: 0 }
  for (const { quantity, amount } of ones.toSorted((one, other) => other.timeMs - one.timeMs)) {
    const behind = Math.min(quantity, later)
    later -= behind
    const shares = Math.min(quantity - behind, most - counted.shares)
    counted.shares += shares
    counted.amount += (amount * shares) / quantity
  }
  return counted.shares === 0 ? 0 : counted.amount / counted.shares
}

/**
 * Purchases of an earlier day may have been filled while nobody was there: no deal of today explains the shares then, and the
 * broker's cost has moved by them on the scale on which it is. The adjusted cost where that is still the old one, 0 where it
 * is adjusted; undefined where they do not tell.
 */
function adjustedByUnheard(turn: Turn, before: Position, now: Row): Price | undefined {
  const { costPrice: old, effectiveCost = NONE, quantity: had, code } = before
  const come = now.quantity - had
  if (come <= 0 || old <= 0 || now.costPrice <= 0 || hasDealt(turn, code)) return undefined
  const paid = paidFor(turn, before, come)
  if (paid === undefined) return undefined
  const [least, most] = paid.map((amount) => (old * had + amount) / now.quantity)
  const offBy = (cost: number) => Math.max(0, (least ?? cost) - cost, cost - (most ?? cost))
  const [ifOld, ifAdjusted] = [offBy(now.costPrice), offBy((now.costPrice * old) / effectiveCost)]
  if (ifOld === ifAdjusted) return undefined
  if (ifAdjusted < ifOld) return NONE
  return Math.max(1, Math.round((now.costPrice * effectiveCost) / old)) as Price
}

/**
 * What so many shares of those purchases have cost at least and at most: which of them were filled nobody has said. One that
 * rested was filled at its limit; one above the close may have been filled at less.
 */
function paidFor(turn: Turn, held: Position, come: number): readonly [number, number] | undefined {
  const orders = unseenPurchases(turn, held)
  const { closeBefore = NONE } = turn.inputs.quote(held.code) ?? {}
  const dear = orders.map((order) => ({
    shares: untoldOf(order),
    price: order.price || order.quotedPrice || closeBefore,
  }))
  if (come > untoldBy(orders, 'buy') || dear.some(({ price }) => price <= 0)) return undefined
  const cheap = dear.map(({ shares, price }) => ({
    shares,
    price: closeBefore > 0 ? Math.min(price, closeBefore) : price,
  }))
  const byPrice = (one: Offer, other: Offer) => one.price - other.price
  return [
    amountOf(cheap.toSorted(byPrice), come),
    amountOf(dear.toSorted(byPrice).toReversed(), come),
  ]
}

interface Offer {
  readonly shares: number
  readonly price: number
}

/** The first so many shares of them. */
function amountOf(offers: readonly Offer[], come: number): number {
  let left = come
  let amount = 0
  for (const { shares, price } of offers) {
    const taken = Math.min(left, shares)
    left -= taken
    amount += taken * price
  }
  return amount
}
