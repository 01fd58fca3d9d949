import { err, ok, type Result } from './result.ts'

declare const brand: unique symbol
/** A suffixed code: six digits, a dot and SH, SZ or BJ, e.g. `600036.SH`. */
export type StockCode = string & { readonly [brand]: 'StockCode' }
export type Exchange = 'SH' | 'SZ' | 'BJ'

export const STOCK_CODE = /^\d{6}\.(SH|SZ|BJ)$/
const BARE = /^\d{6}$/
const PREFIXED = /^(SH|SZ|BJ)\.(\d{6})$/

/**
 * Exchange by leading digits; the longest prefix wins. 920 is Beijing before 9 is Shanghai; 111 and
 * 131 are Shenzhen bonds and repos inside the Shanghai ranges 11 and 13. 4xx and 8xx are missing on
 * purpose: old Beijing codes and index codes share them, and a guess would trade the wrong thing.
 */
const EXCHANGE_OF: ReadonlyMap<string, Exchange> = new Map([
  ['920', 'BJ'],
  ['204', 'SH'],
  ['111', 'SZ'],
  ['131', 'SZ'],
  ['11', 'SH'],
  ['13', 'SH'],
  ['12', 'SZ'],
  ['15', 'SZ'],
  ['16', 'SZ'],
  ['18', 'SZ'],
  ['5', 'SH'],
  ['6', 'SH'],
  ['9', 'SH'],
  ['0', 'SZ'],
  ['2', 'SZ'],
  ['3', 'SZ'],
])

export type CodeError = 'CODE_INVALID' | 'UNKNOWN_EXCHANGE'

/**
 * Any accepted spelling into the one used inside: `600036`, `sh.600036` and `600036.SH` are all
 * `600036.SH`. A suffix that is given is kept; a bare code gets its exchange from the digits.
 *
 * Errors  `CODE_INVALID` when it is not a code; `UNKNOWN_EXCHANGE` when the digits name no exchange.
 */
export function normalizeCode(text: string): Result<StockCode, CodeError> {
  const code = text.trim().toUpperCase()
  if (STOCK_CODE.test(code)) return ok(code as StockCode)
  const prefixed = PREFIXED.exec(code)
  if (prefixed !== null) return ok(`${prefixed[2]}.${prefixed[1]}` as StockCode)
  if (!BARE.test(code)) return err('CODE_INVALID')
  const exchange = exchangeByDigits(code)
  return exchange === undefined ? err('UNKNOWN_EXCHANGE') : ok(`${code}.${exchange}` as StockCode)
}

/** Of a text that begins with six digits. Rows ask it each time they are built: nothing is parsed. */
const exchangeByDigits = (code: string): Exchange | undefined =>
  EXCHANGE_OF.get(code.slice(0, 3)) ??
  EXCHANGE_OF.get(code.slice(0, 2)) ??
  EXCHANGE_OF.get(code.slice(0, 1))

/** What is wrong with a spelling that is no code, for the caller. */
export const whyNoCode = (error: CodeError): string =>
  error === 'CODE_INVALID'
    ? '不是证券代码，请写六位数字 (is not a stock code)'
    : '无法判断交易所，请加 .SH、.SZ 或 .BJ (names no exchange; add .SH, .SZ or .BJ)'

/** Six digits without the exchange. */
export const bareCode = (code: StockCode): string => code.slice(0, 6)

/**
 * A code as rows of holdings and records show it, and callers send it back: its six digits, where they name this very
 * stock. Where they name another one (111010.SH, which is a bond of Shenzhen by its digits) or none (830799.BJ), it stays whole.
 */
export const shownCode = (code: StockCode): string =>
  exchangeByDigits(code) === exchangeOf(code) ? bareCode(code) : code
export const exchangeOf = (code: StockCode): Exchange => code.slice(7) as Exchange

const REPO = /^(204\d{3}\.SH|131\d{3}\.SZ)$/

/** A reverse repo (逆回购): money that is lent, and what is quoted is a rate. To sell one is to lend once more. */
export const isRepo = (code: StockCode): boolean => REPO.test(code)

const B_SHARE = /^(900\d{3}\.SH|200\d{3}\.SZ)$/

/** Whether prices of a code are yuan: B shares are quoted, and paid, in dollars in Shanghai and in Hong Kong dollars in Shenzhen. */
export const isInYuan = (code: StockCode): boolean => !B_SHARE.test(code)

const SUBSCRIPTION = /^(707|713|718|730|732|733|754|780|783|787|789)\d{3}\.SH$/

/**
 * A subscription of new shares or convertible bonds in Shanghai (申购): an order that waits all day and takes no cash before
 * the allotment. In Shenzhen it has the code of the stock itself.
 */
export const isSubscription = (code: StockCode): boolean => SUBSCRIPTION.test(code)
