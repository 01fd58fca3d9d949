/** A byte order mark: without it the usual spreadsheet takes the file for another encoding. */
export const CSV_MARK = '\uFEFF'

/** How a formula begins; some spreadsheets take the wide signs of Chinese keyboards for the same. */
const FORMULA = /^\s*[=+\-@＝＋－＠]|^[\t\r\n]/

/** What is not known, as everywhere. */
const UNKNOWN = '--'

/** A field of a table; null: nobody knows it. */
type CsvField = string | number | null

/**
 * Rows as CSV, for a spreadsheet: UTF-8 with a mark, lines that end as on Windows. What it would take for a formula is
 * defused, and digits that are a name stay text: 000001 keeps its zeros, and the number of a deal its last digits, of
 * which a spreadsheet keeps fifteen.
 */
export const csvOf = (rows: readonly (readonly CsvField[])[]): string =>
  CSV_MARK + rows.map((row) => `${row.map(cell).join(',')}\r\n`).join('')

function cell(value: CsvField): string {
  if (value === null) return UNKNOWN
  if (typeof value === 'number') return String(value)
  if (/^\d+$/.test(value)) return `"=""${value}"""`
  const safe = FORMULA.test(value) ? `'${value}` : value
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
