import { ServiceError } from '../../../domain/errors.ts'
import { exchangeDay } from '../../../domain/exchange-time.ts'
import { inQuotes } from '../../../domain/in-both.ts'
import { isInYuan, type StockCode } from '../../../domain/instrument.ts'
import { fewestShares, wholeLots } from '../../../domain/lot.ts'
import type { Price, Quantity } from '../../../domain/money.ts'
import { type Position, thresholdCost, UNKNOWN_COST } from '../../../domain/position.ts'
import type { GridCommand, GridTarget } from '../../../protocol/grid.ts'
import type { BacktestPlan } from '../../../protocol/grid-backtest.ts'
import {
  type FieldErrors,
  isRiskLevel,
  mergedFields,
  namedAsSent,
  type StartDefaults,
  startParameters,
  templateFields,
} from '../../../strategy/grid/parameters.ts'
import { derivedShares } from '../../../strategy/grid/plan.ts'
import {
  type GridParameters,
  type GridSession,
  newSession,
} from '../../../strategy/grid/session.ts'
import { RISK_TEMPLATES } from '../../../strategy/grid/templates.ts'
import { nextTemplateId } from '../../fold/fold-grid.ts'
import type { AccountState } from '../../model/state.ts'
import { codeOf } from '../../orders/orders.ts'
import { boardRuleOf } from '../../orders/quote-rules.ts'
import { positionsOf } from '../../turn/holding.ts'
import type { Turn } from '../../turn/turn.ts'
import { finalStats } from './answers/final-stats.ts'
import { previewAnswer } from './answers/preview.ts'
import { getTemplate, priceOf } from './answers/questions.ts'
import { parametersRow } from './answers/session-rows.ts'
import { riskTemplate, templateRow } from './answers/template-rows.ts'
import { getSession, liveSession, liveSessions, nextSessionId } from './lookups.ts'
import { stopSession, switchSession } from './stop.ts'

type Of<Kind extends GridCommand['kind']> = Extract<GridCommand, { kind: Kind }>

/** Answers with the fields that a command comes to. */
const answering =
  <Command>(work: (turn: Turn, command: Command) => object) =>
  (turn: Turn, command: Command, ref: number): void =>
    turn.reply(ref, { fields: work(turn, command) })

/**
 * The commands about grids.
 *
 * Errors  `VALIDATION` with every field that is wrong, `GRID_NO_POSITION`, `GRID_NOT_READY`,
 *         `GRID_SESSION_EXISTS`, `GRID_NO_CENTER`, `UNKNOWN_GRID_SESSION`, `UNKNOWN_TEMPLATE`, `CONFLICT`.
 */
export const gridRequests = {
  gridStart: answering(start),
  gridPreview: answering((turn, command: Of<'gridPreview'>) =>
    previewAnswer(turn, startOf(turn, command)),
  ),
  gridBacktest: answering(backtestPlan),
  gridStop: answering(stop),
  gridEnable: answering(enable),
  gridTemplateSave: answering(saveTemplate),
  gridTemplateUse: answering(useTemplate),
  gridTemplateDelete: answering(deleteTemplate),
  gridTemplateDefault: answering(setDefaultTemplate),
}

const invalid = (details: FieldErrors): ServiceError =>
  new ServiceError('VALIDATION', Object.values(details).flat().join('; '), details)

type Wanted = Pick<Of<'gridPreview'>, 'code' | 'top' | 'config'>

/** The parameters of a start, and the holding they are for. */
function startOf(turn: Turn, { code: text, top, config }: Wanted) {
  const { state } = turn
  const code = codeOf(text)
  const position = positionsOf(state).get(code)
  const fields = mergedFields(top, config)
  const parsed = startParameters(code, fields, defaultsOf(state, { code, position, fields }))
  if (!parsed.ok) throw invalid(namedAsSent(parsed.error, config))
  const parameters = parsed.value
  const templateName = parameters.templateName ?? riskTemplate(state, parameters.riskLevel)?.name
  return { parameters: { ...parameters, templateName: templateName ?? null }, position }
}

/** Everything that a backtest rests on, as it is now. Without a holding it begins with half of the quota in shares. */
function backtestPlan(turn: Turn, command: Of<'gridBacktest'>): BacktestPlan {
  const { state } = turn
  const { parameters, position } = startOf(turn, command)
  const { policy } = state
  const price = parameters.centerPrice
  const bought = price > 0 ? parameters.maxInvestment / 2 / price : 0
  const { defaults: _, ...grid } = policy.grid
  return {
    stock_code: parameters.code,
    parameters: { ...parameters },
    policy: { ...grid },
    feeRates: { ...policy.feeRates },
    baseQuantity: command.baseQuantity ?? position?.quantity ?? wholeLots(bought),
    isAlwaysOpen: policy.isAlwaysOpen,
  }
}

