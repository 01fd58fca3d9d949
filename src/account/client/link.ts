import { ServiceError } from '../../domain/errors.ts'
import type { DriverEvent } from '../../protocol/driver.ts'
import {
  connected,
  connectFailed,
  connecting,
  DISCONNECTED,
  lost,
  pinged,
  reconnectWaitMs,
  sessionWaitMs,
  terminalSeen,
  untilServiceMs,
  type WaitSight,
  waiting,
} from '../model/connection.ts'
import { forgetNumbers } from '../model/order-numbers.ts'
import { dropAll } from '../orders/order-queue.ts'
import { failWaiting } from '../turn/replies.ts'
import type { Turn } from '../turn/turn.ts'
import { dropClearances } from './clearance.ts'
import { abandonRun, startRecovery } from './reconcile.ts'

/** First connection, and every one after a wait. One attempt at a time. */
export function connect(turn: Turn): void {
  const { state } = turn
  if (state.connection.phase !== 'disconnected' || state.simulation !== undefined) return
  state.connection = connecting(state.connection, turn.inputs.wallMs)
  const { connectTimeoutMs } = state.policy.limits
  turn.call({ kind: 'connect' }, (callId) => ({ kind: 'connect', callId }), connectTimeoutMs)
}

export function onConnectAnswered(
  turn: Turn,
  result: Extract<DriverEvent, { kind: 'connectAnswered' }>['result'],
): void {
  const { state } = turn
  if (state.connection.phase !== 'connecting') return // answered after its time was up
  if (!result.ok) {
    clientAhead(turn, result.error.clientEpoch)
    return connectionFailed(turn, result.error.message)
  }
  state.connection = connected(state.connection, turn.inputs.wallMs)
  turn.emit({ kind: 'connected' })
  turn.timer('ping', state.policy.limits.pingIntervalMs)
  state.isLaneEmpty = false
  startRecovery(turn)
}

/** Either another process has taken over, or our books are older than the client's memory. */
export function clientAhead(turn: Turn, clientEpoch: number | undefined): void {
  if (clientEpoch !== undefined) turn.after({ kind: 'clientAhead', clientEpoch })
}

export function connectionFailed(turn: Turn, reason: string): void {
  const { state } = turn
  const { failures, isTerminalSeen } = state.connection
  state.connection = connectFailed(state.connection, reason)
  const delayMs = isTerminalSeen
    ? untilNextMs(turn)
    : reconnectWaitMs(state.policy.limits, failures, waitSight(turn))
  if (isTold(failures)) {
    turn.warn(`trading client not connected: ${reason}; next attempt in ${delayMs} ms`)
  }
  wait(turn, delayMs)
}

const FAILURES_TOLD = { first: 3, thenEvery: 10 } as const

/** A terminal that stays off fails all day; the status shows each attempt, the log some of them. */
const isTold = (failuresBefore: number): boolean =>
  failuresBefore < FAILURES_TOLD.first || (failuresBefore + 1) % FAILURES_TOLD.thenEvery === 0

/** Two clocks differ by some milliseconds: no reason to set a timer anew. */
const SHORTENED_MS_LEAST = 1_000

/** Sets the timer of the next attempt, in place of the one that runs. */
function wait(turn: Turn, delayMs: number): void {
  turn.state.connection = waiting(turn.state.connection, turn.inputs.wallMs + delayMs)
  turn.timer('reconnect', delayMs)
}

/** How long two attempts must still be apart. */
function untilNextMs({ state, inputs }: Turn): number {
  const { attemptedAtMs = Number.NEGATIVE_INFINITY } = state.connection
  return Math.max(0, attemptedAtMs + state.policy.limits.reconnectGapMs - inputs.wallMs)
}

const waitSight = ({ state, inputs }: Turn): WaitSight => ({
  accountId: state.policy.accountId,
  nowMs: inputs.nowMs,
  clockDoubt: inputs.clockDoubt,
})

