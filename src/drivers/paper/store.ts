import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import { type Database, type Key, open, type RangeOptions, type RootDatabase } from 'lmdb'
import type { StockCode } from '../../domain/instrument.ts'
import { decode, encode } from '../../protocol/codec.ts'
import type { BookRows, Changes, Holding, Ledger, PaperDeal, PaperOrder } from './books.ts'

const SCHEMA_VERSION = 1
const META = { schema: 'schema', epoch: 'epoch', ledger: 'ledger' } as const
const SEAL_BYTES = 4
/** From now on an empty database means lost data, as with every other one of this service. */
const MARK_FILE = 'created'
/**
 * noSubdir is spelled out because its default depends on a dot in the path. safeRestore never trusts
 * the newest page after a crash of the computer. Without overlapping syncs a commit is on disk when
 * it returns, the same way on every platform.
 */
const OPEN_OPTIONS = {
  noSubdir: false,
  safeRestore: true,
  overlappingSync: false,
  encoding: 'binary',
} as const

export interface PaperStoreLimits {
  /** Trading days whose orders and deals stay on disk. */
  readonly keepDays: number
}

/** What an account has before its first start. */
export interface FirstRows {
  readonly ledger: Ledger
  readonly holdings: readonly Holding[]
}

/**
 * The books of one account on disk, in an environment of their own. Everything is synchronous: a
 * step is on disk when `commit` returns, and before anybody hears of it.
 *
 * Errors  what LMDB throws passes through and must end the process; so must a damaged row.
 */
export interface PaperStore {
  /**
   * Makes `epoch` the owner and returns the rows of the session; null when a newer owner has been
   * here. The first claim ever writes `first`.
   */
  claim(epoch: number, first: () => FirstRows): BookRows | null
  /** All in one transaction, in order. False, and nothing is written, when a newer owner has been here. */
  commit(epoch: number, ...changes: readonly Changes[]): boolean
  isOwner(epoch: number): boolean
  /** The highest epoch that was ever here. */
  newest(): number
  close(): Promise<void>
}

/** Opens or creates `folder` (mode 0700). Errors  throws when another schema version wrote it. */
export function openPaperStore(folder: string, limits: PaperStoreLimits): PaperStore {
  const path = join(folder, 'db')
  mkdirSync(path, { recursive: true, mode: 0o700 })
  const root = open<Uint8Array, Key>({ path, ...OPEN_OPTIONS })
  writeFileSync(join(path, MARK_FILE), '', { mode: 0o600 })
  return new LmdbPaperStore(root, limits)
}

class LmdbPaperStore implements PaperStore {
  readonly #root: RootDatabase<Uint8Array, Key>
  readonly #limits: PaperStoreLimits
  readonly #meta: Table<Ledger | number>
  readonly #holdings: Table<Holding>
  readonly #orders: Table<PaperOrder>
  readonly #deals: Table<PaperDeal>
  readonly #acted: Table<number>

  constructor(root: RootDatabase<Uint8Array, Key>, limits: PaperStoreLimits) {
    this.#root = root
    this.#limits = limits
    const table = <T>(name: string) => new Table<T>(root, name)
    this.#meta = table('meta')
    this.#holdings = table('holdings')
    this.#orders = table('orders')
    this.#deals = table('deals')
    this.#acted = table('acted')
  }

  claim(epoch: number, first: () => FirstRows): BookRows | null {
    return this.#write(() => {
      const schema = this.#meta.get(META.schema) ?? SCHEMA_VERSION
      if (schema !== SCHEMA_VERSION)
        throw new Error(`paper books: unknown schema ${String(schema)}`)
      if (epoch < this.#epoch()) return null
      this.#meta.put(META.epoch, epoch)
      if (this.#meta.get(META.ledger) === undefined) this.#create(first())
      return this.#load()
    })
  }

