import { statSync } from 'node:fs'
import { join } from 'node:path'
import { inCamelCase } from '../../config/camel-case.ts'
import type { Config } from '../../config/schema.ts'
import { folderOf } from '../../domain/ids.ts'
import { examineDatabases } from '../../storage/examine.ts'
import { lookAtRecords, serviceDatabaseFolder } from '../../storage/service-database.ts'
import { accountsIn } from '../data/stopped.ts'
import { registeredAmong } from './kept-registrations.ts'

type Looked = Pick<Config, 'data_dir' | 'accounts'>

/** Accounts that have data here and that the configuration does not name. */
export function unnamedAccounts({ data_dir: dataDir, accounts }: Looked): readonly string[] {
  try {
    return accountsIn(dataDir).filter(
      (name) => !accounts.some(({ account_id: id }) => isFolderOf(dataDir, id, name)),
    )
  } catch {
    return [] // a folder that may not be looked at is told elsewhere
  }
}

/** Windows finds the folder of an account also where the case of its letters is another. */
function isFolderOf(dataDir: string, accountId: string, name: string): boolean {
  if (accountId === name) return true
  if (folderOf(accountId) !== folderOf(name)) return false
  const [one, other] = [accountId, name].map((each) =>
    statSync(join(dataDir, each), { bigint: true, throwIfNoEntry: false }),
  )
  return one !== undefined && one.ino === other?.ino && one.dev === other.dev
}

/**
 * Those of them that were not registered at run time either: taken out of the configuration, or their number was mistyped.
 * Nobody looks after their holdings and open orders.
 */
async function forsaken(config: Looked & Pick<Config, 'limits'>): Promise<readonly string[]> {
  const unnamed = unnamedAccounts(config)
  if (unnamed.length === 0) return []
  const registered = await registeredAccounts(config)
  return registered === undefined ? [] : unnamed.filter((id) => !registered.includes(id))
}

/** Which accounts were registered at run time; undefined where that cannot be read, which is told elsewhere. */
export async function registeredAccounts({
  data_dir: dataDir,
  limits,
}: Pick<Config, 'data_dir' | 'limits'>): Promise<readonly string[] | undefined> {
  const folder = serviceDatabaseFolder(dataDir)
  try {
    const found = await examineDatabases([folder], inCamelCase(limits.examine))
    const { isAbsent = true, problem = null } = found.get(folder) ?? {}
    if (isAbsent) return []
    if (problem !== null) return undefined
    const look = (prefix: string) => lookAtRecords(dataDir, prefix, limits.accounts_max)
    return await registeredAmong(look)
  } catch {
    return undefined
  }
}

export const UNNAMED_MEND =
  '若仍须照管，请写回 accounts；不再需要，请把它们的文件夹移出数据目录 (put them back among "accounts" where they are to be looked after; else move their folders out of the data folder)'

/** What of them is to be said; empty: there are none. */
export async function unnamedText(config: Looked & Pick<Config, 'limits'>): Promise<string> {
  const ids = (await forsaken(config)).join(', ')
  return ids === ''
    ? ''
    : `数据目录里有配置没有列出的账户，无人照管它们的持仓和委托：${ids} (accounts that the configuration does not name have data here, and nobody looks after their holdings and orders: ${ids})`
}

/** One line for the log and for `steward check`. */
export async function unnamedWarnings(
  config: Looked & Pick<Config, 'limits'>,
): Promise<readonly string[]> {
  const text = await unnamedText(config)
  return text === '' ? [] : [`${text}；${UNNAMED_MEND}`]
}
