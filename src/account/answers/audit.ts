import { exchangeTime } from '../../domain/exchange-time.ts'
import { type InBoth, inBoth, inQuotes } from '../../domain/in-both.ts'
import type { StockCode } from '../../domain/instrument.ts'
import { KILL_WORDS } from '../../domain/kill-level.ts'
import { MARKET } from '../../domain/market-mark.ts'
import { type Price, shares } from '../../domain/money.ts'
import { priceDecimals, priceText } from '../../domain/rules.ts'
import { riskShown } from '../../domain/settings/risk.ts'
import type { ExDayFields, HoldingFields } from '../model/events.ts'
import { spokenReason } from '../model/kill-switch.ts'
import { inYuan, type JournalWords, type Presented } from '../model/presented.ts'
import type { LimitChange } from '../model/risk-limits.ts'
import { STRATEGIES } from '../strategies/registry.ts'
import { amount, BROKER, because, list, ORDER_ENTRIES, SERVICE } from './order-entries.ts'

const CLOCK = 'market clock'

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
  { ...ORDER_ENTRIES, ...accountEvents },
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
