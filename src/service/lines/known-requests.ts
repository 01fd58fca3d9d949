import type { BasePeriod } from '../../domain/bar.ts'
import { KILL_LEVELS } from '../../domain/kill-level.ts'
import type { Side } from '../../domain/order.ts'
import { type AccountRequest, RESOURCES } from '../../protocol/account.ts'
import type { EarningsQuestion } from '../../protocol/earnings.ts'
import type { GridQuestion, GridTarget } from '../../protocol/grid.ts'
import type { MarketRequest } from '../../protocol/market.ts'

type Words<W extends string> = Readonly<Record<W, true>>

const GRID: Words<GridQuestion['about']> = {
  stock: true,
  session: true,
  status: true,
  trades: true,
  ledger: true,
  checkboxes: true,
  checkbox: true,
  defaults: true,
  templates: true,
  template: true,
  defaultTemplate: true,
  riskTemplates: true,
}
const EARNINGS: Words<EarningsQuestion['about']> = {
  summary: true,
  sales: true,
  closed: true,
  equity: true,
  statement: true,
}
/** Its beginning and its end, what is watched, and what the broker has shown, are the business of its own process. */
type MarketQuestion = Exclude<MarketRequest['kind'], 'start' | 'stop' | 'watch' | 'brokerTime'>
const MARKET: Words<MarketQuestion> = {
  ticks: true,
  bars: true,
  barCount: true,
  download: true,
  listing: true,
  origin: true,
  replayStatus: true,
  replayPlay: true,
  replayPause: true,
  replayRewind: true,
}
const PERIODS: Words<BasePeriod> = { '1m': true, '1d': true }
const SIDES: Words<Side> = { buy: true, sell: true }
const TARGETS: Words<GridTarget['by']> = { id: true, code: true, all: true }
const SCOPES: Words<Extract<AccountRequest, { kind: 'clearRecords' }>['scope']> = {
  today: true,
  all: true,
}
const READ = new Set<unknown>(RESOURCES)
const LEVELS = new Set<unknown>(KILL_LEVELS)

const isOf = (words: object, value: unknown): boolean =>
  typeof value === 'string' && Object.hasOwn(words, value)
const isTexts = (values: unknown): boolean =>
  Array.isArray(values) && values.every((value) => typeof value === 'string')
const field = (value: unknown, name: string): unknown => Reflect.get(Object(value), name)

type Look = (body: unknown) => boolean
const knownSide: Look = (body) => isOf(SIDES, field(body, 'side'))
/** What these ask or do is said inside of them, too. */
const INSIDE = new Map<unknown, Look>([
  ['read', (body) => READ.has(field(body, 'resource'))],
  ['gridAsk', (body) => isOf(GRID, field(field(body, 'question'), 'about'))],
  ['earningsAsk', (body) => isOf(EARNINGS, field(field(body, 'question'), 'about'))],
  ['fillsAsk', (body) => Object(field(body, 'question')) === field(body, 'question')],
  ['placeOrder', knownSide],
  ['previewOrder', knownSide],
  ['setKillSwitch', (body) => LEVELS.has(field(body, 'level'))],
  ['clearRecords', (body) => isOf(SCOPES, field(body, 'scope'))],
  ['gridStop', (body) => isOf(TARGETS, field(field(body, 'target'), 'by'))],
] satisfies [AccountRequest['kind'], Look][])

/**
 * Whether this release knows what another process asks of an account, also inside of a question: who runs it may be of an
 * earlier release than who asks. A thread that meets what it does not know is a thread with a bug, and ends; or it takes
 * it for something else, a level of the kill switch for one that stops nothing. A kind that nobody knows is left to the
 * account, which refuses it.
 */
export function isKnownOfAccount(body: unknown): boolean {
  const kind = field(body, 'kind')
  return typeof kind === 'string' && INSIDE.get(kind)?.(body) !== false
}

/** The same of a market, whose thread may not end at all: the process would, with every account. */
export function isKnownOfMarket(body: unknown): boolean {
  const kind = field(body, 'kind')
  if (kind === 'ticks') return isTexts(field(body, 'codes'))
  if (kind === 'listing') return typeof field(body, 'known') === 'string'
  const isHistory = kind === 'bars' || kind === 'barCount' || kind === 'download'
  if (!isHistory) return isOf(MARKET, kind)
  const days = [field(body, 'code'), field(body, 'from'), field(body, 'to')]
  return isOf(PERIODS, field(body, 'period')) && isTexts(days)
}
