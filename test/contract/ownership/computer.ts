import { randomUUID } from 'node:crypto'
import { MessageChannel } from 'node:worker_threads'
import { ClusterActor } from '../../../actors/cluster/cluster.actor.ts'
import { StoreActor } from '../../../actors/store/store.actor.ts'
import type { Role } from '../../../src/cluster/account-ownership.ts'
import { ClusterOwnership, type SeatListener } from '../../../src/cluster/cluster-ownership.ts'
import { admitStart } from '../../../src/cluster/membership.ts'
import type { ClusterEngine } from '../../../src/cluster/node/engine.ts'
import { DEFAULT_APPEND_LIMITS } from '../../../src/cluster/protocol/append.ts'
import type { Now } from '../../../src/cluster/protocol/effects.ts'
import { accountWord } from '../../../src/cluster/protocol/order-check.ts'
import { DEFAULT_TIMING, type Timing } from '../../../src/cluster/protocol/timing.ts'
import { ServiceError } from '../../../src/domain/errors.ts'
import type { Line } from '../../../src/ports/transport.port.ts'
import type {
  ClusterRequest,
  ClusterTold,
  RemoteCall,
  RemoteReply,
} from '../../../src/protocol/cluster.ts'
import { decode, encode } from '../../../src/protocol/codec.ts'
import type { StoreControl } from '../../../src/protocol/store.ts'
import { Histogram } from '../../../src/runtime/histogram.ts'
import { Link, portWire } from '../../../src/runtime/link.ts'
import { steadyMs } from '../../../src/runtime/steady.ts'
import { StoreClient } from '../../../src/storage/store-client.ts'
import { ACCOUNT } from '../../cluster/fixtures/protocol.ts'
import { PATIENCE_MS } from '../../in-time.ts'
import { CLIENT_LIMITS, LOG_LIMITS } from '../../storage/fixtures/store-thread.ts'
import type { Candidate, CandidateKind, Change, History, Outcome, RoleKind } from './candidate.ts'
import { Changes } from './changes.ts'
import { commitText, outcomeOf, textsOf } from './orders.ts'

/** A node's line to the servers, and what cuts it. */
export interface EngineLine {
  readonly engine: ClusterEngine
  cut(): void
  heal(): void
}

export const NODES = ['n1', 'n2', 'n3'] as const

/** Far from what a busy computer takes for anything: leases run out because the clock of the test jumps. */
export const TIMING: Timing = {
  ...DEFAULT_TIMING,
  ttlMs: 600_000,
  renewMs: 100_000,
  marginMs: 20_000,
  engineMs: 1_000, // a seat that was left goes on writing for so long
  rankDelayMs: 1,
  roomMs: 3_000,
  roomAgainMs: 60_000,
  retryMs: 5,
  tickMs: 5,
}
const LIMITS = {
  ...LOG_LIMITS,
  accountsMax: 8,
  openAsksMax: 1_000,
  groupCommitsMax: 8,
  writeMarginBytes: 0,
  writeRetryMs: 10,
}

/** The clocks that all computers of a test share; they jump when it says so. */
export class JumpingClock {
  #aheadMs = 0

  readonly now = (): Now => ({
    monoMs: Math.floor(steadyMs() + this.#aheadMs),
    wallMs: Date.now() + this.#aheadMs,
  })

  jump(ms: number): void {
    this.#aheadMs += ms
  }
}

export interface ComputerDeps {
  readonly name: string
  /** Its own, through all of its lives. */
  readonly dataDir: string
  readonly line: EngineLine
  readonly clock: JumpingClock
  readonly history: History
  readonly how: CandidateKind
}

/** One life of a computer of a cluster: its store and its part of the cluster, and who runs the account by it. */
export class Computer implements Candidate {
  readonly name: string
  readonly #deps: ComputerDeps
  readonly #store: StoreActor
  readonly #actor: ClusterActor
  readonly #ownership: ClusterOwnership
  readonly #changes = new Changes()
  readonly #ports: { close(): void }[] = []
  #client: StoreClient | undefined
  #listener: SeatListener | undefined
  #role: Role = { kind: 'seeking', problem: null }
  #leaseUntilMs = 0
  #isThere = true

