import { randomBytes } from 'node:crypto'
import { type FSWatcher, watch } from 'node:fs'
import { readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { makeFolder } from '../../storage/make-folder.ts'
import { isMessage, type LineEnd, type OpenLine, type SidecarLine } from './line.ts'

export interface FileLineLimits {
  /** Between two looks for files of the other side, milliseconds. */
  readonly tickMs: number
  /** Files of one session that may wait, each way. */
  readonly filesMax: number
  /** Length of one file. */
  readonly fileBytesMax: number
  /** For which a file may be missing, half-written, or held by another program, milliseconds. */
  readonly fileRetryMs: number
}

export interface FileLineOptions {
  /** Shared with the other side: `cmd`, `out` and `heartbeat.json` are in it. Private to its user: who can write there can trade. */
  readonly folder: string
  readonly role: 'trade' | 'market'
  readonly limits: FileLineLimits
}

/** What the other side writes with every tick of its timer. It is read by its change, never by a clock. */
export interface Heartbeat {
  readonly n: number
  /** Drawn whenever the other side starts. */
  readonly life: string
  /** Sessions that are served; empty: none. */
  readonly trade: string
  readonly market: string
}

const NAME = /^([tm][0-9a-f]{16})-(\d{8})\.(json|tmp)$/
const LETTER = { trade: 't', market: 'm' } as const
const DIGITS = 8
/** Number of the file with which a side gives the session up; it counts also with a gap before it. */
const FAREWELL = 99_999_999
/** While another program looks at a file (an indexer, a virus scanner), Windows refuses with these. */
const HELD: ReadonlySet<unknown> = new Set(['EPERM', 'EBUSY', 'EACCES'])

const codeOf = (error: unknown): unknown => Reflect.get(Object(error), 'code')
const nameOf = (session: string, number: number, ending: 'json' | 'tmp' = 'json'): string =>
  `${session}-${String(number).padStart(DIGITS, '0')}.${ending}`
const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : `${error}`)

/** Bytes travel as base64, nothing else needs it. */
const encoded = (message: object): string =>
  JSON.stringify(message, (_, value: unknown) =>
    value instanceof Uint8Array ? Buffer.from(value).toString('base64') : value,
  )

/**
 * Messages as files in a folder, for where the other side may not open a socket: each is a JSON file of its
 * own, written under another name and renamed, taken in the order of its number and deleted by its reader.
 * A session is named by who opens it; the other side answers one that it has seen begin, and no other.
 */
export const fileLine =
  (options: FileLineOptions): OpenLine =>
  (end) =>
    new FileLine(options, end)

/** A session on files. */
export class FileLine implements SidecarLine {
  readonly session: string
  /** Resolves when it is over and its own files are put in order. */
  readonly over: Promise<void>
  readonly #options: FileLineOptions
  readonly #end: LineEnd
  readonly #cmd: string
  readonly #out: string
  readonly #waiting: string[] = []
  readonly #stopping = new AbortController()
  #wake = Promise.withResolvers<void>()
  #watcher: FSWatcher | undefined
  #written = 0
  /** What is read next, and since when it has been missing or damaged. */
  #next = 1
  #stuckSinceMs: number | undefined
  #pulse = ''
  #life = ''
  #heardMs = performance.now()

  constructor(options: FileLineOptions, end: LineEnd) {
    this.#options = options
    this.#end = end
    this.session = LETTER[options.role] + randomBytes(8).toString('hex')
    this.#cmd = join(options.folder, 'cmd')
    this.#out = join(options.folder, 'out')
    this.send({ t: 'open' })
    this.over = this.#run()
  }

  get heardMs(): number {
    return this.#heardMs
  }