/**
 * The terminal has come back, or its quotes have: whoever waits for it tries at once. One attempt at a time, and
 * two keep their distance; outside the service hours the configured waits stand.
 *
 * Source  docs/domain.md 8.1.
 */
export function onTerminalSeen(turn: Turn): void {
  const { state, inputs } = turn
  const { phase, nextAttemptMs } = state.connection
  if (untilServiceMs(inputs) > 0) return
  if (phase === 'connecting') {
    state.connection = terminalSeen(state.connection)
    return
  }
  if (nextAttemptMs === undefined) return // connected, or in simulation mode
  const delayMs = untilNextMs(turn)
  if (inputs.wallMs + delayMs < nextAttemptMs) wait(turn, delayMs)
}

/** After every input: the clock may say by now that the service hours are nearer than they were when the wait began. */
export function shortenWait(turn: Turn): void {
  const { state, inputs } = turn
  const { nextAttemptMs } = state.connection
  if (nextAttemptMs === undefined) return
  const delayMs = sessionWaitMs(state.policy.limits, waitSight(turn))
  if (inputs.wallMs + delayMs + SHORTENED_MS_LEAST <= nextAttemptMs) wait(turn, delayMs)
}

/**
 * The broker is gone: nothing is known about calls under way, so every submit among them is
 * in doubt and every other request ends. The first attempt to come back is made at once.
 */
export function onDisconnected(turn: Turn, reason: string): void {
  const { state } = turn
  if (state.connection.phase === 'disconnected') return
  const { limits } = state.policy
  // A client that lets us in and then answers nothing is not asked again at once, and again, and again.
  const delayMs = state.isReady
    ? 0
    : reconnectWaitMs(limits, state.connection.failures, waitSight(turn))
  state.connection = lost(state.connection, reason, turn.inputs.wallMs)
  state.isReady = false
  state.reports.clear()
  state.doubtPoll = undefined
  state.isPushing = false
  state.absentSinceMs.clear() // a new connection polls anew
  state.undoneSinceMs.clear()
  forgetNumbers(state.numbers)
  state.unlisted.clear()
  dropClearances(state)
  state.doubtSinceMs.clear()
  abandonRun(turn, reason)
  turn.emit({ kind: 'disconnected', reason })
  endCalls(turn, 'cancel: the trading client disconnected before it answered')
  dropAll(turn)
  failWaiting(turn, 'the trading client disconnected')
  turn.warn(`trading client disconnected: ${reason}`)
  wait(turn, delayMs)
}

/**
 * The account goes on without its broker, by its own will: nothing is asked for any more
 * and nothing is tried again. It has no open orders then.
 */
export function releaseTrader(turn: Turn): void {
  const { state } = turn
  if (state.connection.phase === 'connected') {
    const reason = '切换到模拟模式 (simulation mode)'
    abandonRun(turn, reason)
    turn.emit({ kind: 'disconnected', reason })
  }
  state.connection = DISCONNECTED
  state.isReady = false
  state.reports.clear()
  endCalls(turn, 'cancel: the account went into simulation mode before it was answered')
  dropAll(turn)
  failWaiting(turn, 'the account is in simulation mode')
}

/** No answer of this connection is waited for any more. */
function endCalls(turn: Turn, text: string): void {
  const { calls } = turn.state
  for (const [callId, call] of [...calls]) {
    calls.delete(callId)
    if (call.kind === 'cancel') turn.refuse(call.ref, new ServiceError('NOT_CONNECTED', text))
    if (call.kind === 'submit') turn.moveOrder(call.clientOrderId, 'doubt')
  }
}

/** A ping is an asset query: it answers, the connection lives; it does not, the connection is lost. */
export function ping(turn: Turn): void {
  const { state } = turn
  if (state.connection.phase !== 'connected') return
  turn.query('asset', 'ping')
  turn.timer('ping', state.policy.limits.pingIntervalMs)
}

export function onPingAnswered(turn: Turn): void {
  turn.state.connection = pinged(turn.state.connection, turn.inputs.wallMs)
}
