import { isDeepStrictEqual } from 'node:util'
import { rowOf } from '../../../actors/account/rows.ts'
import type { DirtyRow } from '../../account/model/dirty-row.ts'
import type { AccountState } from '../../account/model/state.ts'
import { decode, encode } from '../../protocol/codec.ts'
import { type Key, TABLE, type TableName } from '../../protocol/store.ts'

const isCount = (stored: unknown): boolean => Number.isSafeInteger(stored) && Number(stored) >= 0

/**
 * Fields that the journal does not give again, by table, and what may stand there. What may be sold is what the broker said
 * last, and is forgotten at every start. Which refusals count has changed with releases: the count goes on from the row.
 */
const NOT_FOLDED: Partial<
  Record<TableName, Readonly<Record<string, (stored: unknown) => boolean>>>
> = {
  positions: { sellable: () => true },
  meta: { rejectsInRow: isCount },
}
/**
 * Fields that rows of an earlier release do not have: nobody writes a row anew that is only read. The journal has had what
 * they say from the first, so one that is there must say the same.
 */
const LATER: Partial<Record<TableName, readonly string[]>> = {
  deals: ['clientOrderId'],
  gridSessions: ['pause'],
  meta: ['protectiveTold'],
}
/**
 * Lists that rows of an earlier release do not have either, and that go on in them with what comes: what stands there is the
 * end of what the journal says.
 */
const LATER_LISTS: Partial<Record<TableName, readonly string[]>> = {
  meta: ['days', 'earlierTotals'],
}
/** Points of equity are stored beside the journal, which does not grow by them. */
const BESIDE: ReadonlySet<TableName> = new Set<TableName>([
  TABLE.journal,
  TABLE.equityMinutes,
  TABLE.equityDays,
])
/** The rows that the journal explains. */
export class ExpectedRows {
  readonly #dirtyRows = new Map<TableName, Map<Key, DirtyRow>>()

  touch(dirtyRows: readonly DirtyRow[]): void {
    for (const row of dirtyRows) {
      const rows = this.#dirtyRows.get(row.table) ?? new Map<Key, DirtyRow>()
      this.#dirtyRows.set(row.table, rows.set(row.key, row))
    }
  }

  /** The first row that is not as the journal tells it, in words. */
  difference(
    state: AccountState,
    stored: (table: TableName) => readonly { readonly key: Key; readonly value: Uint8Array }[],
  ): string | undefined {
    for (const table of Object.values(TABLE)) {
      if (BESIDE.has(table)) continue
      const expected = this.#expected(state, table)
      for (const { key, value } of stored(table)) {
        const problem = compare(table, expected.get(key), decode(value))
        if (problem !== undefined) return `${table} ${key}: ${problem}`
        expected.delete(key)
      }
      const [missing] = expected.keys()
      if (missing !== undefined) return `${table} ${missing}: the row is missing`
    }
    return undefined
  }

  #expected(state: AccountState, table: TableName): Map<Key, unknown> {
    const rows = new Map<Key, unknown>()
    for (const [key, dirtyRows] of this.#dirtyRows.get(table) ?? []) {
      const row = rowOf(state, dirtyRows)
      if (row !== undefined && row !== null) rows.set(key, decode(encode(row)))
    }
    return rows
  }
}

function compare(table: TableName, expected: unknown, stored: unknown): string | undefined {
  if (expected === undefined) return 'no entry of the journal explains this row'
  if (!isObject(expected) || !isObject(stored)) {
    return isDeepStrictEqual(expected, stored) ? undefined : unlike('value', stored, expected)
  }
  for (const name of new Set([...Object.keys(expected), ...Object.keys(stored)])) {
    if (mayDiffer(table, name, stored[name], expected[name])) continue
    if (!isDeepStrictEqual(expected[name], stored[name])) {
      return unlike(name, stored[name], expected[name])
    }
  }
  return undefined
}

/** Whether a field says nothing against its row. */
const mayDiffer = (table: TableName, name: string, stored: unknown, expected: unknown): boolean =>
  NOT_FOLDED[table]?.[name]?.(stored) === true ||
  (stored === undefined && LATER[table]?.includes(name) === true) ||
  (LATER_LISTS[table]?.includes(name) === true && isEndOf(expected, stored))

const isEndOf = (whole: unknown, stored: unknown = []): boolean =>
  Array.isArray(whole) &&
  Array.isArray(stored) &&
  isDeepStrictEqual(stored, whole.slice(whole.length - stored.length))

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null

const unlike = (name: string, stored: unknown, expected: unknown): string =>
  `${name} is ${JSON.stringify(stored)}, the journal says ${JSON.stringify(expected)}`
