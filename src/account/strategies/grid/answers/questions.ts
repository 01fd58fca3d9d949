import { ServiceError } from '../../../../domain/errors.ts'
import { inQuotes } from '../../../../domain/in-both.ts'
import { normalizeCode, type StockCode, shownCode } from '../../../../domain/instrument.ts'
import { type Money, type Price, toYuan } from '../../../../domain/money.ts'
import type { GridQuestion } from '../../../../protocol/grid.ts'
import { ratioOf } from '../../../../strategy/grid/ratios.ts'
import type { GridSession } from '../../../../strategy/grid/session.ts'
import type { AccountState } from '../../../model/state.ts'
import { codeOf } from '../../../orders/orders.ts'
import { markPrice } from '../../../orders/quote-rules.ts'
import { positionsOf } from '../../../turn/holding.ts'
import type { Outlook } from '../../standing.ts'
import { getSession, liveSession, liveSessions } from '../lookups.ts'
import { gridStanding } from '../standing.ts'
import {
  configRow,
  detailRow,
  levelsRow,
  listRow,
  statsRow,
  statusStatsRow,
  trackerRow,
} from './session-rows.ts'
import { standingRow } from './standing-rows.ts'
import { ratesRow, riskTemplatesRow, templateRow, templatesOf } from './template-rows.ts'

/** What answers about grids are made from. */
export interface GridSight extends Outlook {
  readonly state: AccountState
}

/** Questions that are answered from memory; trades and ledger come from the store besides. */
export type MemoryQuestion = Exclude<GridQuestion, { about: 'trades' | 'ledger' }>

/** Price of a stock now; 0 = not known. */
export const priceOf = ({ quote }: GridSight, code: StockCode): Price =>
  quote(code)?.lastPrice ?? (0 as Price)

/**
 * The fields of an answer (docs/domain.md 6.16).
 *
 * Errors  `CODE_INVALID`, `UNKNOWN_EXCHANGE`, `UNKNOWN_GRID_SESSION`, `UNKNOWN_TEMPLATE`.
 */
export function gridAnswer(sight: GridSight, question: MemoryQuestion): object {
  const { state } = sight
  switch (question.about) {
    case 'stock':
      return stockAnswer(sight, codeOf(question.code))
    case 'session':
      return sessionAnswer(sight, getSession(state, question.sessionId))
    case 'status':
      return statusAnswer(sight, codeOf(question.code), question.echo)
    case 'checkboxes':
      return { states: checkboxes(state, question.codes), version: state.dataVersion }
    case 'checkbox': {
      const code = codeOf(question.code)
      return { stock_code: code, ...checkbox(state, code), version: state.dataVersion }
    }
    case 'defaults':
      return { ...ratesRow(state.policy.grid.defaults), max_investment: suggestedTotal(sight) }
    case 'templates': {
      const templates = templatesOf(state).map(templateRow)
      return { templates, total: templates.length }
    }
    case 'template':
      return { template: templateRow(getTemplate(state, question.name)) }
    case 'defaultTemplate': {
      const template = templatesOf(state).find(({ isDefault }) => isDefault)
      return template === undefined
        ? { template: null, message: '没有默认模板 (there is no default template)' }
        : { template: templateRow(template) }
    }
    case 'riskTemplates':
      return { templates: riskTemplatesRow(state) }
  }
}

export function getTemplate({ grid }: AccountState, name: string) {
  const template = grid.templates.get(name)
  if (template !== undefined) return template
  throw new ServiceError(
    'UNKNOWN_TEMPLATE',
    `模板不存在：${inQuotes(name.slice(0, 50))} (no such template)`,
  )
}

function stockAnswer(sight: GridSight, code: StockCode): object {
  const session = liveSession(sight.state, code)
  if (session?.status !== 'active') {
    return { has_session: false, stock_code: code, config: suggestedConfig(sight, code) }
  }
  return {
    has_session: true,
    session_id: session.id,
    stock_code: session.code,
    risk_level: session.riskLevel,
    template_name: session.templateName,
    enabled: session.isEnabled,
    ...shownOf(sight, session),
    ...standingOf(sight, session),
  }
}

