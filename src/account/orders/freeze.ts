import { type FeeRates, feesOf } from '../../domain/fees.ts'
import { isSubscription } from '../../domain/instrument.ts'
import { type Money, marketValue } from '../../domain/money.ts'
import {
  type BrokerDeal,
  type BrokerOrder,
  isTerminal,
  type OrderRecord,
} from '../../domain/order.ts'
import { rulesFor } from '../../domain/rules.ts'
import type { QueryKind, QueryRows } from '../../protocol/driver.ts'

type Reports = ReadonlyMap<QueryKind, QueryRows>

interface Terms {
  readonly rates: FeeRates
  /** Exchange day. */
  readonly day: string
}

/** Part of what an order needs that counts as its freeze: fees and prices are only nearly known. */
const FREEZE_PART = 0.9

/**
 * Whether the broker has frozen cash or shares that no order in its own list explains, and
 * enough for this one: a second sign, besides the list, that an order is alive there.
 *
 * Without a price nothing can be said of a purchase, and of a holding that is not listed nothing of
 * a sale: false. What was frozen for another reason (a subscription, pledged shares) also counts:
 * then the order stays in doubt until the operator decides.
 */
export function isFrozenFor(order: OrderRecord, reports: Reports, terms: Terms): boolean {
  return order.side === 'buy'
    ? isCashFrozen(order, reports, terms)
    : areSharesFrozen(order, reports, terms)
}

function isCashFrozen({ price, quantity }: OrderRecord, reports: Reports, terms: Terms): boolean {
  const asset = reports.get('asset')
  if (asset?.what !== 'asset' || price <= 0) return false
  let explained = 0
  for (const row of working(reports)) {
    // A subscription of new shares (申购) freezes nothing.
    if (row.side === 'buy' && !isSubscription(row.code)) explained += frozenBy(row, terms)
  }
  const { frozen } = asset.rows[0]
  // Nor does one in Shenzhen, which has the code of the stock itself: then they explain nothing.
  const isTooMuch = explained * FREEZE_PART > frozen
  return frozen - (isTooMuch ? 0 : explained) >= marketValue(price, quantity) * FREEZE_PART
}

function frozenBy(row: BrokerOrder, { rates, day }: Terms): number {
  const { code, side, price, quantity, filledQuantity, filledAmount } = row
  const rest = price * (quantity - filledQuantity)
  return rest + feesOf(rates, { code, side, day, amount: (rest + filledAmount) as Money })
}

function areSharesFrozen({ code, quantity }: OrderRecord, reports: Reports, terms: Terms): boolean {
  const positions = reports.get('positions')
  const held =
    positions?.what === 'positions' ? positions.rows.find((row) => row.code === code) : undefined
  if (held === undefined) return false
  let free = held.quantity - lockedToday(code, reports, terms)
  for (const row of working(reports)) {
    if (row.side === 'sell' && row.code === code) free -= row.quantity - row.filledQuantity
  }
  return free - held.sellable >= quantity * FREEZE_PART
}

/** Bought today and not sellable before tomorrow. */
function lockedToday(code: OrderRecord['code'], reports: Reports, { day }: Terms): number {
  const isLocked = (rulesFor(code, day)?.settlementDays ?? 1) > 0
  if (!isLocked) return 0
  const isPurchase = (deal: BrokerDeal) => deal.code === code && deal.side === 'buy'
  return dealsOf(reports)
    .filter(isPurchase)
    .reduce((sum, { quantity }) => sum + quantity, 0)
}

function working(reports: Reports): readonly BrokerOrder[] {
  const orders = reports.get('orders')
  return orders?.what === 'orders' ? orders.rows.filter(({ status }) => !isTerminal(status)) : []
}

function dealsOf(reports: Reports): readonly BrokerDeal[] {
  const deals = reports.get('deals')
  return deals?.what === 'deals' ? deals.rows : []
}
