import { dayOfMinute, type EquityPoint, minuteOf, type SessionState } from '../../domain/equity.ts'
import { exchangeDay, MINUTE_MS } from '../../domain/exchange-time.ts'
import type { Money } from '../../domain/money.ts'
import { isTradingDay, nextOpenMs, sessionAt } from '../../domain/session.ts'
import { isHeldBack, withDayPoint } from '../model/equity-book.ts'
import type { AccountState } from '../model/state.ts'
import { assetOf, positionsOf } from '../turn/holding.ts'
import type { Sight, Turn } from '../turn/turn.ts'
import { assetsNow, isSettled } from './assets.ts'
import { isOldScale, isScaleUnknown } from './ex-day.ts'
import { isQuoted } from './quote-rules.ts'
import { type Hold, holdsNow } from './triggers.ts'

/**
 * What the account is worth now. Undefined while that is not known: before the client has answered, while it is
 * away, between a fill and the reports that follow it, and while a holding has no price, or one of the scale
 * before an ex-day.
 */
export function equityNow(state: AccountState, sight: Sight): EquityPoint | undefined {
  const isHere = state.isReady || state.simulation !== undefined
  const asset = assetOf(state)
  if (!isHere || asset === undefined || !isSettled(state)) return undefined
  for (const held of positionsOf(state).values()) {
    const quote = sight.quote(held.code)
    if (quote === undefined || !isQuoted(quote)) return undefined
    if (isScaleUnknown(held) || isOldScale(held, quote)) return undefined
  }
  const assets = assetsNow(state, sight)
  if (assets === undefined) return undefined
  return {
    timeMs: sight.nowMs,
    cash: (asset.available + asset.frozen) as Money,
    frozen: asset.frozen,
    marketValue: assets.holdings,
    isSimulated: state.simulation !== undefined,
    session: sessionOf(state, sight.nowMs),
  }
}

const sessionOf = ({ policy }: AccountState, nowMs: number): SessionState =>
  policy.isAlwaysOpen ? 'open' : sessionAt(nowMs)

/** Prices of a feed that is gone, or at a time that nobody can tell. */
const NO_POINT: ReadonlySet<string> = new Set<Hold['name']>(['stale_market', 'clock_jump'])

/** Whether a minute wants a point: each of a session, and the first one after its state has changed. */
function isWanted(state: AccountState, nowMs: number): boolean {
  const { minutes, session } = state.equity
  if (minutes.at(-1) === minuteOf(nowMs)) return false
  const now = sessionOf(state, nowMs)
  if (now === 'open') return true
  return now !== session && isTradingDay(exchangeDay(nowMs))
}

/**
 * Writes the point of this minute, and the day's last one over the one before, but none of a simulation over real money: rows of the database and nothing of
 * the journal, saved with the next thing that somebody waits for. Unknown money is a gap. Minutes of earlier days
 * leave, and those of a time that a replay has gone back behind, a few with each point.
 */
export function notePoint(turn: Turn): void {
  const { state, inputs } = turn
  const { nowMs } = inputs
  if (!isWanted(state, nowMs)) return
  state.equity.triedMinute = minuteOf(nowMs)
  if (inputs.isDiskLow === true) return
  if (holdsNow(state, inputs).some(({ name }) => NO_POINT.has(name))) return
  const point = equityNow(state, inputs)
  if (point === undefined) return
  const minute = minuteOf(nowMs)
  turn.write({ table: 'equityMinutes', key: minute, row: point })
  const gone = outdated(state, minute)
  for (const key of gone) turn.write({ table: 'equityMinutes', key, row: null })
  const left = new Set(state.equity.minutes)
  for (const key of gone) left.delete(key)
  state.equity.minutes = [...left.add(minute)].sort((a, b) => a - b)
  state.equity.session = point.session
  if (isHeldBack(state.equity, point)) return
  turn.write({ table: 'equityDays', key: exchangeDay(nowMs), row: point })
  state.equity.days = withDayPoint(state.equity, point)
}

/** Stored minutes that are not of this day or not before this minute, and the oldest of too many: some of them. */
function outdated({ equity, policy }: AccountState, minute: number): readonly number[] {
  const { equityMinutesMax, equityPruneMax } = policy.limits
  const day = dayOfMinute(minute)
  const isKept = (key: number) => key <= minute && dayOfMinute(key) === day
  const kept = equity.minutes.filter((key) => isKept(key) && key !== minute)
  const tooMany = kept.slice(0, Math.max(0, kept.length + 1 - equityMinutesMax))
  const gone = [...equity.minutes.filter((key) => !isKept(key)), ...tooMany]
  return gone.slice(0, equityPruneMax)
}

/** When to look again, epoch ms of the market clock: with the next minute, or when the exchange opens. */
export function nextPointMs(state: AccountState, nowMs: number): number {
  const minute = minuteOf(nowMs)
  const { equity } = state
  const isTried = equity.triedMinute === minute || equity.minutes.at(-1) === minute
  const isOver = sessionOf(state, nowMs) === 'closed' && !isWanted(state, nowMs)
  if (isOver) return nextOpenMs(nowMs)
  return isTried ? (minute + 1) * MINUTE_MS : nowMs
}
