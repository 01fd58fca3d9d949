import { setImmediate as nextLoop } from 'node:timers/promises'
import type { MarketSource } from '../ports/market-source.port.ts'
import type { ReplayStatus, Tick } from '../protocol/market.ts'
import type { LineReaderLimits } from './line-reader.ts'
import { REPLAY_START, ReplayCount, ReplayCursor, type ReplayFile } from './replay-cursor.ts'
import { Pace } from './replay-pace.ts'
import { type MarketLog, type Saved, type SavedReplay, Saver } from './saved.ts'
import type { BadTick } from './tick-line.ts'

/** Bad lines logged singly before only every n-th is. */
const BAD_LOGGED_FIRST = 20
const BAD_LOGGED_EVERY = 1_000
/** Ticks between two looks at the time. */
const LOOK_EVERY = 32

export interface ReplayLimits extends LineReaderLimits {
  /** Between two saves while playing, milliseconds. */
  readonly saveEveryMs: number
  /** Longest stretch of ticks before requests get a turn, milliseconds. */
  readonly sliceMs: number
  /** Ticks that are read while accounts are waited for. */
  readonly aheadTicksMax: number
  /** How long a status may wait for the file to be counted, milliseconds. */
  readonly countWaitMs: number
}

export interface ReplayOptions {
  readonly file: ReplayFile
  readonly speed: number | 'max'
  /** False: `start` leaves a fresh replay idle. */
  readonly autostart: boolean
  readonly limits: ReplayLimits
  readonly saved: Saved<SavedReplay>
  readonly log: MarketLog
  /** The market clock, to be saved with the position. */
  readonly clockMs: () => number
  readonly monotonicMs: () => number
  /** Resolves when what the ticks so far have led to is on disk. */
  readonly settled: () => Promise<void>
  /** Before the replay stands still: what accounts have put off is done. */
  readonly standingStill: () => Promise<void>
  /** The last tick has been sent: the clock goes on by itself. */
  readonly onFinished: () => void
  /** The file starts over: the clock follows ticks again. */
  readonly onRewound: () => void
}

export interface Play {
  /** Epoch milliseconds, inclusive; absent = to the end of the file. */
  readonly untilMs?: number
  /** Absent = as before. */
  readonly speed?: number | 'max'
}

/**
 * Plays a recorded file. `idle` before the first play, `playing`, `paused` by hand or after `until`,
 * `finished` at the end of the file, which only `rewind` leaves.
 *
 * State and position are saved at most every `saveEveryMs` and at each change of state. After a kill
 * the ticks since the last save come again; accounts ignore ticks that are not newer than what they
 * have acted on.
 */
export class Replay implements MarketSource {
  readonly #options: ReplayOptions
  readonly #saver: Saver<SavedReplay>
  readonly #count: ReplayCount | undefined
  readonly #pace: Pace
  #total: SavedReplay['total']
  #cursor: ReplayCursor
  #state: ReplayStatus['state']
  #untilMs: number
  #speedChosen: number | 'max' | null
  #emit: ((tick: Tick) => Promise<void> | void) | undefined
  #running: Promise<void> | undefined
  #wake: (() => void) | undefined
  #savedMs: number
  #isStopped = false
  /** What was asked for last; the next waits for it. */
  #asked: Promise<unknown> = Promise.resolve()

  private constructor(options: ReplayOptions, cursor: ReplayCursor, from: SavedReplay | undefined) {
    this.#options = options
    this.#cursor = cursor
    this.#saver = new Saver(options.saved, options.log)
    this.#state = from?.state ?? 'idle'
    this.#untilMs = from?.untilMs ?? Number.POSITIVE_INFINITY
    this.#speedChosen = from?.speed ?? null
    this.#pace = new Pace(this.#speedChosen ?? options.speed)
    this.#total = from?.total ?? null
    const { file, limits } = options
    if (this.#total === null) {
      this.#count = new ReplayCount(file.path, limits, () => this.#isAtFullSpeed)
    }
    this.#savedMs = options.monotonicMs()
  }

  /** Goes on from `from`, which must be of this file. Errors  those of the file system. */
  static async open(options: ReplayOptions, from: SavedReplay | undefined): Promise<Replay> {
    const { file, limits, log } = options
    const onBad = badLineLog(log, file.path)
    const at = from?.position ?? REPLAY_START
    const cursor = await ReplayCursor.open(file.path, at, limits, onBad)
    return new Replay(options, cursor, from)
  }

  /** True while each tick must be worked off before the next. */
  get exact(): boolean {
    return this.#pace.speed === 'max'
  }

