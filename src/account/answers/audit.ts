import { exchangeTime } from '../../domain/exchange-time.ts'
import { type InBoth, inBoth, inQuotes } from '../../domain/in-both.ts'
import type { StockCode } from '../../domain/instrument.ts'
import { KILL_WORDS } from '../../domain/kill-level.ts'
import { MARKET } from '../../domain/market-mark.ts'
import { type Money, type Price, shares, toYuan } from '../../domain/money.ts'
import { VENUE_STATUS, type VenueStatus } from '../../domain/order.ts'
import type { OrderEventKind } from '../../domain/order-state.ts'
import { priceDecimals, priceText } from '../../domain/rules.ts'
import { riskShown } from '../../domain/settings/risk.ts'
import type { ExDayFields, HoldingFields } from '../model/events.ts'
import { spokenReason } from '../model/kill-switch.ts'
import { inYuan, type JournalWords, type Presented } from '../model/presented.ts'
import type { LimitChange } from '../model/risk-limits.ts'
import { reasonedBy, STRATEGIES } from '../strategies/registry.ts'
import { limitOf, orderTerms, tradeTerms } from './order-terms.ts'

const BROKER = 'broker'
const SERVICE = 'service'
const CLOCK = 'market clock'

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
const CENTS = { minimumFractionDigits: 2, maximumFractionDigits: 2 } as const
/** Money for people: `3,650.00`. */
const amount = (money: Money): string => toYuan(money).toLocaleString('en-US', CENTS)

const because = (text: string): string => (text === '' ? '' : `：${text}`)
/** What the trading client says beyond the name of the state. */
const beyond = (status: VenueStatus, text: string): string =>
  text === VENUE_STATUS[status] ? '' : text
const list = (parts: readonly string[]): string => parts.join('，')
/** Several of them, each language for itself. */
const lists = (parts: readonly InBoth[]): InBoth => ({
  zh: list(parts.map(({ zh }) => zh)),
  en: parts.map(({ en }) => en).join(', '),
})
const fromTo = (before: unknown, after: unknown): string =>
  before === undefined ? String(after) : `${String(before)} → ${String(after)}`

/** In units of the file, as people know them. */
const limitBody = ({ limit, before, after, isFiles }: LimitChange) => ({
  limit,
  before: riskShown(limit, before),
  after: riskShown(limit, after),
  isFiles,
})
function limitChange(change: LimitChange): InBoth {
  const { limit, before, after, isFiles } = limitBody(change)
  const moved = `${limit} ${fromTo(before, after)}`
  return isFiles
    ? { zh: `${moved}，恢复配置文件的值`, en: `${moved}, as in the file` }
    : { zh: moved, en: moved }
}

/** In one line. */
const noteText = (note: string | null): string =>
  note === null ? '无' : inQuotes(note.replace(/\s+/g, ' '))

const waitingText = (queued: readonly string[] = []): string =>
  queued.length === 0 ? '' : `，${queued.length} 笔排队`

