import { ServiceError } from '../../domain/errors.ts'
import type { StockCode } from '../../domain/instrument.ts'
import type { Price } from '../../domain/money.ts'
import { NO_BREAKOUT } from '../../domain/position.ts'
import { lastCloseMs } from '../../domain/session.ts'
import { contradictionsOf } from '../../domain/settings/contradictions.ts'
import { PARAMETERS, type SettingChange, settingChanges } from '../../domain/settings/parameters.ts'
import type {
  AccountReplies,
  AccountRequest,
  SwitchReport,
  TokenNote,
} from '../../protocol/account.ts'
import type { CancelQueued } from '../../protocol/orders.ts'
import { riskLimitFields } from '../answers/risk-limits.ts'
import { resolveDoubt } from '../client/doubt.ts'
import { initializePositions } from '../client/holdings.ts'
import { beginAnew, mustBeFree } from '../client/mode.ts'
import type { HoldingFields } from '../model/events.ts'
import type { AccountState } from '../model/state.ts'
import { abandonAmendment, amendOrder } from '../orders/amend.ts'
import { type Asker, executeBuy, executeSell, placeOrder } from '../orders/manual.ts'
import { dropAwaited, withdraw, withdrawForGone } from '../orders/order-queue.ts'
import { cancel, codeOf } from '../orders/orders.ts'
import { previewOrder } from '../orders/preview.ts'
import { displayedStop } from '../orders/quote-rules.ts'
import { followParameters } from '../orders/shown-stops.ts'
import { answersGiven, answersLost, noteTold } from '../orders/untold.ts'
import { withdrawKey } from '../orders/withdraw-key.ts'
import type { StrategyManifest } from '../strategies/manifest.ts'
import { changeHolding, nameOf, positionsOf } from '../turn/holding.ts'
import type { Turn } from '../turn/turn.ts'
import { confirmRestore } from './confirm-restore.ts'
import { findOrder } from './find-order.ts'
import { noteFill } from './note-fill.ts'
import { setKillSwitch } from './set-kill-switch.ts'
import { setRiskLimits } from './set-risk-limits.ts'

/** Requests that change something; reads are answered by the shell from the views. */
export type AccountCommand = Exclude<
  AccountRequest,
  {
    kind:
      | 'read'
      | 'audit'
      | 'decisions'
      | 'marketHealth'
      | 'stopProfitRows'
      | 'gridAsk'
      | 'earningsAsk'
      | 'fillsAsk'
  }
>

/** Works off one command. Its answer is an effect, performed after the change is durable. */
export function onRequest(
  turn: Turn,
  { request, ...asker }: Asked,
  strategies: readonly StrategyManifest[],
): void {
  const { ref } = asker
  switch (request.kind) {
    case 'placeOrder':
      return placeOrder(turn, request, asker)
    case 'previewOrder':
      return turn.reply(ref, previewOrder(turn, request))
    case 'stockNames':
      return turn.reply(ref, stockNames(turn.state))
    case 'findOrder':
      return turn.reply(ref, findOrder(turn.state, request))
    case 'noteTold':
      for (const key of request.untold) withdrawForGone(turn, key, request.source)
      return turn.reply(ref, { noted: noteTold(turn, request, request.source) })
    case 'answersLost':
      dropAwaited(turn, request.source)
      return turn.reply(ref, { noted: answersLost(turn, turn.inputs.nowMs, request.source) })
    case 'answersGiven':
      return turn.reply(ref, { noted: answersGiven(turn, request.source) })
    case 'cancelOrder':
      abandonAmendment(turn, request.orderId)
      return cancel(turn, request.orderId, ref, request.source)
    case 'amendOrder':
      return amendOrder(turn, request, ref)
    case 'cancelQueued':
      return cancelQueued(turn, request, ref)
    case 'withdrawKey':
      return turn.reply(ref, withdrawKey(turn, request))
    case 'resolveDoubt':
      return resolveDoubt(turn, request, ref)
    case 'executeBuy':
      return executeBuy(turn, request, asker)
    case 'executeSell':
      return executeSell(turn, request, asker)
    case 'saveConfig': {
      const savedCount = changeSettings(turn, request.changes, request.source)
      const warnings = contradictionsIn(turn.state, request.changes)
      return turn.reply(ref, { ...switchReport(turn.state), savedCount, warnings })
    }
    case 'riskLimits':
      return turn.reply(ref, { fields: riskLimitFields(turn.state) })
    case 'setRiskLimits':
      return setRiskLimits(turn, request, ref)
    case 'noteFill':
      return noteFill(turn, request, ref)
    case 'noteTokens':
      return noteTokens(turn, request.changes, ref)
    case 'setMaster':
      changeSettings(turn, { globalAutoOperation: request.on }, request.source)
      return turn.reply(ref, switchReport(turn.state))
    case 'updateHolding':
      return updateHolding(turn, request, ref)
    case 'setStopProfit':
      return setStopProfit(turn, request, ref)
    case 'initializePositions':
      changeSettings(turn, request.changes, request.source)
      return turn.reply(ref, initializePositions(turn, request.source))
    case 'setKillSwitch':
      return setKillSwitch(turn, request, ref)
    case 'confirmRestore':
      return confirmRestore(turn, request, ref)
    case 'clearRecords':
      throw new Error('clearRecords is worked off page by page in the shell')
    case 'importData':
      if (turn.state.simulation !== undefined) beginAnew(turn.state)
      return turn.reply(ref, {
        ...switchReport(turn.state),
        message: '数据已从账户数据库重新加载 (loaded again from the database of the account)',
        appliedCount: turn.state.stored.size,
      })
    default:
      return onStrategyRequest(turn, { request, ref }, strategies)
  }
}

