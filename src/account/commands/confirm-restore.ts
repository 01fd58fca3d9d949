import { ServiceError } from '../../domain/errors.ts'
import type { AccountRequest } from '../../protocol/account.ts'
import { reconcileFields } from '../answers/safety.ts'
import { isUncompared, isUnconfirmed } from '../model/restore.ts'
import type { Turn } from '../turn/turn.ts'

/**
 * A person has seen what the comparison after a restore has found: orders may leave again. Said twice it
 * is said once.
 *
 * Errors  `CONFLICT` when the mark is not that of the last restore: somebody has looked at another report;
 *         `RECONCILE_REQUIRED` while nothing has been compared that could have been seen.
 */
export function confirmRestore(
  turn: Turn,
  { mark, source }: Extract<AccountRequest, { kind: 'confirmRestore' }>,
  ref: number,
): void {
  const { restore } = turn.state
  if (restore?.mark !== mark) {
    throw new ServiceError(
      'CONFLICT',
      '没有这一次恢复，请重新读取核对结果 (that is not the last restore; read what was found once more)',
    )
  }
  if (isUncompared(restore)) {
    throw new ServiceError(
      'RECONCILE_REQUIRED',
      '尚未与交易客户端完整核对，暂不能确认 (nothing has been compared yet that could be confirmed)',
    )
  }
  if (isUnconfirmed(restore)) {
    turn.emit({ kind: 'restoreConfirmed', mark, source })
    // Cancels that an earlier life has left half done were held back as well.
    turn.timer('cancels', turn.state.policy.limits.cancelRetryIntervalMs)
    turn.warn(`the restore is confirmed by ${source}: orders may leave again`)
  }
  turn.reply(ref, { fields: reconcileFields(turn.state) })
}
