import { DRIVER_NAMES, DRIVERS } from './drivers.ts'
import type { Override } from './environment.ts'
import type { Problem } from './problems.ts'
import { isTree, type Tree, valueAt } from './tree.ts'

/** A constant of existing configurations that says the same as a setting of this service. */
interface Twin {
  readonly constant: string
  readonly setting: readonly string[]
  /** Units of the setting in one unit of the constant. */
  readonly scale: number
}

export const TWINS: readonly Twin[] = [
  {
    constant: 'QMT_POSITION_QUERY_INTERVAL',
    setting: ['limits', 'account', 'position_query_interval_ms'],
    scale: 1_000,
  },
  {
    constant: 'QMT_CONNECT_TIMEOUT',
    setting: ['limits', 'account', 'connect_timeout_ms'],
    scale: 1_000,
  },
  {
    constant: 'WEB_TRADE_RECORDS_DISPLAY_DAYS',
    setting: ['limits', 'account', 'records_days'],
    scale: 1,
  },
  { constant: 'XTQUANT_MANAGER_PORT', setting: ['gateway', 'port'], scale: 1 },
  { constant: 'XTQUANT_MANAGER_RATE_LIMIT', setting: ['gateway', 'rate_limit'], scale: 1 },
]

/** Constants that stand in for a setting that an account does not name. */
export const PER_ACCOUNT: readonly Omit<Twin, 'scale'>[] = [
  { constant: 'XTQUANT_CALL_TIMEOUT', setting: ['call_timeout'] },
  ...DRIVER_NAMES.flatMap((name) =>
    (DRIVERS[name].accountTwins ?? []).map(({ constant, setting }) => ({
      constant,
      setting: [name, setting],
    })),
  ),
]

/**
 * Makes one value of each pair of names, so that neither is a dead setting: the name that is given
 * fills the other. Both given and different is a problem, because one would silently lose.
 */
export function joinTwins(file: Tree): {
  readonly overrides: readonly Override[]
  readonly problems: readonly Problem[]
} {
  const overrides: Override[] = []
  const problems: Problem[] = []
  for (const { constant, setting, scale } of TWINS) {
    const path = ['strategy', constant]
    const ours = valueAt(file, setting)
    const theirs = valueAt(file, path)
    const isOurs = typeof ours === 'number'
    const isTheirs = typeof theirs === 'number'
    if (isOurs && isTheirs && ours !== theirs * scale) {
      problems.push({ path, message: `contradicts ${setting.join('.')}; keep one of the two` })
    } else if (isTheirs && !isOurs) {
      const value = Math.round(theirs * scale)
      overrides.push({ path: setting, value, source: `file, as strategy.${constant}` })
    } else if (isOurs && !isTheirs) {
      overrides.push({ path, value: ours / scale, source: `file, as ${setting.join('.')}` })
    }
  }
  return { overrides, problems }
}

/** The same for settings of accounts: the account's own value wins, and a constant fills the gap. */
export function accountOverrides(file: Tree): (readonly [account: number, Override])[] {
  const accounts = valueAt(file, ['accounts'])
  if (!Array.isArray(accounts)) return []
  return PER_ACCOUNT.flatMap(({ constant, setting }) => {
    const value = valueAt(file, ['strategy', constant])
    if (typeof value !== 'number') return []
    return accounts.flatMap((account: unknown, index) => {
      if (!isTree(account) || valueAt(account, setting) !== undefined) return []
      return [[index, { path: setting, value, source: `file, as strategy.${constant}` }] as const]
    })
  })
}
