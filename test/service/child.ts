import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Test } from 'tap'

const MAIN = join(import.meta.dirname, '..', '..', 'src', 'main.ts')
/** Settings of whoever runs the tests must not reach the service under test. */
const NEUTRAL = { STEWARD_HOME: '', SVC_API_TOKEN: '', GW_API_TOKEN: '', WEB_PUBLIC_MODE: '' }
const READY_MS_MAX = 60_000

/** How a process ended and all that it said. */
export interface Exit {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  readonly stdout: readonly string[]
  readonly stderr: readonly string[]
}

/** A line of the log. */
export interface LogLine {
  readonly msg: string
  readonly account?: string
  readonly urls?: readonly string[]
}

/** The program as a user starts it: a process of its own. It is killed when the test ends. */
export class Child {
  /** Settles when the process is gone and nobody holds its output any more, no child of it either. */
  readonly exit: Promise<Exit>
  readonly #process: ChildProcess
  readonly #stdout: string[] = []
  readonly #stderr: string[] = []
  readonly #ready = Promise.withResolvers<readonly string[]>()

  constructor(t: Test, cwd: string, args: readonly string[]) {
    this.#process = spawn(
      process.execPath,
      ['--disable-warning=ExperimentalWarning', MAIN, ...args],
      { cwd, env: { ...process.env, ...NEUTRAL }, stdio: ['ignore', 'pipe', 'pipe'] },
    )
    this.#collect('stdout', (line) => this.#hear(line))
    this.#collect('stderr', (line) => this.#stderr.push(line))
    this.exit = once(this.#process, 'close').then(([code, signal]) => {
      const exit = { code, signal, stdout: this.#stdout, stderr: this.#stderr }
      this.#ready.reject(new Error(`ended before it was ready: ${JSON.stringify(exit)}`))
      return exit
    })
    this.#ready.promise.catch(() => undefined) // told to those who wait for it
    t.teardown(() => this.kill())
  }

  lines() {
    return this.#stdout
  }
  get pid(): number {
    return this.#process.pid ?? 0
  }

  /** Base addresses, the gateway first; resolves when the service says that it is ready. */
  async ready(): Promise<readonly string[]> {
    const timer = setTimeout(
      () => this.#ready.reject(new Error(`not ready: ${this.#stdout.join('\n')}`)),
      READY_MS_MAX,
    )
    return this.#ready.promise.finally(() => clearTimeout(timer))
  }

  /** Lines of the log with this message, as far as they have come. */
  said(msg: string): readonly LogLine[] {
    return this.#stdout.map(parsed).filter((line) => line.msg === msg)
  }

  signal(signal: NodeJS.Signals): void {
    this.#process.kill(signal)
  }

  /** Ends it without a chance to do anything. */
  async kill(): Promise<void> {
    this.#process.kill('SIGKILL')
    await this.exit
  }

  #collect(name: 'stdout' | 'stderr', take: (line: string) => void): void {
    const stream = this.#process[name]
    if (stream === null) throw new Error(`${name} is not a pipe`)
    createInterface({ input: stream }).on('line', take)
  }

  #hear(line: string): void {
    this.#stdout.push(line)
    const { msg, urls } = parsed(line)
    if (msg === 'ready' && urls !== undefined) this.#ready.resolve(urls)
  }
}

/** A line that is no log line, or was cut by a kill, says nothing. */
function parsed(line: string): LogLine {
  try {
    return JSON.parse(line) as LogLine
  } catch {
    return { msg: '' }
  }
}
