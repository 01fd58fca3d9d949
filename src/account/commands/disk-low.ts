import { ServiceError } from '../../domain/errors.ts'
import { DISK_LOW_TEXT } from '../../domain/risk.ts'
import type { AccountRequest } from '../../protocol/account.ts'

/**
 * What is served while the disk is nearly full: what stops, and what only tells. Orders are let
 * through to the pre-trade rules, which refuse new ones and answer those that came before.
 */
const SERVED: ReadonlySet<AccountRequest['kind']> = new Set([
  'cancelOrder',
  'setKillSwitch',
  'previewOrder',
  'gridPreview',
  'placeOrder',
  'executeSell',
  'executeBuy',
])

/** Errors  throws `DISK_FULL`. */
export function mustBeServed(kind: AccountRequest['kind']): void {
  if (!SERVED.has(kind)) throw diskFull()
}

export const diskFull = (): ServiceError => new ServiceError('DISK_FULL', DISK_LOW_TEXT)
