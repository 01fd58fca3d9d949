import type { BasePeriod } from '../domain/bar.ts'
import { RESOURCES } from '../protocol/account.ts'
import type { EarningsQuestion } from '../protocol/earnings.ts'
import type { GridQuestion } from '../protocol/grid.ts'
import type { MarketRequest } from '../protocol/market.ts'

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
const READ = new Set<unknown>(RESOURCES)

const isOf = (words: object, value: unknown): boolean =>
  typeof value === 'string' && Object.hasOwn(words, value)
const isTexts = (values: unknown): boolean =>
  Array.isArray(values) && values.every((value) => typeof value === 'string')
const field = (value: unknown, name: string): unknown => Reflect.get(Object(value), name)

/**
 * Whether this release knows what another process asks of an account, also inside of a question: who runs it may be of an
 * earlier release than who asks. A thread that meets what it does not know is a thread with a bug, and ends. A kind
 * that nobody knows is left to the account, which refuses it.
 */
export function isKnownOfAccount(body: unknown): boolean {
  const kind = field(body, 'kind')
  const question = field(body, 'question')
  if (kind === 'read') return READ.has(field(body, 'resource'))
  if (kind === 'gridAsk') return isOf(GRID, field(question, 'about'))
  if (kind === 'earningsAsk') return isOf(EARNINGS, field(question, 'about'))
  if (kind === 'fillsAsk') return typeof question === 'object' && question !== null
  return typeof kind === 'string'
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
