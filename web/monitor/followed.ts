/** Accounts that are followed in everything at once; each costs some 25 requests a minute, of 600 that the service allows. */
export const FOLLOWED_MAX = 6

interface Wanted {
  /** All accounts that there are. */
  readonly ids: readonly string[]
  /** Only how they stand is shown. */
  readonly isWall: boolean
  /** The account whose screen is open. */
  readonly open: string | undefined
  /** One answer tells how all stand; an older service has none. */
  readonly hasOverview: boolean
}

/** Whether there are more accounts than can be followed each by itself. */
export const areMany = ({ ids, hasOverview }: Pick<Wanted, 'ids' | 'hasOverview'>): boolean =>
  hasOverview && ids.length > FOLLOWED_MAX

/** The accounts of which everything is read. Of many it is the open one alone. Pure. */
export function followedOf(wanted: Wanted): readonly string[] {
  if (wanted.isWall) return []
  return areMany(wanted) ? wanted.ids.filter((id) => id === wanted.open) : wanted.ids
}
