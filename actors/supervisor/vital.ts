import {
  type HeartbeatWatch,
  lookAtHeartbeat,
  watchHeartbeat,
} from '../../src/runtime/heartbeat.ts'
import { startThread, type Thread } from '../../src/runtime/thread.ts'
import type { ChildDeps } from './child.ts'
import type { VitalSpec } from './spec.ts'

/**
 * An actor that the process cannot live without. It is never restarted and never terminated: it may
 * be inside a database call, where a killed thread would take the whole process down half-way.
 * Its death, or its silence, ends the process; start-up is recovery.
 */
export class Vital {
  readonly spec: VitalSpec
  readonly thread: Thread
  readonly #deps: Omit<ChildDeps, 'random'>
  #watch: HeartbeatWatch
  #phase: 'starting' | 'ready' | 'failed' | 'stopping' | 'over' = 'starting'
  readonly #failedStart = Promise.withResolvers<never>()

  /** Errors  as `startThread`. */
  constructor(spec: VitalSpec, deps: Omit<ChildDeps, 'random'>) {
    this.spec = spec
    this.#deps = deps
    const { slot, name, entry, data, ports, resourceLimits } = spec
    if (slot !== undefined) {
      deps.board.nextIncarnation(slot)
      deps.board.setStatus(slot, 'starting')
    }
    this.thread = startThread({
      name,
      entry,
      data,
      ports,
      ...(resourceLimits && { resourceLimits }),
    })
    this.#watch = watchHeartbeat('starting', this.#sample())
    this.#failedStart.promise.catch(() => undefined)
    void this.thread.exited.then(({ code, error }) => {
      const reason = `${name} ended: ${error === undefined ? `exit code ${code}` : error.message}`
      if (this.#phase === 'stopping' && code !== 0) deps.onFatal(reason) // it may have lost something
      this.#end(reason)
      this.#phase = 'over'
      if (slot !== undefined) deps.board.setStatus(slot, 'stopped')
    })
  }

  /** Rejects when the thread ends, or lets the start timeout pass, before it is ready. */
  async ready(): Promise<Thread> {
    await Promise.race([this.thread.ready, this.#failedStart.promise])
    if (this.#phase !== 'starting') return this.thread
    this.#phase = 'ready'
    this.#watch = watchHeartbeat('ready', this.#sample())
    const { board } = this.#deps
    const { slot } = this.spec
    if (slot !== undefined && board.status(slot) === 'starting') board.setStatus(slot, 'ready')
    return this.thread
  }

  /** One look at the heartbeat; the supervisor's timer calls it. */
  look(): void {
    const isWatched = this.#phase === 'ready' && this.spec.slot !== undefined
    if (this.#phase !== 'starting' && !isWatched) return
    const { limits } = this.#deps
    const { watch, isStuck } = lookAtHeartbeat(this.#watch, this.#sample(), limits.heartbeat)
    this.#watch = watch
    if (!isStuck) return
    const { name } = this.spec
    this.#end(this.#phase === 'starting' ? `${name} did not become ready in time` : `${name} hangs`)
  }

  /** Cooperative only. When its time is up the process must end without it. */
  async stop(): Promise<void> {
    if (this.#phase === 'over') return
    this.#phase = 'stopping'
    this.thread.stop()
    const { limits, onFatal } = this.#deps
    const late = Promise.withResolvers<void>()
    const timer = setTimeout(() => {
      onFatal(`${this.spec.name} does not stop`)
      late.resolve()
    }, limits.stopTimeoutMs)
    await Promise.race([this.thread.exited, late.promise])
    clearTimeout(timer)
  }

  #end(reason: string): void {
    const phase = this.#phase
    if (phase !== 'stopping') this.#phase = 'failed'
    if (phase === 'starting') this.#failedStart.reject(new Error(reason))
    else if (phase === 'ready') this.#deps.onFatal(reason)
  }

  #sample(): { heartbeat: number; nowMs: number } {
    const { board, nowMs } = this.#deps
    const { slot } = this.spec
    return { heartbeat: slot === undefined ? 0 : board.heartbeat(slot), nowMs: nowMs() }
  }
}
