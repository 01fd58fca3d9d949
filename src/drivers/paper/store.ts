import { join } from 'node:path'
import type { StockCode } from '../../domain/instrument.ts'
import { decode, encode } from '../../protocol/codec.ts'
import { type Environment, openEnvironment, type TableKey } from '../../storage/environment.ts'
import type { BookRows, Changes, Holding, Ledger, PaperDeal, PaperOrder } from './books.ts'

const SCHEMA_VERSION = 1
const META = { schema: 'schema', epoch: 'epoch', ledger: 'ledger' } as const
const TABLES = ['meta', 'holdings', 'orders', 'deals', 'acted'] as const

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
  return new LmdbPaperStore(openEnvironment(join(folder, 'db'), TABLES), limits)
}

class LmdbPaperStore implements PaperStore {
  readonly #env: Environment
  readonly #limits: PaperStoreLimits
  readonly #meta: Table<Ledger | number>
  readonly #holdings: Table<Holding>
  readonly #orders: Table<PaperOrder, number[]>
  readonly #deals: Table<PaperDeal, number[]>
  readonly #acted: Table<number>

  constructor(env: Environment, limits: PaperStoreLimits) {
    this.#env = env
    this.#limits = limits
    this.#meta = new Table(env, 'meta')
    this.#holdings = new Table(env, 'holdings')
    this.#orders = new Table(env, 'orders')
    this.#deals = new Table(env, 'deals')
    this.#acted = new Table(env, 'acted')
  }

  claim(epoch: number, first: () => FirstRows): BookRows | null {
    return this.#env.write(() => {
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
    return this.#env.write(() => {
      if (epoch < this.#epoch()) return false
      for (const group of changes) this.#put(group)
      return true
    })
  }

  isOwner(epoch: number): boolean {
    return epoch >= this.newest()
  }

  newest(): number {
    this.#env.refresh() // what other processes have committed by now
    return this.#epoch()
  }

  async close(): Promise<void> {
    await this.#env.close()
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
    const session = { from: [ledger.session], to: [ledger.session + 1] } // and no row has this key
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

/** Rows of one kind. */
class Table<T, K extends TableKey = string> {
  readonly #env: Environment
  readonly #name: (typeof TABLES)[number]

  constructor(env: Environment, name: (typeof TABLES)[number]) {
    this.#env = env
    this.#name = name
  }

  get(key: K): T | undefined {
    const bytes = this.#env.get(this.#name, key)
    return bytes === undefined ? undefined : decode<T>(bytes)
  }

  entries(range: { readonly from?: K; readonly to?: K } = {}): [K, T][] {
    return this.#env.range<K>(this.#name, range).map(({ key, value }) => [key, decode<T>(value)])
  }

  values(range: { readonly from?: K; readonly to?: K } = {}): T[] {
    return this.entries(range).map(([, row]) => row)
  }

  /** Inside a transaction only. */
  put(key: K, row: T): void {
    this.#env.put(this.#name, key, encode(row))
  }

  /** Inside a transaction only. */
  remove(key: K): void {
    this.#env.remove(this.#name, key)
  }

  /** Inside a transaction only. */
  removeBefore(key: K): void {
    for (const old of this.#env.keys<K>(this.#name, { to: key })) this.remove(old)
  }
}
