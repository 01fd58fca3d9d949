import { ServiceError } from '../../domain/errors.ts'
import { inQuotes } from '../../domain/in-both.ts'
import type { OrderRecord } from '../../domain/order.ts'
import type { AccountState } from '../model/state.ts'

/**
 * The order that somebody means, to look at, to cancel or to change it: by the number that the trading client has given it,
 * of an open one first, or by what it is called here.
 *
 * Errors  throws `CONFLICT` where several open orders have that number, as for a moment behind a restart of the client.
 */
export function orderNamed(state: AccountState, id: string): OrderRecord | undefined {
  const { orders, orderIds } = state
  const open = [...orders.open()].filter(({ orderId }) => orderId === id)
  if (open.length > 1) {
    const names = open
      .map(({ clientOrderId, code }) => inQuotes(`${clientOrderId} ${code}`))
      .join('、')
    const text = `此刻有多笔在途委托同为编号 ${id}，请改用 client_order_id：${names} (several open orders have this number; name the one by its client_order_id)`
    throw new ServiceError('CONFLICT', text)
  }
  return open[0] ?? orders.get(orderIds.get(id) ?? id)
}
