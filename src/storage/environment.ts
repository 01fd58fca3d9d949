import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Database, RootDatabase, Transaction } from 'lmdb'
import { ServiceError } from '../domain/errors.ts'
import type { Key } from '../protocol/store.ts'
import { bringForward, LastTransaction, SET_BACK_MAX, setBack } from './last-transaction.ts'
import { seal, unseal } from './seal.ts'

/** Transactions after which readers are looked for that are gone, and whose pages could not be written over until then. */
const READERS_CHECK_EVERY = 64
/** The number of the transaction that wrote it: whoever finds that of the last one reads what is newest. */
const WRITTEN = 'written'
const NUMBER = 'transaction'

/** A key of several parts sorts by the first of them that differs, and a shorter one before a longer. */
export type TableKey = Key | Key[]

interface TableRange<K extends TableKey> {
  readonly from?: K | undefined
  readonly to?: K | undefined
  readonly reverse?: boolean | undefined
  readonly limit?: number | undefined
}

interface PieceOf {
  readonly after: Key | undefined
  readonly bytes: number
  readonly transaction: Transaction
}

/**
 * One LMDB environment: sealed bytes by table and key.
 *
 * Every method is synchronous, so a transaction ends in the turn in which it began and no read
 * snapshot outlives a turn, but for {@link still}. What is written follows what was written last, also where another program sets the
 * environment back: see {@link LastTransaction}.
 * Errors  `STORE_FAILED` when bytes on disk are not those that were written. What LMDB itself
 *         throws passes through.
 */
export class Environment {
  readonly folder: string
  readonly #root: RootDatabase<Uint8Array, TableKey>
  readonly #tables = new Map<string, Database<Uint8Array, TableKey>>()
  readonly #last: LastTransaction
  readonly #isReadOnly: boolean
  #probe: Promise<void> | undefined
  /** Transactions beside this thread that have not ended. */
  #later = 0
  /** Transactions of this thread since dead readers were looked for. */
  #sinceCheck = 0
  /** Something was put or removed in the transaction that is open. */
  #isChanged = false

