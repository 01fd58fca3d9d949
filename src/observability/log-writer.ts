import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { Writable } from 'node:stream'
import { isatty } from 'node:tty'
import { fileURLToPath } from 'node:url'

/** Times `flushMs`: a writer that the computer keeps waiting is not one that stands still. */
const PATIENCE = 4
const PROGRAM = fileURLToPath(new URL('../../bin/log-writer.mjs', import.meta.url))

export interface LogWriterLimits {
  /** Text that waits: here for the writer, and there for each place it writes to. More is dropped. */
  readonly pendingBytesMax: number
  /** At the end, for what still waits. */
  readonly flushMs: number
  /** Before another writer is started in place of one that has ended. */
  readonly restartMs: number
  /** Between two looks at the length of the file. */
  readonly checkMs: number
  /** Of one file; a little more, because it is looked at now and then. */
  readonly fileBytesMax: number
  /** Files that are kept, the one written to included. */
  readonly filesMax: number
}

export interface LogWriterOptions {
  /** Beside standard output; null: none. */
  readonly file: string | null
  readonly limits: LogWriterLimits
  /** File descriptors of standard output and error; by default those of this process. */
  readonly places?: readonly [number, number]
}

/** Lines that were never written, by place; `writer`: those that did not even get that far. */
export type Dropped = Readonly<Record<'writer' | 'stdout' | 'stderr' | 'file', number>>

/** What the process that writes says now and then. */
interface Report {
  readonly dropped: Partial<Dropped>
  /** Why the file could not be written. */
  readonly fileReason?: string
}

/**
 * Where everything goes that the process prints. Nothing here ever waits: whoever writes to a console, a
 * pipe or a disk may be kept waiting for as long as it likes, so that is done by a process of its own
 * (`bin/log-writer.mjs`), which can be killed. What this one says in a callback goes there with the next
 * turn of the event loop, or with {@link flush}, and is then safe from the end of this process.
 */
export class LogWriter {
  readonly #options: LogWriterOptions
  #child: ChildProcess | undefined
  #waiting: string[] = []
  #waitingChars = 0
  #isScheduled = false
  #isClosed = false
  /** Not told in the log yet. */
  #untold = 0
  #dropped = NONE
  readonly #told = new Set<string>()
  #onFileLost = (_file: string, _reason: string): void => undefined
  #restart: NodeJS.Timeout | undefined

  constructor(options: LogWriterOptions) {
    this.#options = options
    this.#start()
  }

  /** A line of the log, with its end. */
  write(line: string): void {
    this.#take('l', line)
  }

  /** Text for standard error. */
  printError(text: string): void {
    for (const line of text.trimEnd().split('\n')) this.#take('e', `${line}\n`)
  }

