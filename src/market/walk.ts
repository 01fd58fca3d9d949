import type { StockCode } from '../domain/instrument.ts'
import { type Price, toYuan, UNITS_PER_YUAN } from '../domain/money.ts'
import { priceLimits, tickSizeOf } from '../domain/rules.ts'
import type { Tick } from '../protocol/market.ts'
import { draw, hash, salted } from './random.ts'

const LEVELS = [0, 1, 2, 3, 4] as const
/** Largest step of one tick as a share of the price; about 2 % in four hours of 3 s ticks. */
const STEP_RATIO = 0.0008
const LOT = 100
const TRADED_LOTS_MAX = 60
const LEVEL_LOTS_MAX = 500
const PSEUDO_YUAN_MIN = 5
const PSEUDO_YUAN_SPAN = 95

/** One simulated code between two ticks. Plain data: it can be saved and gone on with. */
export interface Walk {
  readonly code: StockCode
  /** State of the code's own generator, so that one code more does not shift the others. */
  readonly random: number
  /** Exchange day that `lastClose`, `open`, `high`, `low`, `volume` and `amount` belong to. */
  readonly day: string
  readonly price: Price
  readonly lastClose: Price
  readonly open: Price
  readonly high: Price
  readonly low: Price
  readonly volume: number
  /** Yuan. */
  readonly amount: number
}

export interface WalkStart {
  readonly code: StockCode
  readonly seed: number
  readonly day: string
  /** Ten-thousandths of a yuan, 0 = a price of 5 to 100 yuan that depends on the code alone. */
  readonly hint: number
}

/** The first state of a code: nothing traded yet, yesterday closed at the start price. */
export function startWalk({ code, seed, day, hint }: WalkStart): Walk {
  const size = tickSizeOf(code)
  const yuan = PSEUDO_YUAN_MIN + (hash(code, 0) / 2 ** 32) * PSEUDO_YUAN_SPAN
  const wanted = hint > 0 ? hint : yuan * UNITS_PER_YUAN
  const price = (Math.max(1, Math.round(wanted / size)) * size) as Price
  const random = hash(code, seed)
  const none = { volume: 0, amount: 0 }
  return {
    code,
    random,
    day,
    price,
    lastClose: price,
    open: price,
    high: price,
    low: price,
    ...none,
  }
}

/** Goes on from the last quote of an earlier process. The generator takes another way than before. */
export function resumeWalk(tick: Tick, { seed, day }: { seed: number; day: string }): Walk {
  const units = (yuan: number) => Math.round(yuan * UNITS_PER_YUAN) as Price
  const code = tick.stock_code as StockCode
  const { volume, amount } = tick
  return {
    code,
    random: hash(`${code} ${tick.time}`, seed),
    day,
    price: units(tick.lastPrice),
    lastClose: units(tick.lastClose),
    open: units(tick.open),
    high: units(tick.high),
    low: units(tick.low),
    volume,
    amount,
  }
}

/**
 * The next state, on exchange day `day`: one random step within the price limits. The first step of
 * another day closes the old one: its last price is the new `lastClose`.
 */
export function stepWalk(before: Walk, day: string): Walk {
  const today = day === before.day ? before : nextDay(before, day)
  const size = tickSizeOf(today.code)
  const [first, afterFirst] = draw(today.random)
  const [second, afterSecond] = draw(afterFirst)
  const [third, random] = draw(afterSecond)
  const reach = Math.max(1, (today.price * STEP_RATIO) / size)
  const moved = today.price + Math.round((first + second - 1) * reach) * size
  const limits = priceLimits(today.code, day, { lastClose: today.lastClose })
  const price = Math.min(
    Math.max(moved, limits?.low ?? size),
    limits?.high ?? Number.MAX_SAFE_INTEGER,
  ) as Price
  const traded = (1 + Math.floor(third * TRADED_LOTS_MAX)) * LOT
  return {
    ...today,
    random,
    price,
    high: Math.max(today.high, price) as Price,
    low: Math.min(today.low, price) as Price,
    volume: today.volume + traded,
    amount: Math.round((today.amount + toYuan(price) * traded) * 100) / 100,
  }
}

const nextDay = (walk: Walk, day: string): Walk => {
  const { price } = walk
  return {
    ...walk,
    day,
    lastClose: price,
    open: price,
    high: price,
    low: price,
    volume: 0,
    amount: 0,
  }
}

/**
 * The quote of a state. Levels are one tick size apart; the last trade was at the best ask or the
 * best bid. A level beyond the price limits does not exist and is 0.
 */
export function tickOfWalk(walk: Walk, timeMs: number): Tick {
  const { code, day, price, lastClose, random } = walk
  const size = tickSizeOf(code)
  const limits = priceLimits(code, day, { lastClose })
  const low = limits?.low ?? size
  const high = limits?.high ?? Number.MAX_SAFE_INTEGER
  const wasBought = (random & 1) === 0
  const bestBid = wasBought ? price - size : price
  const exists = (level: number) => level >= low && level <= high
  const bid = LEVELS.map((level) => bestBid - level * size).map((at) => (exists(at) ? at : 0))
  const ask = LEVELS.map((level) => bestBid + (level + 1) * size).map((at) => (exists(at) ? at : 0))
  const volumes = (prices: readonly number[], salt: number) =>
    prices.map((at, level) => (at === 0 ? 0 : levelVolume(random, salt + level)))
  return {
    time: timeMs,
    stock_code: code,
    lastPrice: toYuan(price),
    open: toYuan(walk.open),
    high: toYuan(walk.high),
    low: toYuan(walk.low),
    lastClose: toYuan(lastClose),
    volume: walk.volume,
    amount: walk.amount,
    bidPrice: bid.map((at) => toYuan(at as Price)),
    askPrice: ask.map((at) => toYuan(at as Price)),
    bidVol: volumes(bid, 1),
    askVol: volumes(ask, 1 + LEVELS.length),
  }
}

const levelVolume = (random: number, salt: number): number =>
  (1 + (salted(random, salt) % LEVEL_LOTS_MAX)) * LOT
