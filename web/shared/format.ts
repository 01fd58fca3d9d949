import { normalizeCode, shownCode } from '../../src/domain/instrument.ts'

/**
 * How values are written on the pages. A missing value is `--`, never 0. Ratios become percent numbers
 * in one place, `percentOfRatio`; everything else here takes percent numbers.
 */
export const MISSING = '--'

type Maybe<T> = T | null | undefined

const isNumber = (value: Maybe<number>): value is number =>
  typeof value === 'number' && Number.isFinite(value)

const grouped = (value: number, decimals: number): string =>
  value.toLocaleString('en-US', {
    minimumFractionDigits: decimals,
    maximumFractionDigits: decimals,
  })

/** `600036.SH`, `SH.600036` and `600036` are all `600036`; a code whose digits name another stock, or none, stays whole. */
export function bareCode(code: string): string {
  const known = normalizeCode(code)
  return known.ok ? shownCode(known.value) : digitsOf(code)
}
/** The six digits of a code, whichever stock they name; a text without them as it is. */
export const digitsOf = (code: string): string => code.match(/\d{6}/)?.[0] ?? code

/**
 * Funds, bonds, repos and B shares of Shanghai (in dollars) are quoted in thousandths, all other shares in hundredths. Also of
 * what is not traded here: an account may hold it, and a list may watch it.
 */
export const priceDecimals = (code: string): 2 | 3 =>
  /^(?:0[12]|1|204|5|900)/.test(digitsOf(code)) ? 3 : 2

/** A price in yuan. 0 means that there is none. */
export function price(value: Maybe<number>, code = ''): string {
  return isNumber(value) && value !== 0 ? value.toFixed(priceDecimals(code)) : MISSING
}

/** The same, but never rounded: what is judged by its last digit shows that digit. */
export function exactPrice(value: Maybe<number>, code = ''): string {
  const text = price(value, code)
  return isNumber(value) && text !== MISSING && Number(text) !== value ? String(value) : text
}

/** A number of shares. */
export const shares = (value: Maybe<number>): string =>
  isNumber(value) ? grouped(value, 0) : MISSING

/** A text of the service that programs read as well, its whole numbers in thousands. */
export const inThousands = (text: string): string =>
  text.replaceAll(/(?<![\d.])\d{4,}/g, (digits) => grouped(Number(digits), 0))

/** An amount of money in yuan. */
export const amount = (value: Maybe<number>): string =>
  isNumber(value) ? grouped(value, 2) : MISSING

const sign = (value: number): string => (value > 0 ? '+' : '')

/** An amount with its sign: profit and loss. */
export const signedAmount = (value: Maybe<number>): string =>
  isNumber(value) ? sign(value) + amount(value) : MISSING

export type AmountUnit = 'yuan' | 'wan' | 'yi'
/** The largest first. */
const UNITS: readonly (readonly [unit: AmountUnit, yuan: number])[] = [
  ['yi', 1e8],
  ['wan', 1e4],
  ['yuan', 1],
]

/** A figure, and what it counts. */
interface AmountIn {
  readonly figure: number
  readonly unit: AmountUnit
}

/** An amount in the unit that is wanted; in a smaller one where it would be less than one of it, and lose its digits. */
export function amountIn(yuan: number, wanted: AmountUnit): AmountIn {
  const from = UNITS.findIndex(([unit]) => unit === wanted)
  const [unit, divisor] = UNITS.slice(from).find(([, one]) => Math.abs(yuan) >= one) ?? ['yuan', 1]
  return { figure: yuan / divisor, unit }
}

/** A percent number, `2.56` → `+2.56%`. */
export const percent = (value: Maybe<number>): string =>
  isNumber(value) ? `${sign(value)}${value.toFixed(2)}%` : MISSING

/** A ratio, `0.0256` → the percent number 2.56. The only place where the factor 100 stands. */
export const percentOfRatio = (ratio: Maybe<number>): number | undefined =>
  isNumber(ratio) ? ratio * 100 : undefined

/** A ratio as text, `0.0256` → `+2.56%`. */
export const ratio = (value: Maybe<number>): string => percent(percentOfRatio(value))

/** −1, 0 or 1: which of the two market colours. Unknown is 0. */
export const direction = (value: Maybe<number>): -1 | 0 | 1 =>
  isNumber(value) ? (Math.sign(value) as -1 | 0 | 1) : 0

/** `2026-08-11 10:01:02` → the time alone when it is of the day shown, else month and day before it. */
export function moment(text: Maybe<string>, today = ''): string {
  if (!text) return MISSING
  const [day = '', time = ''] = text.replace('T', ' ').split(' ')
  const clock = time.slice(0, 8)
  if (day === today || day === '') return clock || MISSING
  return clock === '' || clock === '00:00:00' ? day : `${day.slice(5)} ${clock}`
}

/** The calendar day of an exchange time. */
export const dayOf = (text: Maybe<string>): string => (text ?? '').slice(0, 10)

const SHANGHAI = new Intl.DateTimeFormat('sv-SE', {
  timeZone: 'Asia/Shanghai',
  dateStyle: 'short',
  timeStyle: 'medium',
})

/** Epoch milliseconds as exchange time, `2026-08-11 10:01:02`. */
export const exchangeTime = (ms: Maybe<number>): string =>
  isNumber(ms) && ms > 0 ? SHANGHAI.format(ms) : MISSING

/** The moment of an exchange time, epoch milliseconds. */
export const exchangeMs = (text: string): number => Date.parse(`${text.replace(' ', 'T')}+08:00`)

/** Milliseconds in the unit that suits them: `125 µs`, `3.4 ms`, `12 ms`, `1.2 s`. */
export function duration(ms: Maybe<number>): string {
  if (!isNumber(ms)) return MISSING
  if (ms < 1) return `${Math.round(ms * 1_000)} µs`
  if (ms < 1_000) return `${ms.toFixed(ms < 10 ? 1 : 0)} ms`
  return `${(ms / 1_000).toFixed(1)} s`
}

/** An account as people call it, always with the end of its number: names may be alike. */
export const accountName = (accountId: string, alias = ''): string =>
  alias === '' ? tail(accountId) : `${alias} ${tail(accountId)}`

/** An account number of which only the end is shown. */
export const tail = (accountId: string): string =>
  accountId.length <= 4 ? accountId : `…${accountId.slice(-4)}`
