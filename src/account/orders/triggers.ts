import { exchangeDay, exchangeTime } from '../../domain/exchange-time.ts'
import { isHigher, type KillLevel } from '../../domain/kill-level.ts'
import { type Money, moneyFromYuan } from '../../domain/money.ts'
import { cents } from '../../domain/risk-finding.ts'
import { openSinceMs } from '../../domain/session.ts'
import type { KillSwitch, RaisingTrigger } from '../model/kill-switch.ts'
import { isUnconfirmed } from '../model/restore.ts'
import type { AccountState } from '../model/state.ts'
import type { Sight, Turn } from '../turn/turn.ts'
import { brokerAssets } from './assets.ts'
import { brokerResult } from './day-result.ts'
import { hasLostPrice, measureDay } from './day-total.ts'
import { watchProtective } from './protective-limit.ts'

/** Something that keeps orders back beside the operator's level, which it never touches. */
export interface Hold {
  readonly name: 'clock_jump' | 'stale_market' | 'restore'
  readonly level: KillLevel
  /** Since when, by the market clock: the jump, or the newest quote among the holdings; epoch ms. */
  readonly sinceMs: number
  readonly reason: string
}

/** After every input: raises the level when a limit is reached. Lowering it is for a person. */
export function watchTriggers(turn: Turn): void {
  watchRejects(turn)
  watchProtective(turn)
}

function watchRejects(turn: Turn): void {
  const { state } = turn
  const { maxRejectsInRow: limit } = state.risk
  const count = state.rejectsInRow
  if (limit === 0 || count < limit) return
  const reason = `连续 ${count} 笔委托被拒 (${count} orders refused in a row; risk.max_rejects_in_row ${limit})`
  raise(turn, { level: 'all', trigger: 'max_rejects_in_row', value: count, reason })
}

/**
 * Loss of the day, of what was realized and what was not, with fees ({@link lossOf}). Only purchases stop, so that
 * protective sales go on. Once a turn: quotes are the same for all of it.
 */
export function watchLoss(turn: Turn): void {
  const { state, inputs } = turn
  const limit = lossLimit(state)
  const total = limit === 0 || !state.isReady ? undefined : brokerAssets(state, inputs)?.total
  if (total === undefined) return
  const isMeasured = measureDay(turn, total)
  const loss = lossOf(state, inputs, total)
  if (loss === undefined) return
  if (loss >= state.dayTotal.firedAt + limit && !hasLostPrice(state, inputs)) {
    const reason = `当日亏损 ${cents(loss)} 元，上限 ${cents(limit)} 元 (loss of the day: ${cents(loss)} yuan, its limit is ${cents(limit)}; risk.max_daily_loss)`
    raise(turn, { level: 'entries', trigger: 'max_daily_loss', value: loss, reason })
  }
  if (isMeasured || turn.events.some(({ event }) => MOVES_FLOORS.has(event.kind))) {
    turn.after({ kind: 'bands' })
  }
}

const MOVES_FLOORS: ReadonlySet<string> = new Set([
  'positionReported',
  'killSwitchSet',
  'riskChanged',
])

interface Raise {
  readonly level: KillLevel
  readonly trigger: RaisingTrigger
  readonly value: number
  readonly reason: string
}

/** Raises the level; never lowers it. */
export function raise(turn: Turn, { level, trigger, value, reason }: Raise): void {
  const before = turn.state.killSwitch.level
  if (!isHigher(level, before)) return
  const source = `trigger:${trigger}`
  turn.emit({ kind: 'killSwitchSet', before, level, reason, trigger, value, source })
  turn.error(`kill switch at ${level}: ${reason}`)
}

const lossLimit = ({ risk }: AccountState): Money => moneyFromYuan(risk.maxDailyLoss)

/** Loss of the day until now; undefined while it is not known. May be negative: a gain. */
export function lossOfDay(state: AccountState, sight: Sight): Money | undefined {
  const total = brokerAssets(state, sight)?.total
  return total === undefined ? undefined : lossOf(state, sight, total)
}

/**
 * What holdings and deals have lost since the day began: cash that is lent for a night, or moved, is none. Where nobody can
 * tell that, the total with which the day began less the total now. Of a day that is over by the calendar there is none: on
 * one on which nothing trades, and in the moment before the next one opens.
 */
function lossOf(state: AccountState, sight: Sight, total: Money): Money | undefined {
  const { day, dayTotal } = state
  if (dayTotal.day !== day || exchangeDay(sight.nowMs) !== day) return undefined
  const { result: begun } = dayTotal
  const result = brokerResult(state, sight)
  const isKnown = begun !== undefined && result !== undefined
  return (isKnown ? begun - result : dayTotal.total - total) as Money
}

/**
 * The part of its present price down to which every holding may fall before the loss of the day can
 * reach its limit; 0 when nothing watches the loss. A price below it rings, so no loss goes unseen.
 */
export function lossFloor(state: AccountState, sight: Sight): number {
  const limit = lossLimit(state)
  // At a level that stops purchases already there is nothing to raise.
  if (limit === 0 || state.killSwitch.level !== 'off') return 0
  const assets = brokerAssets(state, sight)
  const loss = assets && lossOf(state, sight, assets.total)
  if (assets === undefined || loss === undefined) return 0
  const left = Math.max(0, state.dayTotal.firedAt + limit - loss)
  const { holdings: value } = assets
  return value > left ? 1 - left / value : 0
}