/** What is held, then what was ordered today, then what is known by name. */
function stockNames(state: AccountState): AccountReplies['stockNames'] {
  const held = positionsOf(state)
  const ordered = [...state.orders.values()].map(({ code }) => code)
  const codes = new Set([...held.keys(), ...ordered, ...state.names.keys()])
  const stocks = [...codes].map((code) => {
    return { code, name: nameOf(state, code), isHeld: held.has(code) }
  })
  return { stocks }
}

/** Each change once, however often it is told. */
function noteTokens(turn: Turn, changes: readonly TokenNote[], ref: number): void {
  const { tokenChange: last } = turn.state
  const fresh = changes.filter(({ number }) => number > last)
  for (const change of fresh) turn.emit({ kind: 'tokenChanged', ...change })
  turn.reply(ref, { noted: fresh.length })
}

interface Asked extends Asker {
  readonly request: AccountCommand
}

/** A request that is a strategy's own. Errors  `BAD_REQUEST`: nobody's, and from another process. */
function onStrategyRequest(
  turn: Turn,
  { request, ref }: Asked,
  strategies: readonly StrategyManifest[],
): void {
  for (const { requests } of strategies) {
    const work = requests?.[request.kind] as
      | ((turn: Turn, request: AccountCommand, ref: number) => void)
      | undefined
    if (work !== undefined) return work(turn, request, ref)
  }
  const text = `请求 ${request.kind} 无法识别，未执行 (not known here, nothing was executed: the other side may run another release of Steward)`
  throw new ServiceError('BAD_REQUEST', text)
}

/** Takes orders out of the queue. Errors  throws `UNKNOWN_ORDER` when none of them waits. */
function cancelQueued(turn: Turn, request: CancelQueued, ref: number): void {
  const { clientOrderId: id, isCallerGone, source } = request
  if (isCallerGone) return turn.reply(ref, { clientOrderIds: withdrawForGone(turn, id, source) })
  const clientOrderIds = withdraw(turn, id, source)
  if (id !== '' && clientOrderIds.length === 0) {
    throw new ServiceError('UNKNOWN_ORDER', `委托 ${id} 不在排队 (no such order waits)`)
  }
  turn.reply(ref, { clientOrderIds })
}

/** Applies validated wire fields. Returns how many fields were given that mean something. */
function changeSettings(
  turn: Turn,
  wire: Readonly<Record<string, number | boolean>>,
  source: string,
): number {
  const { state } = turn
  const isBeginning = wire['simulationMode'] === true && !state.settings.ENABLE_SIMULATION_MODE
  if (isBeginning) mustBeFree(state)
  const changes: readonly SettingChange[] = settingChanges(state.settings, wire)
  if (changes.length > 0) {
    turn.emit({ kind: 'settingsChanged', changes, source })
    state.dataVersion += 1
  }
  if (changes.some(({ setting }) => setting === 'STOP_LOSS_RATIO')) followParameters(turn, source)
  return Object.keys(wire).length
}

