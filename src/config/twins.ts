import type { Row, Text, Twin } from '../domain/settings/row.ts'
import { CONSTANTS } from '../domain/settings/table.ts'
import type { Override } from './environment.ts'
import type { Problem } from './problems.ts'
import { isTree, type Tree, valueAt } from './tree.ts'

/** A constant of existing configurations that says the same as a setting of this service. */
interface Named extends Twin {
  readonly constant: string
}

const twinOf = (row: Row): Twin | undefined => ('twin' in row ? row.twin : undefined)
const ALL: readonly Named[] = CONSTANTS.flatMap(([constant, row]) => {
  const twin = twinOf(row)
  return twin ? [{ constant, ...twin }] : []
})
const TWINS = ALL.filter(({ isOfAccount }) => !isOfAccount)
/** Constants that stand in for a setting that an account does not name. */
const PER_ACCOUNT = ALL.filter(({ isOfAccount }) => isOfAccount)

/** Which setting a constant is another name of, for its description. */
export function twinText(row: Row): Text {
  const twin = twinOf(row)
  if (twin === undefined) return ['', '']
  const name = twin.path.join('.')
  return twin.isOfAccount
    ? [`，用于没有写 ${name} 的账户`, `; ${name} of accounts that name none`]
    : [`，同 ${name}`, `; same as ${name}`]
}

const contradiction = (other: string): string =>
  `与 ${other} 矛盾，两者请只留一个 (contradicts ${other}; keep one of the two)`

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
  for (const { constant, path: setting, scale } of TWINS) {
    const path = ['strategy', constant]
    const ours = valueAt(file, setting)
    const theirs = valueAt(file, path)
    const isOurs = typeof ours === 'number'
    const isTheirs = typeof theirs === 'number'
    // Rounded: 1.001 seconds are 1000.9999999999999 milliseconds.
    const value = isTheirs ? Math.round(theirs * scale) : undefined
    if (isOurs && isTheirs && ours !== value) {
      problems.push({ path, message: contradiction(setting.join('.')) })
    } else if (isTheirs && !isOurs) {
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
  return PER_ACCOUNT.flatMap(({ constant, path: setting }) => {
    const value = valueAt(file, ['strategy', constant])
    if (typeof value !== 'number') return []
    return accounts.flatMap((account: unknown, index) => {
      if (!isTree(account) || valueAt(account, setting) !== undefined) return []
      return [[index, { path: setting, value, source: `file, as strategy.${constant}` }] as const]
    })
  })
}