  /** Hands over what waits, now. To be called before the process is ended by force. */
  flush(): void {
    if (this.#waiting.length === 0) return
    const stdin = this.#child?.stdin
    if (!stdin?.writable) return // the next writer has it
    const text = this.#waiting.join('')
    this.#waiting = []
    this.#waitingChars = 0
    stdin.write(text)
  }

  /** Of the process that writes; undefined while there is none. */
  get pid(): number | undefined {
    return this.#child?.pid
  }

  /** `listener` hears once of each reason (a code of the system) for which the file could not be written. */
  onFileLost(listener: (file: string, reason: string) => void): void {
    this.#onFileLost = listener
  }

  get dropped(): Dropped {
    return this.#dropped
  }

  /** Resolves when all that was said is written, or the time for that is up. */
  async close(): Promise<void> {
    if (this.#isClosed) return
    this.#tellOfLost()
    this.flush()
    this.#isClosed = true
    clearTimeout(this.#restart)
    const child = this.#child
    if (child?.stdin?.writable !== true) return
    child.ref()
    const ended = Promise.all([once(child, 'exit'), child.connected && once(child, 'disconnect')])
    child.stdin.end()
    // It ends itself in time. One that cannot is killed, and nobody waits for that.
    let timer: NodeJS.Timeout | undefined
    const killed = new Promise<void>((resolve) => {
      timer = setTimeout(() => {
        child.kill('SIGKILL')
        resolve()
      }, PATIENCE * this.#options.limits.flushMs)
    })
    await Promise.race([ended, killed])
    clearTimeout(timer)
  }

  #take(where: 'l' | 'e', line: string): void {
    const { pendingBytesMax } = this.#options.limits
    const unsent = this.#child?.stdin?.writableLength ?? 0
    if (this.#isClosed || this.#waitingChars + unsent + line.length > pendingBytesMax) {
      this.#count({ writer: 1 })
      this.#untold += 1
      return
    }
    this.#tellOfLost()
    this.#waiting.push(where + line)
    this.#waitingChars += line.length
    if (this.#isScheduled) return
    this.#isScheduled = true
    setImmediate(() => {
      this.#isScheduled = false
      this.flush()
    })
  }

  #tellOfLost(): void {
    if (this.#untold > 0) this.#waiting.push(`d${this.#untold}\n`)
    this.#untold = 0
  }

  #count(more: Partial<Dropped>): void {
    const sum = (place: keyof Dropped) => this.#dropped[place] + (more[place] ?? 0)
    const [stdout, stderr, file] = [sum('stdout'), sum('stderr'), sum('file')]
    this.#dropped = { writer: sum('writer'), stdout, stderr, file }
  }

  #hear({ dropped, fileReason }: Report): void {
    this.#count(dropped)
    const { file } = this.#options
    if (file === null || fileReason === undefined || this.#told.has(fileReason)) return
    this.#told.add(fileReason)
    this.#onFileLost(file, fileReason)
  }

  #start(): void {
    const { file, limits } = this.#options
    const child = this.#spawn()
    if (child === undefined) return this.#startLater()
    this.#child = child
    const { pendingBytesMax, flushMs, checkMs, fileBytesMax: bytesMax, filesMax } = limits
    const toFile = file === null ? null : { path: file, bytesMax, filesMax, checkMs }
    child.on('error', () => {
      if (child.pid === undefined) this.#ended(child) // it could not be started
    })
    child.on('exit', () => this.#ended(child))
    child.on('message', (report) => this.#hear(report as Report))
    child.stdin?.on('error', () => undefined) // its end is told by `exit`
    child.stdin?.write(`${JSON.stringify({ file: toFile, pendingBytesMax, flushMs })}\n`)
    // What runs is the service: nobody stays alive for the log.
    child.unref()
    child.channel?.unref()
    Reflect.get(Object(child.stdin), 'unref')?.call(child.stdin)
    this.flush()
  }

  /** What it had been given and not written is lost. */
  #ended(child: ChildProcess): void {
    if (this.#child !== child) return
    this.#child = undefined
    if (!this.#isClosed) this.#startLater()
  }

  #startLater(): void {
    this.#restart = setTimeout(() => this.#start(), this.#options.limits.restartMs).unref()
  }

  /** Undefined when the system has no room for it now. */
  #spawn(): ChildProcess | undefined {
    const { places = [1, 2] } = this.#options
    // A console is shared; where there is none, none is opened for it.
    const windowsHide = !places.some((place) => isatty(place))
    try {
      return spawn(process.execPath, [PROGRAM], { stdio: ['pipe', ...places, 'ipc'], windowsHide })
    } catch {
      return undefined
    }
  }
}

const NONE: Dropped = { writer: 0, stdout: 0, stderr: 0, file: 0 }

/**
 * From now on whatever anybody in this process or its threads prints, warnings of Node and crashes of
 * calculations included, goes through the writer: a direct write would wait.
 */
export function printThrough(writer: LogWriter): void {
  const stream = (take: (text: string) => void) =>
    new Writable({
      decodeStrings: false,
      write: (text: string | Uint8Array, _encoding, done) => {
        take(typeof text === 'string' ? text : Buffer.from(text).toString())
        done()
      },
    })
  const stdout = stream((text) => {
    for (const line of text.trimEnd().split('\n')) writer.write(`${line}\n`)
  })
  const stderr = stream((text) => writer.printError(text))
  Object.defineProperty(process, 'stdout', { configurable: true, get: () => stdout })
  Object.defineProperty(process, 'stderr', { configurable: true, get: () => stderr })
}
