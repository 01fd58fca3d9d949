import { constants } from 'node:fs'
import { access, type FileHandle, open, stat } from 'node:fs/promises'
import { resolve } from 'node:path'
import { setImmediate as nextLoop, setTimeout as sleep } from 'node:timers/promises'
import { err, ok, type Result } from '../domain/result.ts'
import type { Tick } from '../protocol/market.ts'
import { fileDigest } from './file-digest.ts'
import { LineReader, type LineReaderLimits } from './line-reader.ts'
import type { ReplayPosition } from './saved.ts'
import { type BadTick, TickLines } from './tick-line.ts'
import { newScannedTick, type ScannedTick } from './tick-scan.ts'

const BYTE_ORDER_MARK = '\uFEFF'
/** A file no longer than this is known by what is in it: that is read within a tenth of a second, and the disk's time. */
const DIGEST_BYTES_MAX = 64 << 20
/** A tick so much later than the one before must be borne out by the lines after it, milliseconds. */
const JUMP_MS = 60_000
/** Lines after it that are looked at; more than half must speak against it, for a single one may be late. */
const WITNESSES = 6
/** Lines that are read ahead before the caller is asked whether it has to wait still. */
const AHEAD_AT_ONCE = 16
export const REPLAY_START: ReplayPosition = { offset: 0, line: 0, ticks: 0, bad: 0, timeMs: null }

/** A tick, and the byte in the file that follows its line. */
interface Place {
  readonly tick: ScannedTick
  end: number
}

export interface ReplayFile {
  readonly path: string
  /**
   * The same file has the same one, and a changed file another. One of at most {@link DIGEST_BYTES_MAX} keeps it also when
   * it is written again as it was.
   */
  readonly identity: string
  /** By place, length and time of change, as earlier releases knew it. */
  readonly formerIdentity: string
  readonly bytes: number
}

/**
 * Whether a replay file is there and can be read, for the check of the configuration.
 *
 * Errors  one line that says what is wrong with it.
 */
export async function checkReplayFile(path: string): Promise<Result<ReplayFile, string>> {
  const full = resolve(path)
  try {
    const facts = await stat(full)
    if (!facts.isFile()) return err(`${full} 不是文件 (is not a file)`)
    await access(full, constants.R_OK)
    const { size, mtimeMs } = facts
    const formerIdentity = `${full} ${size} ${Math.floor(mtimeMs)}`
    const identity =
      size > DIGEST_BYTES_MAX ? formerIdentity : `${full} ${size} ${await fileDigest(full)}`
    return ok({ path: full, identity, formerIdentity, bytes: size })
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') return err(`回放文件 ${full} 不存在 (does not exist)`)
    return err(`回放文件 ${full} 无法读取 (cannot be read: ${code ?? String(error)})`)
  }
}

/**
 * Walks through the ticks of a replay file and always knows how far it has come. Blank lines and
 * bad lines are passed over; bad ones are counted and told.
 */
export class ReplayCursor {
  readonly #file: FileHandle
  readonly #lines: LineReader
  readonly #parser = new TickLines()
  readonly #onBad: (line: number, reason: BadTick) => void
  #offset: number
  #line: number
  #ticks: number
  #bad: number
  #timeMs: number | null
  #held: Tick | undefined
  /** Byte in the file that follows the line of the tick that is held. */
  #heldEnd = 0
  /** The first is for the tick that comes next where none was read ahead. */
  readonly #places: Place[] = []
  /** Of what was read ahead: the first that is not held yet, and the place behind the last. */
  #head = 1
  #tail = 1
  /** No more is read ahead until all of it has been held. */
  #isHalted = false
  /** The reader stands on the line that comes next, which is no usual one. */
  #isLineLeft = false
  /** A tick of a later time is looked at before it is believed, epoch ms. */
  #soundMs: number

