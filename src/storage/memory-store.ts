import { ServiceError } from '../domain/errors.ts'
import type { AccountStore } from '../ports/store.port.ts'
import { encode } from '../protocol/codec.ts'
import {
  type Commit,
  type Key,
  type Opened,
  type RangeQuery,
  type Row,
  TABLE,
  type TableName,
} from '../protocol/store.ts'
import { checkOpen, checkRange, compareKeys, planCommit } from './commit-plan.ts'
import { EMPTY_JOURNAL, type JournalHead } from './journal-chain.ts'

/** An account database that ends with the process: for tests and simulations. Durable means kept. */
export class MemoryStore implements AccountStore {
  readonly #tables = new Map<TableName, Map<Key, Uint8Array>>()
  readonly #epoch: number
  #head: JournalHead = EMPTY_JOURNAL
  #failed: ServiceError | undefined

  constructor(epoch = 1) {
    this.#epoch = epoch
    for (const table of Object.values(TABLE)) this.#tables.set(table, new Map())
  }

  async open(tables: readonly TableName[]): Promise<Opened> {
    checkOpen(tables)
    this.#failed = undefined
    const rows: { [T in TableName]?: readonly Row[] } = {}
    for (const table of tables) rows[table] = this.#sorted(table)
    return { epoch: this.#epoch, seq: this.#head.seq, tables: rows }
  }

  async commit(commit: Commit): Promise<void> {
    if (this.#failed !== undefined) throw this.#failed
    const plan = planCommit(commit, this.#head, this.#epoch)
    if (!plan.ok) {
      this.#failed = new ServiceError('INTERNAL', `commit refused: ${plan.error}`)
      throw this.#failed
    }
    for (const entry of plan.value.entries) {
      this.#table(TABLE.journal).set(entry.seq, encode(entry).slice())
    }
    for (const { table, key, value } of commit.changes) {
      if (value === null) this.#table(table).delete(key)
      else this.#table(table).set(key, new Uint8Array(value))
    }
    this.#head = plan.value.head
  }

  async range(query: RangeQuery): Promise<readonly Row[]> {
    const limit = checkRange(query)
    const { table, from, to, reverse = false } = query
    const [low, high] = reverse ? [to, from] : [from, to]
    const rows = this.#sorted(table).filter(
      ({ key }) =>
        (low === undefined || compareKeys(key, low) >= 0) &&
        (high === undefined || compareKeys(key, high) <= 0),
    )
    if (reverse) rows.reverse()
    return rows.slice(0, limit)
  }

  #table(table: TableName): Map<Key, Uint8Array> {
    const rows = this.#tables.get(table)
    if (rows === undefined) throw new Error(`no table "${table}"`)
    return rows
  }

  #sorted(table: TableName): Row[] {
    const rows = Array.from(this.#table(table), ([key, value]) => ({
      key,
      value: new Uint8Array(value),
    }))
    return rows.sort((a, b) => compareKeys(a.key, b.key))
  }
}
