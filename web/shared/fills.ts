import { csvOf } from '../../src/domain/csv.ts'
import { bareCode } from './format.ts'
import type { FillsPage } from './wire.ts'

export type Fill = FillsPage['fills'][number]

/** What is looked for; empty = no bound. Days are exchange days. */
export interface FillFilter {
  from: string
  to: string
  side: '' | 'BUY' | 'SELL'
  strategy: string
  word: string
}
export const NO_FILTER: FillFilter = { from: '', to: '', side: '', strategy: '', word: '' }

/** Rows of a page on the screen, and of one that is exported. */
export const PAGE = 200
const EXPORT_PAGE = 1_000
/** A search that finds little takes many pages. */
const EXPORT_PAGES_MAX = 500
/** Rows on the screen, and in a file. */
export const LOADED_MAX = 20_000
export const EXPORT_MAX = 50_000

export type Read = <T>(path: string) => Promise<T>

/** Below the address of an account, which each backend has in another place. */
export function pathOf(
  filter: FillFilter,
  { limit, before }: { readonly limit: number; readonly before?: number | undefined },
): string {
  const query = new URLSearchParams({ limit: String(limit) })
  for (const [name, value] of Object.entries(filter)) {
    if (String(value).trim() !== '') query.set(name, String(value).trim())
  }
  if (before !== undefined) query.set('before', String(before))
  return `/fills?${query}`
}

type Newest = Pick<FillsPage, 'pagination'> & { readonly fills: readonly Fill[] }

/** The newest page, and what was read of older ones: wherever both have something, the newest page is right. */
export function joined({ fills, pagination }: Newest, older: readonly Fill[]): readonly Fill[] {
  const last = fills.at(-1)
  if (last === undefined || !pagination.has_more) return fills
  return [...fills, ...older.filter(({ id }) => id < last.id)]
}

/** Whether the newest page goes on into what was known before: else there may be fills between them. */
export function goesOn({ fills, pagination }: Newest, before: readonly Fill[]): boolean {
  const newest = before[0]?.id ?? 0
  return !pagination.has_more || fills.some(({ id }) => id <= newest)
}

/** All that match, at most {@link EXPORT_MAX}; `isWhole`: there are no more. */
export async function allFills(filter: FillFilter, get: Read) {
  const fills: Fill[] = []
  let before: number | undefined
  for (let page = 0; page < EXPORT_PAGES_MAX; page += 1) {
    const limit = Math.min(EXPORT_PAGE, EXPORT_MAX - fills.length)
    const { data } = await get<{ data: FillsPage }>(pathOf(filter, { limit, before }))
    fills.push(...data.fills)
    const { next_before: next } = data.pagination
    if (next === null) return { fills, isWhole: true }
    if (fills.length >= EXPORT_MAX) break
    before = next
  }
  return { fills, isWhole: false }
}

/** The fills of one stock, of those in which its code was found: two stocks may have the same six digits. */
export function ofStock<T extends Pick<Fill, 'stock_code'>>(
  fills: readonly T[],
  code: string,
): readonly T[] {
  const shown = bareCode(code)
  return fills.filter(({ stock_code }) => bareCode(stock_code) === shown)
}

const dayOf = ({ trade_time }: Fill): string => (trade_time ?? '').slice(0, 10)

/** The name of a file says of whom and of when it is; without a bound the days of its rows. */
export function fillsFileName(
  accountId: string,
  { from, to }: Pick<FillFilter, 'from' | 'to'>,
  fills: readonly Fill[],
): string {
  const days = fills
    .map(dayOf)
    .filter((day) => day !== '')
    .sort()
  const [first = from || to, last = to || from] = [from || days[0], to || days.at(-1)]
  return `trades-${accountId}-${first}_${last}.csv`
}

interface Words {
  readonly head: readonly string[]
  readonly sideOf: (fill: Fill) => string
  readonly labelOf: (fill: Fill) => string
}

export const fillsCsv = (fills: readonly Fill[], { head, sideOf, labelOf }: Words): string =>
  csvOf([
    head,
    ...fills.map((one) => [
      one.trade_time ?? '',
      bareCode(one.stock_code),
      one.stock_name,
      sideOf(one),
      one.price,
      one.volume,
      one.amount,
      one.commission,
      labelOf(one),
      String(one.trade_id),
      one.note ?? '',
    ]),
  ])
