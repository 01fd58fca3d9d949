import { ServiceError } from '../../domain/errors.ts'
import type { OrderRecord } from '../../domain/order.ts'
import { isOpen, nextStatus } from '../../domain/order-state.ts'
import type { DriverEvent, QueryKind, QueryRows, SubmitOutcome } from '../../protocol/driver.ts'
import type { PendingCall } from '../model/calls.ts'
import { noteNumber } from '../model/order-numbers.ts'
import { cancelAgain, hintOf, onCancelRefused } from '../orders/cancels.ts'
import { awaitNewerQuote } from '../orders/pace.ts'
import { orderAnswered } from '../turn/replies.ts'
import type { Turn } from '../turn/turn.ts'
import { doubtPoll, onBarrierAnswered, onDoubtReport } from './doubt.ts'
import { onPushLeftOut } from './left-out.ts'
import {
  clientAhead,
  connectionFailed,
  onConnectAnswered,
  onDisconnected,
  onPingAnswered,
  onTerminalSeen,
} from './link.ts'
import { onPositionReport } from './position-reports.ts'
import { applyReport, onReconcileReport, onRecoveryReport, reportFailed } from './reconcile.ts'
import { onDealReport, onOrderReport } from './reports.ts'
import { seen } from './seen.ts'
import { noteCash } from './shown.ts'
import { dated } from './undated.ts'
import { areBlank, hasTurnedZero, isZeroPush, NOT_LOGGED_IN } from './zeros.ts'

/** Everything that the broker says, answers and pushes alike. */
export function onDriverEvent(turn: Turn, told: DriverEvent): void {
  const { state } = turn
  const event = seen(dated(turn, told))
  turn.asked = undefined
  // What the broker says to nobody is asked for again at the next connect.
  if (state.simulation !== undefined) return
  switch (event.kind) {
    case 'connectAnswered':
      if (!state.calls.delete(event.callId)) return // an attempt that was given up
      return onConnectAnswered(turn, event.result)
    case 'submitAnswered': {
      const call = state.calls.get(event.callId)
      state.calls.delete(event.callId) // a late answer has no call any more, and still counts
      noteNeverSent(turn, event, call?.kind === 'submit' ? call.quoteMs : undefined)
      onSubmitAnswered(turn, event.clientOrderId, event.outcome)
      if (call !== undefined) noteAnswered(turn, event)
      return
    }
    case 'cancelAnswered':
      return onCancelAnswered(turn, event)
    case 'queryAnswered':
      return onQueryAnswered(turn, event)
    case 'barrierAnswered':
      return onBarrierAnswered(turn, event)
    case 'orderPushed':
      state.isPushing = true
      return onOrderReport(turn, event.order)
    case 'dealPushed':
      state.isPushing = true
      return onDealReport(turn, event.deal)
    case 'positionPushed':
      return onPositionReport(turn, event.position)
    case 'assetPushed':
      if (isZeroPush(state, event.asset)) return onPushLeftOut(turn)
      return noteCash(turn, event.asset)
    case 'pushLeftOut':
      return onPushLeftOut(turn)
    case 'terminalSeen':
      return onTerminalSeen(turn)
    case 'disconnected':
      clientAhead(turn, event.clientEpoch)
      return onDisconnected(turn, event.reason)
  }
}

const EVENT_OF = { accepted: 'accept', rejected: 'reject', unknown: 'doubt' } as const

type SubmitAnswered = Extract<DriverEvent, { kind: 'submitAnswered' }>

function onSubmitAnswered(turn: Turn, clientOrderId: string, outcome: SubmitOutcome): void {
  const order = turn.state.orders.get(clientOrderId)
  if (order === undefined) return turn.warn(`answer for an order nobody placed: ${clientOrderId}`)
  // With a number it is at the broker, whatever this answer says.
  if (order.orderId === '') learn(turn, order, outcome)
  if (outcome.kind === 'unknown') {
    turn.timer('doubt', turn.state.policy.limits.doubtQueryIntervalMs)
  }
  orderAnswered(turn, clientOrderId)
  if (turn.state.hasParked) doubtPoll(turn) // what was kept back for this order may be somebody else's
}

/** A late answer may be of the connection before; to a call of this one the number is what it has here. */
function noteAnswered({ state }: Turn, { clientOrderId, outcome }: SubmitAnswered): void {
  const number = state.orders.get(clientOrderId)?.orderId
  if (outcome.kind === 'accepted' && outcome.orderId === number) {
    noteNumber(state.numbers, clientOrderId)
  }
}

/** What a strategy decided on may be of before the computer slept: its stock waits for a newer quote. */
function noteNeverSent(
  turn: Turn,
  { clientOrderId, outcome }: SubmitAnswered,
  quoteMs: number | undefined,
): void {
  const order = turn.state.orders.get(clientOrderId)
  if (order === undefined || order.requestHash !== '') return
  if (outcome.kind !== 'rejected' || outcome.isTooLate !== true) return
  awaitNewerQuote(turn, order.code, quoteMs)
}

