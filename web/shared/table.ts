/** What rows can be sorted by; null, undefined, NaN and an empty text are unknown. */
type Known = string | number | boolean | null | undefined

/** One value of a row that a table shows. */
export interface Field<T> {
  /** Remembered by it; the same for ever. */
  readonly key: string
  readonly title: string
  /** Absent: rows are not sorted by it. */
  readonly value?: (row: T) => Known
}

/** Values that stand above each other. */
export interface Column<T> {
  readonly fields: readonly [Field<T>, ...Field<T>[]]
  /** Classes of its head. */
  readonly look?: string
  /** Is always shown. */
  readonly isFixed?: boolean
}

export interface Sort {
  readonly key: string
  readonly direction: 'ascending' | 'descending'
}

/** How a reader wants to see a table. */
export interface TableView {
  readonly sort?: Sort | undefined
  /** Keys of the first fields of columns that are left out. */
  readonly hidden?: readonly string[]
}

/** A column goes by its first field. */
export const columnKey = <T>({ fields: [first] }: Column<T>): string => first.key

/** Columns that are shown, by their keys. */
export function shownColumns<T>(
  columns: readonly Column<T>[],
  { hidden = [] }: TableView,
): readonly Column<T>[] {
  return columns.filter((column) => column.isFixed === true || !hidden.includes(columnKey(column)))
}

/**
 * The next order when a head is pressed: numbers begin with the largest, texts with the first; then the other
 * way; then as the rows come.
 */
export function nextSort(
  before: Sort | undefined,
  key: string,
  isNumber: boolean,
): Sort | undefined {
  const first = isNumber ? 'descending' : 'ascending'
  const second = isNumber ? 'ascending' : 'descending'
  if (before?.key !== key) return { key, direction: first }
  return before.direction === first ? { key, direction: second } : undefined
}

const TEXTS = new Intl.Collator('zh-CN', { numeric: true })

const isUnknown = (value: Known): boolean =>
  value === null || value === undefined || value === '' || Number.isNaN(value)

const compare = (a: Known, b: Known): number =>
  typeof a === 'string' && typeof b === 'string' ? TEXTS.compare(a, b) : Number(a) - Number(b)

/** In the order wanted: what is unknown is last either way, and equal values stay as they were. */
export function sorted<T>(
  rows: readonly T[],
  columns: readonly Column<T>[],
  sort: Sort | undefined,
): readonly T[] {
  const fields = columns.flatMap((column) => column.fields)
  const value = fields.find(({ key }) => key === sort?.key)?.value
  if (sort === undefined || value === undefined) return rows
  const sign = sort.direction === 'ascending' ? 1 : -1
  return rows
    .map((row) => ({ row, value: value(row) }))
    .sort(({ value: a }, { value: b }) => {
      if (isUnknown(a) || isUnknown(b)) return Number(isUnknown(a)) - Number(isUnknown(b))
      return sign * compare(a, b)
    })
    .map(({ row }) => row)
}
