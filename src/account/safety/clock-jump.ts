import { raise } from '../orders/triggers.ts'
import type { Turn } from '../turn/turn.ts'

/** A jump of the computer's clock that is worth a word. */
export interface ClockJump {
  /** Milliseconds; negative: back. */
  readonly jumpMs: number
  /** The market clock is the clock that jumped: in a replay it is not. */
  readonly isMarketMoved: boolean
}

/**
 * The clock on the wall jumped: nobody's durations are touched, but exchange day and session come
 * from it while the market clock is the system's. A large jump keeps purchases back until a person
 * has looked; protective sales go on.
 */
export function onClockJump(turn: Turn, { jumpMs, isMarketMoved }: ClockJump): void {
  const seconds = (jumpMs / 1_000).toFixed(1)
  const message = `the clock of the computer jumped by ${seconds} s`
  turn.error(message)
  if (!isMarketMoved || Math.abs(jumpMs) < turn.state.policy.limits.clockStopMs) return
  const reason = `系统时钟跳变 ${seconds} 秒 (${message}; limits.account.clock_stop_ms)`
  raise(turn, { level: 'entries', trigger: 'clock_jump', value: jumpMs, reason })
}
