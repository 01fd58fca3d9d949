import type { SignOfLife, WatchLimits } from '../../cluster/watch-over.ts'
import { steadyMs } from '../../runtime/steady.ts'

/** Set for the child of a watchdog: why this life was begun, `first` for the first one. */
export const WATCHED = 'STEWARD_WATCHED'
/** Signs of life in the time in which a node may be silent. */
const SIGNS = 4

/** A sign that nobody is there to read would be an error of the process: 'disconnect' says it, and stops in order. */
const GONE = () => undefined

/** The line of a node to its watchdog. Where there is none, nothing is told. */
export class Watched {
  /** Why there was a life before this one; undefined in the first. */
  readonly after: string | undefined
  #sign: Omit<SignOfLife, 'limits'> = { atMs: 0, leaseMs: 0, isReady: false, isDone: false }
  #limits: WatchLimits | undefined

  private constructor(after: string) {
    this.after = after === 'first' ? undefined : after
    // Whoever watched it is gone, and nobody would kill it in time: it stops in order, for others to take over.
    process.on('disconnect', () => {
      if (!process.emit('SIGTERM', 'SIGTERM')) process.exit(1)
    })
    process.channel?.unref()
  }

  /** Undefined in a process that no watchdog has started. Asked once. */
  static find(env: NodeJS.ProcessEnv = process.env): Watched | undefined {
    const after = env[WATCHED]
    delete env[WATCHED] // not for children of ours
    if (after === undefined) return undefined
    if (!process.connected) process.exit(1) // the watchdog has ended already
    return new Watched(after)
  }

  /** From now on there are signs of life. */
  begin(limits: WatchLimits): void {
    this.#limits = limits
    setInterval(() => this.#tell(), Math.max(1, limits.silenceMs / SIGNS)).unref()
    this.#tell()
  }

  lease(leaseMs: number): void {
    this.#set({ leaseMs })
  }

  ready(): void {
    this.#set({ isReady: true })
  }

  /** Every account is left: nothing can be ordered any more. */
  done(): void {
    this.#set({ isDone: true })
  }

  #set(change: Partial<SignOfLife>): void {
    this.#sign = { ...this.#sign, ...change }
    this.#tell()
  }

  #tell(): void {
    if (this.#limits === undefined || !process.connected) return
    const sign: SignOfLife = { ...this.#sign, atMs: steadyMs(), limits: this.#limits }
    process.send?.(sign, undefined, undefined, GONE)
  }
}
