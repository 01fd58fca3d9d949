import { type ChildProcess, spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'

const PROGRAM = fileURLToPath(new URL('../../../bin/hold-lock.mjs', import.meta.url))

interface Visit {
  readonly work: () => unknown
  readonly resolve: (value: unknown) => void
  readonly reject: (error: Error) => void
}

/**
 * Work in the lock of a log whose process lives. It may sleep there, and LMDB stops the thread that asks
 * for its lock, so a process of ours waits for it: one at a time, for all that have asked by then.
 */
export class LockHolder {
  readonly #folder: string
  #visits: Visit[] = []
  #child: ChildProcess | undefined
  #isClosed = false

  /** `folder` is that of the lock. */
  constructor(folder: string) {
    this.#folder = folder
  }

  /** It has the lock, or waits for it: nobody in this thread may. */
  get isBusy(): boolean {
    return this.#child !== undefined
  }

  /**
   * What `work` answers, done inside the lock, which nobody had when this was called or has given back since.
   * Waits for as long as it takes. Errors  of `work`; the lock cannot be had; {@link close}.
   */
  inLock<T>(work: () => T): Promise<T> {
    if (this.#isClosed) return Promise.reject(new Error('nobody waits for the lock any more'))
    const done = new Promise<T>((resolve, reject) => {
      this.#visits.push({ work, resolve: resolve as Visit['resolve'], reject })
    })
    if (this.#child === undefined) this.#start()
    return done
  }

  /** Who still waits is told so. */
  close(): void {
    this.#isClosed = true
    this.#child?.kill('SIGKILL')
    this.#fail('nobody waits for the lock any more')
  }

  /** Without memory for it the system refuses at once. */
  #start(): void {
    try {
      this.#child = this.#spawned()
    } catch (error) {
      this.#fail(`its lock cannot be had: ${error instanceof Error ? error.message : error}`)
    }
  }

  #spawned(): ChildProcess {
    const child = spawn(process.execPath, [PROGRAM, this.#folder], {
      stdio: ['pipe', 'pipe', 'pipe'],
      windowsHide: true,
    })
    let complaint = ''
    child.on('error', (error) => {
      complaint = error.message
    })
    child.on('close', (code, signal) => {
      this.#child = undefined
      // Whoever came after the lock was had has its own turn; where it never was, nobody would ever have one.
      if (code !== 0) return this.#fail(`its lock cannot be had (${signal ?? code}): ${complaint}`)
      if (this.#visits.length > 0) this.#start()
    })
    const { stdin, stdout, stderr } = child as Partial<typeof child> // without descriptors there are none
    stderr?.setEncoding('utf8').on('data', (text: string) => {
      complaint = text.trim().split('\n').at(-1) ?? complaint
    })
    stdin?.on('error', () => undefined) // its end is told by `close`
    stdout?.once('data', () => {
      this.#visit()
      stdin?.end()
    })
    return child
  }

  #visit(): void {
    const visits = this.#visits
    this.#visits = []
    for (const { work, resolve, reject } of visits) {
      try {
        resolve(work())
      } catch (error) {
        reject(error as Error)
      }
    }
  }

  #fail(text: string): void {
    const visits = this.#visits
    this.#visits = []
    for (const { reject } of visits) reject(new Error(text))
  }
}
