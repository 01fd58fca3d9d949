import { ServiceError } from '../../domain/errors.ts'
import { DISK_LOW_TEXT } from '../../domain/risk.ts'
import type { AccountRequest } from '../../protocol/account.ts'
import type { TurnInputs } from '../turn/turn.ts'

type Kind = AccountRequest['kind']

/**
 * What is served while the disk is nearly full: what stops, and what only tells. Orders are let
 * through to the pre-trade rules, which refuse new ones and answer those that came before.
 */
const WITH_LOW_DISK: ReadonlySet<Kind> = new Set<Kind>([
  'cancelOrder',
  'cancelQueued',
  'setKillSwitch',
  'previewOrder',
  'stockNames',
  'findOrder',
  'riskLimits',
  'gridPreview',
  'placeOrder',
  'executeSell',
  'executeBuy',
])

/** What a person can do with an account that crashed too often: stop what is under way, and look. */
const WHEN_SUSPENDED: ReadonlySet<Kind> = new Set<Kind>([
  'cancelOrder',
  'cancelQueued',
  'setKillSwitch',
  'resolveDoubt',
  'stockNames',
  'findOrder',
  'riskLimits',
  'noteTold',
  'answersGiven',
  'withdrawKey',
])

const SUSPENDED_TEXT =
  '账户多次异常已停用，仅可查询、撤单和设置急停；请重启账户 (suspended after crashes: only reads, cancels and the kill switch; restart it)'

/** Errors  throws `ACCOUNT_SUSPENDED`, `DISK_FULL`. */
export function mustBeServed(
  { isSuspended, isDiskLow }: Pick<TurnInputs, 'isDiskLow' | 'isSuspended'>,
  kind: Kind,
): void {
  if (isSuspended === true && !WHEN_SUSPENDED.has(kind)) {
    throw new ServiceError('ACCOUNT_SUSPENDED', SUSPENDED_TEXT)
  }
  if (isDiskLow === true && !WITH_LOW_DISK.has(kind)) {
    throw new ServiceError('DISK_FULL', DISK_LOW_TEXT)
  }
}
