import type { StockCode } from '../../domain/instrument.ts'
import { decode, encode } from '../../protocol/codec.ts'
import type { Environment, TableKey } from '../../storage/environment.ts'
import type { BookRows, Changes, Holding, Ledger, PaperDeal, PaperOrder } from './books.ts'

export const TABLES = ['meta', 'holdings', 'orders', 'deals', 'acted'] as const
export type BookTable = (typeof TABLES)[number]

/** Of the table `meta`. */
export const META = {
  schema: 'schema',
  epoch: 'epoch',
  ledger: 'ledger',
  head: 'head',
  logs: 'logs',
} as const

/** One row as it lies in the database; null takes it away. */
export type RowChange = readonly [table: BookTable, key: TableKey, row: Uint8Array | null]

/** What steps changed, one after the other, as rows: each row once, as the last of them left it. */
export function rowsOf(changes: readonly Changes[]): readonly RowChange[] {
  const last = new LastRows()
  for (const { ledger, holdings, goneHoldings, orders, deals, acted } of changes) {
    last.put('meta', META.ledger, ledger)
    for (const holding of holdings) last.put('holdings', holding.code, holding)
    for (const code of goneHoldings) last.put('holdings', code, null)
    for (const order of orders) last.put('orders', [order.session, order.seq], order)
    for (const deal of deals) last.put('deals', [deal.session, deal.seq], deal)
    for (const [code, timeMs] of acted) last.put('acted', code, timeMs)
  }
  return last.rows().map(([table, key, row]) => [table, key, row === null ? null : encode(row)])
}

/**
 * Puts rows that were changed one after the other, each once, and takes away what is older than `keepDays`
 * trading days when a day has begun. Inside a transaction only.
 */
export function putRows(env: Environment, rows: readonly RowChange[], keepDays: number): void {
  const last = new LastRows<Uint8Array>()
  for (const [table, key, row] of rows) last.put(table, key, row)
  const before = ledgerIn(env).session
  const bytes = last.get('meta', META.ledger)
  const session = bytes ? decode<Ledger>(bytes).session : before
  const oldest = session - keepDays
  for (const [table, key, row] of last.rows()) {
    if (row === null) env.remove(table, key)
    else if (!isBefore(key, oldest)) env.put(table, key, row)
  }
  if (session === before) return
  for (const table of ['orders', 'deals'] as const) {
    for (const key of env.keys(table, { to: [oldest] })) env.remove(table, key)
  }
}

/** Filed under a trading day before this one. */
const isBefore = (key: TableKey, session: number): boolean =>
  Array.isArray(key) && Number(key[0]) < session

function ledgerIn(env: Environment): Ledger {
  const ledger = metaIn<Ledger>(env, META.ledger)
  if (ledger === undefined) throw new Error(`${env.folder}: paper books without a ledger`)
  return ledger
}

export function metaIn<T>(env: Environment, key: string): T | undefined {
  const bytes = env.get('meta', key)
  return bytes === undefined ? undefined : decode<T>(bytes)
}

/** Inside a transaction only. */
export const putMeta = (env: Environment, key: string, value: unknown): void =>
  env.put('meta', key, encode(value))

/** Of the newest owner; 0 before the first. */
export const epochIn = (env: Environment): number => metaIn<number>(env, META.epoch) ?? 0

/** Names of the logs in which there may be commits that the database does not have. */
export const logsIn = (env: Environment): readonly string[] =>
  metaIn<readonly string[]>(env, META.logs) ?? []

/** The rows of the session under way, oldest first. */
export function loadRows(env: Environment): BookRows {
  const ledger = ledgerIn(env)
  const rowsIn = <T, K extends TableKey>(table: BookTable, range: { from?: K; to?: K } = {}) =>
    env.range<K>(table, range).map(({ key, value }) => [key, decode<T>(value)] as const)
  const session = { from: [ledger.session], to: [ledger.session + 1] } // and no row has this key
  return {
    ledger,
    holdings: rowsIn<Holding, string>('holdings').map(([, holding]) => holding),
    orders: rowsIn<PaperOrder, number[]>('orders', session).map(([, order]) => order),
    deals: rowsIn<PaperDeal, number[]>('deals', session).map(([, deal]) => deal),
    acted: rowsIn<number, StockCode>('acted'),
  }
}

/** Rows by table and key, in the order in which they first came. */
class LastRows<T = unknown> {
  readonly #rows = new Map<string, readonly [BookTable, TableKey, T | null]>()

  put(table: BookTable, key: TableKey, row: T | null): void {
    this.#rows.set(`${table} ${String(key)}`, [table, key, row])
  }

  get(table: BookTable, key: TableKey): T | null | undefined {
    return this.#rows.get(`${table} ${String(key)}`)?.[2]
  }

  rows(): (readonly [BookTable, TableKey, T | null])[] {
    return [...this.#rows.values()]
  }
}
