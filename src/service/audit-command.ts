import { existsSync, readdirSync } from 'node:fs'
import { accountSchema, defaultDriver } from '../config/account.ts'
import type { AccountConfig, Config } from '../config/schema.ts'
import { ACCOUNT_ID, RESERVED_ACCOUNT_IDS } from '../domain/ids.ts'
import { maskAccount } from '../domain/mask.ts'
import { err, ok, type Result } from '../domain/result.ts'
import { hasAccountDatabase } from '../storage/account-reader.ts'
import { NOT_COMPARED, type Verdict, verifyAccount } from './audit-verify.ts'
import { accountPolicy } from './policy.ts'

export interface AuditCommand {
  readonly config: Config
  /** Only this account; absent: every account with a database or in the configuration. */
  readonly accountId?: string
  /** Takes each finished line. */
  readonly write: (line: string) => void
}

/**
 * `steward audit verify`: one line an account. True when every journal is whole and every row agrees.
 *
 * Errors  one line for the operator: nothing of that name is there to verify.
 */
export async function verifyAudit(command: AuditCommand): Promise<Result<boolean, string>> {
  const chosen = chosenAccounts(command)
  if (!chosen.ok) return chosen
  const { config, write } = command
  let isSound = true
  for (const account of chosen.value) {
    const name = `account ${maskAccount(account.account_id)}`
    if (!hasAccountDatabase(config.data_dir, account.account_id)) {
      write(`${name}: no database yet`)
      continue
    }
    const policy = accountPolicy(config, account, 0)
    const verdict = await verifyAccount(config.data_dir, policy)
    isSound &&= verdict.ok
    write(`${name}: ${inWords(verdict)}`)
  }
  write(NOT_COMPARED)
  return ok(isSound)
}

function inWords(verdict: Verdict): string {
  const { entries } = verdict
  if (verdict.ok) return `${entries} entries, chain ok, tables agree`
  if (verdict.seq !== undefined) return `broken at entry ${verdict.seq}: ${verdict.why}`
  return entries === 0 ? verdict.why : `${entries} entries, chain ok, but ${verdict.why}`
}

/** Those of the configuration first, then those that a gateway registered: their folders are there. */
function chosenAccounts({
  config,
  accountId,
}: AuditCommand): Result<readonly AccountConfig[], string> {
  const { accounts, data_dir: dataDir, market } = config
  if (!existsSync(dataDir)) {
    return err(`data_dir ${dataDir} does not exist; there is nothing to verify`)
  }
  const configured = new Set(accounts.map(({ account_id }) => account_id))
  const found = readdirSync(dataDir)
    .filter((name) => ACCOUNT_ID.test(name) && !RESERVED_ACCOUNT_IDS.has(name.toLowerCase()))
    .filter((name) => !configured.has(name) && hasAccountDatabase(dataDir, name))
    .map((account_id) => ({
      ...accountSchema.parse({ account_id, qmt_path: '-' }),
      driver: defaultDriver(market.source),
    }))
  const all = [...accounts, ...found]
  if (accountId === undefined) return ok(all)
  const mine = all.filter(({ account_id }) => account_id === accountId)
  if (mine.length > 0) return ok(mine)
  const known = all.map(({ account_id }) => account_id).join(', ') || 'none'
  return err(`--account ${accountId}: not configured and not in ${dataDir}; known: ${known}`)
}