  send(message: object): void {
    if (this.#isClosed) return
    const text = encoded(message)
    const { fileBytesMax, filesMax } = this.#options.limits
    if (Buffer.byteLength(text) > fileBytesMax) {
      return this.#lose(`a message of more than ${fileBytesMax} bytes cannot be sent`)
    }
    if (this.#waiting.push(text) > filesMax) return this.#lose('it does not read what it is sent')
    this.#wake.resolve()
  }

  close(): void {
    this.#stopping.abort()
    this.#wake.resolve()
  }

  get #isClosed(): boolean {
    return this.#stopping.signal.aborted
  }

  #lose(reason: string): void {
    if (this.#isClosed) return
    this.close()
    queueMicrotask(() => this.#end.closed(reason)) // nothing is told before the line is there
  }

  async #run(): Promise<void> {
    try {
      this.#prepare()
      await this.#sweep(this.#cmd, (session) => session !== this.session)
      await this.#sweep(this.#out, (session) => session !== this.session)
      while (!this.#isClosed) {
        this.#wake = Promise.withResolvers()
        await this.#write()
        await this.#read()
        await this.#pause()
      }
    } catch (error) {
      this.#lose(reasonOf(error))
    }
    this.#watcher?.close()
    await this.#leave().catch(() => undefined) // the folder may be gone
  }

  #prepare(): void {
    makeFolder(this.#cmd)
    makeFolder(this.#out)
    try {
      // Only to look sooner: some disks tell nothing, and then each look is one more tick.
      this.#watcher = watch(this.#out, { persistent: false }, () => this.#wake.resolve())
      this.#watcher.on('error', () => this.#watcher?.close())
    } catch {
      this.#watcher = undefined
    }
  }

  async #pause(): Promise<void> {
    const tick = new AbortController()
    const ticked = delay(this.#options.limits.tickMs, undefined, { signal: tick.signal })
    await Promise.race([this.#wake.promise, ticked.catch(() => undefined)])
    tick.abort()
  }

  /** Files of sessions of this role: those of earlier ones may still lie there. */
  async #sweep(folder: string, isOurs: (session: string) => boolean): Promise<void> {
    for (const name of await readdir(folder)) {
      const [, session = ''] = NAME.exec(name) ?? []
      if (!session.startsWith(LETTER[this.#options.role]) || !isOurs(session)) continue
      const file = join(folder, name)
      await this.#patiently(() => rm(file, { force: true })).catch(() => undefined) // later, then
    }
  }

  async #write(): Promise<void> {
    for (let text = this.#waiting[0]; text !== undefined; text = this.#waiting[0]) {
      if (this.#isClosed) return
      await this.#put(this.#written + 1, text)
      this.#written += 1
      this.#waiting.shift()
    }
  }

  async #put(number: number, text: string): Promise<void> {
    const place = join(this.#cmd, nameOf(this.session, number))
    const draft = join(this.#cmd, nameOf(this.session, number, 'tmp'))
    await this.#patiently(() => writeFile(draft, text, { mode: 0o600 }))
    await this.#patiently(() => rename(draft, place))
  }

  /** Again and again for a while, when another program holds the file. */
  async #patiently(act: () => Promise<void>): Promise<void> {
    const { fileRetryMs, tickMs } = this.#options.limits
    const endMs = performance.now() + fileRetryMs
    for (;;) {
      try {
        return await act()
      } catch (error) {
        if (!HELD.has(codeOf(error)) || performance.now() > endMs) throw error
        await delay(Math.min(tickMs, endMs - performance.now() + 1))
      }
    }
  }

  async #read(): Promise<void> {
    await this.#feelPulse()
    const numbers = await this.#arrived()
    for (const number of numbers) {
      if (this.#isClosed) return
      if (number === FAREWELL) return this.#heed()
      if (number === this.#next && !(await this.#take())) return this.#stuck('is damaged')
    }
    const isMissing = numbers.some((number) => number > this.#next)
    if (isMissing) return this.#stuck('is missing')
    this.#stuckSinceMs = undefined
    await this.#checkBacklog()
  }

  /** Numbers of files of this session in their order; what was taken before is deleted, it may come twice. */
  async #arrived(): Promise<readonly number[]> {
    const numbers = numbersOf(await readdir(this.#out), this.session)
    if (numbers.length > this.#options.limits.filesMax) throw new Error('too many files wait')
    for (const number of numbers) if (number < this.#next) await this.#drop(number)
    return numbers.filter((number) => number >= this.#next).sort((a, b) => a - b)
  }

  /** False: it cannot be read yet, or never. */
  async #take(): Promise<boolean> {
    const file = join(this.#out, nameOf(this.session, this.#next))
    const { fileBytesMax } = this.#options.limits
    const text = await readOf(file, fileBytesMax)
    const message = text === undefined ? undefined : messageIn(text)
    if (message === undefined) return false
    const taken = this.#next
    this.#next += 1
    this.#heardMs = performance.now()
    this.#stuckSinceMs = undefined
    this.#end.message(message)
    await this.#drop(taken)
    return true
  }

  /** One that cannot be deleted now is deleted at a later look. */
  async #drop(number: number): Promise<void> {
    await rm(join(this.#out, nameOf(this.session, number)), { force: true }).catch(() => undefined)
  }

  async #heed(): Promise<void> {
    const { fileBytesMax } = this.#options.limits
    const file = join(this.#out, nameOf(this.session, FAREWELL))
    const message = messageIn((await readOf(file, fileBytesMax)) ?? '')
    const text = Reflect.get(message ?? {}, 'text')
    this.#lose(typeof text === 'string' ? text : 'the sidecar closed the connection')
  }

  #stuck(how: string): void {
    this.#stuckSinceMs ??= performance.now()
    if (performance.now() - this.#stuckSinceMs < this.#options.limits.fileRetryMs) return
    this.#lose(`not a file of a sidecar: ${nameOf(this.session, this.#next)} ${how}`)
  }

  async #checkBacklog(): Promise<void> {
    const { filesMax } = this.#options.limits
    if (this.#written < filesMax) return
    const unread = numbersOf(await readdir(this.#cmd), this.session).length
    if (unread >= filesMax) this.#lose('it does not read what it is sent')
  }

  async #feelPulse(): Promise<void> {
    const text = await readOf(join(this.#options.folder, 'heartbeat.json'), 4_096)
    const heartbeat = text === undefined ? undefined : (messageIn(text) as Partial<Heartbeat>)
    if (heartbeat === undefined || text === undefined || text === this.#pulse) return
    const { life } = heartbeat
    const isFirst = this.#pulse === ''
    this.#pulse = text
    // One that was there before us may be of a program that is gone.
    if (!isFirst) this.#heardMs = performance.now()
    if (typeof life !== 'string') return
    if (this.#life !== '' && life !== this.#life) this.#lose('the sidecar was started anew')
    this.#life = life
  }

  /** What nobody has read must not be read later: an order among it would come when nobody expects it. */
  async #leave(): Promise<void> {
    await this.#sweep(this.#cmd, (session) => session === this.session)
    await this.#sweep(this.#out, (session) => session === this.session)
    if (this.#written > 0) await this.#put(FAREWELL, encoded({ t: 'close', text: 'closed' }))
  }
}

const numbersOf = (names: readonly string[], session: string): number[] =>
  names.flatMap((name) => {
    const [, of, number, ending] = NAME.exec(name) ?? []
    return of === session && ending === 'json' ? [Number(number)] : []
  })

/** Undefined while it is not there, or another program holds it. Throws when it is too long. */
async function readOf(file: string, bytesMax: number): Promise<string | undefined> {
  try {
    const { size } = await stat(file)
    if (size <= bytesMax) return await readFile(file, 'utf8')
  } catch (error) {
    if (codeOf(error) === 'ENOENT' || HELD.has(codeOf(error))) return undefined
    throw error
  }
  throw new RangeError(`a file of more than ${bytesMax} bytes`)
}

function messageIn(text: string): object | undefined {
  try {
    const message: unknown = JSON.parse(text)
    return isMessage(message) ? withBytes(message) : undefined
  } catch {
    return undefined // half of it is still to come, or it is damaged
  }
}

/** As over a socket: ticks are bytes. */
function withBytes(message: object): object {
  const { t, d } = message as { readonly t?: unknown; readonly d?: unknown }
  return t === 'ticks' && typeof d === 'string'
    ? { ...message, d: Buffer.from(d, 'base64') }
    : message
}
