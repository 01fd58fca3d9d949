import type { ServiceError } from '../../domain/errors.ts'
import type { Price } from '../../domain/money.ts'
import { PRICE_TYPE } from '../../domain/order.ts'
import { BY_HAND } from '../../domain/trade-record.ts'
import type { AccountRequest } from '../../protocol/account.ts'
import type { ExecuteBuy } from '../../protocol/orders.ts'
import type { Turn } from '../turn/turn.ts'
import type { WantedOrder } from './approval.ts'

/**
 * A request that was refused before there was an order to judge (no such holding, a key that means
 * another order) goes into the journal with the reason. It takes up no key: the same request may be
 * tried again once the reason is gone. Refusals by a rule are those of `approve`.
 */
export function recordDenial(turn: Turn, command: AccountRequest, error: ServiceError): void {
  if (command.kind !== 'placeOrder' && command.kind !== 'executeSell') return
  const isSale = command.kind === 'executeSell'
  turn.emit({
    kind: 'orderDenied',
    clientOrderId: command.key,
    stockCode: command.code,
    side: isSale ? 'sell' : command.side,
    quantity: command.quantity ?? 0,
    priceType: command.priceType,
    price: command.price as Price,
    strategy: isSale ? BY_HAND.sell : command.strategy,
    code: error.code,
    message: error.message,
    source: command.source,
  })
}

/** One stock of several that was not bought; the others go on. */
export function recordDeniedBuy(
  turn: Turn,
  { source }: ExecuteBuy,
  { clientOrderId, code, strategy }: Pick<WantedOrder, 'clientOrderId' | 'code' | 'strategy'>,
  error: ServiceError,
): void {
  turn.emit({
    kind: 'orderDenied',
    clientOrderId,
    stockCode: code,
    side: 'buy',
    quantity: 0,
    priceType: PRICE_TYPE.latest,
    price: 0 as Price,
    strategy,
    code: error.code,
    message: error.message,
    source,
  })
}
