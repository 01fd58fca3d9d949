import {
  type MessagePort,
  parentPort,
  type ResourceLimits,
  Worker,
  workerData,
} from 'node:worker_threads'

/** Introductions and control messages kept for a thread that does not listen yet; one more is a bug. */
const KEPT_MAX = 1_024
const PROJECT_ROOT = new URL('../..', import.meta.url)
/** Loads the entry, having seen to it that types are stripped once and not in every thread. */
const BOOT = new URL('bin/thread.cjs', PROJECT_ROOT)

export interface ThreadSpec {
  /** Path from the project root with forward slashes, or a `file:` URL. */
  readonly entry: string
  readonly name: string
  /** Anything that can be cloned; shared memory stays shared. */
  readonly data: unknown
  /** Handed over: this side must not use them afterwards. */
  readonly ports: Readonly<Record<string, MessagePort>>
  readonly resourceLimits?: ResourceLimits
}

export interface ThreadExit {
  /** 0 after a cooperative stop, 1 after an uncaught error or `terminate`, else what the thread chose. */
  readonly code: number
  /** The uncaught error; its `code` is `ERR_WORKER_OUT_OF_MEMORY` when the heap limit was reached. */
  readonly error?: Error
}

interface ThreadSpawnOptions {
  readonly entry: string
  readonly data: unknown
  /** One word: texts that the thread has printed and its starter has not taken yet. */
  readonly unprinted: SharedArrayBuffer
  readonly ports: Readonly<Record<string, MessagePort>>
}
interface Introduction {
  readonly kind: 'introduce'
  readonly name: string
  readonly port: MessagePort | null
  readonly info: unknown
}
type Order =
  | Introduction
  | { readonly kind: 'control'; readonly message: unknown }
  | { readonly kind: 'stop' }
type Report =
  | { readonly kind: 'serving' }
  | { readonly kind: 'ready' }
  | { readonly kind: 'print'; readonly text: string }

/** A running thread, seen from the thread that started it. Nothing here throws once it is started. */
export class Thread {
  readonly name: string
  /** Rejects when the thread exits before it is ready. */
  readonly ready: Promise<void>
  /** It answers, and is ready or has something left to do before. Never settles when it exits before. */
  readonly serving: Promise<void>
  /** Always resolves in the end; a thread stuck in native code may keep it waiting. */
  readonly exited: Promise<ThreadExit>
  readonly #worker: Worker
  #hasExited = false

  constructor(name: string, worker: Worker, unprinted: SharedArrayBuffer) {
    this.name = name
    this.#worker = worker
    const words = new Int32Array(unprinted)
    const exited = Promise.withResolvers<ThreadExit>()
    const ready = Promise.withResolvers<void>()
    const serving = Promise.withResolvers<void>()
    let error: Error | undefined
    worker.on('error', (thrown: unknown) => {
      error = thrown instanceof Error ? thrown : new Error(String(thrown))
    })
    worker.on('message', (report: Report) => {
      if (report.kind !== 'print') {
        serving.resolve()
        if (report.kind === 'ready') ready.resolve()
        return
      }
      Atomics.sub(words, 0, 1)
      process.stdout.write(report.text)
    })
    worker.on('exit', (code) => {
      this.#hasExited = true
      ready.reject(error ?? new Error(`${name} exited with code ${code} before it was ready`))
      exited.resolve(error === undefined ? { code } : { code, error })
    })
    this.exited = exited.promise
    this.serving = serving.promise
    this.ready = ready.promise
    this.ready.catch(() => undefined) // whoever cares listens too; an exit is told by `exited`
  }