/** What it was started with, and how it goes. */
function shownOf(sight: GridSight, session: GridSession) {
  const stats = statsRow(session, priceOf(sight, session.code))
  return { config: configRow(session, sight.nowMs), stats, pnl_snapshot: stats.pnl_snapshot }
}

function sessionAnswer(sight: GridSight, session: GridSession): object {
  const detail = detailRow(session, priceOf(sight, session.code))
  return {
    session: { ...detail, ...standingOf(sight, session) },
    ...shownOf(sight, session),
  }
}

const standingOf = (sight: GridSight, session: GridSession) =>
  standingRow(gridStanding(sight.state, session, sight))

function statusAnswer(sight: GridSight, code: StockCode, echo: string): object {
  const session = liveSession(sight.state, code)
  if (session?.status !== 'active') return { is_active: false, stock_code: echo }
  const price = priceOf(sight, code)
  const { crossed_level: _, ...tracker } = trackerRow(session, price)
  const stats = statusStatsRow(session, price)
  return {
    is_active: true,
    stock_code: echo,
    session_id: session.id,
    enabled: session.isEnabled,
    current_center_price: toYuan(session.currentCenter),
    grid_levels: levelsRow(session),
    tracker_state: tracker,
    stats,
    pnl_snapshot: stats.pnl_snapshot,
  }
}

const FALLBACK_INVESTMENT = 10_000

/** A part of what a holding, or all of them, are worth; 10 000 yuan when that is nothing. */
function suggested({ state }: GridSight, value: number): number {
  const yuan =
    toYuan(Math.round(value) as Money) * ratioOf(state.policy.grid.defaults.maxInvestmentPpm)
  return yuan > 0 ? Math.round(yuan * 100) / 100 : FALLBACK_INVESTMENT
}

function worthOf({ state, quote }: GridSight, code: StockCode): number {
  const position = positionsOf(state).get(code)
  return position === undefined ? 0 : position.quantity * markPrice(position, quote(code))
}

const suggestedTotal = (sight: GridSight): number =>
  suggested(
    sight,
    [...positionsOf(sight.state).keys()].reduce((sum, code) => sum + worthOf(sight, code), 0),
  )

function suggestedConfig(sight: GridSight, code: StockCode): object {
  const { defaults } = sight.state.policy.grid
  return {
    ...ratesRow(defaults),
    max_investment: suggested(sight, worthOf(sight, code)),
    trade_mode: defaults.tradeMode,
    fixed_volume: 0,
  }
}

const checkbox = (state: AccountState, code: StockCode) => {
  const session = liveSession(state, code)
  const isActive = session?.status === 'active'
  return { active: isActive, session_id: isActive ? session.id : null }
}

/** By the code that rows show for every session, and besides for every code that was asked for, as it was spelled. */
function checkboxes(state: AccountState, asked: readonly string[]): object {
  const states: Record<string, object> = {}
  for (const { code, status } of liveSessions(state)) {
    if (status === 'active') states[shownCode(code)] = checkbox(state, code)
  }
  for (const text of asked) {
    const code = normalizeCode(text)
    states[text] = code.ok ? checkbox(state, code.value) : { active: false, session_id: null }
  }
  return states
}

/** All sessions that are kept: live ones first, then the newest. */
export function sessionsAnswer(sight: GridSight): object {
  const { grid } = sight.state
  const rank = ({ status }: GridSession) => (status === 'stopped' ? 1 : 0)
  const sessions = [...grid.sessions.values()]
    .toSorted((a, b) => rank(a) - rank(b) || b.startMs - a.startMs || b.id - a.id)
    .map((session) => ({ ...listRow(session), ...standingOf(sight, session) }))
  return { sessions, total: sessions.length }
}