  commit(epoch: number, ...changes: readonly Changes[]): boolean {
    return this.#write(() => {
      if (epoch < this.#epoch()) return false
      for (const group of changes) this.#put(group)
      return true
    })
  }

  isOwner(epoch: number): boolean {
    return epoch >= this.newest()
  }

  newest(): number {
    this.#root.resetReadTxn() // what other processes have committed by now
    return this.#epoch()
  }

  async close(): Promise<void> {
    await this.#root.close()
  }

  /** One transaction; what `work` throws undoes all of it. */
  #write<T>(work: () => T): T {
    const done: { result?: T } = {}
    this.#root.transactionSync(() => {
      done.result = work()
      // Returns nothing: a promise returned here would keep the transaction open.
    })
    return done.result as T
  }

  #epoch(): number {
    return (this.#meta.get(META.epoch) as number | undefined) ?? 0
  }

  #create({ ledger, holdings }: FirstRows): void {
    this.#meta.put(META.schema, SCHEMA_VERSION)
    this.#meta.put(META.ledger, ledger)
    for (const holding of holdings) this.#holdings.put(holding.code, holding)
  }

  #load(): BookRows {
    const ledger = this.#meta.get(META.ledger) as Ledger
    const session = { start: [ledger.session], end: [ledger.session + 1] }
    return {
      ledger,
      holdings: this.#holdings.values(),
      orders: this.#orders.values(session),
      deals: this.#deals.values(session),
      acted: this.#acted.entries() as [StockCode, number][],
    }
  }

  #put({ ledger, holdings, goneHoldings, orders, deals, acted }: Changes): void {
    const before = this.#meta.get(META.ledger) as Ledger
    this.#meta.put(META.ledger, ledger)
    for (const holding of holdings) this.#holdings.put(holding.code, holding)
    for (const code of goneHoldings) this.#holdings.remove(code)
    for (const order of orders) this.#orders.put([order.session, order.seq], order)
    for (const deal of deals) this.#deals.put([deal.session, deal.seq], deal)
    for (const [code, timeMs] of acted) this.#acted.put(code, timeMs)
    if (ledger.session !== before.session) this.#prune(ledger.session - this.#limits.keepDays)
  }

  #prune(session: number): void {
    this.#orders.removeBefore([session])
    this.#deals.removeBefore([session])
  }
}

/** One named database of sealed rows: the CRC-32 of the bytes in front of them. */
class Table<T> {
  readonly #name: string
  readonly #rows: Database<Uint8Array, Key>

  constructor(root: RootDatabase<Uint8Array, Key>, name: string) {
    this.#name = name
    this.#rows = root.openDB<Uint8Array, Key>({ name, encoding: 'binary' })
  }

  get(key: Key): T | undefined {
    const bytes = this.#rows.get(key)
    return bytes === undefined ? undefined : this.#unseal(key, bytes)
  }

  values(range: RangeOptions = {}): T[] {
    return [...this.#rows.getRange(range)].map(({ key, value }) => this.#unseal(key, value))
  }

  entries(): [Key, T][] {
    return [...this.#rows.getRange()].map(({ key, value }) => [key, this.#unseal(key, value)])
  }

  /** Inside a transaction only. Its promise says nothing there: the transaction decides. */
  put(key: Key, value: T): void {
    const bytes = encode(value)
    const sealed = Buffer.alloc(SEAL_BYTES + bytes.length)
    sealed.writeUInt32BE(crc32(bytes))
    sealed.set(bytes, SEAL_BYTES)
    void this.#rows.put(key, sealed)
  }

  /** Inside a transaction only. */
  remove(key: Key): void {
    void this.#rows.remove(key)
  }

  /** Inside a transaction only. */
  removeBefore(end: Key): void {
    for (const key of [...this.#rows.getKeys({ end })]) this.remove(key)
  }

  #unseal(key: Key, sealed: Uint8Array): T {
    const bytes = Buffer.from(sealed)
    const value = bytes.subarray(SEAL_BYTES)
    if (bytes.length < SEAL_BYTES || crc32(value) !== bytes.readUInt32BE(0)) {
      throw new Error(`paper books: the stored bytes of ${this.#name}[${String(key)}] are damaged`)
    }
    return decode<T>(value)
  }
}
