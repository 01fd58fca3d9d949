import { exchangeTime } from '../../domain/exchange-time.ts'
import { inBoth, inQuotes } from '../../domain/in-both.ts'
import type { StockCode } from '../../domain/instrument.ts'
import { KILL_WORDS } from '../../domain/kill-level.ts'
import { MARKET } from '../../domain/market-mark.ts'
import { type Money, type Price, shares, toYuan } from '../../domain/money.ts'
import { PRICE_TYPE, type Side, VENUE_STATUS, type VenueStatus } from '../../domain/order.ts'
import type { OrderEventKind } from '../../domain/order-state.ts'
import { priceDecimals, priceText } from '../../domain/rules.ts'
import { riskShown } from '../../domain/settings/risk.ts'
import type { ExDayFields, HoldingFields } from '../model/events.ts'
import { spokenReason } from '../model/kill-switch.ts'
import { inYuan, type JournalWords, type Presented } from '../model/presented.ts'
import type { LimitChange } from '../model/risk-limits.ts'
import { reasonedBy, STRATEGIES } from '../strategies/registry.ts'

const BROKER = 'broker'
const SERVICE = 'service'
const CLOCK = 'market clock'

const SIDE: Readonly<Record<Side, string>> = { buy: '买入', sell: '卖出' }
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
const NEVER_SENT = '未发往交易客户端 (never sent)'
/** What the service concludes or wants itself, unless somebody asked for it. */
const OWN_MOVES: ReadonlySet<OrderEventKind> = new Set(['doubt', 'vanish', 'requestCancel'])
interface Wanted {
  readonly side: Side
  readonly quantity: number
  readonly priceType: number
  readonly price: Price
}

/** `买入 600036.SH 100 股，限价 36.5` */
const order = (code: string, wanted: Wanted): string =>
  `${SIDE[wanted.side]} ${code} ${shares(wanted.quantity)} 股，${limitOf(code, wanted)}`

/** `限价 36.5` */
function limitOf(code: string, { priceType, price }: Pick<Wanted, 'priceType' | 'price'>): string {
  const bound = price > 0 ? ` 保护限价 ${priceText(code as StockCode, price)}` : ''
  return priceType === PRICE_TYPE.limit
    ? `限价 ${priceText(code as StockCode, price)}`
    : `${priceType === PRICE_TYPE.latest ? '最新价' : `报价类型 ${priceType}`}${bound}`
}

const CENTS = { minimumFractionDigits: 2, maximumFractionDigits: 2 } as const
/** Money for people: `3,650.00`. */
const amount = (money: Money): string => toYuan(money).toLocaleString('en-US', CENTS)

const because = (text: string): string => (text === '' ? '' : `：${text}`)
/** What the trading client says beyond the name of the state. */
const beyond = (status: VenueStatus, text: string): string =>
  text === VENUE_STATUS[status] ? '' : text
const list = (parts: readonly string[]): string => parts.join('，')
const fromTo = (before: unknown, after: unknown): string =>
  before === undefined ? String(after) : `${String(before)} → ${String(after)}`

/** In units of the file, as people know them. */
const limitBody = ({ limit, before, after, isFiles }: LimitChange) => ({
  limit,
  before: riskShown(limit, before),
  after: riskShown(limit, after),
  isFiles,
})
function limitChange(change: LimitChange): string {
  const { limit, before, after, isFiles } = limitBody(change)
  return `${limit} ${fromTo(before, after)}${isFiles ? '，恢复配置文件的值' : ''}`
}

/** In one line. */
const noteText = (note: string | null): string =>
  note === null ? '无' : inQuotes(note.replace(/\s+/g, ' '))

const waitingText = (queued: readonly string[] = []): string =>
  queued.length === 0 ? '' : `，${queued.length} 笔排队`

