import { exchangeDay } from '../../domain/exchange-time.ts'
import { remarkTail } from '../../domain/ids.ts'
import type { BrokerDeal, BrokerOrder } from '../../domain/order.ts'
import { earlySharesOfOthers } from '../fold/early-deals.ts'
import type { AccountState } from '../model/state.ts'
import { isListed, type Listed } from './listed.ts'

export interface BookedFills {
  readonly filled: number
  readonly amount: number
}

interface Finding {
  /** It bears an id of ours. */
  readonly isOurs: boolean
  /** The list that the row is of. */
  readonly listed: Listed | undefined
}

/** What was booked of an order before its row came, and belongs to no order yet. */
export function earlierFills(
  state: AccountState,
  row: BrokerOrder,
  { isOurs, listed }: Finding,
): BookedFills {
  const booked = [...state.deals.values()].filter(
    ({ deal, clientOrderId = '' }) => isOfSameStock(deal, row) && !state.orders.has(clientOrderId),
  )
  const nobodys = booked.filter(({ strategy }) => strategy === 'external')
  const own = (isOurs ? booked : nobodys).filter(({ deal }) => deal.orderId === row.orderId)
  const fills = { filled: 0, amount: 0 }
  let early = earlySharesOfOthers(state, { ...row, day: exchangeDay(row.timeMs) })
  for (const { deal, clientOrderId = '' } of own) {
    if (clientOrderId === '' && early >= deal.quantity) early -= deal.quantity
    else add(fills, deal)
  }
  for (const { deal } of isOurs ? nobodys : []) {
    const isCounted = fills.filled + deal.quantity <= row.filledQuantity
    if (isCounted && isFormer(state, deal, { row, listed })) add(fills, deal)
  }
  return { ...fills, filled: Math.min(fills.filled, row.quantity) }
}

function add(fills: { filled: number; amount: number }, { quantity, amount }: BrokerDeal): void {
  fills.filled += quantity
  fills.amount += amount
}

const isOfSameStock = (deal: BrokerDeal, row: BrokerOrder): boolean =>
  deal.code === row.code &&
  deal.side === row.side &&
  exchangeDay(deal.timeMs) === exchangeDay(row.timeMs)

/** It bears the id of the row, under a number that nobody has: the one before the client numbered its orders anew. */
function isFormer(
  { orderIds }: AccountState,
  { orderId, clientOrderId, code, timeMs }: BrokerDeal,
  { row, listed }: { readonly row: BrokerOrder; readonly listed: Listed | undefined },
): boolean {
  const isIts = remarkTail(clientOrderId) === remarkTail(row.clientOrderId)
  const isShown =
    listed !== undefined && isListed(listed, { orderId, code, day: exchangeDay(timeMs) })
  return isIts && orderId !== row.orderId && !orderIds.has(orderId) && !isShown
}
