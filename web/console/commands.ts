import { bareCode, price, shares } from '../shared/format.ts'
import { listed } from '../shared/joined.ts'
import { stockName } from '../shared/names.ts'
import { orderPrice } from '../shared/order-words.ts'
import { orderKey, positionKey, stopOf } from '../shared/rows.ts'
import { said } from '../shared/said.ts'
import { figuresOf } from '../shared/sums.ts'
import { tMaybe } from '../shared/texts.ts'
import type { OrderRow, PositionRow } from '../shared/wire.ts'
import { attempt, attemptConfirmed, confirmAction, notice } from './act.ts'
import { boughtAtOnce, soldAtOnce } from './at-once.ts'
import type { useDesk } from './desk.ts'
import { t } from './texts.ts'
import type { DoubtfulOrder } from './wire.ts'

type Desk = ReturnType<typeof useDesk>

const cancelPath = (order: OrderRow): string =>
  `/api/orders/${encodeURIComponent(orderKey(order))}/cancel`

/** Which order it is: several of one stock differ in side, price or volume alone. */
const termsOf = (order: OrderRow) => ({
  side: t(order.trade_type === 'BUY' ? 'side.buy' : 'side.sell'),
  stock: `${stockName(order)} ${bareCode(order.stock_code)}`,
  price: orderPrice(order),
  volume: shares(order.volume),
})

const cancelLine = (order: OrderRow): string =>
  t('cancel.changes', { ...termsOf(order), rest: shares(order.volume - order.traded_volume) })

/** The same in a few words, after the question: others may have no answer as well. */
const cancelName = (order: OrderRow): string => t('cancel.line', termsOf(order))

/** Asks, then requests the cancel. Only the order's status tells whether it was canceled. */
export async function cancelOrder(desk: Desk, order: OrderRow): Promise<void> {
  /** As it is now: it may fill while the question is open. */
  const now = (): OrderRow =>
    desk.live?.orders.data?.find((row) => orderKey(row) === orderKey(order)) ?? order
  await attemptConfirmed(
    {
      title: t('cancel.title'),
      changes: () => [cancelLine(now())],
      keeps: () => {
        const { traded_volume: traded } = now()
        return traded > 0 ? [t('cancel.keeps', { traded: shares(traded) })] : []
      },
      confirm: t('cancel.confirm'),
      isEntered: true,
      blocked: () => {
        const { is_pending: isOpen, status, status_desc: told } = now()
        return isOpen
          ? undefined
          : t('cancel.over', { status: tMaybe(`status.${status}`, said(told)) })
      },
    },
    () => desk.post<object>(cancelPath(order)),
    {
      said: () => t('action.cancelRequested'),
      refresh: desk.live?.orders.refresh,
      what: cancelName(order),
    },
  )
}

/** Requests at a time: one that is not answered must not keep the others waiting. */
const CANCELS_AT_ONCE = 8

/** How many of each side; the orders themselves stand on the screen behind. */
function cancelAllLines(open: readonly OrderRow[]): readonly string[] {
  const buys = open.filter(({ trade_type }) => trade_type === 'BUY').length
  return [
    t('cancelAll.changes', { n: open.length, buys, sells: open.length - buys }),
    t('cancelAll.late'),
  ]
}

/**
 * The same for everything that is open when yes is said, one request each; what fails is shown and does not stop the rest.
 * Those that are known are asked for at once, and a list that is read meanwhile tells of those that were sent since.
 */
export async function cancelAll(desk: Desk): Promise<void> {
  const isYes = await confirmAction({
    title: t('cancelAll.title'),
    // As they are now: while the question is open some fill, and strategies send others.
    changes: () => cancelAllLines(desk.pendingOrders),
    keeps: [t('cancelAll.keeps')],
    confirm: t('cancelAll.title'),
    isDanger: true,
    blocked: () => (desk.pendingOrders.length === 0 ? t('cancelAll.none') : undefined),
  })
  if (!isYes) return
  const asked = new Set<string>()
  const cancelOpen = async () => {
    const open = desk.pendingOrders.filter((order) => !asked.has(orderKey(order)))
    for (const order of open) asked.add(orderKey(order))
    const left = open.values()
    const askOneByOne = async () => {
      for (const order of left) {
        const what = [cancelName(order)]
        await attempt(() => desk.post(cancelPath(order)), undefined, undefined, what)
      }
    }
    await Promise.all(Array.from({ length: CANCELS_AT_ONCE }, askOneByOne))
  }
  const cancelLate = async () => {
    await desk.live?.orders.refresh()
    const { fault } = desk.live?.orders ?? {}
    if (fault !== undefined) notice(t('cancelAll.unread'), fault)
    await cancelOpen()
  }
  // The list is asked for first: a browser has a few lines to a service, and cancels may take them all.
  await Promise.all([cancelLate(), cancelOpen()])
  await desk.live?.orders.refresh()
}

export type GateName = 'master' | 'stopProfit' | 'grid' | 'allowBuy' | 'allowSell'

const PARAMETER = {
  stopProfit: 'globalAllowBuySell',
  grid: 'globalAllowGridTrading',
  allowBuy: 'allowBuy',
  allowSell: 'allowSell',
} as const

