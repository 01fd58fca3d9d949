import { z } from 'zod'
import { STOCK_CODE } from '../domain/instrument.ts'
import { decode, encode } from './codec.ts'
import type { Tick } from './market.ts'

/** Quotes of a market, or invented ones. They are never taken for each other. */
export type QuoteKind = 'real' | 'simulated'

/** Who tells a quote. */
export interface QuoteGiver {
  readonly node: string
  readonly kind: QuoteKind
  /** Where it has them from: the name of its market source. */
  readonly source: string
}

export interface SharedQuote extends QuoteGiver {
  readonly tick: Tick
}

/** A code that a node has no quotes of its own for. */
export interface WantedCode {
  readonly code: string
  /** A price from which invented quotes may start, ten-thousandths of a yuan; 0 = none. */
  readonly hint: number
  /** It has none yet, or may have missed some: the last one is told at once. */
  readonly isNew: boolean
}

export interface QuoteWants {
  readonly node: string
  readonly kind: QuoteKind
  readonly codes: readonly WantedCode[]
}

/** First of every message; what has another one is left to those who know it. */
const FORMAT = 1
/** What a board shows; a source may tell more. */
const LEVELS = 5
/** Year 10000: beyond it days cannot be written with four digits. */
const TIME_MS_MAX = 253_402_300_799_999

const node = z.string().min(1).max(32)
const kind = z.enum(['real', 'simulated'])
const amount = z.number().min(0)
const levels = z.array(amount).max(LEVELS)
const quoteSchema = z.tuple([
  z.literal(FORMAT),
  node,
  kind,
  z.string().max(32),
  z.int().min(1).max(TIME_MS_MAX),
  z.tuple([amount, amount, amount, amount, amount, amount, amount]),
  z.tuple([levels, levels, levels, levels]),
])
const wantsSchema = z.tuple([
  z.literal(FORMAT),
  node,
  kind,
  z.array(z.tuple([z.string().regex(STOCK_CODE), amount, z.boolean()])),
])

const levelsOf = (all: readonly number[]): number[] => all.slice(0, LEVELS)

/** Numbers in a row, without their names: it is sent thousands of times a second. */
export function encodeQuote({ node, kind, source, tick }: SharedQuote): Uint8Array {
  const { time, lastPrice, open, high, low, lastClose, volume, amount } = tick
  const message: z.input<typeof quoteSchema> = [
    FORMAT,
    node,
    kind,
    source,
    time,
    [lastPrice, open, high, low, lastClose, volume, amount],
    [
      levelsOf(tick.bidPrice),
      levelsOf(tick.askPrice),
      levelsOf(tick.bidVol),
      levelsOf(tick.askVol),
    ],
  ]
  return encode(message)
}

/** The quote of this code in a message of another node; undefined when it is none that we understand. */
export function parseQuote(code: string, bytes: Uint8Array): SharedQuote | undefined {
  const read = quoteSchema.safeParse(decoded(bytes))
  if (!read.success) return undefined
  const [, node, kind, source, time, prices, [bidPrice, askPrice, bidVol, askVol]] = read.data
  const [lastPrice, open, high, low, lastClose, volume, amount] = prices
  const day = { lastPrice, open, high, low, lastClose, volume, amount }
  const tick: Tick = { time, stock_code: code, ...day, bidPrice, askPrice, bidVol, askVol }
  return { node, kind, source, tick }
}

export function encodeWants({ node, kind, codes }: QuoteWants): Uint8Array {
  const message: z.input<typeof wantsSchema> = [
    FORMAT,
    node,
    kind,
    codes.map(({ code, hint, isNew }) => [code, hint, isNew]),
  ]
  return encode(message)
}

/** What another node wants; undefined when it says nothing that we understand. */
export function parseWants(bytes: Uint8Array): QuoteWants | undefined {
  const read = wantsSchema.safeParse(decoded(bytes))
  if (!read.success) return undefined
  const [, node, kind, codes] = read.data
  return { node, kind, codes: codes.map(([code, hint, isNew]) => ({ code, hint, isNew })) }
}

function decoded(bytes: Uint8Array): unknown {
  try {
    return decode<unknown>(bytes)
  } catch {
    return undefined
  }
}
