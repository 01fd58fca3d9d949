import { type ChildProcess, spawn } from 'node:child_process'
import { constants } from 'node:os'
import { isLost, nextLife, type SignOfLife } from '../../cluster/watch-over.ts'
import { steadyMs } from '../../runtime/steady.ts'
import { STOPPING } from './stop-signals.ts'
import { WATCHED } from './watched.ts'

export interface WatchdogOptions {
  /** What starts the node: a program and its arguments. */
  readonly command: readonly [string, ...string[]]
  /** A line for the operator. */
  readonly print: (line: string) => void
}

const LOOK_MS = 20
/** Before a life has said anything. */
const UNHEARD: SignOfLife = {
  atMs: 0,
  leaseMs: 0,
  isReady: false,
  isDone: false,
  limits: { silenceMs: 500, restartMs: 100, restartMaxMs: 30_000 },
}

/** This process becomes the watchdog of one that is started with the same words. Resolves with the exit code. */
export function watchOver(): Promise<number> {
  process.title = 'steward-watch'
  const command = [process.execPath, ...process.execArgv, ...process.argv.slice(1)] as const
  const print = (line: string) => void process.stderr.write(`steward: ${line}\n`)
  return new Watchdog({ command, print }).run()
}

/**
 * Runs a node as a child, life after life, and kills it where it stands still beyond its lease: whoever has
 * taken its accounts over by then must not find an order at the broker that it knows nothing of. Resolves with
 * the exit code, once no life is to follow.
 */
export class Watchdog {
  readonly #options: WatchdogOptions
  readonly #end = Promise.withResolvers<number>()
  #child: ChildProcess | undefined
  #sign = UNHEARD
  #startedMs = 0
  #failures = 0
  #wasReady = false
  #isStopping = false
  /** Why this life was needed, for its log. */
  #after = ''
  #killedFor: string | undefined
  #next: NodeJS.Timeout | undefined

  constructor(options: WatchdogOptions) {
    this.#options = options
  }

  async run(): Promise<number> {
    const look = setInterval(() => this.#look(), LOOK_MS)
    const listeners = STOPPING.map((signal) => [signal, () => this.#stop(signal)] as const)
    for (const [signal, listener] of listeners) process.on(signal, listener)
    this.#start()
    try {
      return await this.#end.promise
    } finally {
      clearInterval(look)
      for (const [signal, listener] of listeners) process.off(signal, listener)
    }
  }

  #start(): void {
    this.#sign = { ...UNHEARD, limits: this.#sign.limits }
    this.#killedFor = undefined
    this.#startedMs = steadyMs()
    let child: ChildProcess
    try {
      child = this.#spawned()
    } catch (error) {
      // Without memory for it the system refuses at once.
      return this.#over(1, null, error instanceof Error ? error.message : String(error))
    }
    this.#child = child
    child.on('message', (sign) => this.#heard(sign as SignOfLife))
    child.on('error', (error) => this.#ended(1, null, error.message))
    child.on('exit', (code, signal) => this.#ended(code, signal))
  }

  #spawned(): ChildProcess {
    const [program, ...args] = this.#options.command
    return spawn(program, args, {
      stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
      env: { ...process.env, [WATCHED]: this.#after === '' ? 'first' : this.#after },
    })
  }

  #heard(sign: SignOfLife): void {
    this.#sign = sign
    this.#wasReady ||= sign.isReady
  }

  /** What has come and was not read yet counts: this process may have stood still itself. */
  #look(): void {
    if (!this.#isLost()) return
    const { pid } = this.#child ?? {}
    setImmediate(() => setImmediate(() => this.#child?.pid === pid && this.#kill()))
  }

  #isLost(): boolean {
    return isLost(this.#sign, steadyMs())
  }

  #kill(): void {
    if (!this.#isLost()) return
    const nowMs = steadyMs()
    const { atMs, leaseMs } = this.#sign
    const [silent, past] = [nowMs - atMs, nowMs - leaseMs].map(Math.round)
    this.#killedFor ??= `killed: silent for ${silent} ms, ${past} ms past its lease`
    this.#child?.kill('SIGKILL')
  }

  #ended(code: number | null, signal: NodeJS.Signals | null, error?: string): void {
    if (this.#child === undefined) return
    this.#child = undefined
    this.#over(code, signal, error)
  }

  #over(code: number | null, signal: NodeJS.Signals | null, error?: string): void {
    this.#after =
      this.#killedFor ?? error ?? (signal === null ? `exit code ${code}` : `signal ${signal}`)
    const next = nextLife(
      {
        code,
        livedMs: steadyMs() - this.#startedMs,
        failures: this.#failures,
        isStopping: this.#isStopping,
        wasReady: this.#wasReady,
      },
      this.#sign.limits,
    )
    if (next.do === 'end') {
      if (error !== undefined) {
        this.#options.print(`节点进程无法启动 (the node cannot be started: ${error})`)
      }
      return this.#end.resolve(code ?? 128 + constants.signals[signal ?? 'SIGTERM'])
    }
    this.#failures = next.failures
    this.#options.print(
      `节点进程已结束，${next.afterMs} 毫秒后重新启动 (the node has ended: ${this.#after}; it is started anew in ${next.afterMs} ms)`,
    )
    this.#next = setTimeout(() => this.#start(), next.afterMs)
  }

  /** On Windows each of these reaches every process of the console by itself, and kill() would be a hard stop. */
  #stop(signal: NodeJS.Signals): void {
    this.#isStopping = true
    if (this.#child !== undefined) {
      if (process.platform !== 'win32') this.#child.kill(signal)
      return
    }
    clearTimeout(this.#next)
    this.#end.resolve(0)
  }
}