const orderEvents = {
  orderDenied: (event) => ({
    source: event.source,
    summary: `拒绝委托 ${order(event.stockCode, event)}：${event.message} [${event.code}] (order denied)`,
  }),
  keyWithdrawn: ({ clientOrderId, source }) => ({
    source,
    summary: `作废委托键 ${clientOrderId}：迟到的请求不再执行 (key withdrawn before an order came under it)`,
  }),
  orderSubmitted: ({ order: sent, source }) => ({
    source,
    summary: `发出委托 ${sent.clientOrderId}：${order(sent.code, sent)} (order sent)`,
  }),
  batchPlaced: ({ key, batch, source }) => ({
    source,
    summary: `批量请求 ${key}：发出 ${batch.clientOrderIds.length}/${batch.total} 笔委托${waitingText(batch.queued)} (request for several stocks)`,
  }),
  batchAdvanced: ({ key, clientOrderIds, isSent, refusals, source }) => ({
    source,
    summary: isSent
      ? `批量请求 ${key}：排队委托 ${list(clientOrderIds)} 已轮到 (its turn has come)`
      : `批量请求 ${key}：${clientOrderIds.length} 笔排队委托未发出${because(refusals.join('；'))} (not sent)`,
  }),
  orderMoved: ({ clientOrderId, event, message, source, isTooLate }) => ({
    source: source ?? (isTooLate || OWN_MOVES.has(event) ? SERVICE : BROKER),
    summary: `委托 ${clientOrderId} ${isTooLate ? NEVER_SENT : MOVE[event]}${because(message)}`,
  }),
  orderReported: ({ clientOrderId, report }) => ({
    source: BROKER,
    summary: `委托 ${clientOrderId} 回报 ${report.status} ${VENUE_STATUS[report.status]}${because(beyond(report.status, report.statusMessage))} (reported)`,
  }),
  orderRenumbered: ({ clientOrderId, orderId, formerId }) => ({
    source: BROKER,
    summary: `委托 ${clientOrderId} 编号 ${formerId} → ${orderId} (renumbered)`,
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
    summary: `人工认定委托 ${clientOrderId}：${isOver ? '已终结' : orderId === '' ? '未到达' : `编号 ${orderId}`} (decided by hand)`,
  }),
  orderTakenForFilled: ({ clientOrderId, quantity }) => ({
    source: SERVICE,
    summary: `委托 ${clientOrderId} 视为成交 ${shares(quantity)} 股：委托日已过而未见成交，持仓恰好少了这么多 (taken for filled)`,
  }),
  orderKept: ({ clientOrderId, reason }) => ({
    source: SERVICE,
    summary: `委托 ${clientOrderId} 超时不撤${because(reason)} (works on)`,
  }),
  orderAmended: ({ clientOrderId, stockCode, amendment, source }) => ({
    source,
    summary: `改单 ${clientOrderId} → ${amendment.clientOrderId}：总量 ${shares(amendment.quantity)} 股，${limitOf(stockCode, amendment)} (to be changed)`,
  }),
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
  orderSimulated: ({ record, source }) => ({
    source,
    summary: `模拟成交 ${SIDE[record.side]} ${record.code} ${shares(record.quantity)} 股，价格 ${priceText(record.code, record.price)} (simulated)`,
  }),
  costsTaken: ({ taken }) => ({
    source: SERVICE,
    summary: `持仓成本取自交易客户端：${taken.map(({ code }) => code).join('、') || '无持仓'} (costs taken as the trading client tells them)`,
  }),
  signalFilled: ({ clientOrderId }) => ({
    source: SERVICE,
    summary: `委托 ${clientOrderId} 的成交已确认 (its fills are final)`,
  }),
  decisionMade: ({ clientOrderId, decision, strategy }) => {
    const body = reasonedBy(strategy)?.traceRow(decision)
    const summary = `委托 ${clientOrderId} 的依据：${body?.message ?? strategy} (why it was sent)`
    return { source: SERVICE, summary, body }
  },
  orderAdopted: ({ order: adopted }) => ({
    source: BROKER,
    summary: adopted.isRecovered
      ? `找回本服务的委托 ${adopted.clientOrderId}，编号 ${adopted.orderId}：${order(adopted.code, adopted)} (an order of ours that the books had lost)`
      : `接管外部委托 ${adopted.orderId}：${order(adopted.code, adopted)} (order of somebody else)`,
  }),
  dealBooked: ({ deal }) => ({
    source: BROKER,
    summary: `成交 ${SIDE[deal.side]} ${deal.code} ${shares(deal.quantity)} 股，价格 ${priceText(deal.code, deal.price)}，金额 ${amount(deal.amount)} (filled)`,
  }),
} satisfies JournalWords

