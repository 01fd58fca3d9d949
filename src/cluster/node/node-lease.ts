import type { Now } from '../protocol/effects.ts'
import {
  type Deadline,
  type DeathReason,
  type LeaseEffect,
  type LeaseInput,
  type LeaseState,
  mayClaim,
  type Self,
  startLease,
  stepLease,
} from '../protocol/lease.ts'
import { clearLease, writeLease } from '../protocol/order-check.ts'
import {
  type OwnerMark,
  type PeersEffect,
  type PeersInput,
  type PeersState,
  startPeers,
  stepPeers,
} from '../protocol/peers.ts'
import type { NodeRecord } from '../protocol/records.ts'
import type { Timing } from '../protocol/timing.ts'
import type { Engine } from './engine.ts'
import { StepRunner } from './step-runner.ts'

export interface NodeLeaseOptions {
  readonly self: Self
  readonly timing: Timing
  readonly engine: Engine
  readonly now: () => Now
  /** Words of the order check, in memory that every thread of this node shares. */
  readonly words: Int32Array<SharedArrayBuffer>
  /** Reading of the clocks that the words count from. */
  readonly origin: Now
  /** Has no lease, and looks after no other. */
  readonly isGateway?: boolean | undefined
  /** The watch shows nothing of ours although the servers answer. */
  reopenWatch(): void
  /** After every renewal: for the gate and the watchdog, which lie in other processes. */
  onDeadline(deadline: Deadline): void
  onUp(): void
  /** Nobody on this node may act; the words say so already. Reading goes on. */
  onSuspended(): void
  /** The end of this life: stop every actor and end the process. The words are cleared already. */
  onDead(why: DeathReason): void
  /** Another computer stands under this name. */
  onForeign(host: string): void
  /** The accounts of that life of a node may be claimed. */
  onPeerFenced(node: string, inc: string): void
}

/** What claims look at. */
export interface NodeView {
  readonly self: OwnerMark
  readonly mayClaim: boolean
  /** The disk of this computer has no room. */
  readonly lacksRoom: boolean
  readonly peers: PeersState
}

/**
 * The lease of this node, and its sight of the others. It belongs to a thread that does nothing long: it must be able
 * to renew. The words expire by themselves when it cannot.
 */
export class NodeLease {
  readonly #options: NodeLeaseOptions
  readonly #lease: StepRunner<LeaseState, LeaseInput, LeaseEffect>
  readonly #peers: StepRunner<PeersState, PeersInput, PeersEffect>
  readonly #gone = Promise.withResolvers<void>()
  #timer: NodeJS.Timeout | undefined

  constructor(options: NodeLeaseOptions) {
    const { self, timing, engine, now, words } = options
    this.#options = options
    clearLease(words)
    this.#lease = new StepRunner<LeaseState, LeaseInput, LeaseEffect>({
      state: startLease(self, timing),
      step: stepLease,
      engine,
      now,
      perform: (effect) => this.#perform(effect),
    })
    this.#peers = new StepRunner<PeersState, PeersInput, PeersEffect>({
      state: startPeers(self.node, timing),
      step: stepPeers,
      engine,
      now,
      perform: (effect) => this.#performOnPeers(effect),
    })
    if (options.isGateway === true) return
    this.#timer = setInterval(() => this.#tick(), timing.tickMs)
    this.#tick()
  }

  get view(): NodeView {
    const { node, inc } = this.#options.self
    const { state } = this.#lease
    return {
      self: { node, inc, since: state.revision },
      mayClaim: mayClaim(state),
      lacksRoom: state.isFull,
      peers: this.#peers.state,
    }
  }

  /** For which this node may still act, by whichever clock runs out first. */
  get leaseMs(): number {
    const { deadline, phase } = this.#lease.state
    if (phase !== 'up' || deadline === undefined) return 0
    const { monoMs, wallMs } = this.#options.now()
    return Math.max(0, Math.min(deadline.monoMs - monoMs, deadline.wallMs - wallMs))
  }

  /** The watch shows the record of a node, ours among them. */
  sight(record: NodeRecord, revision: number): void {
    if (this.#options.isGateway !== true) this.#peers.take({ is: 'sighting', record, revision })
  }

  /** Owns no more accounts from now on; those that there are go on until they are released. */
  drain(): void {
    if (this.#options.isGateway !== true) this.#lease.take({ is: 'drain' })
  }

  /** The disk of this computer has no room, or has some again. */
  room(isFull: boolean): void {
    this.#lease.take({ is: 'room', isFull })
  }

  /** All accounts that would be run here by the other kind of trading client than they live with. */
  otherClient(accounts: readonly string[]): void {
    this.#lease.take({ is: 'otherClient', accounts })
  }

  /**
   * Every account is released: leaves in order. Resolves when the others may know it, or when this life is over
   * otherwise; who cannot wait calls `stop`.
   */
  leave(): Promise<void> {
    if (this.#options.isGateway === true) this.stop()
    else this.#lease.take({ is: 'leave' })
    return this.#gone.promise
  }

  /** Nothing is renewed any more: nobody on this node may act. */
  stop(): void {
    clearInterval(this.#timer)
    this.#lease.stop()
    this.#peers.stop()
    clearLease(this.#options.words)
    this.#gone.resolve()
  }

  #tick(): void {
    this.#lease.take({ is: 'tick' })
    this.#peers.take({ is: 'tick' })
  }

  #perform(effect: Exclude<LeaseEffect, { timeoutMs: number }>): void {
    const { words, origin } = this.#options
    switch (effect.do) {
      case 'leaseUntil':
        writeLease(words, effect.deadline, origin)
        return this.#options.onDeadline(effect.deadline)
      case 'renewed':
        return this.#peers.take({ is: 'renewed' })
      case 'becameUp':
        return this.#options.onUp()
      case 'suspended':
        clearLease(words)
        return this.#options.onSuspended()
      case 'dead':
        this.stop()
        return this.#options.onDead(effect.why)
      case 'gone':
        return this.stop()
      case 'foreign':
        return this.#options.onForeign(effect.host)
    }
  }

  #performOnPeers(effect: Exclude<PeersEffect, { timeoutMs: number }>): void {
    if (effect.do === 'reopenWatch') this.#options.reopenWatch()
    else this.#options.onPeerFenced(effect.node, effect.inc)
  }
}