const orderEvents = {
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
    summary: `委托 ${clientOrderId} ${isTooLate ? NEVER_SENT : MOVE[event]}${because(message)}`,
  }),
  orderReported: ({ clientOrderId, report }) => ({
    source: BROKER,
    summary: `委托 ${clientOrderId} 回报 ${report.status} ${VENUE_STATUS[report.status]}${because(beyond(report.status, report.statusMessage))} (reported: ${report.status})`,
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
    summary: `委托 ${clientOrderId} 视为成交 ${shares(quantity)} 股：委托日已过而未见成交，持仓少了这么多 (order ${clientOrderId} counts as filled with ${shares(quantity)}: nothing was heard of it on its day, and so many shares are gone)`,
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
    const codes = taken.map(({ code }) => code)
    const summary = `持仓成本取自交易客户端：${codes.join('、') || '无持仓'} (costs taken as the trading client tells them: ${codes.join(', ') || 'no holdings'})`
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

const accountEvents = {
  actorStarted: ({ incarnation }) => ({
    source: SERVICE,
    summary: `账户服务第 ${incarnation} 次启动 (actor started: no. ${incarnation})`,
  }),
  dayOpened: ({ day }) => ({ source: CLOCK, summary: `进入 ${day} (day opened: ${day})` }),
  restoreFound: ({ fromEpoch, clientEpoch }) => ({
    source: SERVICE,
    summary: `账户数据早于交易客户端（${fromEpoch} → ${clientEpoch || '未知'}），视为由备份恢复，完整核对前不发出委托 (books put back from a backup, ${fromEpoch} → ${clientEpoch || 'unknown'}: nothing is sent before all is compared)`,
  }),
  restoreCompared: ({ differences }) => ({
    source: SERVICE,
    summary: `恢复后的核对已完成，差异 ${differences} 项 (compared after a restore: ${differences} differences)`,
  }),
  restoreConfirmed: ({ source }) => ({
    source,
    summary: '恢复后的核对结果已由人工确认，恢复委托 (a person has confirmed what was found)',
  }),
  dayTakenBack: ({ day, before }) => ({
    source: CLOCK,
    summary: `提前进入了 ${before}，退回 ${day} (day taken back: ${before} → ${day})`,
  }),
  clockDoubted: ({ offMs }) => ({
    source: CLOCK,
    summary: `系统时钟偏差 ${offMs / 1_000} 秒，暂不采用，暂停买入 (clock not followed: ${offMs / 1_000} s off, nothing is bought)`,
  }),
  clockTrusted: ({ shiftMs }) => ({
    source: CLOCK,
    summary: `系统时钟恢复采用，行情时钟调整 ${shiftMs / 1_000} 秒 (clock followed again: the market clock was set by ${shiftMs / 1_000} s)`,
  }),
  tokenChanged: ({ act, name, scope, timeMs, by }) => ({
    source: by,
    summary: `令牌 ${inQuotes(name)}（${scope}）${act === 'added' ? '已添加' : '已撤销'}，${exchangeTime(timeMs)} (token ${act}, ${scope}, ${exchangeTime(timeMs)})`,
  }),
  connected: () => ({ source: BROKER, summary: '交易客户端已连接 (connected)' }),
  disconnected: ({ reason }) => ({
    source: BROKER,
    summary: `交易客户端断开${because(reason)} (disconnected)`,
  }),
  settingsChanged: ({ changes, source }) => {
    const moved = changes.map((c) => `${c.setting} ${fromTo(c.before, c.after)}`)
    return { source, summary: `参数变更：${list(moved)} (settings changed: ${moved.join(', ')})` }
  },
  riskChanged: ({ changes, source }) => {
    const { zh, en } = lists(changes.map(limitChange))
    const body = { changes: changes.map(limitBody), source }
    return { source, summary: `风控上限变更：${zh} (risk limits changed: ${en})`, body }
  },
  positionReported: ({ position, before }) => {
    const held = fromTo(before && shares(before.quantity), shares(position.quantity))
    const [code, free] = [position.code, shares(position.sellable)]
    const summary = `持仓 ${code}：${held} 股，可卖 ${free} (position reported: ${code}, ${held} shares, ${free} sellable)`
    return { source: BROKER, summary }
  },
  positionClosed: ({ code }) => ({
    source: BROKER,
    summary: `持仓 ${code} 已清空 (position closed: ${code})`,
  }),
  holdingChanged: ({ code, fields, before, source }) => {
    const { zh, en } = lists(holdingChanges(code, fields, before ?? {}))
    return { source, summary: `持仓参数 ${code}：${zh} (holding changed, ${code}: ${en})` }
  },
  exDayFollowed: (event) => ({
    source: EX_DAY_SOURCE[event.fields.exDay.source],
    summary: exDayText(event.code, event.fields, event.before),
    body: inYuan(event, ['to', 'of']),
  }),
  recordsCleared: ({ scope, ids, source }) => ({
    source,
    summary: `清除 ${ids.length} 条成交记录，范围 ${scope} (trade records cleared: ${ids.length}, ${scope})`,
    body: { scope, count: ids.length, from: ids.at(-1) ?? null, to: ids[0] ?? null, source },
  }),
  fillNoted: ({ recordId, code, before, note, source }) => ({
    source,
    summary: `成交 ${recordId}（${code}）的备注：${noteText(before)} → ${noteText(note)} (note beside trade record ${recordId} of ${code})`,
  }),
  killSwitchSet: (event) => ({
    source: event.source,
    summary: `急停：${fromTo(event.before && KILL_WORDS[event.before], KILL_WORDS[event.level])}${because(spokenReason(event))} (kill switch, ${fromTo(event.before, event.level)})`,
    // A trigger that counts refusals has no money in `value`.
    body: inYuan(event, event.trigger === 'max_daily_loss' ? ['value'] : []),
  }),
  protectiveLimitNeared: ({ day, stage, count, limit }) => ({
    source: SERVICE,
    summary: `止盈止损卖出 ${day} 已有 ${count} 笔，${stage === 'reached' ? '达到' : '接近'}上限 ${limit} (protective sales of ${day}: ${count}, ${stage === 'reached' ? 'at' : 'near'} their limit of ${limit})`,
  }),
  dayTotalSeen: (event) => ({
    source: BROKER,
    summary: `起始总资产 ${amount(event.total)}，${event.day} (total assets that ${event.day} begins with: ${amount(event.total)})`,
    body: inYuan(event, ['total']),
  }),
  differenceFound: ({ difference }) => ({
    source: BROKER,
    summary: `对账差异 ${difference.key}：本地 ${difference.ours || '无'}，交易客户端 ${difference.theirs || '无'} (difference of ${difference.key}: here ${inQuotes(difference.ours) || 'nothing'}, there ${inQuotes(difference.theirs) || 'nothing'})`,
  }),
} satisfies JournalWords

const EX_DAY_SOURCE = { market: MARKET, broker: BROKER, assumed: SERVICE } as const

/** Of the market: its close, and what the exchange made of it; of the broker: its cost. */
function exDayText(code: string, fields: ExDayFields, before: Partial<ExDayFields> = {}): string {
  const { exDay, highestPrice, effectiveCost } = fields
  const stock = code as StockCode
  const { day, factor, source } = exDay
  const head = `持仓 ${code} 除权除息日 ${day}`
  const headEn = `ex day of ${code}, ${day}`
  if (factor === null)
    return `${head}：持股数已变，价格未知，暂不判断 (${headEn}: prices not known, nothing is judged for now)`
  const [from, to] = [priceText(stock, factor.of as Price), priceText(stock, factor.to as Price)]
  const basis: InBoth = {
    market: {
      zh: `前收盘 ${from}，昨收价 ${to}`,
      en: `close before ${from}, told as ${to}`,
    },
    broker: { zh: `成本 ${from} → ${to}`, en: `cost ${from} → ${to}` },
    assumed: { zh: '按券商现值', en: 'as the broker shows it' },
  }[source]
  const high = fromTo(
    before.highestPrice && priceText(stock, before.highestPrice),
    priceText(stock, highestPrice),
  )
  const cost = effectiveCost > 0 ? priceText(stock, effectiveCost) : undefined
  const [stopZh, stopEn] = cost ? [`，止损按成本 ${cost}`, `, stop by the cost ${cost}`] : ['', '']
  return `${head}：${basis.zh}，最高价 ${high}${stopZh} (${headEn}: ${basis.en}, high ${high}${stopEn})`
}

const HOLDING_WORDS: Readonly<Record<keyof HoldingFields, InBoth>> = {
  highestPrice: { zh: '最高价', en: 'high' },
  stopLossPrice: { zh: '止损价', en: 'stop' },
  breakoutTriggered: { zh: '突破', en: 'broken out' },
  breakoutHighestPrice: { zh: '突破后最高价', en: 'high since then' },
  profitTriggered: { zh: '已首次止盈', en: 'first profit taken' },
  stopProfitEnabled: { zh: '个股止盈止损', en: 'stop-profit of the stock' },
  actedTickMs: { zh: '已处理行情', en: 'quotes acted on' },
}

/** `最高价 36.00 → 36.50`, in yuan. The tick is told only when nothing else has changed. */
function holdingChanges(
  code: StockCode,
  fields: HoldingFields,
  before: HoldingFields,
): readonly InBoth[] {
  const [after, earlier] = [inYuan(fields), inYuan(before)] as Record<string, unknown>[]
  const told = (Object.keys(fields) as (keyof HoldingFields)[])
    .filter((name) => name !== 'actedTickMs' && after?.[name] !== earlier?.[name])
    .map((name) => {
      const { zh, en } = HOLDING_WORDS[name]
      const values = [earlier?.[name], after?.[name]].map((value) => inWords(code, value))
      return {
        zh: `${zh} ${fromTo(values[0]?.zh, values[1]?.zh)}`,
        en: `${en} ${fromTo(values[0]?.en, values[1]?.en)}`,
      }
    })
  if (told.length > 0 || fields.actedTickMs === undefined) return told
  const { zh, en } = HOLDING_WORDS.actedTickMs
  const at = exchangeTime(fields.actedTickMs)
  return [{ zh: `${zh} ${at}`, en: `${en} ${at}` }]
}

function inWords(code: StockCode, value: unknown): InBoth | undefined {
  if (value === undefined) return undefined
  if (typeof value === 'boolean') return value ? { zh: '是', en: 'yes' } : { zh: '否', en: 'no' }
  const text = typeof value === 'number' ? value.toFixed(priceDecimals(code)) : String(value)
  return { zh: text, en: text }
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
