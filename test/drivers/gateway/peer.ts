import { AccountActor } from '../../../actors/account/account.actor.ts'
import { type Front, startFront } from '../../../http/front.ts'
import type { CallOptions } from '../../../http/port/service.ts'
import type { AccountPolicy } from '../../../src/account/model/policy.ts'
import { ServiceError } from '../../../src/domain/errors.ts'
import type { PaperConfig } from '../../../src/drivers/paper/config.ts'
import type { PaperFaults } from '../../../src/drivers/paper/faults.ts'
import { REAL_TIME } from '../../../src/market/clock.ts'
import type { AccountRequest, Published, ReplyTo, Resource } from '../../../src/protocol/account.ts'
import type { MarketReplies, MarketRequest } from '../../../src/protocol/market.ts'
import { steadyMs } from '../../../src/runtime/steady.ts'
import { MemoryStore } from '../../../src/storage/memory-store.ts'
import { policy } from '../../account/fixture.ts'
import { FakeLink } from '../../http/fixtures/fake-service.ts'
import { gatewayOptions } from '../../http/fixtures/fronts.ts'
import { surroundings } from '../../simulation/fixtures/life.ts'
import { PaperRig } from '../fixtures/paper-rig.ts'

export const ACCOUNT = policy.accountId
/** Row of the account on the boards. */
const SLOT = 1

export interface PeerOptions {
  readonly folder: string
  readonly settings: PaperConfig
  readonly policy?: Partial<AccountPolicy>
  /** `limits.account` of the peer. */
  readonly limits?: Partial<AccountPolicy['limits']>
  readonly faults?: PaperFaults
  readonly token?: string
}

/** An account of a real actor at a paper client, as the front of its gateway reaches it. */
class PeerLink extends FakeLink {
  actor: AccountActor | undefined

  override ask<R extends AccountRequest>(request: R, options: CallOptions): Promise<ReplyTo<R>> {
    if (this.actor === undefined) return Promise.reject(restarting())
    const { timeoutMs, startWithinMs, correlationId } = options
    const startByMs = steadyMs() + Math.min(startWithinMs ?? timeoutMs, timeoutMs)
    const call = { correlationId, startByMs, deadlineMs: steadyMs() + timeoutMs }
    return this.actor.request(request, call) as Promise<ReplyTo<R>>
  }
  override read(resource: Resource, options: CallOptions): Promise<Published> {
    return this.ask({ kind: 'read', resource }, options)
  }
  override withdraw(correlationId: string): void {
    this.actor?.withdraw(correlationId)
  }
}

const restarting = () => new ServiceError('ACTOR_RESTARTING', 'the account is restarting')

/**
 * A gateway with one account in this thread: the real front, the real account, books that outlive both, and the
 * paper client behind them. Nothing of it but the store is a stand-in.
 */
export class TestPeer {
  readonly paper: PaperRig
  readonly #options: PeerOptions
  readonly #store = new MemoryStore()
  readonly #link = new PeerLink(ACCOUNT)
  #front: Front | undefined
  #lives = 0

  private constructor(options: PeerOptions) {
    this.#options = options
    this.paper = new PaperRig(options.folder, options.settings)
  }

  static async open(options: PeerOptions): Promise<TestPeer> {
    const peer = new TestPeer(options)
    const { market } = peer.paper
    market.tick(`${CODE}`, { last: 10, lastClose: 10, ask: [[10, 9_000]], bid: [[9.99, 9_000]] })
    await peer.startAccount()
    await peer.startFront(0)
    return peer
  }

  get port(): number {
    return this.#front?.port ?? 0
  }

  /** The next life of the account, from its books. */
  async startAccount(): Promise<void> {
    const { paper } = this
    const { faults, limits } = this.#options
    this.#lives += 1
    this.#link.actor = await AccountActor.start({
      ...surroundings(),
      policy: {
        ...policy,
        isAlwaysOpen: true,
        ...this.#options.policy,
        limits: { ...policy.limits, ...QUICK, ...limits },
      },
      board: paper.board,
      slot: SLOT,
      incarnation: this.#lives,
      quotes: paper.market,
      bands: paper.market,
      clock: paper.market,
      time: REAL_TIME,
      alarm: { set: () => undefined, rung: () => undefined },
      store: this.#store,
      driver: (epoch) => paper.driver({ slot: SLOT, epoch, ...(faults && { faults }) }),
      market: async <R extends MarketRequest>(request: R) => {
        const codes = request.kind === 'watch' ? request.codes : []
        const reply = { slots: await paper.market.watch(codes) }
        return reply as unknown as MarketReplies[R['kind']]
      },
    })
  }

  /** Its thread is gone at once; whoever waits hears nothing of it. */
  async stopAccount(): Promise<void> {
    const { actor } = this.#link
    this.#link.actor = undefined
    await actor?.stop()
  }

  async startFront(port: number): Promise<void> {
    const { token = '' } = this.#options
    const { market } = this.paper
    const limits = { sseIntervalMs: 5, closeTimeoutMs: 50, drainTimeoutMs: 50 }
    this.#front = await startFront({
      ...gatewayOptions([this.#link], { limits, token }),
      clock: market,
      port,
    })
  }

  async stopFront(): Promise<void> {
    await this.#front?.close()
    this.#front = undefined
  }

  /** As the account would be asked there. */
  ask<R extends AccountRequest>(request: R): Promise<ReplyTo<R>> {
    return this.#link.ask(request, { timeoutMs: 5_000, correlationId: 'test' })
  }

  async close(): Promise<void> {
    await this.stopFront()
    await this.stopAccount()
    await this.paper.close()
  }
}

const CODE = '600036.SH'
const QUICK = {
  callTimeoutMs: 2_000,
  reconnectIntervalMs: 20,
  doubtQueryIntervalMs: 20,
  doubtSettleMs: 60,
}
