import { type InBoth, inBoth, inQuotes } from '../../domain/in-both.ts'
import { type Money, shares, toYuan } from '../../domain/money.ts'
import { VENUE_STATUS, type VenueStatus } from '../../domain/order.ts'
import type { OrderEventKind } from '../../domain/order-state.ts'
import type { JournalWords } from '../model/presented.ts'
import { reasonedBy } from '../strategies/registry.ts'
import { limitOf, orderTerms, tradeTerms } from './order-terms.ts'

/** Who says what an entry tells: the trading client, or what this service concludes by itself. */
export const BROKER = 'broker'
export const SERVICE = 'service'

const MOVE: Readonly<Record<OrderEventKind, string>> = {
  deny: '被拒绝 (denied)',
  submit: '已发出 (sent)',
  doubt: '结果未知 (in doubt)',
  vanish: '已不在当日委托中 (listed no more)',
  requestCancel: '请求撤单 (cancel asked for)',
  accept: '已接受 (accepted)',
  reject: '被交易客户端拒绝 (rejected)',
  fillPart: '部分成交 (partly filled)',
  fillRest: '全部成交 (filled)',
  refuseCancel: '撤单被拒 (cancel refused)',
  cancel: '已撤 (canceled)',
  expire: '已过期 (expired)',
  absent: '交易客户端未收到 (never arrived)',
}
/** {@link VENUE_STATUS} in English. */
const REPORTED: Readonly<Record<VenueStatus, string>> = {
  48: 'not reported',
  49: 'to report',
  50: 'reported',
  51: 'cancel requested',
  52: 'part filled, cancel requested',
  53: 'part canceled',
  54: 'canceled',
  55: 'part filled',
  56: 'filled',
  57: 'rejected',
  255: 'unknown',
}
const NEVER_SENT = '未发往交易客户端 (never sent)'
/** What the service concludes or wants itself, unless somebody asked for it. */
const OWN_MOVES: ReadonlySet<OrderEventKind> = new Set(['doubt', 'vanish', 'requestCancel'])

const CENTS = { minimumFractionDigits: 2, maximumFractionDigits: 2 } as const
/** Money for people, in yuan: `12,300.00`. */
export const amount = (money: Money): string => toYuan(money).toLocaleString('en-US', CENTS)

/** What is said of the reason, where there is one. */
export const because = (text: string): string => (text === '' ? '' : `：${text}`)
/** What the trading client says beyond the name of the state. */
const beyond = (status: VenueStatus, text: string): string =>
  text === VENUE_STATUS[status] ? '' : text
/** Behind both languages: words of the trading client are in one, and said in both; those of ours have both. */
function reasonOf(text: string): string {
  const { zh, en } = inBoth(text)
  return text !== '' && zh === en ? `: ${inQuotes(text)}` : because(text)
}
export const list = (parts: readonly string[]): string => parts.join('，')

/** So many are named; the entry itself has all of them. */
const NAMED_MAX = 8
function someOf(codes: readonly string[]): InBoth {
  const named = codes.slice(0, NAMED_MAX)
  const isAll = codes.length <= NAMED_MAX
  return {
    zh: `${named.join('、')}${isAll ? '' : ` 等 ${codes.length} 只`}`,
    en: `${named.join(', ')}${isAll ? '' : ` and others, ${codes.length} holdings`}`,
  }
}

const waitingText = (queued: readonly string[] = []): string =>
  queued.length === 0 ? '' : `，${queued.length} 笔排队`

