import type { Price, Quantity } from '../../domain/money.ts'
import { isCaughtUp, type OrderRecord } from '../../domain/order.ts'
import { leavesOf } from '../model/order-book.ts'
import { isFrozenFor } from './freeze.ts'

type Reports = Parameters<typeof isFrozenFor>[1]
type Terms = Parameters<typeof isFrozenFor>[2] & {
  /** Our books have a holding of its stock. */
  readonly isHeld: boolean
  /** An order of somebody else may be it. */
  readonly isLike: boolean
}

/** Why a person has to look at an order that is listed no more. */
export type Unended = 'frozen' | 'unpriced' | 'unfilled' | 'alike' | 'moved' | 'unsettled'

/**
 * What all four reports say of an order that the broker had and lists no more: ended, for nothing is frozen for it
 * and what is filled is booked; unclear, for they do not go together; or why a person has to look. It is never sent
 * again, whatever this says: what is free at the broker is free, and only that is sold.
 */
export function verdictOf(
  order: OrderRecord,
  reports: Reports,
  { isHeld, isLike, ...terms }: Terms,
): 'ended' | 'unclear' | Unended {
  const positions = reports.get('positions')
  const isListed =
    positions?.what === 'positions' && positions.rows.some(({ code }) => code === order.code)
  // A list without the holding is one of a client that is not ready.
  if (order.side === 'sell' && isHeld && !isListed) return 'unclear'
  const price = order.price > 0 ? order.price : (order.quotedPrice ?? (0 as Price))
  const rest = { ...order, quantity: leavesOf(order) as Quantity, price }
  if (isFrozenFor(rest, reports, terms)) return 'frozen'
  if (order.side === 'buy' && price <= 0) return 'unpriced'
  if (!isCaughtUp(order)) return 'unfilled'
  return isLike ? 'alike' : 'ended'
}

const BECAUSE: Readonly<Record<Unended, string>> = {
  frozen: '仍有资金或股份为其冻结 (something is still frozen for it)',
  unpriced:
    '市价买入，无法判断是否仍有冻结资金 (a purchase without a price: what is frozen for it cannot be told)',
  unfilled: '柜台报告的成交尚未全部列出 (fills were counted that no deal shows)',
  alike: '另有委托与其相同 (another order is like it)',
  moved:
    '持仓已有变化、成交列表未能说明，可能是它的成交 (shares of its stock have moved by what no deal tells, which may be its fills)',
  unsettled: '长时间无法核实 (it could not be settled)',
}

/** The same for people, with what they can do. */
export function reasonOfVanished(why: Unended, candidates: readonly string[]): string {
  const guess = candidates.length === 0 ? '' : `；可能为委托 ${candidates.join('、')}`
  return `存疑：交易客户端的当日委托中已无该委托，${BECAUSE[why]}${guess}；请在交易终端核对后人工确认 (look at the terminal, then POST /api/orders/<id>/resolve)`
}