/** Gates behind which a stop waits. */
const HOLDS_STOPS: ReadonlySet<GateName> = new Set(['master', 'stopProfit', 'allowSell'])
/** Behind which a supplementary purchase waits. */
const HOLDS_ADDS: ReadonlySet<GateName> = new Set(['master', 'stopProfit', 'allowBuy'])
/** So many are named; of more the list itself tells. */
const NAMED_MAX = 8

const dueOf = (desk: Desk, rows: readonly PositionRow[], tighter?: number) => {
  const saved = (name: string) => Number(desk.live?.config.data?.data[name])
  const [stopLoss, firstProfit] = [saved('stockStopLoss'), saved('firstProfitSell')]
  return soldAtOnce(rows, { stopLoss, firstProfit }, tighter)
}

/** What is sold as soon as stops are let through, or the stop is drawn tighter (percent of the cost): said before yes is said. */
export function atOnceLines(desk: Desk, tighter?: number): readonly string[] {
  const rows = desk.live?.positions.data?.data
  if (rows === undefined) return [t('exits.atOnce.unread')]
  return namedLines(dueOf(desk, rows, tighter))
}
/**
 * What is bought as soon as supplementary purchases are let through, if they are on; `isKnown`: at the prices that are told,
 * as nothing changes them in the same breath.
 */
export function boughtLines(desk: Desk, isKnown = true): readonly string[] {
  const rows = desk.live?.positions.data?.data
  const found = rows && isKnown ? boughtAtOnce(rows) : undefined
  return found === undefined ? [t('exits.bought.unread')] : namedLines(found, 'exits.bought')
}
/** Also while that is not read yet: what is said then counts with the other switches on. */
const isAdding = (desk: Desk): boolean =>
  desk.live?.config.data?.data['stopLossBuyEnabled'] !== false

function namedLines(
  found: readonly PositionRow[],
  text: 'exits.atOnce' | 'exits.bought' = 'exits.atOnce',
): readonly string[] {
  if (found.length === 0) return []
  const named = found.map((row) => `${stockName(row)} ${bareCode(row.stock_code)}`)
  const more = named.length > NAMED_MAX ? ['…'] : []
  const stocks = listed([...named.slice(0, NAMED_MAX), ...more])
  return [t(text, { n: found.length, stocks })]
}

/**
 * What may be traded again, and is sold at once, when an order of which nobody knew the end counts as never sent: what a sale
 * held is free by then, and a first take-profit waits for no purchase.
 */
export function againLines(desk: Desk, order: Pick<DoubtfulOrder, 'stock_code' | 'trade_type'>) {
  const isBuy = order.trade_type === 'BUY'
  const again = t(`reconcile.doubt.absent.again.${isBuy ? 'buy' : 'sell'}`)
  const rows = desk.live?.positions.data?.data
  if (rows === undefined) return [again, t('exits.atOnce.unread')]
  const freed = rows
    .filter((row) => bareCode(row.stock_code) === bareCode(order.stock_code))
    .map((row) => (isBuy ? row : { ...row, available: row.volume }))
  return [again, ...namedLines(dueOf(desk, freed))]
}

/** Turns a gate of the account after a question; what the service then says is what is shown. */
export async function turnGate(desk: Desk, name: GateName, on: boolean): Promise<void> {
  const gate = t(`gate.${name}`)
  await attemptConfirmed(
    {
      title: t(on ? 'gate.on.title' : 'gate.off.title', { gate }),
      changes: () => [
        t(`gate.${name}.${on ? 'on' : 'off'}`),
        ...(on && HOLDS_STOPS.has(name) ? atOnceLines(desk) : []),
        ...(on && HOLDS_ADDS.has(name) && isAdding(desk) ? boughtLines(desk) : []),
      ],
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

/** What the switch of a stock changes: also that it would be sold at once. */
function stockExitLines(desk: Desk, row: PositionRow, on: boolean): readonly string[] {
  const words = {
    stock: `${stockName(row)} ${bareCode(row.stock_code)}`,
    stop: price(stopOf(row), row.stock_code),
    price: price(figuresOf(row).price, row.stock_code),
  }
  const turned = [{ ...row, stop_profit_enabled: true }]
  const isDue = on && dueOf(desk, turned).length > 0
  const bought = on && isAdding(desk) ? (boughtAtOnce(turned) ?? []) : []
  return [
    t(on ? 'stockExit.on.changes' : 'stockExit.off.changes', words),
    ...(isDue ? [t('stockExit.now', words)] : []),
    ...namedLines(bought, 'exits.bought'),
  ]
}

/** Turns take-profit and stop-loss of one stock after a question: a click in a long table is soon made beside the row that was meant. */
export async function turnStockExit(desk: Desk, row: PositionRow, on: boolean): Promise<void> {
  const positions = desk.live?.positions
  const now = (): PositionRow =>
    positions?.data?.data.find((one) => positionKey(one) === positionKey(row)) ?? row
  await attemptConfirmed(
    {
      title: t(on ? 'stockExit.on' : 'stockExit.off', { stock: stockName(row) }),
      changes: () => stockExitLines(desk, now(), on),
      keeps: [t('stockExit.keeps')],
      confirm: t('word.confirm'),
      isDanger: desk.mode === 'live',
    },
    () =>
      desk.post<{ message: string }>('/api/holdings/stop_profit', {
        stock_code: row.stock_code,
        enabled: on,
      }),
    { refresh: positions?.refresh },
  )
}