  constructor(
    folder: string,
    root: RootDatabase<Uint8Array, TableKey>,
    tables: readonly string[],
    isReadOnly = false,
  ) {
    this.folder = folder
    this.#root = root
    this.#last = new LastTransaction(root, folder)
    this.#isReadOnly = isReadOnly
    const all = [...tables, WRITTEN]
    // Each table that is new would be a transaction of its own, with its flushes.
    if (isReadOnly) this.#open(all)
    else this.write(() => this.#make(all))
    this.#becomeNewest()
  }

  #make(tables: readonly string[]): void {
    const known = new Set(this.#root.getKeys())
    this.#open(tables)
    // An environment without rows is as good as none: nothing is noted of the transaction that made it.
    this.#isChanged = this.#number() !== undefined && tables.some((name) => !known.has(name))
  }

  #open(tables: readonly string[]): void {
    for (const name of tables) {
      const table: Database<Uint8Array, TableKey> | undefined = this.#root.openDB({
        name,
        encoding: 'binary',
      })
      if (table !== undefined) this.#tables.set(name, table) // who only reads creates none
    }
  }

  /** Whether the table is there: one of a newer release may not be, for whoever only reads. */
  has(table: string): boolean {
    return this.#tables.has(table)
  }

  /**
   * Reads that follow in this turn see what all processes had committed by now, and one state of it. Where it is
   * opened for reading only, that may be the state before, until it is written again.
   */
  refresh(): void {
    this.#root.resetReadTxn()
    // What is being written here keeps the lock, and is newer on disk a moment before it can be read.
    if (!this.#isReadOnly && this.#later === 0 && !this.#isNewest()) this.#becomeNewest()
  }

  #isNewest(): boolean {
    const number = this.#number()
    return number === undefined || number === this.#last.number
  }

  /** Of the transaction that is read; undefined: it was never written, or only by an earlier release. */
  #number(): number | undefined {
    const bytes = this.has(WRITTEN) ? this.get(WRITTEN, NUMBER) : undefined
    return bytes && new DataView(bytes.buffer).getFloat64(0)
  }

  #becomeNewest(): void {
    for (let times = 1; times <= SET_BACK_MAX && !this.#isNewest(); times++) {
      if (!this.#isReadOnly) {
        // Inside the lock nothing else is newer: it is noted now, also where an earlier release wrote it last.
        this.write(() => {
          this.#isChanged = !this.#isNewest()
        })
      } else if (times > 1) bringForward(this.folder) // before, it may only have been written meanwhile
      this.#root.resetReadTxn()
    }
  }

  get(table: string, key: TableKey): Uint8Array | undefined {
    const sealed = this.#table(table).get(key)
    return sealed === undefined ? undefined : this.#unseal(table, key, sealed)
  }

  /** `from` is where reading starts and `to` where it ends, both inclusive, also in reverse. */
  range<K extends TableKey = Key>(table: string, range: TableRange<K> = {}) {
    const found: { key: K; value: Uint8Array }[] = []
    if (range.limit === 0) return found // LMDB would take it as no limit
    for (const row of this.#table(table).getRange(boundsOf(range))) {
      found.push({ key: row.key as K, value: this.#unseal(table, row.key, row.value) })
    }
    return found
  }

  /** As {@link range}, without a look at the rows. */
  keys<K extends TableKey = Key>(table: string, range: TableRange<K> = {}): K[] {
    return range.limit === 0 ? [] : ([...this.#table(table).getKeys(boundsOf(range))] as K[])
  }

  /** Inside {@link write} or {@link writeLater} only. Its promise says nothing there: the transaction decides. */
  put(table: string, key: TableKey, value: Uint8Array): void {
    this.#isChanged = true
    void this.#table(table).put(key, Buffer.from(seal(value).buffer))
  }
  /** Inside {@link write} or {@link writeLater} only. */
  remove(table: string, key: TableKey): void {
    this.#isChanged = true
    void this.#table(table).remove(key)
  }

  /**
   * All rows of some tables as they stand at this moment, in pieces of about `bytes`, a turn for each at most: what is
   * written meanwhile is not among them. The table of each row is told with it.
   */
  async *still<T extends string>(
    tables: readonly T[],
    bytes: number,
  ): AsyncGenerator<readonly (readonly [T, Key, Uint8Array])[]> {
    const transaction = this.#root.useReadTransaction()
    try {
      for (const table of tables) {
        let after: Key | undefined
        do {
          const piece = this.#piece(table, { after, bytes, transaction })
          after = piece.next
          yield piece.rows.map(({ key, value }) => [table, key, value] as const)
          await nextTurn()
        } while (after !== undefined)
      }
    } finally {
      transaction.done()
    }
  }

  /** Rows behind `after`, and behind which ones it goes on; undefined: nowhere. A cursor is closed in its turn. */
  #piece(table: string, { after, bytes, transaction }: PieceOf) {
    const rows: { key: Key; value: Uint8Array }[] = []
    const start = after !== undefined && { start: after, exclusiveStart: true }
    let left = bytes
    for (const row of this.#table(table).getRange({ ...start, transaction })) {
      const key = row.key as Key
      rows.push({ key, value: this.#unseal(table, key, row.value) })
      left -= row.value.length
      if (left <= 0) return { rows, next: key }
    }
    return { rows, next: undefined }
  }

  /** One transaction, on disk when this returns; what `work` throws undoes all of it. */
  write<T>(work: () => T): T {
    this.#forgetDeadReaders()
    const done: { result?: T } = {}
    for (let times = 1; ; times++) {
      let isDone = false
      this.#root.transactionSync(() => {
        isDone = this.#inTransaction(() => {
          done.result = work()
        })
        // Returns nothing: a promise returned here would keep the transaction open.
      })
      if (isDone) return done.result as T
      this.#mayTryAgain(times)
    }
  }

  /**
   * A process that was killed while it read is a reader for ever: nothing that it could see is written over, and the
   * file grows with every transaction. LMDB looks for such by itself only where something is written beside the thread.
   */
  #forgetDeadReaders(): void {
    this.#sinceCheck = (this.#sinceCheck + 1) % READERS_CHECK_EVERY
    if (this.#sinceCheck === 0) this.#root.readerCheck()
  }

  /**
   * As {@link write}, but the lock is waited for and the bytes are flushed beside this thread. `work`
   * must be repeatable, and throw before it writes: nothing is undone then. Resolves when it is on disk.
   */
  async writeLater(work: () => void): Promise<void> {
    this.#later += 1
    try {
      for (let times = 1; ; times++) {
        let isDone = false
        await this.#beside(() => {
          isDone = this.#inTransaction(work)
        })
        if (isDone) return void (await this.#root.flushed)
        this.#mayTryAgain(times)
      }
    } finally {
      this.#later -= 1
    }
  }

  /** False: nothing was done, because what would be written does not follow what was written last. */
  #inTransaction(work: () => void): boolean {
    const number = this.#last.follower()
    if (number === undefined) return false
    this.#isChanged = false
    work()
    if (!this.#isChanged) return true
    const bytes = new Uint8Array(Float64Array.BYTES_PER_ELEMENT)
    new DataView(bytes.buffer).setFloat64(0, number)
    this.put(WRITTEN, NUMBER, bytes)
    return true
  }

  #mayTryAgain(times: number): void {
    if (times === SET_BACK_MAX) throw setBack(this.folder, `${times} times in a row`)
  }

  /**
   * Resolves when the write lock could be had. Waits beside this thread, where {@link write} would
   * stop it: another process may have been suspended in the middle of a transaction.
   */
  untilWritable(): Promise<void> {
    this.#probe ??= this.#beside(() => undefined).finally(() => {
      this.#probe = undefined
    })
    return this.#probe
  }

  /** A transaction beside this thread. Errors  what refused its commit. */
  async #beside(work: () => void): Promise<void> {
    try {
      await this.#root.transaction(work)
    } catch (error) {
      throw await reasonOf(error)
    }
  }

  /** As it stands at one moment, into a folder that is there; also while another process writes it. */
  async copyTo(target: string): Promise<void> {
    await this.#root.backup(target, false)
  }

  /** Does not wait for a lock that another process keeps. */
  async close(): Promise<void> {
    if (this.#probe === undefined) await this.#root.close()
  }

  #table(name: string): Database<Uint8Array, TableKey> {
    const table = this.#tables.get(name)
    if (table === undefined) throw new Error(`no table "${name}" in ${this.folder}`)
    return table
  }

  #unseal(table: string, key: TableKey, sealed: Uint8Array): Uint8Array {
    const value = unseal(sealed)
    if (value !== undefined) return value
    const row = `${table}[${JSON.stringify(key)}]`
    throw new ServiceError('STORE_FAILED', `${this.folder}: the stored bytes of ${row} are damaged`)
  }
}

/**
 * LMDB rejects a commit with an error that says nothing, and tells why by the rejection of a promise in it, which ends
 * the thread where nobody takes it. By now it is rejected; where it should not be, it is not waited for.
 */
function reasonOf(error: unknown): Promise<unknown> {
  const reason: unknown = Reflect.get(Object(error), 'commitError')
  return Promise.race([reason ?? error, error]).catch((rejected: unknown) => rejected)
}

function boundsOf<K extends TableKey>({ from, to, reverse = false, limit }: TableRange<K>) {
  const bounds = {
    ...(from !== undefined && { start: from }),
    ...(to !== undefined && { end: to }),
    ...(limit !== undefined && { limit }),
  }
  return { ...bounds, reverse, inclusiveEnd: true }
}
