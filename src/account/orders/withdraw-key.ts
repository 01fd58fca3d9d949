import { ServiceError } from '../../domain/errors.ts'
import type { KeyAnswer, WithdrawKey } from '../../protocol/orders.ts'
import { isWithdrawnKey, WITHDRAWN_KEY } from '../model/kept-denial.ts'
import { isUnconfirmed } from '../model/restore.ts'
import type { AccountState } from '../model/state.ts'
import { answerOf } from '../turn/replies.ts'
import type { Turn } from '../turn/turn.ts'
import { withdrawAmendment } from './amend.ts'
import { tooMany } from './approval.ts'
import { batchUnder, recoveredParts } from './batches.ts'
import { isOfBatch, queuedUnder, withdraw } from './order-queue.ts'
import { amendedUnder } from './orders.ts'
import { simulatedBefore } from './simulate-order.ts'

/**
 * Decides a key whose caller had no answer. Its request may still be on its way, in a proxy or a socket, so
 * "nothing came" is only said together with "and nothing will": the key is written down as withdrawn, and a
 * request that arrives afterwards is refused. Asked again it says the same.
 *
 * Errors  throws `NOT_CONNECTED`, `RECONCILE_REQUIRED` while the books may lack an order that the broker has, and
 *         `CONFLICT` for the key of a request for several; `OVERLOADED` when no more keys can be kept.
 */
export function withdrawKey(turn: Turn, { key, parts, source }: WithdrawKey): KeyAnswer {
  const { state } = turn
  const order = state.orders.bearing(key)
  if (order !== undefined) {
    return {
      state: 'ordered',
      answer: answerOf(order, true),
      isUntold: order.untoldMs !== undefined,
    }
  }
  const simulated = simulatedBefore(turn, key)
  if (simulated !== undefined) return { state: 'ordered', answer: simulated, isUntold: false }
  mustHaveCompared(state)
  mustHaveMetTheBroker(state)
  mustBeOfOne(state, key, parts) // before anything is taken out of the queue
  if (!hasRefusal(state, key)) mustHaveRoom(state)
  withdraw(turn, key, source) // one that waits for its turn is refused by it
  withdrawAmendment(turn, key) // and so is one that waits for the end of the order before it
  const kept = state.denials.get(key)
  if (kept !== undefined && !isWithdrawnKey(kept)) {
    return { state: 'refused', code: kept.code, message: kept.message }
  }
  if (kept === undefined) {
    turn.emit({ kind: 'keyWithdrawn', clientOrderId: key, source, forgets: tooMany(state) })
  }
  return { state: 'withdrawn', message: WITHDRAWN_KEY.message }
}

/** Books that were put back from a backup may lack the very order that is asked about, whatever was refused since. */
export function mustHaveCompared(state: AccountState): void {
  if (isUnconfirmed(state.restore)) {
    const text =
      '恢复后尚未确认，账本可能缺少委托 (restored and not confirmed: the books may lack orders)'
    throw new ServiceError('RECONCILE_REQUIRED', text)
  }
  if (!state.isReady && state.simulation === undefined) {
    const text = '交易客户端未就绪，无法确认 (not compared with the trading client yet)'
    throw new ServiceError('NOT_CONNECTED', text)
  }
}

/** A simulation lets the trading client go: where it began with the account, nobody has seen what the books lack. */
function mustHaveMetTheBroker({ simulation, lastRun }: AccountState): void {
  if (simulation === undefined || lastRun?.failed.length === 0) return
  const text =
    '模拟模式，启动后尚未与交易客户端核对，账本可能缺少委托；请先关闭模拟模式，核对后再试 (simulation mode, and the books have not been compared with the trading client since the start: they may lack orders. Switch it off, and try again once they are compared)'
  throw new ServiceError('NOT_CONNECTED', text)
}

function mustBeOfOne(state: AccountState, key: string, parts: readonly string[] | undefined): void {
  if (batchUnder(state, key) === undefined && recoveredParts(state, parts).length === 0) return
  const text = `${key} 是批量请求的键，请求已到达；仍在排队的可从队列中撤销 (the key of a request for several orders, which has come: those that still wait can be taken out of the queue)`
  throw new ServiceError('CONFLICT', text)
}

/** Whether one is kept for the key, or will be when it is taken out of the queue or of the change of an order. */
function hasRefusal(state: AccountState, key: string): boolean {
  const waiting = queuedUnder(state, key)
  const waitsAlone = waiting !== undefined && !isOfBatch(waiting)
  return state.denials.has(key) || waitsAlone || amendedUnder(state, key) !== undefined
}

function mustHaveRoom(state: AccountState): void {
  const withdrawn = [...state.denials.values()].filter(isWithdrawnKey).length
  if (withdrawn < state.policy.limits.denialsMax) return
  const text = `作废的委托键已达上限 (limits.account.denials_max withdrawn keys are kept)`
  throw new ServiceError('OVERLOADED', text)
}