  /** Hands a further port to the thread; null says that this party is gone. */
  introduce(name: string, port: MessagePort | null, info: unknown = null): void {
    if (this.#hasExited)
      port?.close() // so that the other end learns of it
    else this.#post({ kind: 'introduce', name, port, info }, port === null ? [] : [port])
  }

  control(message: unknown): void {
    this.#post({ kind: 'control', message })
  }

  /**
   * Processor time of the thread since it began. A thread that computes answers between two of its
   * instructions, one inside a native call when it comes back. Undefined when it has ended, or where
   * Node cannot tell (before 22.20).
   */
  async processorMs(): Promise<number | undefined> {
    if (this.#hasExited || !('cpuUsage' in this.#worker)) return undefined
    try {
      const { user, system } = await this.#worker.cpuUsage()
      return (user + system) / 1e3
    } catch {
      return undefined // it does not run yet, or not any more
    }
  }

  /** Cooperative: the thread's `onStop` runs, then it exits with code 0. */
  stop(): void {
    this.#post({ kind: 'stop' })
  }

  /** At any instruction; never for a thread that may be inside a native library. Resolves when it is gone. */
  async terminate(): Promise<void> {
    await this.#worker.terminate()
  }

  #post(order: Order, transfer: MessagePort[] = []): void {
    if (!this.#hasExited) this.#worker.postMessage(order, transfer)
  }
}

/**
 * Starts a thread. The only place that constructs a `Worker`.
 *
 * Errors  throws when the data cannot be cloned or the system refuses a further thread; the ports
 *         are closed then. A missing entry file shows in `exited`.
 */
export function startThread(spec: ThreadSpec): Thread {
  const { entry, name, data, ports, resourceLimits } = spec
  const unprinted = new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT)
  const { href } = new URL(entry, PROJECT_ROOT)
  const spawn: ThreadSpawnOptions = { entry: href, data, ports, unprinted }
  try {
    const worker = new Worker(BOOT, {
      name,
      workerData: spawn,
      transferList: Object.values(ports),
      ...(resourceLimits && { resourceLimits }),
    })
    return new Thread(name, worker, unprinted)
  } catch (error) {
    for (const port of Object.values(ports)) port.close()
    throw error
  }
}

/** What a thread knows of itself and hears from the one that started it. */
export interface ThisThread<TData> {
  readonly data: TData
  /** A port given at the start. Throws when there is none of that name. */
  port(name: string): MessagePort
  /** Says that the thread answers, where it is not ready yet: from now on its heart has to beat. */
  serves(): void
  /** Says that the thread serves, and that its start is over. Call it once. */
  ready(): void
  /** Has the starter print a text on its standard output. Never waits; what was printed outlives the thread. */
  print(text: string): void
  /** Texts that the starter has not taken yet. */
  readonly unprinted: number
  /** Introductions that came earlier are delivered at once, in order. */
  onIntroduced(listener: (name: string, port: MessagePort | null, info: unknown) => void): void
  /** Control messages that came earlier are delivered at once, in order. */
  onControl(listener: (message: unknown) => void): void
  /** A stop that came earlier is carried out now. The thread exits when `listener` has finished. */
  onStop(listener: () => Promise<void> | void): void
}

/** Messages with one listener, kept until it is there. */
class Kept<T> {
  readonly #what: string
  #waiting: T[] = []
  #listener: ((value: T) => void) | undefined

  constructor(what: string) {
    this.#what = what
  }

  give(value: T): void {
    if (this.#listener !== undefined) this.#listener(value)
    else if (this.#waiting.push(value) > KEPT_MAX)
      throw new Error(`nobody listens to ${this.#what}`)
  }

  listen(listener: (value: T) => void): void {
    if (this.#listener !== undefined) throw new Error(`${this.#what}: there is a listener already`)
    this.#listener = listener
    const waiting = this.#waiting
    this.#waiting = []
    for (const value of waiting) listener(value)
  }
}

class Self<TData> implements ThisThread<TData> {
  readonly data: TData
  readonly #ports: ThreadSpawnOptions['ports']
  readonly #parent: MessagePort
  readonly #unprinted: Int32Array
  readonly #introductions = new Kept<Introduction>('introductions')
  readonly #controls = new Kept<unknown>('control messages')
  readonly #stops = new Kept<void>('stops')
  #beforeExit: (() => Promise<void> | void) | undefined
  #isReady = false
  #isStopping = false

  constructor(parent: MessagePort, { data, ports, unprinted }: ThreadSpawnOptions) {
    this.data = data as TData
    this.#unprinted = new Int32Array(unprinted)
    this.#ports = ports
    this.#parent = parent
    parent.on('message', (order: Order) => this.#obey(order))
  }

  port(name: string): MessagePort {
    const port = this.#ports[name]
    if (port === undefined) throw new Error(`no port "${name}" was given to this thread`)
    return port
  }

  serves(): void {
    const report: Report = { kind: 'serving' }
    this.#parent.postMessage(report)
  }

  ready(): void {
    if (this.#isReady) return
    this.#isReady = true
    const report: Report = { kind: 'ready' }
    this.#parent.postMessage(report)
    if (this.#beforeExit === undefined) this.#stops.listen(() => this.#exit())
  }

  print(text: string): void {
    // Counted first: one that is terminated between the two leaves nothing but a count of its own.
    Atomics.add(this.#unprinted, 0, 1)
    const report: Report = { kind: 'print', text }
    this.#parent.postMessage(report)
  }

  get unprinted(): number {
    return Atomics.load(this.#unprinted, 0)
  }

  onIntroduced(listener: (name: string, port: MessagePort | null, info: unknown) => void): void {
    this.#introductions.listen(({ name, port, info }) => listener(name, port, info))
  }

  onControl(listener: (message: unknown) => void): void {
    this.#controls.listen(listener)
  }

  onStop(listener: () => Promise<void> | void): void {
    if (this.#beforeExit !== undefined) throw new Error('onStop: there is a listener already')
    this.#beforeExit = listener
    if (!this.#isReady) this.#stops.listen(() => this.#exit())
  }

  #obey(order: Order): void {
    if (order.kind === 'introduce') this.#introductions.give(order)
    else if (order.kind === 'control') this.#controls.give(order.message)
    else if (!this.#isStopping) {
      this.#isStopping = true
      this.#stops.give()
    }
  }

  /** A failure of the listener is uncaught, as any other: exit code 1. */
  #exit(): void {
    void Promise.resolve(this.#beforeExit?.()).then(() => process.exit(0))
  }
}

let self: Self<unknown> | undefined

/** The running thread's own end. Always the same object; `TData` is what its starter put in. */
export function thisThread<TData>(): ThisThread<TData> {
  if (parentPort === null) throw new Error('this code must run in a thread started by startThread')
  self ??= new Self<unknown>(parentPort, workerData as ThreadSpawnOptions)
  return self as Self<TData>
}
