import type { AccountRequest } from '../../protocol/account.ts'
import type { Turn } from '../turn.ts'
import { killSwitchFields } from '../views/safety.ts'
import { cancelAllOpen } from './cancel-all.ts'
import { watchTriggers } from './triggers.ts'

/**
 * A person sets the level, up or down. What a trigger watches is looked at again at once, so that a
 * level lowered too far is answered as it then stands. With `cancel_all` every open order is
 * canceled in the same turn; the intents are durable first.
 */
export function setKillSwitch(
  turn: Turn,
  { level, reason, source }: Extract<AccountRequest, { kind: 'setKillSwitch' }>,
  ref: number,
): void {
  const { state, inputs } = turn
  const { level: before, reason: reasonBefore } = state.killSwitch
  if (level !== before || reason !== reasonBefore) {
    turn.emit({ kind: 'killSwitchSet', before, level, reason, trigger: null, value: 0, source })
    turn.warn(`kill switch at ${level}, was ${before}: ${reason}`)
  }
  watchTriggers(turn)
  cancelAllOpen(turn)
  turn.reply(ref, { fields: killSwitchFields(state, inputs) })
}