interface Asked {
  readonly code: StockCode
  readonly position: Position | undefined
  readonly fields: Of<'gridStart'>['top']
}

/**
 * What the template that is named says, or that of the risk level, else what the configuration does.
 *
 * Errors  throws `UNKNOWN_TEMPLATE`: a grid by other ratios than those that were meant trades at other prices.
 */
function defaultsOf(state: AccountState, { code, position, fields }: Asked): StartDefaults {
  const { defaults } = state.policy.grid
  const level = fields.risk_level ?? 'moderate'
  const byLevel = isRiskLevel(level) ? riskTemplate(state, level) : undefined
  const { template_name: name } = fields
  const template = typeof name === 'string' ? getTemplate(state, name) : byLevel
  const held = position?.quantity ?? (0 as Quantity)
  const leastQuantity = fewestShares(boardRuleOf(code, state.day))
  return {
    ...(template ?? defaults),
    tradeMode: defaults.tradeMode,
    highestPrice: highOf(position),
    fixedQuantity: (positionPpm) => derivedShares(held, positionPpm, leastQuantity),
    leastQuantity,
  }
}

/** 0 where no price was seen, and no cost told. */
const highOf = ({ highestPrice }: Partial<Position> = {}): Price =>
  highestPrice !== undefined && highestPrice > UNKNOWN_COST ? highestPrice : (0 as Price)

function start(turn: Turn, command: Of<'gridStart'>): object {
  const { state, inputs } = turn
  const { parameters, position } = startOf(turn, command)
  refuseStart(state, parameters, position)
  const price = priceOf({ state, ...inputs }, parameters.code)
  const isSimulated = state.simulation !== undefined
  const origin = { id: nextSessionId(state), nowMs: inputs.nowMs, isSimulated }
  const begun = newSession(parameters, { ...origin, price: trackedFrom(price, position) })
  const session = { ...begun, ...scaleOf(begun, position) }
  const keepFromId = session.id - state.policy.grid.sessionsKept + 1
  turn.emit({ kind: 'gridStarted', session, keepFromId, source: command.source })
  state.dataVersion += 1
  turn.after({ kind: 'bands' })
  return {
    session_id: session.id,
    enabled: true,
    risk_level: session.riskLevel,
    template_name: session.templateName,
    warning: null,
    old_session_id: null,
    message: `网格交易已启动 (grid started): ${session.code}`,
    config: {
      enabled: true,
      stock_code: session.code,
      ...parametersRow(session),
      duration_days: session.durationDays,
    },
  }
}

/** Without a quote the tracker begins at the cost, the only price that is known. */
const trackedFrom = (price: Price, position: Position | undefined): Price =>
  price > 0 || position === undefined ? price : thresholdCost(position)

/** A center that is the high of the holding is of its scale, which on the evening before an ex-day may be that of the next day. */
function scaleOf(
  { centerPrice, tracker, startMs }: GridSession,
  position: Position | undefined,
): Pick<GridSession, 'exDay'> {
  const { day = '', factor = null, before } = position?.exDay ?? {}
  const isMoved = factor !== null && day > exchangeDay(startMs)
  if (!isMoved || before === undefined || centerPrice !== position?.highestPrice) return {}
  const center = before.highestPrice
  return { exDay: { day, factor, before: { centerPrice: center, currentCenter: center, tracker } } }
}

function refuseStart(
  state: AccountState,
  { code, centerPrice }: GridParameters,
  position: Position | undefined,
): void {
  if (position === undefined || position.quantity <= 0) {
    throw new ServiceError('GRID_NO_POSITION', `未持有 ${code}，不能启动网格 (not held)`)
  }
  if (!isInYuan(code)) {
    const text = `${code} 以外币计价，而网格额度是人民币，不能启动网格 (paid in another currency than the quota)`
    throw new ServiceError('OTHER_CURRENCY', text)
  }
  if (state.policy.grid.isProfitTriggerRequired && !position.profitTriggered) {
    const text = `${code} 尚未触发首次止盈，不能启动网格 (no first take-profit yet)`
    throw new ServiceError('GRID_NOT_READY', text)
  }
  if (centerPrice <= 0) {
    const text = `center_price: ${code} 没有最高价，请给出中心价 (give a center price)`
    throw new ServiceError('GRID_NO_CENTER', text)
  }
  const live = liveSession(state, code)
  if (live === undefined) return
  const text = `${code} 已有网格会话 ${live.id}，请先停止 (stop it first)`
  throw new ServiceError('GRID_SESSION_EXISTS', text)
}