/** What the exits that were just given, changed or not, do not do as they stand together now. */
function contradictionsIn(
  { settings, policy }: AccountState,
  wire: Readonly<Record<string, unknown>>,
): readonly string[] {
  const given = new Set(Object.keys(wire).map((name) => PARAMETERS.get(name)?.setting))
  return contradictionsOf({
    stopLossRatio: settings.STOP_LOSS_RATIO,
    isBuying: settings.ENABLE_STOP_LOSS_BUY,
    addLevel: settings.BUY_GRID_LEVEL_1,
    firstProfitRatio: settings.INITIAL_TAKE_PROFIT_RATIO,
    pullbackRatio: policy.stopProfit.pullbackRatio,
  })
    .filter((found) => found.settings.some((name) => given.has(name)))
    .map(({ text }) => text)
}

export const switchReport = ({ settings }: AccountState): SwitchReport => ({
  isMonitoring: settings.ENABLE_AUTO_OPERATION,
  autoTradingEnabled: settings.ENABLE_AUTO_TRADING,
  gridTradingEnabled: settings.ENABLE_GRID_TRADING,
})

function held(turn: Turn, text: string): StockCode {
  const code = codeOf(text)
  if (positionsOf(turn.state).has(code)) return code
  throw new ServiceError('UNKNOWN_POSITION', `未持有 ${code} (not held)`)
}

const SHOWN_ONLY =
  '；止损价只用于显示，最高价、首次止盈标记、止损比例或成本变化后以及重启后会重新计算；卖出仍按参数、成本和最高价判断 (the stop price is for display, and is computed anew once the high, the flag of the first profit, the stop-loss ratio or the cost changes, and after a restart: sales follow the parameters, the cost and the high)'

/** A protective price that is not given follows from the others; one that is given stands there until one of them changes. */
function updateHolding(
  turn: Turn,
  request: Extract<AccountRequest, { kind: 'updateHolding' }>,
  ref: number,
): void {
  const code = held(turn, request.code)
  const { profitTriggered, highestPrice, stopLossPrice, source } = request
  const position = positionsOf(turn.state).get(code)
  const isCleared = profitTriggered === false && position?.profitTriggered === true
  const changed: HoldingFields = {
    ...(profitTriggered === undefined ? {} : { profitTriggered }),
    // The fall from the high of the breakout that has sold already would sell once more, at once.
    ...(isCleared && NO_BREAKOUT),
    // What is known by now of a higher one is not to be found again.
    ...(highestPrice === undefined
      ? {}
      : {
          highestPrice: highestPrice as Price,
          actedTickMs: Math.max(toldMs(turn, code), position?.actedTickMs ?? 0),
        }),
  }
  const stop = stopLossPrice ?? (position && displayedStop(turn.state, { ...position, ...changed }))
  const fields = { ...changed, ...(stop === undefined ? {} : { stopLossPrice: stop as Price }) }
  changeHolding(turn, code, fields, source)
  turn.after({ kind: 'bands' })
  const more = stopLossPrice === undefined ? '' : SHOWN_ONLY
  turn.reply(ref, {
    message: `${code} 持仓参数已更新 (${code}: parameters of the holding changed)${more}`,
  })
}

/** Until when the market has told of a stock. The last close is known, also where the quote of it is still to come. */
const toldMs = ({ inputs }: Turn, code: StockCode): number =>
  Math.max(inputs.quote(code)?.timeMs ?? 0, lastCloseMs(inputs.nowMs))

function setStopProfit(
  turn: Turn,
  request: Extract<AccountRequest, { kind: 'setStopProfit' }>,
  ref: number,
): void {
  const code = held(turn, request.code)
  const { enabled, source } = request
  changeHolding(turn, code, { stopProfitEnabled: enabled }, source)
  const message = enabled
    ? `${code} 自动止盈止损已开启 (${code}: auto stop-profit is on)`
    : `${code} 自动止盈止损已关闭 (${code}: auto stop-profit is off)`
  turn.reply(ref, { message, enabled })
}
