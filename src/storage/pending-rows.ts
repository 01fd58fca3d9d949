import { type Key, type RangeQuery, type Row, TABLE, type TableName } from '../protocol/store.ts'
import { compareKeys } from './commit-plan.ts'
import type { PlannedCommit } from './planned-commit.ts'

/** By key, the newest value; null is a row that is gone. */
type Changed = ReadonlyMap<Key, Uint8Array | null>

/** What commits come to, by table: a row that was written often counts once. */
export function changedRows(commits: readonly PlannedCommit[]): ReadonlyMap<TableName, Changed> {
  const tables = new Map<TableName, Map<Key, Uint8Array | null>>()
  const of = (table: TableName) => {
    const known = tables.get(table) ?? new Map<Key, Uint8Array | null>()
    tables.set(table, known)
    return known
  }
  for (const { entries, changes } of commits) {
    for (const { seq, row } of entries) of(TABLE.journal).set(seq, row)
    for (const { table, key, value } of changes) of(table).set(key, value)
  }
  return tables
}

/**
 * The answer to a query as it would be with `changed` in the database. `stored` are its rows there, with
 * `changed.size` more than the query may have.
 */
export function withChanged(
  stored: readonly Row[],
  changed: Changed,
  { from, to, reverse = false, limit }: Omit<RangeQuery, 'table'>,
): readonly Row[] {
  const sign = reverse ? -1 : 1
  const isWithin = (key: Key) =>
    (from === undefined || compareKeys(key, from) * sign >= 0) &&
    (to === undefined || compareKeys(key, to) * sign <= 0)
  const own = [...changed]
    .filter(([key]) => isWithin(key))
    .sort(([a], [b]) => compareKeys(a, b) * sign)
  const kept = stored.filter(({ key }) => !changed.has(key))
  const rows: Row[] = []
  let next = 0
  for (const [key, value] of own) {
    for (; next < kept.length; next++) {
      const row = kept[next] as Row
      if (compareKeys(row.key, key) * sign > 0) break
      rows.push(row)
    }
    if (value !== null) rows.push({ key, value })
  }
  return [...rows, ...kept.slice(next)].slice(0, limit)
}
