import { ServiceError } from '../domain/errors.ts'
import { decode } from '../protocol/codec.ts'
import {
  type RangeQuery,
  type Row,
  type StoredEntry,
  TABLE,
  type TableName,
} from '../protocol/store.ts'
import { databaseFolder, OWN, OWN_TABLE } from './account-database.ts'
import { checkRange } from './commit-plan.ts'
import { type Environment, hasEnvironment, openReadOnly } from './environment.ts'
import { EMPTY_JOURNAL, type JournalHead } from './journal-chain.ts'
import { SCHEMA_VERSION } from './migrations.ts'

/**
 * The database of one account for whoever only looks: no claim, no lock, beside a running service.
 *
 * Everything read in one turn after {@link refresh} is one state of the database.
 * Errors  `STORE_FAILED` for bytes that are not those that were written.
 */
export class AccountReader {
  readonly #env: Environment

  constructor(env: Environment) {
    this.#env = env
  }

  refresh(): void {
    this.#env.refresh()
  }

  /** Up to `limit` entries, from number `from` on. */
  journal(from: number, limit: number): readonly StoredEntry[] {
    if (!this.#env.has(TABLE.journal)) return []
    const isWhole = from <= 1 // then also what stands before the first number
    const rows = this.#env.range(TABLE.journal, { limit, ...(!isWhole && { from }) })
    return rows.map(({ value }) => decode<StoredEntry>(value))
  }

  /** Rows as they are on disk by now. Errors  `INTERNAL` for a malformed query. */
  range(query: RangeQuery): readonly Row[] {
    const limit = checkRange(query)
    this.#env.refresh()
    return this.#env.has(query.table) ? this.#env.range(query.table, { ...query, limit }) : []
  }

  /** Where the store says that the journal ends. */
  head(): JournalHead {
    return this.#own<JournalHead>(OWN.head) ?? EMPTY_JOURNAL
  }

  rows(table: TableName): readonly Row[] {
    return this.#env.has(table) ? this.#env.range(table) : []
  }

  async close(): Promise<void> {
    await this.#env.close()
  }

  /** Errors  `STORE_FAILED` when another release wrote this database. */
  checkSchema(): void {
    const stored = this.#own<number>(OWN.schema)
    if (stored === SCHEMA_VERSION) return
    const text = `the database has schema ${stored}, this release reads ${SCHEMA_VERSION}`
    throw new ServiceError('STORE_FAILED', text)
  }

  #own<T>(key: string): T | undefined {
    const bytes = this.#env.has(OWN_TABLE) ? this.#env.get(OWN_TABLE, key) : undefined
    return bytes === undefined ? undefined : decode<T>(bytes)
  }
}

/** Whether an account of this name was ever stored: what is damaged counts, what was never there does not. */
export const hasAccountDatabase = (dataDir: string, accountId: string): boolean =>
  hasEnvironment(databaseFolder(dataDir, accountId))

/** Opens `<dataDir>/<accountId>/db`, which must exist. Errors as of {@link AccountReader}. */
export const openAccountReader = (dataDir: string, accountId: string): AccountReader =>
  new AccountReader(
    openReadOnly(databaseFolder(dataDir, accountId), [OWN_TABLE, ...Object.values(TABLE)]),
  )