/**
 * The clock of the computer cannot be right. The market clock goes on without it, so that days, keys,
 * counts and durations are what they were; only purchases wait until it is clear what time it is.
 */
function clockHold({ clockDoubt }: Sight): Hold | undefined {
  if (clockDoubt === undefined) return undefined
  const seconds = (clockDoubt.offMs / 1_000).toFixed(1)
  const reason = `系统时钟偏差 ${seconds} 秒，暂不采用 (the clock of the computer is ${seconds} s off and not followed; limits.account.clock_stop_ms)`
  return { name: 'clock_jump', level: 'entries', sinceMs: clockDoubt.sinceMs, reason }
}

/**
 * Books from a backup, and nobody has looked yet at what happened after it. What a strategy would sell now may
 * have been sold in the meantime by one that the books do not know: every order waits, protective ones too.
 */
function restoreHold({ restore }: AccountState): Hold | undefined {
  if (restore === undefined || !isUnconfirmed(restore)) return undefined
  return { name: 'restore', level: 'all', sinceMs: restore.foundMs, reason: RESTORE_TEXT }
}
const RESTORE_TEXT =
  '账户数据由备份恢复，人工确认核对结果前不发出任何委托 (restored from a backup: nothing is sent before a person has confirmed what was found)'

/** All that keeps orders back now, beside the operator's level; what stops most comes first. */
export function holdsNow(state: AccountState, sight: Sight): readonly Hold[] {
  return [restoreHold(state), clockHold(sight), marketHold(state, sight)].filter(
    (hold) => hold !== undefined,
  )
}

/**
 * The market is stale when, in trading hours, no quote of any holding has moved for the limit. A
 * pure function of clock and quotes: it is there as long as that holds, and gone with the next quote.
 */
function marketHold(state: AccountState, sight: Sight): Hold | undefined {
  const limitMs = state.risk.staleQuoteMs
  if (limitMs === 0 || isQuotedSince(state, sight, sight.nowMs - limitMs)) return undefined
  const quietForMs = quietMs(state, sight)
  if (quietForMs === undefined || quietForMs <= limitMs) return undefined
  const newestMs = newestQuoteMs(state, sight)
  const sinceMs = Number.isFinite(newestMs) ? (newestMs as number) : sight.nowMs - quietForMs
  const since = exchangeTime(sinceMs)
  const reason = `持仓行情自 ${since} 起未更新 (no quote of any holding has moved since ${since}; risk.stale_quote_seconds)`
  return { name: 'stale_market', level: 'entries', sinceMs, reason }
}

/** Whether any holding has been quoted since then. Asked before each order, and mostly the first one has. */
function isQuotedSince(state: AccountState, { quote, nowMs }: Sight, sinceMs: number): boolean {
  const untilMs = nowMs + state.policy.limits.quoteAheadMs
  for (const code of state.positions.keys()) {
    const timeMs = quote(code)?.timeMs
    if (timeMs !== undefined && timeMs >= sinceMs && timeMs <= untilMs) return true
  }
  return false
}

/**
 * Time of the newest quote among the holdings; undefined when there is none. How old one of the future is nobody knows,
 * as after a clock was set back over it: where there are no others, it is of before all that is known.
 */
function newestQuoteMs(state: AccountState, { quote, nowMs }: Sight): number | undefined {
  const untilMs = nowMs + state.policy.limits.quoteAheadMs
  let newest: number | undefined
  for (const code of state.positions.keys()) {
    const timeMs = quote(code)?.timeMs
    if (timeMs === undefined) continue
    newest = Math.max(newest ?? UNDATED, timeMs > untilMs ? UNDATED : timeMs)
  }
  return newest
}
const UNDATED = Number.NEGATIVE_INFINITY

/** For how long no quote of a holding has moved in this session; undefined while it is closed or nothing is quoted. */
export function quietMs(state: AccountState, sight: Sight): number | undefined {
  const { isAlwaysOpen } = state.policy
  const openMs = isAlwaysOpen ? Number.NEGATIVE_INFINITY : openSinceMs(sight.nowMs)
  const newestMs = newestQuoteMs(state, sight)
  if (openMs === undefined || newestMs === undefined) return undefined
  const sinceMs = Math.max(openMs, newestMs)
  // A market that is made up has no session since whose begin it could be quiet.
  return Number.isFinite(sinceMs) ? Math.max(0, sight.nowMs - sinceMs) : undefined
}

/** What is in force now: the operator's level, or what a hold keeps back, whichever stops more. */
export function levelInForce(state: AccountState, sight: Sight): InForce {
  const { level, reason, source } = state.killSwitch
  const set = { level, reason, source }
  if (!mayHold(state)) return set
  const [hold] = holdsNow(state, sight)
  if (hold === undefined || !isHigher(hold.level, level)) return set
  return { level: hold.level, reason: hold.reason, source: `trigger:${hold.name}` }
}

/** What stops orders now, and who says so. */
type InForce = Pick<KillSwitch, 'level' | 'reason' | 'source'>

/** Whether a hold could stop what the level lets pass; asked before quotes are looked at. */
const mayHold = ({ killSwitch, restore }: AccountState): boolean =>
  killSwitch.level === 'off' || (killSwitch.level === 'entries' && isUnconfirmed(restore))