const accountEvents = {
  actorStarted: ({ incarnation }) => ({
    source: SERVICE,
    summary: `账户服务第 ${incarnation} 次启动 (actor started)`,
  }),
  dayOpened: ({ day }) => ({ source: CLOCK, summary: `进入 ${day} (day opened)` }),
  restoreFound: ({ fromEpoch, clientEpoch }) => ({
    source: SERVICE,
    summary: `账户数据早于交易客户端（${fromEpoch} → ${clientEpoch || '未知'}），视为由备份恢复，完整核对前不发出委托 (books put back from a backup)`,
  }),
  restoreCompared: ({ differences }) => ({
    source: SERVICE,
    summary: `恢复后的核对已完成，差异 ${differences} 项 (compared after a restore)`,
  }),
  restoreConfirmed: ({ source }) => ({
    source,
    summary: '恢复后的核对结果已由人工确认，恢复委托 (a person has confirmed what was found)',
  }),
  dayTakenBack: ({ day, before }) => ({
    source: CLOCK,
    summary: `提前进入了 ${before}，退回 ${day} (day taken back)`,
  }),
  clockDoubted: ({ offMs }) => ({
    source: CLOCK,
    summary: `系统时钟偏差 ${offMs / 1_000} 秒，暂不采用，暂停买入 (clock not followed)`,
  }),
  clockTrusted: ({ shiftMs }) => ({
    source: CLOCK,
    summary: `系统时钟恢复采用，行情时钟调整 ${shiftMs / 1_000} 秒 (clock followed again)`,
  }),
  tokenChanged: ({ act, name, scope, timeMs, by }) => ({
    source: by,
    summary: `令牌 ${inQuotes(name)}（${scope}）${act === 'added' ? '已添加' : '已撤销'}，${exchangeTime(timeMs)} (token ${act})`,
  }),
  connected: () => ({ source: BROKER, summary: '交易客户端已连接 (connected)' }),
  disconnected: ({ reason }) => ({
    source: BROKER,
    summary: `交易客户端断开${because(reason)} (disconnected)`,
  }),
  settingsChanged: ({ changes, source }) => ({
    source,
    summary: `参数变更：${list(changes.map((c) => `${c.setting} ${fromTo(c.before, c.after)}`))} (settings changed)`,
  }),
  riskChanged: ({ changes, source }) => ({
    source,
    summary: `风控上限变更：${list(changes.map(limitChange))} (risk limits changed)`,
    body: { changes: changes.map(limitBody), source },
  }),
  positionReported: ({ position, before }) => ({
    source: BROKER,
    summary: `持仓 ${position.code}：${fromTo(before && shares(before.quantity), shares(position.quantity))} 股，可卖 ${shares(position.sellable)} (position reported)`,
  }),
  positionClosed: ({ code }) => ({
    source: BROKER,
    summary: `持仓 ${code} 已清空 (position closed)`,
  }),
  holdingChanged: ({ code, fields, before, source }) => ({
    source,
    summary: `持仓参数 ${code}：${list(holdingChanges(code, fields, before ?? {}))} (holding changed)`,
  }),
  exDayFollowed: (event) => ({
    source: EX_DAY_SOURCE[event.fields.exDay.source],
    summary: exDayText(event.code, event.fields, event.before),
    body: inYuan(event, ['to', 'of']),
  }),
  recordsCleared: ({ scope, ids, source }) => ({
    source,
    summary: `清除 ${ids.length} 条成交记录，范围 ${scope} (records cleared)`,
    body: { scope, count: ids.length, from: ids.at(-1) ?? null, to: ids[0] ?? null, source },
  }),
  fillNoted: ({ recordId, code, before, note, source }) => ({
    source,
    summary: `成交 ${recordId}（${code}）的备注：${noteText(before)} → ${noteText(note)} (note beside a trade record)`,
  }),
  killSwitchSet: (event) => ({
    source: event.source,
    summary: `急停：${fromTo(event.before && KILL_WORDS[event.before], KILL_WORDS[event.level])}${because(spokenReason(event))} (kill switch)`,
    // A trigger that counts refusals has no money in `value`.
    body: inYuan(event, event.trigger === 'max_daily_loss' ? ['value'] : []),
  }),
  protectiveLimitNeared: ({ day, stage, count, limit }) => ({
    source: SERVICE,
    summary: `止盈止损卖出 ${day} 已有 ${count} 笔，${stage === 'reached' ? '达到' : '接近'}上限 ${limit} (limit of protective sales)`,
  }),
  dayTotalSeen: (event) => ({
    source: BROKER,
    summary: `起始总资产 ${amount(event.total)}，${event.day} (what the day begins with)`,
    body: inYuan(event, ['total']),
  }),
  differenceFound: ({ difference }) => ({
    source: BROKER,
    summary: `对账差异 ${difference.key}：本地 ${difference.ours || '无'}，交易客户端 ${difference.theirs || '无'} (difference)`,
  }),
} satisfies JournalWords