  get #isAtFullSpeed(): boolean {
    return this.#state === 'playing' && this.exact
  }

  /** Time of the next tick, without sending it: the first of the file, before a play. */
  async peekMs(): Promise<number | undefined> {
    for (;;) {
      const tick = this.#cursor.peek()
      if (tick !== undefined) return tick.time
      if (!(await this.#cursor.fill())) return undefined
    }
  }

  /** Reads some of what follows the tick that is sent, while it is waited for; false when nothing is left to do. */
  readAhead(): boolean {
    return this.#cursor.readAhead(this.#options.limits.aheadTicksMax)
  }

  /** Nothing to do: the file says which codes are fed. */
  want(): void {}

  start(emit: (tick: Tick) => Promise<void> | void): void {
    if (this.#emit !== undefined) return
    this.#emit = emit
    if (this.#state === 'idle' && this.#options.autostart) this.#play({})
    else if (this.#state === 'playing') this.#begin()
  }

  /** Plays on, or changes `until` and speed of what is playing. A finished replay stays finished. */
  play(play: Play): Promise<ReplayStatus> {
    return this.#inTurn(() => this.#play(play))
  }

  #play({ untilMs, speed }: Play): ReplayStatus {
    if (this.#state === 'finished' || this.#isStopped) return this.status()
    if (speed !== undefined) this.#speedChosen = speed
    this.#untilMs = untilMs ?? Number.POSITIVE_INFINITY
    const paceNow = this.#speedChosen ?? this.#options.speed
    if (this.#state !== 'playing' || paceNow !== this.#pace.speed) this.#pace.restart(paceNow)
    this.#state = 'playing'
    this.#wake?.()
    this.#begin()
    return this.status()
  }

  /** Resolves when no tick follows and the position is saved. */
  pause(): Promise<ReplayStatus> {
    return this.#inTurn(async () => {
      await this.#halt()
      await this.#save()
      return this.status()
    })
  }

  /** Back to the first line, idle. The market clock does not go back. */
  rewind(): Promise<ReplayStatus> {
    return this.#inTurn(() => this.#rewind())
  }

  async #rewind(): Promise<ReplayStatus> {
    if (this.#isStopped) return this.status()
    await this.#halt()
    const { file, limits, log } = this.#options
    const before = this.#cursor
    const onBad = badLineLog(log, file.path)
    this.#cursor = await ReplayCursor.open(file.path, REPLAY_START, limits, onBad)
    await before.close()
    this.#state = 'idle'
    this.#untilMs = Number.POSITIVE_INFINITY
    this.#options.onRewound()
    await this.#save()
    return this.status()
  }

  /** One after the other: a play between two steps of a rewind would read a file that is being closed. */
  #inTurn<T>(work: () => Promise<T> | T): Promise<T> {
    const done = this.#asked.then(work)
    this.#asked = done.catch(() => undefined) // whoever asked for it hears it
    return done
  }

  status(): ReplayStatus {
    const cursor = this.#cursor
    const known = this.#total ?? this.#count?.sofar
    return {
      state: this.#state,
      ticks_played: cursor.ticks,
      ticks_total: Math.max(cursor.ticks, known?.ticks ?? 0),
      bad_lines: Math.max(cursor.bad, known?.bad ?? 0),
      time: cursor.timeMs,
    }
  }

  /**
   * As {@link status}, with the whole file counted when that takes no longer than `countWaitMs`. While
   * a play runs at full speed it waits for nothing, and the totals may still grow.
   */
  async countedStatus(): Promise<ReplayStatus> {
    const isCounting = this.#total === null && this.#count?.isDone === false
    if (isCounting && !this.#isAtFullSpeed) {
      const late = Promise.withResolvers<void>()
      const timer = setTimeout(late.resolve, this.#options.limits.countWaitMs)
      await Promise.race([this.#count?.finished(), late.promise])
      clearTimeout(timer)
    }
    return this.status()
  }

  stop(): Promise<void> {
    return this.#inTurn(() => this.#stop())
  }

  async #stop(): Promise<void> {
    const state = this.#state
    await this.#halt()
    this.#isStopped = true
    if (state === 'playing' && this.#state === 'paused') this.#state = 'playing' // a restart goes on
    await this.#save()
    await this.#count?.stop()
    await this.#cursor.close()
  }

  /** Saves the clock while it runs on after the end of the file. */
  async saveClock(): Promise<void> {
    if (this.#state === 'finished') await this.#save()
  }

  /** No tick after it resolves. A replay that was playing is paused. */
  async #halt(): Promise<void> {
    if (this.#state === 'playing') this.#state = 'paused'
    this.#wake?.()
    await this.#running
  }

  #begin(): void {
    if (this.#emit === undefined) return // plays on when the market is started
    this.#running ??= this.#run(this.#emit).finally(() => {
      this.#running = undefined
    })
  }

  async #run(emit: (tick: Tick) => Promise<void> | void): Promise<void> {
    do {
      try {
        await nextLoop() // whoever asked for the play hears `playing` first
        await this.#feed(emit)
        await this.#allDone()
      } catch (error) {
        if (!isFileError(error)) throw error
        this.#options.log.error({ err: error }, 'the replay file cannot be read on; paused')
        this.#state = 'paused'
      }
      await this.#save()
    } while (this.#state === 'playing') // the next play came while the position was being saved
  }

  async #feed(emit: (tick: Tick) => Promise<void> | void): Promise<void> {
    const { monotonicMs, limits, settled } = this.#options
    let sliceEndMs = monotonicMs() + limits.sliceMs
    while (this.#state === 'playing') {
      const next = this.#burst(emit, sliceEndMs)
      if (next !== undefined) await next
      const nowMs = monotonicMs()
      if (nowMs - this.#savedMs >= limits.saveEveryMs) {
        await settled()
        void this.#save()
      }
      if (nowMs < sliceEndMs) continue
      await nextLoop()
      sliceEndMs = monotonicMs() + limits.sliceMs
    }
  }

  /** Sends tick after tick until one must be waited for, or the slice is over; returns what to wait for. */
  #burst(
    emit: (tick: Tick) => Promise<void> | void,
    sliceEndMs: number,
  ): Promise<void> | undefined {
    const { monotonicMs } = this.#options
    const cursor = this.#cursor
    for (let sent = 1; this.#state === 'playing'; sent++) {
      const tick = cursor.peek()
      if (tick === undefined) return this.#readOn()
      if (tick.time > this.#untilMs) return this.#pauseBefore(tick)
      const waitMs = this.#pace.waitMs(tick.time, cursor.timeMs, monotonicMs)
      if (waitMs > 0) return this.#sleep(waitMs)
      const waits = emit(tick)
      if (waits !== undefined) return waits.then(() => cursor.consume())
      cursor.consume()
      if (sent % LOOK_EVERY === 0 && monotonicMs() >= sliceEndMs) return undefined
    }
    return undefined
  }

  async #allDone(): Promise<void> {
    await this.#options.standingStill()
    await this.#options.settled()
  }

  async #readOn(): Promise<void> {
    if (await this.#cursor.fill()) return
    await this.#allDone()
    this.#finish()
  }

  /** Unless a play that came meanwhile goes further. */
  async #pauseBefore({ time }: Tick): Promise<void> {
    await this.#allDone()
    if (this.#state === 'playing' && time > this.#untilMs) this.#state = 'paused'
  }

  #finish(): void {
    const { ticks, bad } = this.#cursor
    void this.#count?.stop()
    this.#total = { ticks, bad }
    this.#state = 'finished'
    this.#options.onFinished()
    const { path } = this.#options.file
    this.#options.log.info({ file: path, ticks, bad_lines: bad }, 'the replay has finished')
  }

  async #sleep(ms: number): Promise<void> {
    const woken = Promise.withResolvers<void>()
    const timer = setTimeout(woken.resolve, ms)
    this.#wake = woken.resolve
    await woken.promise
    clearTimeout(timer)
    this.#wake = undefined
  }

  #save(): Promise<void> {
    const { monotonicMs, clockMs, file } = this.#options
    this.#savedMs = monotonicMs()
    if (this.#total === null && this.#count?.isDone === true) this.#total = this.#count.sofar
    return this.#saver.save({
      file: file.identity,
      state: this.#state,
      position: this.#cursor.position(),
      clockMs: clockMs(),
      untilMs: Number.isFinite(this.#untilMs) ? this.#untilMs : null,
      speed: this.#speedChosen,
      total: this.#total,
    })
  }
}

const isFileError = (error: unknown): boolean =>
  error instanceof Error && 'syscall' in error && 'code' in error

const badLineLog = (log: MarketLog, file: string) => {
  let count = 0
  return (line: number, reason: BadTick): void => {
    count++
    if (count > BAD_LOGGED_FIRST && count % BAD_LOGGED_EVERY !== 0) return
    log.warn({ file, line, reason, bad_lines: count }, 'bad line in the replay file')
  }
}
