import { ServiceError } from '../../src/domain/errors.ts'
import type { ActorStatus } from '../../src/runtime/actor-board.ts'
import type { Thread } from '../../src/runtime/thread.ts'
import { Child, type ChildDeps } from './child.ts'
import type { ChildSpec, VitalSpec } from './spec.ts'
import { Vital } from './vital.ts'

export type SupervisorDeps = ChildDeps

/**
 * Starts, watches and restarts the actors of this process. A child that crashes, hangs or runs out
 * of memory is restarted alone; a vital actor that does so is reported to `onFatal`, once, and the
 * process must end. No request passes through here.
 */
export class Supervisor {
  readonly #deps: SupervisorDeps
  readonly #onFatal: (reason: string) => void
  readonly #children = new Map<string, Child>()
  readonly #vitals: Vital[] = []
  readonly #timer: NodeJS.Timeout
  #isStopping = false
  #hasFailed = false

  constructor(deps: SupervisorDeps) {
    this.#deps = { ...deps, onFatal: (reason) => this.#fail(reason) }
    this.#onFatal = deps.onFatal
    this.#timer = setInterval(() => this.#look(), deps.limits.heartbeat.checkIntervalMs)
  }

  /** Resolves when it is ready. Rejects when it cannot be started; afterwards its end is fatal. */
  async startVital(spec: VitalSpec): Promise<Thread> {
    this.#refuseWhenStopping()
    const vital = new Vital(spec, this.#deps)
    this.#vitals.push(vital)
    return await vital.ready()
  }

  /**
   * Resolves when the child is ready, suspended or stopped for the first time: a failing start is
   * a crash like any other. The name and the slot of a stopped child can be given again.
   *
   * Errors  `STOPPING`; throws when the name or the slot is taken.
   */
  async startChild(spec: ChildSpec): Promise<void> {
    this.#refuseWhenStopping()
    for (const [name, other] of this.#children) {
      if (name !== spec.name && other.spec.slot !== spec.slot) continue
      const isStopped = other.isAtRest && this.status(name) === 'stopped'
      if (!isStopped) throw new Error(`${spec.name}: the name or the slot belongs to ${name}`)
      this.#children.delete(name)
    }
    const child = new Child(spec, this.#deps)
    this.#children.set(spec.name, child)
    await child.start()
  }

  /**
   * The operator's restart: resolves when it has begun. It also brings back a suspended or stopped
   * child, and forgets earlier crashes.
   *
   * Errors  `UNKNOWN_ACCOUNT`, `STOPPING`.
   */
  async restartChild(name: string): Promise<void> {
    this.#refuseWhenStopping()
    this.#get(name).restart()
  }

  /** Cooperative, then by force. Resolves when the thread is gone. Errors  `UNKNOWN_ACCOUNT`. */
  async stopChild(name: string): Promise<void> {
    await this.#get(name).stop()
  }

  /** The children together, then the vital actors, the first started last. Starts nothing any more. */
  async stopAll(): Promise<void> {
    this.#isStopping = true
    await Promise.all([...this.#children.values()].map((child) => child.stop()))
    for (const vital of this.#vitals.toReversed()) await vital.stop()
    clearInterval(this.#timer)
  }

  /** Errors  `UNKNOWN_ACCOUNT`. */
  status(name: string): ActorStatus {
    return this.#deps.board.status(this.#get(name).spec.slot)
  }

  /** Asks a running child to misbehave, for tests. */
  fault(name: string, fault: unknown): void {
    this.#get(name).control({ kind: 'fault', fault })
  }

  #look(): void {
    for (const vital of this.#vitals) vital.look()
    for (const child of this.#children.values()) child.look()
  }

  #get(name: string): Child {
    const child = this.#children.get(name)
    if (child === undefined) throw new ServiceError('UNKNOWN_ACCOUNT', `no actor is called ${name}`)
    return child
  }

  #refuseWhenStopping(): void {
    if (this.#isStopping) throw new ServiceError('STOPPING', 'the service is stopping')
  }

  /** The first reason is the one that matters; the process is about to end. */
  #fail(reason: string): void {
    if (this.#hasFailed) return
    this.#hasFailed = true
    this.#deps.log.error({ alert: 'process_fatal', reason }, 'the process must end')
    this.#onFatal(reason)
  }
}
