import type { AccountConfig, Config } from '../../config/schema.ts'
import { StartError } from '../process/start-error.ts'
import type { Scope } from '../settings/scope.ts'

/** Accounts that this process serves, each with its place in the configuration. */
export type Chosen = readonly (readonly [AccountConfig, number])[]

/** Errors  `StartError` when the one that direct mode is to serve is not configured. */
export function chosenAccounts({ accounts }: Config, scope: Scope): Chosen {
  const all = accounts.map((account, index) => [account, index] as const)
  if (scope.kind !== 'direct') return all
  const mine = all.filter(([{ account_id }]) => account_id === scope.accountId)
  if (mine.length > 0) return mine
  const known = accounts.map(({ account_id }) => account_id).join(', ')
  throw new StartError(
    known === ''
      ? '--account: 没有配置账户 (no account is configured)'
      : `--account ${scope.accountId}: 没有配置这个账户；已配置 ${known} (not configured; configured: ${known})`,
  )
}