  private constructor(
    file: FileHandle,
    lines: LineReader,
    { offset, line, ticks, bad, timeMs }: ReplayPosition,
    onBad: (line: number, reason: BadTick) => void,
  ) {
    this.#file = file
    this.#lines = lines
    this.#offset = offset
    this.#line = line
    this.#ticks = ticks
    this.#bad = bad
    this.#timeMs = timeMs
    this.#soundMs = timeMs === null ? 0 : timeMs + JUMP_MS
    this.#onBad = onBad
  }

  /** Errors  those of the file system. */
  static async open(
    path: string,
    at: ReplayPosition,
    limits: LineReaderLimits,
    onBad: (line: number, reason: BadTick) => void,
  ): Promise<ReplayCursor> {
    const file = await open(path, 'r')
    return new ReplayCursor(file, new LineReader(file, at.offset, limits), at, onBad)
  }

  /** Everything before it has been consumed or passed over. */
  position(): ReplayPosition {
    return {
      offset: this.#offset,
      line: this.#line,
      ticks: this.#ticks,
      bad: this.#bad,
      timeMs: this.#timeMs,
    }
  }
  get ticks(): number {
    return this.#ticks
  }
  get bad(): number {
    return this.#bad
  }
  get timeMs(): number | null {
    return this.#timeMs
  }

  /**
   * The next tick, which stays the next one, and the same object, until {@link consume}; undefined when
   * more must be read first.
   */
  peek(): Tick | undefined {
    for (;;) {
      const tick = this.#held ?? this.#nextTick()
      if (tick === undefined || tick.time <= this.#soundMs) return tick
      const isAhead = this.#isAhead(tick.time)
      if (isAhead === undefined) return undefined
      if (isAhead) this.#passAhead()
      else this.#soundMs = tick.time
    }
  }

  #nextTick(): Tick | undefined {
    if (this.#head < this.#tail) return this.#takeAhead()
    this.#isHalted = false
    this.#head = 1
    this.#tail = 1
    while (this.#held === undefined) {
      if (!this.#isLineLeft && !this.#lines.next()) return undefined
      this.#isLineLeft = false
      this.#scanLine()
    }
    return this.#held
  }

  #takeAhead(): Tick {
    const { tick, end } = this.#place(this.#head++)
    this.#held = tick
    this.#heldEnd = end
    return tick
  }

  /**
   * Reads some lines behind the tick that is held, for a caller that has to wait for something else. Nothing that
   * follows becomes another by it, nor does {@link position}. False when nothing is left to do: at a line that is no
   * usual one, at a tick that must be borne out, at the end of what is in memory, and with `ticksMax` ticks.
   */
  readAhead(ticksMax: number): boolean {
    for (let line = 0; line < AHEAD_AT_ONCE; line++) {
      const isOver = this.#held === undefined || this.#isHalted || this.#tail > ticksMax
      if (isOver || !this.#lines.next()) return false
      this.#scanAhead()
    }
    return true
  }

  #scanAhead(): void {
    const lines = this.#lines
    const last = this.#head < this.#tail ? this.#place(this.#tail - 1).tick : this.#held
    const lastMs = last?.time ?? 0
    const place = this.#place(this.#tail)
    const tick = lines.isTooLong ? undefined : this.#parser.scan(lines, lastMs, place.tick)
    this.#isLineLeft = tick === undefined
    this.#isHalted = tick === undefined || tick.time > lastMs + JUMP_MS
    if (tick === undefined) return
    place.end = lines.offset
    this.#tail++
  }

  #place(at: number): Place {
    const place = this.#places[at] ?? { tick: newScannedTick(), end: 0 }
    this.#places[at] = place
    return place
  }