/** What entries about orders say to people: what was asked for, and what became of it. */
export const ORDER_ENTRIES = {
  orderDenied: (event) => {
    const { zh, en } = orderTerms(event.stockCode, event)
    const summary = `拒绝委托 ${zh}：${event.message} [${event.code}] (order denied, ${en})`
    return { source: event.source, summary }
  },
  keyWithdrawn: ({ clientOrderId, source }) => ({
    source,
    summary: `作废委托键 ${clientOrderId}：迟到的请求不再执行 (key withdrawn before an order came under it)`,
  }),
  orderSubmitted: ({ order: sent, source }) => {
    const { zh, en } = orderTerms(sent.code, sent)
    return { source, summary: `发出委托 ${sent.clientOrderId}：${zh} (order sent: ${en})` }
  },
  batchPlaced: ({ key, batch, source }) => ({
    source,
    summary: `批量请求 ${key}：发出 ${batch.clientOrderIds.length}/${batch.total} 笔委托${waitingText(batch.queued)} (request for several stocks: ${batch.clientOrderIds.length} of ${batch.total} orders sent, ${batch.queued?.length ?? 0} wait)`,
  }),
  batchAdvanced: ({ key, clientOrderIds, isSent, refusals, source }) => ({
    source,
    summary: isSent
      ? `批量请求 ${key}：排队委托 ${list(clientOrderIds)} 已轮到 (its turn has come)`
      : `批量请求 ${key}：${clientOrderIds.length} 笔排队委托未发出${because(refusals.join('；'))} (not sent: ${clientOrderIds.length} of those that waited)`,
  }),
  orderMoved: ({ clientOrderId, event, message, source, isTooLate }) => ({
    source: source ?? (isTooLate || OWN_MOVES.has(event) ? SERVICE : BROKER),
    summary: `委托 ${clientOrderId} ${isTooLate ? NEVER_SENT : MOVE[event]}${reasonOf(message)}`,
  }),
  orderReported: ({ clientOrderId, report }) => ({
    source: BROKER,
    summary: `委托 ${clientOrderId} 回报 ${report.status} ${VENUE_STATUS[report.status]}${because(inQuotes(beyond(report.status, report.statusMessage)))} (reported: ${report.status}, ${REPORTED[report.status]})`,
  }),
  orderRenumbered: ({ clientOrderId, orderId, formerId }) => ({
    source: BROKER,
    summary: `委托 ${clientOrderId} 编号 ${formerId} → ${orderId} (renumbered: ${formerId} → ${orderId})`,
  }),
  orderUntold: ({ clientOrderIds, source }) => ({
    source,
    summary: `委托 ${list(clientOrderIds)} 的结果可能未告知下单方 (answers that may not have arrived)`,
  }),
  orderTold: ({ clientOrderIds, source }) => ({
    source,
    summary: `委托 ${list(clientOrderIds)} 的结果已告知 (told what became of it)`,
  }),
  orderWarned: ({ clientOrderId, text }) => ({
    source: SERVICE,
    summary: `委托 ${clientOrderId} 需人工查看：${text} (look at this order)`,
  }),
  orderQuarantined: ({ clientOrderId, reason }) => ({
    source: SERVICE,
    summary: `委托 ${clientOrderId} 无法自动核实${because(reason)} (quarantined)`,
  }),
  doubtDecided: ({ clientOrderId, orderId, isOver, source }) => ({
    source,
    summary: `人工认定委托 ${clientOrderId}：${isOver ? '已终结 (decided by hand: ended)' : orderId === '' ? '未到达 (decided by hand: never arrived)' : `编号 ${orderId} (decided by hand: number ${orderId})`}`,
  }),
  orderTakenForFilled: ({ clientOrderId, quantity }) => ({
    source: SERVICE,
    summary: `委托 ${clientOrderId} 视为成交 ${shares(quantity)} 股：未见其成交，而持仓变化了这么多 (order ${clientOrderId} counts as filled with ${shares(quantity)}: nothing was heard of its fills, and the holding has changed by so many)`,
  }),
  orderKept: ({ clientOrderId, reason }) => ({
    source: SERVICE,
    summary: `委托 ${clientOrderId} 超时不撤${because(reason)} (works on)`,
  }),
  orderAmended: ({ clientOrderId, stockCode, amendment, source }) => {
    const [limit, count] = [limitOf(stockCode, amendment), shares(amendment.quantity)]
    const summary = `改单 ${clientOrderId} → ${amendment.clientOrderId}：总量 ${count} 股，${limit.zh} (to be changed: ${count} shares in all ${limit.en})`
    return { source, summary }
  },
  amendmentEnded: ({ clientOrderId, outcome, reason }) => ({
    source: SERVICE,
    summary:
      outcome === 'sent'
        ? `改单 ${clientOrderId} 的新委托已发出 (the order that takes its place was sent)`
        : `改单 ${clientOrderId} 未发新委托${because(reason)} (nothing takes its place)`,
  }),
  reorderDropped: ({ clientOrderId, reason }) => ({
    source: SERVICE,
    summary: `委托 ${clientOrderId} 余量不再重报${because(reason)} (not sent again)`,
  }),
  orderSimulated: ({ record, source }) => {
    const { zh, en } = tradeTerms(record)
    return { source, summary: `模拟成交 ${zh} (simulated: ${en})` }
  },
  costsTaken: ({ taken }) => {
    const { zh, en } = someOf(taken.map(({ code }) => code))
    const summary = `持仓成本取自交易客户端：${zh || '无持仓'} (costs taken as the trading client tells them: ${en || 'no holdings'})`
    return { source: SERVICE, summary }
  },
  signalFilled: ({ clientOrderId }) => ({
    source: SERVICE,
    summary: `委托 ${clientOrderId} 的成交已确认 (its fills are final)`,
  }),
  decisionMade: ({ clientOrderId, decision, strategy }) => {
    const body = reasonedBy(strategy)?.traceRow(decision)
    const summary = `委托 ${clientOrderId} 的依据：${body?.message ?? strategy} (why it was sent)`
    return { source: SERVICE, summary, body }
  },
  orderAdopted: ({ order: adopted }) => {
    const { zh, en } = orderTerms(adopted.code, adopted)
    const summary = adopted.isRecovered
      ? `找回本服务的委托 ${adopted.clientOrderId}，编号 ${adopted.orderId}：${zh} (order ${adopted.orderId}, ours, which the books had lost: ${en})`
      : `接管外部委托 ${adopted.orderId}：${zh} (order ${adopted.orderId} of somebody else: ${en})`
    return { source: BROKER, summary }
  },
  dealBooked: ({ deal }) => {
    const { zh, en } = tradeTerms(deal)
    const worth = amount(deal.amount)
    return { source: BROKER, summary: `成交 ${zh}，金额 ${worth} (filled: ${en}, ${worth} in all)` }
  },
} satisfies JournalWords
