import type { Schemas } from '../shared/api.ts'

export const WATCHED_MAX = 100

/** A stock that is looked at without being held. */
export interface Watched {
  /** With its exchange. */
  readonly code: string
  readonly name: string
}

/** A watched stock with its quote; undefined as long as nobody has told one. */
export interface WatchedRow extends Watched {
  readonly price: number | undefined
  /** Percent against the last close. */
  readonly change: number | undefined
  readonly open: number | undefined
  readonly high: number | undefined
  readonly low: number | undefined
  readonly volume: number | undefined
  /** Yuan. */
  readonly amount: number | undefined
  /** Epoch milliseconds of the market. */
  readonly timeMs: number | undefined
}

/** What somebody else has written there is no list. */
export function readable(kept: unknown): Watched[] {
  if (!Array.isArray(kept)) return []
  return kept
    .filter(
      (one): one is Watched =>
        typeof one === 'object' &&
        one !== null &&
        /^\d{6}\.(SH|SZ|BJ)$/.test(String((one as Partial<Watched>).code)) &&
        typeof (one as Partial<Watched>).name === 'string',
    )
    .slice(0, WATCHED_MAX)
}

/** A list as text, for another browser: a stock a line. Names are one word: exchanges pad short ones with blanks. */
export const listText = (list: readonly Watched[]): string =>
  list.map(({ code, name }) => `${code} ${name.replaceAll(/\s/g, '')}`.trim()).join('\n')

const CODE = /^(?:(\d{6})\.(SH|SZ|BJ)|(SH|SZ|BJ)\.?(\d{6}))$/i
/** Texts longer than this are no list of stocks. */
const WORDS_MAX = 2_000

/** The stocks of a text, each once, in its order: codes with their exchange, and behind each what it is called. */
export function stocksIn(text: string): Watched[] {
  const found = new Map<string, string>()
  let last: string | undefined
  for (const word of text.split(/[\s,;，；、]+/, WORDS_MAX)) {
    const [, number, exchange, before, after] = CODE.exec(word) ?? []
    const code = number ?? after
    if (code !== undefined) {
      last = `${code}.${(exchange ?? before ?? '').toUpperCase()}`
      if (!found.has(last)) found.set(last, '')
    } else if (last !== undefined && found.get(last) === '') found.set(last, word)
  }
  return [...found].map(([code, name]) => ({ code, name }))
}

/** 0 is how a quote says that there is none: before the first trade of the day, or of a halted stock. */
const positive = (value: number | undefined): number | undefined =>
  value !== undefined && value > 0 ? value : undefined

export function rowOf(stock: Watched, tick: Schemas['Tick'] | undefined): WatchedRow {
  const [price, close] = [positive(tick?.lastPrice), positive(tick?.lastClose)]
  const isKnown = price !== undefined && close !== undefined
  return {
    ...stock,
    price,
    change: isKnown ? ((price - close) / close) * 100 : undefined,
    open: positive(tick?.open),
    high: positive(tick?.high),
    low: positive(tick?.low),
    volume: tick?.volume,
    amount: tick?.amount,
    timeMs: positive(tick?.time),
  }
}