function stop(turn: Turn, { target, source }: Of<'gridStop'>): object {
  if (target.by === 'all') return stopAll(turn, source)
  const session = targetOf(turn.state, target)
  const stats = stopOne(turn, session, { source, reason: target.by === 'id' ? MANUAL : BY_STOP })
  const message =
    'status' in stats
      ? `网格会话 ${session.id} 停止中，等待在途委托 (session ${session.id} is stopping: it waits for its orders)`
      : `网格会话 ${session.id} 已停止 (session ${session.id} is stopped)`
  return { final_stats: stats, stats, message }
}

const MANUAL = 'manual'
const BY_STOP = 'manual_stop'

function targetOf(state: AccountState, target: Exclude<GridTarget, { by: 'all' }>): GridSession {
  const found =
    target.by === 'id'
      ? getSession(state, target.sessionId)
      : liveSession(state, codeOf(target.code))
  if (found !== undefined && found.status !== 'stopped') return found
  const name = target.by === 'id' ? target.sessionId : target.code
  throw new ServiceError('UNKNOWN_GRID_SESSION', `没有运行中的网格会话: ${name} (no such session)`)
}

function stopOne(
  turn: Turn,
  session: GridSession,
  ending: { readonly source: string; readonly reason: string },
): object {
  if (session.status === 'active') stopSession(turn, session, ending)
  const ended = turn.state.grid.sessions.get(session.id) ?? session
  return finalStats(turn, ended)
}

function stopAll(turn: Turn, source: string): object {
  const results = liveSessions(turn.state).map((session) => {
    const final_stats = stopOne(turn, session, { source, reason: BY_STOP })
    const status = turn.state.grid.sessions.get(session.id)?.status
    return { session_id: session.id, stock_code: session.code, status, final_stats }
  })
  const stopped = results.length
  return { stopped, results, message: `已停止 ${stopped} 个网格会话 (${stopped} sessions stopped)` }
}

function enable(turn: Turn, { sessionId, enabled, source }: Of<'gridEnable'>): object {
  const session = targetOf(turn.state, { by: 'id', sessionId })
  switchSession(turn, session, { isEnabled: enabled, source })
  const { code: stock_code, status } = session
  return {
    session: { session_id: sessionId, stock_code, enabled, status },
    enabled,
    message: enabled
      ? `网格会话 ${sessionId} 已恢复 (session ${sessionId} goes on)`
      : `网格会话 ${sessionId} 已暂停 (session ${sessionId} is paused)`,
  }
}

function saveTemplate(turn: Turn, { template: wire, source }: Of<'gridTemplateSave'>): object {
  const { state, inputs } = turn
  const parsed = templateFields(wire, RISK_TEMPLATES.moderate)
  if (!parsed.ok) throw invalid(parsed.error)
  const before = state.grid.templates.get(parsed.value.name)
  if (before === undefined) refuseTemplate(state)
  const template = {
    id: nextTemplateId(state),
    usageCount: 0,
    lastUsedMs: 0,
    createdMs: inputs.nowMs,
    ...before,
    ...parsed.value,
    updatedMs: inputs.nowMs,
  }
  turn.emit({ kind: 'gridTemplateSaved', template, source })
  return { template_id: template.id, message: `模板已保存 (template saved): ${template.name}` }
}

function refuseTemplate({ grid, policy }: AccountState): void {
  if (grid.templates.size < policy.grid.templatesMax) return
  const text = `模板数量已达上限 ${policy.grid.templatesMax}，请先删除 (${policy.grid.templatesMax} templates, the most there may be: delete one first)`
  throw new ServiceError('CONFLICT', text)
}

function useTemplate(turn: Turn, { name: asked, source }: Of<'gridTemplateUse'>): object {
  const { name } = getTemplate(turn.state, asked)
  turn.emit({ kind: 'gridTemplateUsed', name, source })
  const template = templateRow(getTemplate(turn.state, name))
  return { template, message: `已使用模板 (template used): ${name}` }
}

function deleteTemplate(turn: Turn, { name: asked, source }: Of<'gridTemplateDelete'>): object {
  const { state } = turn
  const { name } = getTemplate(state, asked)
  const user = liveSessions(state).find(({ templateName }) => templateName === name)
  if (user !== undefined) {
    const text = `模板 ${inQuotes(name)} 正被网格会话 ${user.id} 使用 (a session uses it)`
    throw new ServiceError('CONFLICT', text)
  }
  turn.emit({ kind: 'gridTemplateDeleted', name, source })
  return { message: `模板已删除 (template deleted): ${name}` }
}

function setDefaultTemplate(turn: Turn, { name, source }: Of<'gridTemplateDefault'>): object {
  const template = { ...getTemplate(turn.state, name), isDefault: true }
  turn.emit({ kind: 'gridTemplateSaved', template, source })
  return { message: `已设为默认模板 (the default template now): ${template.name}` }
}
