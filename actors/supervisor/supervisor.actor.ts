import type { MessagePort, ResourceLimits } from 'node:worker_threads'
import { ServiceError } from '../../src/domain/errors.ts'
import type { ActorStatus } from '../../src/runtime/actor-board.ts'
import type { MachineTime } from '../../src/runtime/heartbeat.ts'
import { ProcessorTimes } from '../../src/runtime/processor-times.ts'
import { startThread, type Thread } from '../../src/runtime/thread.ts'
import { Child, type ChildDeps, type ChildSpec } from './child.ts'
import { MachineWatch, Watch } from './watch.ts'

/** How to start an actor that the process cannot live without: store, market, paper client. */
export interface VitalSpec {
  readonly name: string
  readonly entry: string
  /** Row of the actor board; without one its heartbeat is not watched. */
  readonly slot?: number
  readonly data: unknown
  readonly ports: Readonly<Record<string, MessagePort>>
  readonly resourceLimits?: ResourceLimits
}

export interface SupervisorDeps extends ChildDeps {
  /** Another computer than the real one, for tests. */
  readonly times?: ProcessorTimes
}

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
  readonly #machine: MachineWatch
  #isStopping = false
  #hasFailed = false

  constructor(deps: SupervisorDeps) {
    this.#deps = { ...deps, onFatal: (reason) => this.#fail(reason) }
    this.#onFatal = deps.onFatal
    const { limits, nowMs, times = new ProcessorTimes() } = deps
    this.#machine = new MachineWatch(times, limits.heartbeat, nowMs())
    this.#timer = setInterval(() => this.#check(), limits.heartbeat.checkIntervalMs)
  }

  /**
   * Resolves when it is ready; afterwards its end is fatal. Rejects when it cannot be started: it is asked to end then,
   * should it come late, because the next attempt starts another one.
   */
  async startVital(spec: VitalSpec): Promise<Thread> {
    this.#refuseWhenStopping()
    const vital = new Vital(spec, this.#deps)
    this.#vitals.push(vital)
    try {
      return await vital.ready()
    } catch (error) {
      vital.thread.stop()
      throw error
    }
  }

  /** One that is ready and not needed, because another that belongs to it could not be started. Resolves when it is gone. */
  async stopVital(thread: Thread): Promise<void> {
    await this.#vitals.find((vital) => vital.thread === thread)?.stop()
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

  /** Whether there is a child of this name, running or not. */
  has(name: string): boolean {
    return this.#children.has(name)
  }

  /** Of a stopped child nothing is kept. One that somebody has started again meanwhile stays. */
  forget(name: string): void {
    const child = this.#children.get(name)
    if (child?.isAtRest === true && this.status(name) === 'stopped') this.#children.delete(name)
  }

  /** Errors  `UNKNOWN_ACCOUNT`. */
  status(name: string): ActorStatus {
    return this.#deps.board.status(this.#get(name).spec.slot)
  }

  /** Asks a running child to misbehave, for tests. */
  fault(name: string, fault: unknown): void {
    this.#get(name).control({ kind: 'fault', fault })
  }

  #check(): void {
    const watches: Watch[] = []
    for (const { watch } of [...this.#vitals, ...this.#children.values()]) {
      if (watch !== undefined) watches.push(watch)
    }
    const machine = this.#machine.look(watches, this.#deps.nowMs())
    for (const vital of this.#vitals) vital.check(machine)
    for (const child of this.#children.values()) child.check(machine)
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

const COMPLAINTS = {
  starting: 'did not become ready in time',
  ready: 'hangs',
  ending: 'does not stop',
} as const

/**
 * An actor that the process cannot live without. It is never restarted and never terminated: it may
 * be inside a database call, where a killed thread would take the whole process down half-way.
 * Its death, or its silence, ends the process; start-up is recovery.
 */
class Vital {
  readonly spec: VitalSpec
  readonly thread: Thread
  readonly #deps: Omit<ChildDeps, 'random'>
  readonly #watch: Watch
  #phase: 'starting' | 'ready' | 'failed' | 'stopping' | 'over' = 'starting'
  readonly #failedStart = Promise.withResolvers<never>()
  readonly #doesNotStop = Promise.withResolvers<string>()

  /** Errors  as `startThread`. */
  constructor(spec: VitalSpec, deps: Omit<ChildDeps, 'random'>) {
    this.spec = spec
    this.#deps = deps
    const { slot, name, entry, data, ports, resourceLimits } = spec
    if (slot !== undefined) {
      deps.board.nextIncarnation(slot)
      deps.board.setAtDisk(slot, false)
      deps.board.setStatus(slot, 'starting')
    }
    this.thread = startThread({
      name,
      entry,
      data,
      ports,
      ...(resourceLimits && { resourceLimits }),
    })
    const { heartbeat, stopTimeoutMs } = deps.limits
    const limits = { ...heartbeat, endTimeoutMs: stopTimeoutMs }
    this.#watch = new Watch(this.thread, slot, { ...deps, limits })
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
    this.#watch.ready()
    const { board } = this.#deps
    const { slot } = this.spec
    if (slot !== undefined && board.status(slot) === 'starting') board.setStatus(slot, 'ready')
    return this.thread
  }

  /** Undefined when it has failed, or is gone. */
  get watch(): Watch | undefined {
    return this.#phase === 'failed' || this.#phase === 'over' ? undefined : this.#watch
  }

  /** One check of the heartbeat; the supervisor's timer calls it. */
  check(machine: MachineTime): void {
    if (this.#isAtDisk) return
    const verdict = this.watch?.check(machine)
    if (verdict !== 'hung' && verdict !== 'starved') return
    const text = `${this.spec.name} ${COMPLAINTS[this.#watch.phase]}`
    const reason = verdict === 'hung' ? text : `${text}, on a computer that is too busy`
    if (this.#phase === 'stopping') this.#doesNotStop.resolve(reason)
    else this.#end(reason)
  }

  /**
   * As the store, which has no heart for this reason. Only asked to stop it has its time: then the process ends without
   * it, and what was not told by then has not happened.
   */
  get #isAtDisk(): boolean {
    const { slot } = this.spec
    return slot !== undefined && this.#phase !== 'stopping' && this.#deps.board.isAtDisk(slot)
  }

  /** Cooperative only. When its time is up the process must end without it. */
  async stop(): Promise<void> {
    if (this.#phase === 'over') return
    this.#phase = 'stopping'
    this.#watch.ending()
    this.thread.stop()
    const late = this.#doesNotStop.promise.then((reason) => this.#deps.onFatal(reason))
    await Promise.race([this.thread.exited, late])
  }

  #end(reason: string): void {
    const phase = this.#phase
    if (phase !== 'stopping') this.#phase = 'failed'
    if (phase === 'starting') this.#failedStart.reject(new Error(reason))
    else if (phase === 'ready') this.#deps.onFatal(reason)
  }
}