  /** Whether most of the lines after a tick are in order only without it; undefined: read on first. */
  #isAhead(timeMs: number): boolean | undefined {
    const lines = this.#lines.following(WITNESSES)
    if (lines === undefined) return undefined
    const afterMs = this.#timeMs ?? 0
    const times = lines.flatMap((line) => this.#parser.timeOf(line) ?? [])
    const inOrder = times.filter((nextMs) => nextMs >= afterMs)
    const against = inOrder.filter((nextMs) => nextMs < timeMs - JUMP_MS)
    return against.length * 2 > inOrder.length
  }

  #passAhead(): void {
    this.#held = undefined
    this.#passBad('time far ahead of the lines after it')
  }

  consume(): void {
    if (this.#held === undefined) return
    this.#timeMs = this.#held.time
    this.#soundMs = this.#timeMs + JUMP_MS
    this.#held = undefined
    this.#ticks++
    this.#line++
    this.#offset = this.#heldEnd
  }

  /** Reads on; false at the end of the file. Errors  those of the file system. */
  async fill(): Promise<boolean> {
    const hasMore = await this.#lines.fill()
    return hasMore || this.#held !== undefined
  }

  async close(): Promise<void> {
    await this.#file.close()
  }

  #scanLine(): void {
    const lines = this.#lines
    if (lines.isTooLong) return this.#passBad('line too long')
    this.#heldEnd = lines.offset
    this.#held = this.#parser.scan(lines, this.#timeMs ?? 0, this.#place(0).tick)
    if (this.#held === undefined) this.#parse(lines.text)
  }

  #parse(line: string): void {
    const text = this.#line === 0 && line.startsWith(BYTE_ORDER_MARK) ? line.slice(1) : line
    if (text.trim() === '') return this.#pass()
    const result = this.#parser.parse(text, this.#timeMs ?? 0)
    if (result.ok) this.#held = result.value
    else this.#passBad(result.error)
  }

  #passBad(reason: BadTick): void {
    this.#bad++
    this.#pass()
    this.#onBad(this.#line, reason)
  }

  #pass(): void {
    this.#line++
    this.#offset = this.#lines.offset
  }
}

/** Between two chunks while the play wants the thread for itself: some hundredths of it are left to us. */
const BUSY_PAUSE_MS = 20

interface ReplayTotal {
  readonly ticks: number
  readonly bad: number
}

/**
 * Counts the ticks and bad lines of a whole file beside the play, a chunk per turn of the event loop.
 * Until it has finished, its figures are what it has met so far. It gives way to a play at full speed,
 * which counts all that it plays itself.
 */
export class ReplayCount {
  #ticks = 0
  #bad = 0
  #isDone = false
  #isStopped = false
  readonly #isBusy: () => boolean
  readonly #running: Promise<void>

  /** @param isBusy whether a play wants the thread for itself */
  constructor(path: string, limits: LineReaderLimits, isBusy: () => boolean) {
    this.#isBusy = isBusy
    this.#running = this.#run(path, limits)
  }

  get sofar(): ReplayTotal {
    return { ticks: this.#ticks, bad: this.#bad }
  }
  get isDone(): boolean {
    return this.#isDone
  }
  /** Resolves when all is counted or counting has been given up. Never rejects. */
  finished(): Promise<void> {
    return this.#running
  }
  async stop(): Promise<void> {
    this.#isStopped = true
    await this.#running
  }

  async #run(path: string, limits: LineReaderLimits): Promise<void> {
    try {
      const cursor = await ReplayCursor.open(path, REPLAY_START, limits, () => undefined)
      try {
        await this.#count(cursor)
      } finally {
        await cursor.close()
      }
    } catch {
      this.#isStopped = true // the play meets the same error and tells it
    }
  }

  async #count(cursor: ReplayCursor): Promise<void> {
    while (!this.#isStopped) {
      while (cursor.peek() !== undefined) cursor.consume()
      this.#ticks = cursor.ticks
      this.#bad = cursor.bad
      if (!(await cursor.fill())) {
        this.#isDone = true
        return
      }
      await (this.#isBusy() ? sleep(BUSY_PAUSE_MS) : nextLoop())
    }
  }
}