const EX_DAY_SOURCE = { market: MARKET, broker: BROKER, assumed: SERVICE } as const

/** Of the market: its close, and what the exchange made of it; of the broker: its cost. */
function exDayText(code: string, fields: ExDayFields, before: Partial<ExDayFields> = {}): string {
  const { exDay, highestPrice, effectiveCost } = fields
  const stock = code as StockCode
  const { day, factor, source } = exDay
  const head = `持仓 ${code} 除权除息日 ${day}`
  if (factor === null)
    return `${head}：持股数已变，价格未知，暂不判断 (prices of an ex day not known)`
  const [from, to] = [priceText(stock, factor.of as Price), priceText(stock, factor.to as Price)]
  const prices = { market: `前收盘 ${from}，昨收价 ${to}`, broker: `成本 ${from} → ${to}` }
  const basis = source === 'assumed' ? '按券商现值' : prices[source]
  const high = `最高价 ${fromTo(before.highestPrice && priceText(stock, before.highestPrice), priceText(stock, highestPrice))}`
  const cost = effectiveCost > 0 ? `，止损按成本 ${priceText(stock, effectiveCost)}` : ''
  return `${head}：${basis}，${high}${cost} (ex day)`
}

const HOLDING_WORDS: Readonly<Record<keyof HoldingFields, string>> = {
  highestPrice: '最高价',
  stopLossPrice: '止损价',
  breakoutTriggered: '突破',
  breakoutHighestPrice: '突破后最高价',
  profitTriggered: '已首次止盈',
  stopProfitEnabled: '个股止盈止损',
  actedTickMs: '已处理行情',
}

/** `最高价 36.00 → 36.50`, in yuan. The tick is told only when nothing else has changed. */
function holdingChanges(
  code: StockCode,
  fields: HoldingFields,
  before: HoldingFields,
): readonly string[] {
  const [after, earlier] = [inYuan(fields), inYuan(before)] as Record<string, unknown>[]
  const told = (Object.keys(fields) as (keyof HoldingFields)[])
    .filter((name) => name !== 'actedTickMs' && after?.[name] !== earlier?.[name])
    .map(
      (name) =>
        `${HOLDING_WORDS[name]} ${fromTo(inWords(code, earlier?.[name]), inWords(code, after?.[name]))}`,
    )
  if (told.length > 0 || fields.actedTickMs === undefined) return told
  return [`${HOLDING_WORDS.actedTickMs} ${exchangeTime(fields.actedTickMs)}`]
}

const inWords = (code: StockCode, value: unknown): unknown => {
  if (typeof value === 'boolean') return value ? '是' : '否'
  return typeof value === 'number' ? value.toFixed(priceDecimals(code)) : value
}

/** Every kind of event has its words, here or with its strategy: a test misses none. */
const PRESENTERS: JournalWords = Object.assign(
  { ...orderEvents, ...accountEvents },
  ...STRATEGIES.map(({ journal }) => journal),
)
export const AUDIT_KINDS: readonly string[] = Object.keys(PRESENTERS)

/** One entry of the journal, decoded. Hashes in hexadecimal. */
export interface AuditRow {
  readonly seq: number
  readonly timeMs: number
  readonly epoch: number
  readonly kind: string
  readonly body: object
  readonly hash: string
  readonly previous: string
}

/** An entry as `/api/audit` shows it. */
export function auditEntry({ seq, timeMs, epoch, kind, body, hash, previous }: AuditRow) {
  const { source, summary, body: shown } = present(kind, body)
  const both = inBoth(summary)
  return {
    seq,
    time: exchangeTime(timeMs),
    epoch,
    kind,
    source,
    summary,
    summary_zh: both.zh,
    summary_en: both.en,
    body: shown ?? inYuan(body),
    hash,
    previous,
  }
}

/** What a later or an older release wrote differently is shown as it is: reading must not stop trading. */
function present(kind: string, body: object): Presented {
  try {
    const presenter = PRESENTERS[kind as keyof JournalWords] as (event: unknown) => Presented
    if (Object.hasOwn(PRESENTERS, kind)) return presenter(body)
  } catch {} // answered below
  return { source: '', summary: `无法识别的事件 ${kind} (written by another release)` }
}
