import type { Effect, Turn } from '../../src/account/turn.ts'

/** What a turn wants done once its events are on disk. */
export interface Afterwards {
  readonly effects: readonly Effect[]
  /** Of the request that was the cause, empty otherwise. */
  readonly correlationId: string
  readonly done: () => void
}

/** Turns whose events are on their way to the disk, in one commit. */
export interface Outgoing {
  readonly durable: Promise<void> | undefined
  /** When they were on disk; 0 until then. */
  durableAtMs: number
  readonly turns: readonly Afterwards[]
}

/** Of the turn behind an effect. */
export interface Saved {
  readonly correlationId: string
  /** When it was on disk; 0 when it had nothing to save. */
  readonly durableAtMs: number
}

/**
 * The effects of a turn, and before its calls a line in the log for each order that leaves. The
 * journal must be the same in every run, so a caller's request id is in the log only.
 */
export function withIntents({ events, effects }: Turn, correlationId: string): readonly Effect[] {
  const lines: Effect[] = []
  for (const { seq, event } of events) {
    if (event.kind !== 'orderSubmitted') continue
    const fields = { correlationId, clientOrderId: event.order.clientOrderId, seq }
    lines.push({ kind: 'log', level: 'info', fields, message: 'order intent' })
  }
  return lines.length === 0 ? effects : [...lines, ...effects]
}
