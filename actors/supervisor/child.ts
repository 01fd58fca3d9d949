import type { MessagePort, ResourceLimits } from 'node:worker_threads'
import type { ActorBoard } from '../../src/runtime/actor-board.ts'
import type { HeartbeatLimits, HeartbeatWatch, MachineTime } from '../../src/runtime/heartbeat.ts'
import { decideRestart, type RestartPolicy } from '../../src/runtime/restart-policy.ts'
import { startThread, type Thread, type ThreadExit } from '../../src/runtime/thread.ts'
import { Watch } from './watch.ts'

/** How to start one actor that may be restarted at any time. */
export interface ChildSpec {
  readonly name: string
  /** Row of the actor board; one live child each. */
  readonly slot: number
  readonly entry: string
  readonly policy: RestartPolicy
  /** Default {@link RESOURCE_LIMITS}. */
  readonly resourceLimits?: ResourceLimits
  /**
   * Whether it can do with less: once it has crashed too often it is started again, and `prepare` is
   * told to leave out what may have been the cause. Without it, or when that crashes too, it stays away.
   */
  readonly canBeReduced?: boolean
  /** Called before every start: fresh ports, and introductions to those who hold their other ends. */
  prepare(
    incarnation: number,
    isReduced: boolean,
  ): {
    readonly data: unknown
    readonly ports: Readonly<Record<string, MessagePort>>
  }
  /** Once per incarnation, as soon as it is known to be dead or about to be: fail what waits for it. */
  down?(reason: string): void
  /** The actor serves. */
  up?(): void
  /** It crashed too often: reduced, or away, until an operator restarts it. */
  suspended?(reason: string): void
}

export interface SupervisorLimits {
  readonly heartbeat: Omit<HeartbeatLimits, 'endTimeoutMs'>
  /** For a cooperative stop; after it a child is terminated, a vital actor is fatal. Of the latter, time that it could have used. */
  readonly stopTimeoutMs: number
  /** For a termination, of such time; after it the process must end, because native code holds the thread. */
  readonly terminateTimeoutMs: number
}

interface SupervisorLog {
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
}

/** An account needs a few megabytes; a runaway one ends alone. */
const RESOURCE_LIMITS: ResourceLimits = { maxOldGenerationSizeMb: 128 }

export interface ChildDeps {
  readonly board: ActorBoard
  /** Monotonic. */
  readonly nowMs: () => number
  /** Uniform in [0, 1). */
  readonly random: () => number
  readonly log: SupervisorLog
  readonly onFatal: (reason: string) => void
  /** The store waits for its disk: whoever starts waits for the store, and does not hang. */
  readonly isStoreLate?: () => boolean
  readonly limits: SupervisorLimits
}

/** One life of the actor: its thread, and what is to follow when the thread has exited. */
interface Life {
  readonly thread: Thread
  readonly watch: Watch
  /** What ends it, when we do: an exit that nobody asked for is a crash. */
  ending: 'crash' | 'restart' | 'stop' | undefined
  reason: string | undefined
  /** Ends a cooperative stop that takes too long. */
  timer: NodeJS.Timeout | undefined
  /** Resolves when the thread has exited, or cannot be made to. */
  readonly over: PromiseWithResolvers<void>
}

/**
 * One supervised actor: started, watched, restarted alone after a back-off, suspended when it
 * crashes too often. At any time it has one life, or waits for the next, or rests.
 */
export class Child {
  readonly spec: ChildSpec
  readonly #deps: ChildDeps
  /** Resolves at the first ready, suspension or stop. */
  readonly #settled = Promise.withResolvers<void>()
  #life: Life | undefined
  #backoff: NodeJS.Timeout | undefined
  #crashesMs: readonly number[] = []
  #isDown = true
  #isReduced = false

  constructor(spec: ChildSpec, deps: ChildDeps) {
    this.spec = spec
    this.#deps = deps
  }

  /** Neither running nor about to be. */
  get isAtRest(): boolean {
    return this.#life === undefined && this.#backoff === undefined
  }

