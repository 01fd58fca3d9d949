import { ServiceError } from '../../domain/errors.ts'
import type { AccountRequest } from '../../protocol/account.ts'
import { orderKeyOf } from '../lines/owner-line.ts'

/** What keeps the decisions of an account from being written down. */
export interface Standstill {
  /** The journal of the cluster is not answered. */
  readonly isJournalStalled: boolean
  /** The disk of this process does not answer. */
  readonly isDiskLate: boolean
}

/**
 * Why an order is not begun now: it would wait, and nobody could say for how long. Undefined for all others, and while
 * nothing stands still.
 */
export function heldBack(
  request: AccountRequest,
  { isJournalStalled, isDiskLate }: Standstill,
): ServiceError | undefined {
  if (!wantsOrder(request)) return undefined
  if (isJournalStalled) return new ServiceError('NOT_CONNECTED', STALLED)
  return isDiskLate ? new ServiceError('NOT_CONNECTED', DISK_LATE) : undefined
}

/** An order, or one in the place of another. */
const wantsOrder = (request: AccountRequest): boolean =>
  request.kind === 'amendOrder' || orderKeyOf(request) !== undefined

const STALLED =
  '集群日志暂无应答，本次请求未执行，恢复后再试；此前以同一编号提交的委托不受影响 (the journal of the cluster is not answered, and this request was not carried out: try again when it is back. What was ordered before under the same key stays as it is)'
const DISK_LATE =
  '磁盘没有响应，本次请求未执行，恢复后再试；此前以同一编号提交的委托不受影响 (the disk does not answer, and this request was not carried out: try again when it is back. What was ordered before under the same key stays as it is)'
