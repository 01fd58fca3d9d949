import type { Config } from '../config/schema.ts'
import { accountsIn } from './stopped.ts'

/**
 * Accounts that have data here and that the configuration does not name: taken out of it, or their number was mistyped.
 * Nobody looks after their holdings and open orders.
 */
export function unnamedAccounts({
  data_dir: dataDir,
  accounts,
}: Pick<Config, 'data_dir' | 'accounts'>): readonly string[] {
  const named = new Set(accounts.map(({ account_id: id }) => id))
  try {
    return accountsIn(dataDir).filter((id) => !named.has(id))
  } catch {
    return [] // a folder that may not be looked at is told elsewhere
  }
}

export const UNNAMED_MEND =
  '若仍须照管，请写回 accounts；不再需要，请把它们的文件夹移出数据目录 (put them back among "accounts" where they are to be looked after; else move their folders out of the data folder)'

/** What of them is to be said; empty: there are none. */
export function unnamedText(config: Pick<Config, 'data_dir' | 'accounts'>): string {
  const ids = unnamedAccounts(config).join(', ')
  return ids === ''
    ? ''
    : `数据目录里有配置没有列出的账户，无人照管它们的持仓和委托：${ids} (accounts that the configuration does not name have data here, and nobody looks after their holdings and orders: ${ids})`
}

/** One line for the log and for `steward check`. */
export function unnamedWarnings(config: Pick<Config, 'data_dir' | 'accounts'>): readonly string[] {
  const text = unnamedText(config)
  return text === '' ? [] : [`${text}；${UNNAMED_MEND}`]
}