function learn(turn: Turn, order: OrderRecord, outcome: SubmitOutcome): void {
  const { clientOrderId } = order
  const event = EVENT_OF[outcome.kind]
  const orderId = outcome.kind === 'accepted' ? outcome.orderId : ''
  if (orderId === '' && nextStatus(order.status, event) === undefined) return
  const message = outcome.kind === 'accepted' ? '' : outcome.message
  const { isTooLate } = outcome.kind === 'rejected' ? outcome : {}
  turn.moveOrder(clientOrderId, event, { orderId, message, ...(isTooLate && { isTooLate }) })
  if (orderId === '' || isOpen(order.status)) return
  const text = `number ${orderId} came after it had ended (${order.status}); it is open again`
  turn.warnOfOrder(clientOrderId, text)
  if (turn.state.isReady) turn.query('orders', 'poll')
}

function onCancelAnswered(
  turn: Turn,
  { callId, orderId, result }: Extract<DriverEvent, { kind: 'cancelAnswered' }>,
): void {
  const call = turn.state.calls.get(callId)
  turn.state.calls.delete(callId)
  if (call?.kind !== 'cancel') return
  const { clientOrderId } = call
  const order = turn.state.orders.get(clientOrderId)
  if (result.ok) {
    const message = `撤单请求已提交 (the cancel is sent)${order === undefined ? '' : hintOf(order)}`
    return turn.reply(call.ref, { result: 0, orderId, message })
  }
  if (order !== undefined && nextStatus(order.status, 'refuseCancel') !== undefined) {
    turn.moveOrder(clientOrderId, 'refuseCancel')
  }
  const message = `${result.error.message}${order === undefined ? '' : hintOf(order)}`
  turn.reply(call.ref, { result: -1, orderId, message })
  onCancelRefused(turn, clientOrderId)
}

function onQueryAnswered(
  turn: Turn,
  { callId, result }: Extract<DriverEvent, { kind: 'queryAnswered' }>,
): void {
  const call = turn.state.calls.get(callId)
  turn.state.calls.delete(callId)
  if (call?.kind !== 'query') return
  if (!result.ok) return queryFailed(turn, call, result.error.message)
  turn.state.unanswered.delete(call.what)
  turn.asked = { at: callId, wallMs: call.askedMs }
  if (call.purpose === 'recover') return recovered(turn, result.value)
  if (hasTurnedZero(turn.state, result.value)) return onDisconnected(turn, NOT_LOGGED_IN)
  switch (call.purpose) {
    case 'doubt':
      return onDoubtReport(turn, result.value)
    case 'reconcile':
      return onReconcileReport(turn, result.value)
    case 'ping':
      onPingAnswered(turn)
      return applyReport(turn, result.value)
    case 'poll':
    case 'books':
    case 'open':
    case 'fills':
      return applyReport(turn, result.value)
    case 'cancel':
      applyReport(turn, result.value)
      return cancelAgain(turn)
  }
}

/** One of the four reports after a connect; all of them may say that there is nobody behind it. */
function recovered(turn: Turn, report: QueryRows): void {
  const { state } = turn
  if (areBlank(state, new Map(state.reports).set(report.what, report))) {
    return onDisconnected(turn, NOT_LOGGED_IN)
  }
  onRecoveryReport(turn, report)
}

/** Nothing is concluded from a failed report; one that is needed to go on means the connection is not usable. */
function queryFailed(turn: Turn, call: PendingCall, message: string): void {
  if (call.kind !== 'query') return
  if (call.purpose === 'recover' || call.purpose === 'reconcile') {
    reportFailed(turn, call.what, message)
  }
  if (call.purpose !== 'recover' && call.purpose !== 'ping') return warnOnce(turn, call, message)
  onDisconnected(turn, `${ASKING[call.what]}：${message}`)
}

/** While an order waits for a list, it is asked for every other second: what failed is said again for another reason, or after it came. */
function warnOnce(turn: Turn, { what }: { readonly what: QueryKind }, message: string): void {
  const { unanswered } = turn.state
  if (unanswered.get(what) !== message) turn.warn(`${what} not answered: ${message}`)
  unanswered.set(what, message)
}

/** What was asked when the client was found gone. */
const ASKING: Readonly<Record<QueryKind, string>> = {
  asset: '查询资金 (asking for cash)',
  positions: '查询持仓 (asking for positions)',
  orders: '查询委托 (asking for orders)',
  deals: '查询成交 (asking for deals)',
}

const unanswered = (timeoutMs: number, setting: string): string =>
  `交易客户端 ${timeoutMs / 1_000} 秒内没有应答 (no answer within ${setting})`

/** The time of a call is up. What it was decides what is unknown now. */
export function onCallTimedOut(turn: Turn, callId: number): void {
  const { state } = turn
  const call = state.calls.get(callId)
  if (call === undefined) return
  state.calls.delete(callId)
  const message = unanswered(state.policy.limits.callTimeoutMs, 'call_timeout')
  switch (call.kind) {
    case 'connect':
      return connectionFailed(
        turn,
        unanswered(state.policy.limits.connectTimeoutMs, 'limits.account.connect_timeout_ms'),
      )
    case 'submit':
      return onSubmitAnswered(turn, call.clientOrderId, { kind: 'unknown', message: '' })
    case 'cancel':
      return turn.refuse(call.ref, new ServiceError('CALL_TIMEOUT', `撤单：${message}`))
    case 'query':
      return queryFailed(turn, call, message)
    case 'barrier':
      return // it says nothing, and is asked for again with the next look
  }
}
