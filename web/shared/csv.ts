/** A byte order mark: without it the usual spreadsheet takes the file for another encoding. */
export const MARK = '\uFEFF'

/** How a formula begins; some spreadsheets take the wide signs of Chinese keyboards for the same. */
const FORMULA = /^\s*[=+\-@＝＋－＠]|^[\t\r\n]/

/**
 * Rows as CSV. What a spreadsheet would take for a formula is defused, and codes stay text, so that 000001
 * keeps its zeros.
 */
export function toCsv(
  head: readonly string[],
  rows: readonly (readonly (string | number)[])[],
): string {
  return MARK + [head, ...rows].map((row) => row.map(cell).join(',')).join('\r\n')
}

function cell(value: string | number): string {
  if (typeof value === 'number') return String(value)
  if (/^0\d+$|^\d{6}$/.test(value)) return `"=""${value}"""`
  const safe = FORMULA.test(value) ? `'${value}` : value
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
