import type { Setting } from '../../src/config/settings-list.ts'
import type { Caller } from '../message/caller.ts'

/** What concerns every account alike. A section that is not named here is for an admin of all. */
const COMMON_SECTIONS: ReadonlySet<string> = new Set([
  'market',
  'direct',
  'strategy',
  'risk',
  'log',
  'limits',
])
/** Of them, what says where something lies on this computer. */
const PLACES = /(?:^|[._])(?:file|folder|path|dir|python|attach)$/
const OF_ACCOUNT = /^accounts\[(\d+)\]/

/** Whether the caller may see and do everything. */
export const isOfAll = ({ scope, accounts }: Pick<Caller, 'scope' | 'accounts'>): boolean =>
  scope === 'admin' && accounts === undefined

/**
 * The settings that a caller may see: an admin of all accounts every one; anybody else what is common to
 * all, and the sections of the accounts that are its own. Names of tokens, keys and other people's
 * accounts, with their numbers, paths and positions, are not among them.
 */
export function shownSettings(
  settings: readonly Setting[],
  caller: Pick<Caller, 'scope' | 'accounts'>,
): readonly Setting[] {
  if (isOfAll(caller)) return settings
  const own = ownSections(settings, caller.accounts)
  return settings.filter(({ path, isSecret }) => {
    if (isSecret) return false
    const section = OF_ACCOUNT.exec(path)?.[1]
    if (section !== undefined) return own.has(section)
    return COMMON_SECTIONS.has(path.split('.')[0] ?? '') && !PLACES.test(path)
  })
}

/** Places in the list of accounts; undefined accounts = all. */
function ownSections(settings: readonly Setting[], accounts: Caller['accounts']): Set<string> {
  const own = new Set<string>()
  for (const { path, value } of settings) {
    const section = /^accounts\[(\d+)\]\.account_id$/.exec(path)?.[1]
    if (section === undefined) continue
    if (accounts?.has(String(value)) ?? true) own.add(section)
  }
  return own
}
