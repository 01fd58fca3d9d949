import { uptime } from 'node:os'
import {
  DAY_MS,
  exchangeDay,
  exchangeDayNumber,
  exchangeDayStartMs,
} from '../domain/exchange-time.ts'
import type { Clock, ClockDoubt } from '../ports/clock.port.ts'
import {
  type CheckedClock,
  type ClockNews,
  type ClockReading,
  type ClockRules,
  hear,
  isSleep,
  isSure,
  type KnownTime,
  type Looked,
  look,
  startClock,
  type Witness,
} from './checked-clock.ts'
import { beginRead, beginWrite, endWrite, isTorn, type MarketMemory } from './memory.ts'

/** `wall`: nobody has looked yet. `checked`: the computer's clock, as far as it can be right. */
const MODE = { wall: 0, ticks: 1, runsOn: 2, checked: 3 } as const
const SEQUENCE_WORD = 0
const MODE_WORD = 1
const MARKET_MS = 1
const ANCHOR_MS = 2
const RATE = 3
/** Number of the exchange day that is open, 0 = as the clock says. */
const DAY = 4
const DOUBT_SINCE_MS = 5
/** 0 = no doubt. */
const DOUBT_OFF_MS = 6
const ANCHOR_UP_MS = 7

/** Where the market clock gets real time from. */
export interface TimeSources {
  /** Epoch milliseconds of the computer. */
  readonly wallMs: () => number
  /** Milliseconds that never jump, the same in all threads of the process. */
  readonly monotonicMs: () => number
  /** Milliseconds since the computer was started, sleep included; absent, it never sleeps. */
  readonly uptimeMs?: () => number
}

/** How long an uptime is reckoned on before it is asked for again. */
const UPTIME_KEPT_MS = 5
/** By which two clocks of a computer that has not slept differ at most after so short a time. */
const WALL_MOVED_MS = 20

/**
 * An uptime for which the system is asked only where it may have slept since it was asked last: Linux opens a file for
 * it, which is more than deciding an order costs. A sleep shows on the computer's clock at once, and is looked for
 * whenever that has gone another way than the steady one, or a few milliseconds have passed.
 */
export function sparingUptime({ wallMs, monotonicMs, uptimeMs }: Required<TimeSources>) {
  let [askedMs, askedWallMs, knownMs] = [Number.NEGATIVE_INFINITY, 0, 0]
  return (): number => {
    const [nowMs, nowWallMs] = [monotonicMs(), wallMs()]
    const passedMs = nowMs - askedMs
    const isKept = passedMs >= 0 && passedMs < UPTIME_KEPT_MS
    if (!isKept || Math.abs(nowWallMs - askedWallMs - passedMs) > WALL_MOVED_MS) {
      ;[askedMs, askedWallMs, knownMs] = [nowMs, nowWallMs, uptimeMs()]
      return knownMs
    }
    return knownMs + passedMs
  }
}

const COMPUTER = {
  wallMs: () => Date.now(),
  // performance.now() counts from the start of each thread; this counts from the start of the computer.
  monotonicMs: () => {
    const [seconds, nanoseconds] = process.hrtime()
    return seconds * 1e3 + nanoseconds / 1e6
  },
  uptimeMs: () => uptime() * 1_000,
}
export const REAL_TIME: TimeSources = { ...COMPUTER, uptimeMs: sparingUptime(COMPUTER) }

/** The market clock as every thread reads it. */
export class SharedClock implements Clock {
  readonly #words: Int32Array
  readonly #values: Float64Array
  readonly #time: TimeSources
  readonly #uptimeMs: () => number

  constructor({ clock }: MarketMemory, time: TimeSources = REAL_TIME) {
    this.#words = new Int32Array(clock)
    this.#values = new Float64Array(clock)
    this.#time = time
    this.#uptimeMs = time.uptimeMs ?? time.monotonicMs
  }

