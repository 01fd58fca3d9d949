import { answerWithQueued } from '../turn/replies.ts'
import type { Turn } from '../turn/turn.ts'
import { sendQueued } from './manual.ts'
import { dropFallen } from './order-queue.ts'
import { nextPlaceMs } from './order-rate.ts'

/**
 * After every input: orders of people that wait and have a place now are sent, in their order; those that may not be
 * sent any more are given up; and requests whose time is up are told what still waits.
 */
export function followQueue(turn: Turn): void {
  if (turn.state.queue.length === 0 || turn.inputs.isSuspended === true) return
  dropFallen(turn)
  sendQueued(turn)
  answerWithQueued(turn)
}

/** At the end of every turn, when strategies have had their places: the queue is looked at again in time. */
export function watchQueue(turn: Turn): void {
  const { state, inputs } = turn
  if (state.queue.length === 0 && state.heldBack.size === 0) return
  const { wallMs } = inputs
  let delayMs = nextPlaceMs(turn)
  for (const { until } of state.queue) delayMs = Math.min(delayMs, until.wallMs + 1 - wallMs)
  for (const { answerByMs } of state.waiting) {
    if (answerByMs !== undefined && answerByMs > wallMs)
      delayMs = Math.min(delayMs, answerByMs - wallMs)
  }
  if (Number.isFinite(delayMs)) turn.timer('queue', Math.max(1, Math.ceil(delayMs)))
}
