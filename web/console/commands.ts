import { bareCode, shares } from '../shared/format.ts'
import { stockName } from '../shared/names.ts'
import { orderPrice } from '../shared/order-words.ts'
import { orderKey } from '../shared/rows.ts'
import type { OrderRow } from '../shared/wire.ts'
import { attempt, attemptConfirmed, confirmAction } from './act.ts'
import type { useDesk } from './desk.ts'
import { t } from './texts.ts'

type Desk = ReturnType<typeof useDesk>

const cancelPath = ({ order_id }: OrderRow): string =>
  `/api/orders/${encodeURIComponent(order_id)}/cancel`

/** Which order it is: several of one stock differ in side, price or volume alone. */
const cancelLine = (order: OrderRow): string =>
  t('cancel.changes', {
    side: t(order.trade_type === 'BUY' ? 'side.buy' : 'side.sell'),
    stock: `${stockName(order)} ${bareCode(order.stock_code)}`,
    price: orderPrice(order),
    volume: shares(order.volume),
    rest: shares(order.volume - order.traded_volume),
  })

/** Asks, then requests the cancel. Only the order's status tells whether it was canceled. */
export async function cancelOrder(desk: Desk, order: OrderRow): Promise<void> {
  /** As it is now: it may fill while the question is open. */
  const now = (): OrderRow =>
    desk.live?.orders.data?.find((row) => orderKey(row) === orderKey(order)) ?? order
  await attemptConfirmed(
    {
      title: t('cancel.title'),
      changes: () => [cancelLine(now())],
      keeps: () => [t('cancel.keeps', { traded: shares(now().traded_volume) })],
      confirm: t('action.cancelOrder'),
      isEntered: true,
    },
    () => desk.post<object>(cancelPath(order)),
    { said: () => t('action.cancelRequested'), refresh: desk.live?.orders.refresh },
  )
}

/** Requests at a time: one that is not answered must not keep the others waiting. */
const CANCELS_AT_ONCE = 8

/** The same for everything in flight, one request each; what fails is shown and does not stop the rest. */
export async function cancelAll(desk: Desk): Promise<void> {
  const pending = desk.pendingOrders
  const isYes = await confirmAction({
    title: t('cancelAll.title'),
    changes: [t('cancelAll.changes', { n: pending.length })],
    keeps: [t('cancelAll.keeps')],
    confirm: t('cancelAll.title'),
    isDanger: true,
  })
  if (!isYes) return
  const left = pending.values()
  const askOneByOne = async () => {
    for (const order of left) await attempt(() => desk.post(cancelPath(order)))
  }
  await Promise.all(Array.from({ length: CANCELS_AT_ONCE }, askOneByOne))
  await desk.live?.orders.refresh()
}

export type GateName = 'master' | 'stopProfit' | 'grid' | 'allowBuy' | 'allowSell'

const PARAMETER = {
  stopProfit: 'globalAllowBuySell',
  grid: 'globalAllowGridTrading',
  allowBuy: 'allowBuy',
  allowSell: 'allowSell',
} as const

/** Turns a gate of the account after a question; what the service then says is what is shown. */
export async function turnGate(desk: Desk, name: GateName, on: boolean): Promise<void> {
  const gate = t(`gate.${name}`)
  await attemptConfirmed(
    {
      title: t(on ? 'gate.on.title' : 'gate.off.title', { gate }),
      changes: [t(`gate.${name}.${on ? 'on' : 'off'}`)],
      keeps: [t('gate.keeps')],
      confirm: t('word.confirm'),
      isDanger: on && name !== 'allowSell' && desk.mode === 'live',
    },
    () =>
      name === 'master'
        ? desk.post<object>(`/api/monitor/${on ? 'start' : 'stop'}`)
        : desk.post<object>('/api/config/save', { [PARAMETER[name]]: on }),
    { refresh: () => Promise.all([desk.live?.status.refresh(), desk.live?.config.refresh()]) },
  )
}
