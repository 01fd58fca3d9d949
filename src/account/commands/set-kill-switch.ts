import { ServiceError } from '../../domain/errors.ts'
import { isHigher, KILL_WORDS, type KillLevel } from '../../domain/kill-level.ts'
import type { AccountRequest } from '../../protocol/account.ts'
import { killSwitchFields } from '../answers/safety.ts'
import { askForReports } from '../client/reconcile.ts'
import type { AccountState } from '../model/state.ts'
import { cancelAllOpen } from '../orders/cancel-all.ts'
import { watchTriggers } from '../orders/triggers.ts'
import { restingOf } from '../strategies/standing.ts'
import type { Turn } from '../turn/turn.ts'

/**
 * A person sets the level: up at any time, down only on books that were compared with the trading
 * client a moment ago. What a trigger watches is looked at again at once, so that a level lowered
 * too far is answered as it then stands. With `cancel_all` every open order is canceled in the same
 * turn; the intents are durable first.
 *
 * Errors  `CONFLICT` when it would stop less than a level that the caller has not seen;
 *         `RECONCILE_REQUIRED` when it would stop less than before and the last comparison failed,
 *         is too old or has not come yet: one is begun, so that asking again a moment later will do.
 */
export function setKillSwitch(
  turn: Turn,
  { level, from, reason, source, isRaiseOnly }: Extract<AccountRequest, { kind: 'setKillSwitch' }>,
  ref: number,
): void {
  const { state, inputs } = turn
  const { level: before, reason: reasonBefore } = state.killSwitch
  const isLower = isHigher(before, level)
  const isKept = isLower && isRaiseOnly === true
  if (isLower && !isKept) {
    mustBeSeen(before, from)
    mustBeReconciled(turn)
  }
  if (isKept) turn.warn(`kill switch stays at ${before}, asked for ${level}: ${reason}`)
  else if (level !== before || reason !== reasonBefore) {
    turn.emit({ kind: 'killSwitchSet', before, level, reason, trigger: null, value: 0, source })
    turn.warn(`kill switch at ${level}, was ${before}: ${reason}`)
  }
  watchTriggers(turn)
  cancelAllOpen(turn)
  turn.reply(ref, { fields: killSwitchFields(state, { ...inputs, resting: restingOf(inputs) }) })
}

/** Somebody else, or a trigger, has raised it since: who meant to stop purchases must not set free what is stopped. */
function mustBeSeen(before: KillLevel, from: KillLevel | undefined): void {
  if (from === undefined || from === before) return
  const text = `急停已是“${KILL_WORDS[before]}”，没有改动 (the kill switch is at ${before} by now and stays there; look at it and say it again)`
  throw new ServiceError('CONFLICT', text)
}

function mustBeReconciled(turn: Turn): void {
  const { state, inputs } = turn
  // Without a broker there is nothing to compare with, and no order can reach one.
  if (state.settings.ENABLE_SIMULATION_MODE || isReconciled(state, inputs.wallMs)) return
  askForReports(turn)
  const next = state.isReady
    ? '已开始对账，请稍后重试 (a comparison was begun; try again in a moment)'
    : '连接恢复后会自动对账 (one follows as soon as the trading client is connected)'
  const text = `解除前须与交易客户端对账成功：${next}; limits.account.reconcile_fresh_ms`
  throw new ServiceError('RECONCILE_REQUIRED', text)
}

/** All four reports of this connection were compared, and not long ago. */
function isReconciled({ isReady, lastRun, policy }: AccountState, wallMs: number): boolean {
  if (!isReady || lastRun === undefined || lastRun.failed.length > 0) return false
  return wallMs - lastRun.startedWallMs <= policy.limits.reconcileFreshMs
}
