import type { Alert } from './alerts.ts'
import { bareCode, shares, tail } from './format.ts'
import { stockName } from './names.ts'
import { orderMessage, orderPrice } from './order-words.ts'
import { t, tMaybe } from './texts.ts'
import type { OrderRow } from './wire.ts'

/** What an alert says: a line, and what is below it. */
export interface Words {
  readonly title: string
  readonly body: string
}

/** The account stands in every alert: a notification may be all that a person sees. */
export function wordsOf({ kind, accountId, order, level, count }: Alert): Words {
  const title = t(`alert.${kind}`, {
    count: count ?? 0,
    level: level === undefined ? '' : t(`kill.level.${level}`),
  })
  const lines = [
    `${t('app.account')} ${tail(accountId)}`,
    order === undefined ? '' : orderLine(order),
    order === undefined ? '' : orderMessage(order),
    tMaybe(`alert.${kind}.more`, ''),
  ]
  return { title, body: lines.filter((line) => line !== '').join('\n') }
}

const orderLine = (order: OrderRow): string =>
  t('alert.order', {
    side: t(order.trade_type === 'BUY' ? 'side.buy' : 'side.sell'),
    stock: `${stockName(order)} ${bareCode(order.stock_code)}`,
    traded: shares(order.traded_volume),
    volume: shares(order.volume),
    price: orderPrice(order),
  })
