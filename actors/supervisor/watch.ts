import type { ActorBoard } from '../../src/runtime/actor-board.ts'
import {
  checkHeartbeat,
  type HeartbeatLimits,
  type HeartbeatSample,
  type HeartbeatVerdict,
  type HeartbeatWatch,
  type MachineTime,
  punctualityOf,
  watchHeartbeat,
} from '../../src/runtime/heartbeat.ts'
import type { ProcessorTimes } from '../../src/runtime/processor-times.ts'
import type { Thread } from '../../src/runtime/thread.ts'

export interface WatchDeps {
  readonly board: ActorBoard
  /** Monotonic. */
  readonly nowMs: () => number
  readonly log: { warn(fields: object, message: string): void }
  readonly limits: HeartbeatLimits
}

/** The heartbeat of one thread, from its start to its end. */
export class Watch {
  readonly #thread: Thread
  /** Row of the actor board; without one only its start and its end are watched. */
  readonly #slot: number | undefined
  readonly #deps: WatchDeps
  #watch: HeartbeatWatch
  /** As the thread has last told; undefined when it has not since its last beat. */
  #processorMs: number | undefined
  #isAsking = false
  #isWarned = false

  constructor(thread: Thread, slot: number | undefined, deps: WatchDeps) {
    this.#thread = thread
    this.#slot = slot
    this.#deps = deps
    this.#watch = watchHeartbeat('starting', this.#sample())
  }

  /** From now on its heart has to beat; one that is already to end has to end. */
  ready(): void {
    if (this.phase === 'ending') return
    this.#processorMs = undefined
    this.#watch = watchHeartbeat('ready', this.#sample())
  }

  /** From now on it has to come to its end, whether its heart beats or not. */
  ending(): void {
    this.#processorMs = undefined
    this.#watch = watchHeartbeat('ending', this.#sample())
  }

  get phase(): HeartbeatWatch['phase'] {
    return this.#watch.phase
  }

  /** Beats since the last check; 0 when there is nothing to watch yet. */
  get beats(): number {
    return this.phase !== 'ready' ? 0 : (this.#heartbeat() - this.#watch.heartbeat) >>> 0
  }

  get #isWatched(): boolean {
    return this.phase !== 'ready' || this.#slot !== undefined
  }

  /** Whether the next check has to know what the computer had time for. */
  get isSuspect(): boolean {
    return this.#isWatched && this.beats === 0
  }

  check(machine: MachineTime): HeartbeatVerdict {
    if (!this.#isWatched) return 'alive'
    const { limits } = this.#deps
    const { watch, verdict } = checkHeartbeat(this.#watch, this.#sample(), machine, limits)
    this.#watch = watch
    if (watch.silentMs === 0) {
      this.#processorMs = undefined // told before the beat, it would count again
      this.#isWarned = false
    } else void this.#askProcessorTime()
    if (verdict === 'waiting') this.#warn()
    return verdict
  }

  #warn(): void {
    if (this.#isWarned) return
    this.#isWarned = true
    const { phase, silentMs, freeMs, ranMs } = this.#watch
    this.#deps.log.warn(
      { actor: this.#thread.name, phase, silentMs, freeMs, ranMs },
      'an actor is late because the computer is busy; it is waited for',
    )
  }

  /** A thread inside a native call answers when it comes back: one question at a time. */
  async #askProcessorTime(): Promise<void> {
    if (this.#isAsking) return
    this.#isAsking = true
    this.#processorMs = (await this.#thread.processorMs()) ?? this.#processorMs
    this.#isAsking = false
  }

  #heartbeat(): number {
    return this.#slot === undefined ? 0 : this.#deps.board.heartbeat(this.#slot)
  }

  #sample(): HeartbeatSample {
    const processorMs = this.#processorMs
    return { heartbeat: this.#heartbeat(), nowMs: this.#deps.nowMs(), processorMs }
  }
}

type MachineWatchLimits = Pick<HeartbeatLimits, 'beatIntervalMs'>

/** What the computer had for the threads of this process since the last look. */
export class MachineWatch {
  readonly #times: ProcessorTimes
  readonly #limits: MachineWatchLimits
  #lookedMs: number

  constructor(times: ProcessorTimes, limits: MachineWatchLimits, nowMs: number) {
    this.#times = times
    this.#limits = limits
    this.#lookedMs = nowMs
  }

  look(watches: readonly Watch[], nowMs: number): MachineTime {
    const gapMs = nowMs - this.#lookedMs
    this.#lookedMs = nowMs
    let [beating, punctuality, isAsked] = [0, 0, false]
    for (const watch of watches) {
      const { beats } = watch
      isAsked ||= watch.isSuspect
      if (beats === 0) continue
      beating += 1
      punctuality += punctualityOf(beats, gapMs, this.#limits)
    }
    if (!isAsked) this.#times.rest()
    return {
      idleMs: isAsked ? this.#times.idleMs(nowMs) : undefined,
      punctuality: beating === 0 ? 1 : punctuality / beating,
    }
  }
}