  constructor(deps: ComputerDeps) {
    const { name, dataDir, line, clock } = deps
    this.name = name
    this.#deps = deps
    this.#store = new StoreActor({
      dataDir,
      limits: LIMITS,
      fatal: (error) => {
        throw error
      },
      journal: {
        append: (accountId, commit, number) =>
          this.#actor.journal({ kind: 'append', accountId, commit, number }) as Promise<number>,
        read: (accountId) => this.#actor.journal({ kind: 'read', accountId }) as never,
        keep: async (accountId, snapshot) => {
          await this.#actor.journal({ kind: 'keep', accountId, snapshot })
        },
      },
    })
    this.#actor = new ClusterActor({
      self: { node: name, inc: randomUUID(), host: dataDir, v: 'test' },
      timing: TIMING,
      append: { ...DEFAULT_APPEND_LIMITS, commitBytesMax: LIMITS.logBytes },
      limits: { metricsTimeoutMs: PATIENCE_MS, stopTimeoutMs: 100 },
      engine: line.engine,
      now: clock.now,
      newId: randomUUID,
      words: new Int32Array(new SharedArrayBuffer(4 * accountWord(1))),
      origin: clock.now(),
      appends: new Histogram(),
      main: {
        tell: (told) => void setImmediate(() => this.#told(told)),
        ask: (call) => this.#serve(call as RemoteCall) as never,
      },
    })
    this.#ownership = this.#own()
  }

  #own(): ClusterOwnership {
    const { how, history, name } = this.#deps
    const control = (request: ClusterRequest) =>
      this.#actor.control(request, { deadlineMs: steadyMs() + PATIENCE_MS })
    const remote: Line = {
      ask: async (body) => {
        const call = {
          kind: 'call',
          accountId: ACCOUNT,
          body: encode(body),
          isWrite: false,
        } as const
        const { value, error } = decode<RemoteReply>((await control(call)) as Uint8Array)
        if (error !== undefined) throw ServiceError.fromWire(error)
        return value as never
      },
    }
    return new ClusterOwnership(
      ACCOUNT,
      {
        slot: 0,
        node: name,
        admit: admitStart,
        eligible: NODES,
        isReal: false,
        control: ((request: StoreControl) => this.#store.control(request)) as never,
        ask: control as never,
        listen: (listener) => {
          this.#listener = listener
          return () => undefined
        },
        line: remote,
        examine: async () =>
          how.isDamaged ? new ServiceError('ACCOUNT_PARKED', 'the books are damaged') : undefined,
        stalled: () => undefined,
        limits: { settleMs: 50, seekAgainMs: 5 },
      },
      {
        serve: async () => name,
        changed: (role) => {
          this.#role = role
          const epoch = role.kind === 'seeking' ? 0 : role.epoch
          history.note(name, role.kind === 'owner' ? epoch : 0)
          this.#changes.add({ event: role.kind, epoch })
        },
      },
    )
  }

  start(): Promise<Outcome> {
    return outcomeOf(async () => void (await this.#ownership.start()))
  }
  up(): Promise<Outcome> {
    return outcomeOf(() => this.#ownership.up())
  }
  lost(): Promise<Outcome> {
    return outcomeOf(() => this.#ownership.lost())
  }
  release(): Promise<Outcome> {
    this.#deps.history.note(this.name, 0)
    return outcomeOf(() => this.#ownership.release())
  }
  until(kind: RoleKind): Promise<Change> {
    return this.#changes.until(kind, this.name)
  }

  ask(): Promise<Outcome> {
    return outcomeOf(() => {
      if (this.#role.kind === 'seeking') throw new ServiceError('ACTOR_RESTARTING', 'seeking')
      return this.#role.kind === 'owner'
        ? this.name
        : this.#role.line.ask('who', { timeoutMs: PATIENCE_MS })
    })
  }
  commit(text: string): Promise<Outcome> {
    return outcomeOf(() => commitText(this.#opened(), text))
  }
  committed(): Promise<Outcome> {
    return outcomeOf(() => textsOf(this.#opened()))
  }

  #opened(): StoreClient {
    if (this.#client !== undefined) return this.#client
    const { port1, port2 } = new MessageChannel()
    this.#ports.push(port1)
    this.#store.introduce(ACCOUNT, portWire(port2))
    const line = new Link(portWire(port1), { peer: 'store', limits: LIMITS })
    this.#client = new StoreClient(line, CLIENT_LIMITS)
    return this.#client
  }

  async kill(): Promise<void> {
    await this.lose()
    await this.close()
  }
  async lose(): Promise<void> {
    this.#deps.history.note(this.name, 0)
    this.#deps.line.cut()
    this.#isThere = false
  }
  find(): void {
    this.#deps.line.heal()
  }

  /** What has gathered is told to nobody any more. */
  async close(): Promise<void> {
    this.#isThere = false
    await this.#actor.stop()
    await this.#store.close()
    for (const port of this.#ports.splice(0)) port.close()
    // With a process its tries would end; here they would go on behind the test, which would never end.
    void this.#ownership.release().catch(() => undefined)
  }

  /** Whether it has renewed its lease since the clocks stood there. Whoever is not there does not. */
  hasRenewedSince(monoMs: number): boolean {
    return !this.#isThere || this.#leaseUntilMs >= monoMs + TIMING.ttlMs - TIMING.marginMs
  }
  get isOwner(): boolean {
    return this.#changes.find('owner') !== undefined
  }

  #told(told: ClusterTold): void {
    switch (told.kind) {
      case 'owned':
        return this.#listener?.owned(told.epoch)
      case 'lost':
        return this.#listener?.lost(told.reason)
      case 'regressed':
        return this.#listener?.regressed(told.text)
      case 'placed':
        return this.#listener?.placed(told.at)
      case 'stalled':
        return this.#listener?.stalled(told.isStalled)
      case 'lease':
        this.#leaseUntilMs = told.untilMs
        return
      case 'dead':
        this.#isThere = false
        return
      default:
    }
  }

  async #serve({ body }: RemoteCall): Promise<Uint8Array> {
    if (this.#role.kind !== 'owner') return encode({ epoch: 0 } satisfies RemoteReply)
    const { epoch } = this.#role
    return encode({ epoch, value: decode(body) === 'who' ? this.name : null } satisfies RemoteReply)
  }
}
