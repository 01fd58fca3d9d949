import { exchangeTime } from '../../domain/exchange-time.ts'
import {
  type HealthEvent,
  type HealthPolicy,
  type HealthScore,
  scoreOf,
  signalScoreOf,
} from './health-score.ts'

export interface HealthLimits {
  /** Newest events kept per key: 100. */
  readonly eventsMax: number
  /** Keys kept; the one that was quiet for longest goes first. */
  readonly keysMax: number
}

/** Whose events: a source, what it was asked for, a stock. Empty counts as `unknown`. */
export interface HealthKey {
  readonly source: string
  readonly purpose: string
  readonly code: string
}

interface Track extends HealthKey {
  readonly events: HealthEvent[]
}

/** Score object under the names that clients know. */
export const scoreRow = (score: HealthScore) => ({
  score: score.score,
  status: score.status,
  event_count: score.eventCount,
  success_count: score.successCount,
  failure_count: score.failureCount,
  consecutive_failures: score.consecutiveFailures,
  last_success_at: timeText(score.lastSuccessMs),
  last_event_at: timeText(score.lastEventMs),
  avg_latency_ms: score.averageLatencyMs,
  last_reason: score.lastReason,
})
const timeText = (epochMs: number | null) => (epochMs === null ? null : exchangeTime(epochMs))

type ScoreRow = ReturnType<typeof scoreRow>
type PurposeRow = ScoreRow & { readonly sources: Readonly<Record<string, ScoreRow>> }

/** `GET /api/market/health`. */
export interface HealthSnapshot {
  readonly enabled: boolean
  readonly observe_only: boolean
  readonly generated_at: string
  readonly overall: ScoreRow
  readonly sources: Readonly<Record<string, ScoreRow>>
  readonly stocks: Readonly<Record<string, Readonly<Record<string, PurposeRow>>>>
  readonly trading: { readonly min_score: number; readonly allow_fallback_source: boolean }
}

/**
 * Remembers how the sources of market data have done. In memory only, empty after a restart; asks
 * nobody and has no clock: the same calls always give the same scores.
 *
 * Source  docs/domain.md 7.1.
 */
export class HealthTracker {
  readonly #policy: HealthPolicy
  readonly #limits: HealthLimits
  readonly #tracks = new Map<string, Track>()
  #serial = 0

  constructor(policy: HealthPolicy, limits: HealthLimits) {
    this.#policy = policy
    this.#limits = limits
  }

  /** Notes what came of asking, once or several times. A latency that is no number, or below 0, counts as 0. */
  record(key: HealthKey, noted: readonly Omit<HealthEvent, 'serial'>[]): void {
    const { events } = this.#trackOf(key)
    for (const { timeMs, isOk, isGoodData, latencyMs: givenMs, reason } of noted) {
      const latencyMs = Number.isFinite(givenMs) ? Math.max(0, givenMs) : 0
      events.push({ timeMs, isOk, isGoodData, latencyMs, reason, serial: this.#serial++ })
    }
    events.splice(0, Math.max(0, events.length - this.#limits.eventsMax))
  }

  /** As after a start. */
  clear(): void {
    this.#tracks.clear()
  }

  /** The score of one source, purpose and stock, as it is shown. */
  scoreOf(key: HealthKey, nowMs: number): HealthScore {
    return this.#score(this.#eventsOf(key), nowMs)
  }

  /** What a quote carries to the gate. */
  signalScoreOf(key: HealthKey, nowMs: number): number | null {
    return signalScoreOf(this.#policy, this.#eventsOf(key), nowMs)
  }

  #eventsOf(key: HealthKey): readonly HealthEvent[] {
    return this.#tracks.get(idOf(named(key)))?.events ?? []
  }

  snapshot(nowMs: number): HealthSnapshot {
    const { isEnabled, isObserveOnly, tradingScoreMin, isFallbackAllowed } = this.#policy
    const tracks = [...this.#tracks.values()]
    return {
      enabled: isEnabled,
      observe_only: isObserveOnly,
      generated_at: exchangeTime(nowMs),
      overall: this.#row(tracks, nowMs),
      sources: this.#rows(tracks, 'source', nowMs),
      stocks: mapGroups(tracks, 'code', (ofStock) =>
        mapGroups(ofStock, 'purpose', (ofPurpose) => ({
          ...this.#row(ofPurpose, nowMs),
          sources: this.#rows(ofPurpose, 'source', nowMs),
        })),
      ),
      trading: { min_score: tradingScoreMin, allow_fallback_source: isFallbackAllowed },
    }
  }

  #score(events: readonly HealthEvent[], nowMs: number): HealthScore {
    return scoreOf(this.#policy, events, nowMs)
  }

  #row(tracks: readonly Track[], nowMs: number): ScoreRow {
    return scoreRow(
      this.#score(
        tracks.flatMap(({ events }) => events),
        nowMs,
      ),
    )
  }

  #rows(tracks: readonly Track[], field: keyof HealthKey, nowMs: number) {
    return mapGroups(tracks, field, (group) => this.#row(group, nowMs))
  }

  #trackOf(key: HealthKey): Track {
    const name = named(key)
    const id = idOf(name)
    const known = this.#tracks.get(id)
    if (known !== undefined) return known
    if (this.#tracks.size >= this.#limits.keysMax) this.#forgetQuietest()
    const track: Track = { ...name, events: [] }
    this.#tracks.set(id, track)
    return track
  }

  #forgetQuietest(): void {
    let quietest: string | undefined
    let lowest = Number.POSITIVE_INFINITY
    for (const [id, { events }] of this.#tracks) {
      const serial = events.at(-1)?.serial ?? -1
      if (serial >= lowest) continue
      lowest = serial
      quietest = id
    }
    if (quietest !== undefined) this.#tracks.delete(quietest)
  }
}

const named = ({ source, purpose, code }: HealthKey): HealthKey => ({
  source: source || 'unknown',
  purpose: purpose || 'unknown',
  code: code.toUpperCase() || 'unknown',
})
const idOf = ({ source, purpose, code }: HealthKey) => `${code}\n${purpose}\n${source}`

const mapGroups = <T>(
  tracks: readonly Track[],
  field: keyof HealthKey,
  into: (group: readonly Track[]) => T,
): Readonly<Record<string, T>> => {
  const groups = Object.groupBy(tracks, (track) => track[field])
  return Object.fromEntries(Object.entries(groups).map(([name, group = []]) => [name, into(group)]))
}