  /** Resolves when the actor is ready, suspended or stopped for the first time. */
  start(): Promise<void> {
    this.#begin()
    return this.#settled.promise
  }

  /** Now, without back-off and with a clean history; what the operator asked last is what happens. */
  restart(): void {
    this.#crashesMs = []
    this.#isReduced = false
    this.#deps.log.info({ actor: this.spec.name }, 'operator restarts an actor')
    if (this.#life === undefined) this.#begin()
    else this.#endLife(this.#life, 'restart', 'restarted by the operator')
  }

  /** Resolves when its thread is gone, or is known to be beyond our reach. */
  async stop(): Promise<void> {
    const life = this.#life
    if (life === undefined) return this.#rest('stopped')
    this.#endLife(life, 'stop', 'stopped')
    await life.over.promise
  }

  control(message: unknown): void {
    if (this.#life === undefined) throw new Error(`${this.spec.name} is not running`)
    this.#life.thread.control(message)
  }

  /** Undefined while there is no thread. */
  get watch(): Watch | undefined {
    return this.#life?.watch
  }

  /** One check of the heartbeat; the supervisor's timer calls it. */
  check(machine: MachineTime): void {
    const life = this.#life
    if (life === undefined) return
    const { phase } = life.watch
    const isWaiting = phase === 'starting' && this.#deps.isStoreLate?.() === true
    const verdict = life.watch.check(isWaiting ? NO_CHANCE : machine)
    if (verdict !== 'hung' && verdict !== 'starved') return
    if (phase === 'ending') return this.#giveUp(life, verdict)
    if (life.ending !== undefined) return // an ending has a time limit of its own
    life.ending = 'crash'
    life.reason = complaint(phase, verdict)
    this.#takeDown(life.reason)
    this.#terminate(life)
  }

  #begin(): void {
    clearTimeout(this.#backoff)
    this.#backoff = undefined
    const { board, log } = this.#deps
    const { name, slot, entry, resourceLimits = RESOURCE_LIMITS } = this.spec
    const incarnation = board.nextIncarnation(slot)
    board.resetInFlight(slot, 1)
    board.setStatus(slot, this.#isReduced ? 'suspended' : 'starting')
    board.setConnected(slot, false) // the last word of the thread before may have been another
    this.#isDown = false
    try {
      const { data, ports } = this.spec.prepare(incarnation, this.#isReduced)
      this.#live(startThread({ name, entry, data, ports, resourceLimits }))
      log.info({ actor: name, incarnation, isReduced: this.#isReduced }, 'actor starts')
    } catch (error) {
      this.#crashed(`it could not be started: ${String(error)}`)
    }
  }

  #live(thread: Thread): void {
    const { heartbeat, terminateTimeoutMs } = this.#deps.limits
    const limits = { ...heartbeat, endTimeoutMs: terminateTimeoutMs }
    const life: Life = {
      thread,
      watch: new Watch(thread, this.spec.slot, { ...this.#deps, limits }),
      ending: undefined,
      reason: undefined,
      timer: undefined,
      over: Promise.withResolvers<void>(),
    }
    this.#life = life
    // Who answers may be believed to be alive: it is found out as soon as one that is ready.
    void thread.serving.then(() => life.watch.ready())
    void thread.ready.then(
      () => this.#becameReady(life),
      () => undefined, // its exit says more
    )
    void thread.exited.then((exit) => this.#exited(life, exit))
  }

  #becameReady(life: Life): void {
    if (life !== this.#life || life.ending !== undefined) return
    this.#settled.resolve()
    this.spec.up?.()
  }

  /** Takes effect on a life that is ending already: the last word counts. */
  #endLife(life: Life, ending: 'restart' | 'stop', reason: string): void {
    if (life.ending === undefined) {
      life.thread.stop()
      life.timer = setTimeout(() => this.#terminate(life), this.#deps.limits.stopTimeoutMs)
    }
    life.ending = ending
    life.reason = reason
    // A stopping actor keeps its lines, so that it can save what it has; a restarted one is
    // recovered from what is saved, and its callers must not wait.
    if (ending === 'restart') this.#takeDown(reason)
  }

  #terminate(life: Life): void {
    clearTimeout(life.timer)
    life.watch.ending()
    void life.thread.terminate()
  }

  /** The process must end. */
  #giveUp(life: Life, verdict: 'hung' | 'starved'): void {
    const why = verdict === 'hung' ? 'native code holds its thread' : 'the computer is too busy'
    this.#deps.onFatal(`${this.spec.name} cannot be terminated: ${why}`)
    life.over.resolve()
  }

  #exited(life: Life, exit: ThreadExit): void {
    clearTimeout(life.timer)
    this.#life = undefined
    const { ending, reason = describe(exit) } = life
    if (ending === 'stop') this.#rest('stopped')
    else if (ending === 'restart') this.#begin()
    else this.#crashed(reason, exit.error)
    life.over.resolve()
  }

  #crashed(reason: string, error?: Error): void {
    this.#takeDown(reason)
    const { board, nowMs, random, log } = this.#deps
    const { name: actor, slot, policy } = this.spec
    const crash = { earlierMs: this.#crashesMs, nowMs: nowMs(), jitter: random() }
    const [decision, history] = decideRestart(policy, crash)
    this.#crashesMs = history
    const fields = { actor, incarnation: board.incarnation(slot), reason, stack: error?.stack }
    if (decision.kind === 'suspend') {
      const { crashesInPeriod } = decision
      log.error({ alert: 'actor_suspended', ...fields, crashesInPeriod }, 'actor suspended')
      this.spec.suspended?.(reason)
      if (this.spec.canBeReduced === true && !this.#isReduced) this.#reduce()
      else this.#rest('suspended')
      return
    }
    const { delayMs } = decision
    log.warn({ ...fields, delayMs }, 'actor crashed and will be restarted')
    board.resetInFlight(slot, 1) // an exact replay waits for its return
    this.#backoff = setTimeout(() => this.#begin(), delayMs)
  }

  /** Once more, with less: a person must be able to stop it. */
  #reduce(): void {
    const { board } = this.#deps
    this.#isReduced = true
    this.#crashesMs = []
    board.resetInFlight(this.spec.slot, 1)
    board.setStatus(this.spec.slot, 'suspended')
    this.#settled.resolve()
    this.#backoff = setTimeout(() => this.#begin(), this.spec.policy.backoffMsMin)
  }

  /** Tells, once per incarnation, that the actor answers no more. */
  #takeDown(reason: string): void {
    const { board } = this.#deps
    board.setStatus(this.spec.slot, this.#isReduced ? 'suspended' : 'restarting')
    board.setConnected(this.spec.slot, false)
    if (this.#isDown) return
    this.#isDown = true
    board.begin(this.spec.slot) // until the thread has exited and the row is reset
    this.spec.down?.(reason)
  }

  #rest(status: 'stopped' | 'suspended'): void {
    clearTimeout(this.#backoff)
    this.#backoff = undefined
    this.#takeDown(status)
    const { board } = this.#deps
    board.resetInFlight(this.spec.slot, 0)
    board.setStatus(this.spec.slot, status)
    this.#settled.resolve()
  }
}

/** Whatever the computer had time for: it was of no use to one that waits. */
const NO_CHANCE: MachineTime = { idleMs: 0, punctuality: 0 }

/** For the operator, in the log and in refusals. */
function complaint(phase: HeartbeatWatch['phase'], verdict: 'hung' | 'starved'): string {
  const text = phase === 'ready' ? 'its heartbeat stopped' : 'it did not become ready in time'
  return verdict === 'hung' ? text : `${text}, on a computer that is too busy`
}

const describe = ({ code, error }: ThreadExit): string => {
  if (error === undefined) return `it exited with code ${code}`
  return `${'code' in error ? error.code : error.name}: ${error.message}`
}