  nowMs(): number {
    for (;;) {
      const sequence = beginRead(this.#words, SEQUENCE_WORD)
      const nowMs = this.#read()
      if (!isTorn(this.#words, SEQUENCE_WORD, sequence)) return nowMs
    }
  }

  #read(): number {
    const mode = this.#words[MODE_WORD]
    if (mode === MODE.wall) return this.#time.wallMs()
    const marketMs = this.#values[MARKET_MS] ?? 0
    if (mode === MODE.ticks) return marketMs
    const passedMs = Math.max(0, this.#time.monotonicMs() - (this.#values[ANCHOR_MS] ?? 0))
    const sleptMs = mode === MODE.checked ? this.#sleptMs(passedMs) : 0
    return Math.floor(marketMs + passedMs * (this.#values[RATE] ?? 1) + sleptMs)
  }

  /** Until somebody has looked after the computer woke up, what is of before must not seem to be of now. */
  #sleptMs(passedMs: number): number {
    const upMs = this.#uptimeMs() - (this.#values[ANCHOR_UP_MS] ?? 0)
    return isSleep(upMs, passedMs) ? upMs - passedMs : 0
  }

  day(): string {
    const number = this.#values[DAY] ?? 0
    return number > 0 ? dayOfNumber(number) : exchangeDay(this.nowMs())
  }

  doubt(): ClockDoubt | undefined {
    for (;;) {
      const sequence = beginRead(this.#words, SEQUENCE_WORD)
      const sinceMs = this.#values[DOUBT_SINCE_MS] ?? 0
      const offMs = this.#values[DOUBT_OFF_MS] ?? 0
      if (isTorn(this.#words, SEQUENCE_WORD, sequence)) continue
      return offMs === 0 ? undefined : { sinceMs, offMs }
    }
  }

  isSure(): boolean {
    return this.#words[MODE_WORD] === MODE.checked && this.doubt() === undefined
  }
}

/** The day that was asked for last: nearly every question is about the same one. */
let known = { number: Number.NaN, day: '' }

function dayOfNumber(number: number): string {
  if (number !== known.number) {
    const epochStartMs = exchangeDayStartMs('1970-01-01')
    known = { number, day: exchangeDay(epochStartMs + number * DAY_MS) }
  }
  return known.day
}

/**
 * Write side, in the market thread only. On the computer's clock it is checked at each {@link look}. Once
 * it follows ticks it never goes back, also not when a replay is rewound: what was recorded stays in the past.
 */
export class ClockWriter {
  readonly #words: Int32Array
  readonly #values: Float64Array
  readonly #time: TimeSources
  readonly #shared: SharedClock
  readonly #rules: ClockRules
  #checked: CheckedClock
  #marketMs = Number.NEGATIVE_INFINITY

  constructor(memory: MarketMemory, rules: ClockRules, time: TimeSources = REAL_TIME) {
    this.#words = new Int32Array(memory.clock)
    this.#values = new Float64Array(memory.clock)
    this.#time = time
    this.#rules = rules
    this.#shared = new SharedClock(memory, time)
    this.#checked = startClock(this.#reading(), undefined, rules).clock
  }

  nowMs(): number {
    return this.#shared.nowMs()
  }
  /** True while only ticks move the clock. */
  get followsTicks(): boolean {
    return this.#words[MODE_WORD] === MODE.ticks
  }
  /** The computer's clock, as far as it can be right. */
  get isChecked(): boolean {
    return this.#words[MODE_WORD] === MODE.checked
  }
  get isDoubted(): boolean {
    return this.isChecked && this.#checked.doubt !== undefined
  }
  /** Whether what quotes say matters: in doubt, or on a wall that was believed while nobody spoke. */
  get asksQuotes(): boolean {
    return this.isDoubted || (this.isChecked && this.#checked.unproven !== undefined)
  }
  /** By which the wall was believed without proof. */
  get unprovenMs(): number | undefined {
    return this.#checked.unproven?.offMs
  }
  /** Whether a day may open by this clock. */
  get isSure(): boolean {
    return isSure(this.#checked, this.#rules)
  }
  /** Milliseconds since the computer was started. */
  get uptimeMs(): number {
    return this.#checked.uptimeMs
  }

  /** From now on it is the computer's clock, checked; `known`: what an earlier process knew last. */
  check(knownTime: KnownTime | undefined): readonly ClockNews[] {
    const started = startClock(this.#reading(), knownTime, this.#rules)
    this.#write(MODE.checked, started.clock.marketMs)
    return this.#take(started)
  }
  /** Looks at the computer's clocks; what a person should hear of. */
  look(): readonly ClockNews[] {
    return this.#take(look(this.#checked, this.#reading(), this.#rules))
  }
  /** Somebody has said what time it is. */
  hear(timeMs: number, witness: Witness): readonly ClockNews[] {
    return this.#take(hear(this.#checked, this.#reading(), { timeMs, witness }, this.#rules))
  }
  /** This exchange day is open, whatever time it is. */
  openDay(timeMs: number): void {
    if (this.isChecked) this.#values[DAY] = exchangeDayNumber(timeMs)
  }

  /** From now on ticks move the clock. It shows `timeMs` until one does. */
  follow(timeMs: number): void {
    this.#write(MODE.ticks, timeMs)
  }
  /** A tick of this time has come. Nothing on the system clock, or when it is not newer. */
  advance(timeMs: number): void {
    if (timeMs > this.#marketMs && this.followsTicks) this.#write(MODE.ticks, timeMs)
  }
  /** Follows ticks again after {@link runOn}, from where it stands. */
  hold(): void {
    if (this.#words[MODE_WORD] === MODE.runsOn) this.#write(MODE.ticks, this.nowMs())
  }
  /** Goes on in real time from where it stands: the file has ended. */
  runOn(): void {
    if (this.followsTicks) this.#write(MODE.runsOn, this.#marketMs)
  }

  #reading(): ClockReading {
    const { wallMs, monotonicMs, uptimeMs = monotonicMs } = this.#time
    return { wallMs: wallMs(), monotonicMs: monotonicMs(), uptimeMs: uptimeMs() }
  }

  #take({ clock, news }: Looked): readonly ClockNews[] {
    this.#checked = clock
    if (this.isChecked) this.#show(clock)
    return news
  }

  #show({ marketMs, monotonicMs, uptimeMs, rate, doubt }: CheckedClock): void {
    beginWrite(this.#words, SEQUENCE_WORD)
    this.#values[MARKET_MS] = marketMs
    this.#values[ANCHOR_MS] = monotonicMs
    this.#values[ANCHOR_UP_MS] = uptimeMs
    this.#values[RATE] = rate
    this.#values[DOUBT_SINCE_MS] = doubt?.sinceMs ?? 0
    this.#values[DOUBT_OFF_MS] = doubt?.offMs ?? 0
    endWrite(this.#words, SEQUENCE_WORD)
  }

  #write(mode: number, marketMs: number): void {
    this.#marketMs = marketMs
    beginWrite(this.#words, SEQUENCE_WORD)
    this.#words[MODE_WORD] = mode
    this.#values[MARKET_MS] = marketMs
    this.#values[ANCHOR_MS] = this.#time.monotonicMs()
    this.#values[ANCHOR_UP_MS] = this.#reading().uptimeMs
    this.#values[RATE] = 1
    endWrite(this.#words, SEQUENCE_WORD)
  }
}
