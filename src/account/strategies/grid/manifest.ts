import type { StockCode } from '../../../domain/instrument.ts'
import { isFullExit } from '../../../domain/protective.ts'
import { ANY_PRICE, type Band } from '../../../strategy/band.ts'
import { gridBand } from '../../../strategy/grid/band.ts'
import type { AccountState } from '../../model/state.ts'
import type { Turn } from '../../turn/turn.ts'
import type { SettledOrder, StrategyManifest } from '../manifest.ts'
import { gridEvents } from './answers/journal-words.ts'
import { evaluate } from './evaluate.ts'
import { followGrids, settleGrids } from './follow-up.ts'
import { areGridsOn, isAwake, liveSession, liveSessions } from './lookups.ts'
import { gridRequests } from './requests.ts'
import { switchSession } from './stop.ts'
import { gridEvaluationRow, NAME } from './trace.ts'

/** Grid trading as the account runs it. */
export const grid: StrategyManifest = {
  name: NAME,
  codes: (state) => awake(state).map(({ code }) => code),
  evaluate,
  bandOf,
  alarms,
  followUp: followGrids,
  onFilled,
  manage: settleGrids,
  requests: gridRequests,
  traceRow: gridEvaluationRow,
  journal: gridEvents,
}

const awake = (state: AccountState) =>
  liveSessions(state).filter((session) => isAwake(state, session))

function bandOf(state: AccountState, code: StockCode): Band {
  const session = liveSession(state, code)
  const isActive = session?.status === 'active' && session.isEnabled && areGridsOn(state)
  return isActive ? gridBand(session) : ANY_PRICE
}

/** The end of each session, and the second check of a holding that is gone. */
function alarms(state: AccountState): Iterable<readonly [StockCode, number]> {
  return state.grid.live.size === 0 ? NO_ALARMS : alarmsOf(state)
}
const NO_ALARMS: readonly (readonly [StockCode, number])[] = []

function* alarmsOf(state: AccountState): Iterable<readonly [StockCode, number]> {
  for (const { code, endMs, missingSinceMs } of awake(state)) {
    yield [code, endMs + 1]
    if (missingSinceMs > 0) yield [code, missingSinceMs + state.policy.grid.checkEveryMs]
  }
  if (state.heldBack.size > 0) yield* placesOf(state)
}

/** Orders that found no place within the second, and when they have one. */
function* placesOf(state: AccountState): Iterable<readonly [StockCode, number]> {
  for (const { owner, code, againMs } of state.heldBack.values()) {
    if (owner === state.policy.grid.strategyName) yield [code, againMs]
  }
}

/** A holding that was sold out pauses its grid, on the confirmed fill and only if that is wanted. */
function onFilled(turn: Turn, { code, signalType, isSimulated = false }: SettledOrder): void {
  const { settings } = turn.state
  if (!settings.ENABLE_PAUSE_GRID_AFTER_TAKE_PROFIT_FULL) return
  if (!isFullExit(signalType)) return
  const session = liveSessions(turn.state).find(
    (one) => one.code === code && one.isSimulated === isSimulated,
  )
  if (session?.status !== 'active') return
  switchSession(turn, session, { isEnabled: false, source: signalType })
}
