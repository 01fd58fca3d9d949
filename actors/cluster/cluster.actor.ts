import { ClusterNode } from '../../src/cluster/node/cluster-node.ts'
import { readEpoch } from '../../src/cluster/node/encoded.ts'
import type { EngineSnapshot } from '../../src/cluster/node/engine.ts'
import { BrokenChain } from '../../src/cluster/node/fenced-log.ts'
import type { LifeParts, SharedWords } from '../../src/cluster/node/life.ts'
import { route } from '../../src/cluster/node/route.ts'
import { type Gathering, gather } from '../../src/cluster/protocol/commits.ts'
import type { Tail } from '../../src/cluster/protocol/effects.ts'
import { allowEpoch } from '../../src/cluster/protocol/order-check.ts'
import type { PlacementRecord } from '../../src/cluster/protocol/records.ts'
import { ServiceError } from '../../src/domain/errors.ts'
import type { CallHeader, Line } from '../../src/ports/transport.port.ts'
import type {
  ClusterAbout,
  ClusterReplies,
  ClusterRequest,
  ClusterTold,
  JournalReplies,
  JournalRequest,
  NodeMetrics,
  Registered,
  RemoteCall,
  RemoteMetrics,
} from '../../src/protocol/cluster.ts'
import { decode, encode } from '../../src/protocol/codec.ts'
import type { KeptSnapshot, ReplicatedBooks, ReplicatedCommit } from '../../src/protocol/journal.ts'
import type { Histogram } from '../../src/runtime/histogram.ts'
import { steadyMs } from '../../src/runtime/steady.ts'

export interface ClusterActorLimits {
  /** The metrics of this node are told within this, or not at all. ms */
  readonly metricsTimeoutMs: number
  /** The servers have this long to hear that the node is gone. ms */
  readonly stopTimeoutMs: number
}

export interface ClusterActorDeps extends LifeParts, SharedWords {
  readonly limits: ClusterActorLimits
  /** How long it takes until a quorum keeps a commit, for who reads the metrics. */
  readonly appends: Histogram
  /** To the main thread. */
  readonly main: Line & { tell(body: ClusterTold): void }
}

/** The longest timer there is. Whoever runs an account answers by the time limit that travels in the call. */
const FOREVER_MS = 2 ** 31 - 1
/** What is asked of all nodes at once. */
const METRICS = 'metrics'
const TEXT = new TextDecoder()

/** One life of this process in its cluster: whether it may act, which accounts it runs, and where the others are. */
export class ClusterActor {
  readonly #deps: ClusterActorDeps
  readonly #node: ClusterNode
  /** Rows of the shared words, by account that is joined. */
  readonly #slots = new Map<string, number>()
  readonly #epochsSeen = new Map<string, number>()
  /** Ends of the subscriptions to what the servers keep, by account. */
  readonly #followed = new Map<string, () => void>()

  constructor(deps: ClusterActorDeps) {
    this.#deps = deps
    const { self, engine, main } = deps
    this.#node = new ClusterNode({
      ...deps,
      events: {
        lease: (deadline) =>
          main.tell({
            kind: 'lease',
            mayAct: deadline !== undefined,
            untilMs: deadline?.monoMs ?? 0,
          }),
        foreign: (host) => main.tell({ kind: 'foreign', host }),
        dead: (why) => main.tell({ kind: 'dead', why }),
        owned: (accountId, epoch) => this.#owned(accountId, epoch),
        lost: (accountId, reason) => this.#lost(accountId, reason),
        regressed: (accountId, text) => main.tell({ kind: 'regressed', accountId, text }),
        stalled: (accountId, isStalled) => main.tell({ kind: 'stalled', accountId, isStalled }),
        otherClient: (accountId, node) => main.tell({ kind: 'otherClient', accountId, node }),
        placed: (accountId, placement) => this.#placed(accountId, placement),
        otherDays: (node, version) => main.tell({ kind: 'otherDays', node, version }),
        registrations: (all, removed) =>
          main.tell({
            kind: 'registrations',
            all: [...all].map(([accountId, value]) => ({ accountId, value })),
            removed: [...removed],
          }),
      },
    })
    if (deps.isGateway === true) return // nobody has anything to ask of it
    engine.serveSurvey(METRICS, (timeoutMs) => this.#tellMetrics(timeoutMs))
    engine.serve(self.node, self.inc, {
      answer: (accountId, body) => this.#serve({ accountId, body }),
      undelivered: (accountId, body) => main.tell({ kind: 'undelivered', accountId, body }),
    })
  }

  /** Answers the main thread. */
  async control(
    request: ClusterRequest,
    { deadlineMs }: Pick<CallHeader, 'deadlineMs'>,
  ): Promise<ClusterReplies[ClusterRequest['kind']]> {
    switch (request.kind) {
      case 'join': {
        const { accountId, slot, eligible, epoch, opensAt, isReal } = request
        this.#slots.set(accountId, slot)
        this.#node.join(accountId, { eligible, epochFloor: epoch, opensAt, isReal })
        const shown = this.#node.shown(accountId)
        if (shown !== undefined) this.#placed(accountId, shown.value)
        return null
      }
      case 'activate':
        this.#node.seat(request.accountId)?.activate(request.epoch)
        return null
      case 'about':
        return this.#about(request.accountId)
      case 'leave':
        return this.#leave(request)
      case 'call':
        return this.#call(request, deadlineMs)
      case 'follow':
        this.#follow(request.accountId, request.isOn)
        return null
      case 'register':
        return this.#register(request)
      case 'unregister':
        await this.#unregister(request.accountId)
        return null
      case 'room':
        this.#node.room(request.isFull)
        return null
      case 'fits':
        this.#node.seat(request.accountId)?.fits(request.doesFit)
        return null
      case 'drain':
        this.#node.drain()
        return null
      case 'census':
        return this.#node.census
      case 'metrics':
        return this.#metrics(request.timeoutMs)
    }
  }

  /**
   * Its thread has ended. The servers may be away for long: by then the account may have been joined again, and another
   * one may have its row.
   */
  async #leave({
    accountId,
    closing,
  }: Extract<ClusterRequest, { kind: 'leave' }>): Promise<number | null> {
    this.#forbid(accountId)
    this.#slots.delete(accountId)
    this.#epochsSeen.delete(accountId)
    return (await this.#node.leave(accountId, closing)) ?? null
  }

  async #register({
    accountId,
    eligible,
    value,
  }: Extract<ClusterRequest, { kind: 'register' }>): Promise<Registered> {
    const { self, engine, isGateway } = this.#deps
    const own = isGateway === true ? [] : [self.node]
    const known = new Set([...own, ...this.#node.census.nodes.map(({ node }) => node)])
    const nodes = eligible.filter((node) => !known.has(node))
    if (nodes.length > 0) return { is: 'unknown', nodes }
    try {
      return { is: 'registered', value: await engine.register(accountId, value) }
    } catch (error) {
      throw notReached(`account ${accountId} was not registered`, error)
    }
  }

  async #unregister(accountId: string): Promise<void> {
    try {
      await this.#deps.engine.unregister(accountId)
    } catch (error) {
      throw notReached(`account ${accountId} stays registered`, error)
    }
  }

  /** Answers the store. */
  async journal(request: JournalRequest): Promise<JournalReplies[JournalRequest['kind']]> {
    const { accountId } = request
    switch (request.kind) {
      case 'append': {
        const seat = this.#node.seat(accountId)
        if (seat === undefined)
          throw new ServiceError('NOT_OWNER', `account ${accountId} is not here`)
        const sinceMs = steadyMs()
        const { commit, number } = request
        const place = await seat.append(commit.epoch, number, encode(commit))
        this.#deps.appends.observe(steadyMs() - sinceMs)
        return place
      }
      case 'read':
        return this.#read(accountId)
      case 'keep':
        await this.#keep(accountId, request.snapshot)
        return null
    }
  }

  async #keep(accountId: string, { commits, from, parts }: KeptSnapshot): Promise<void> {
    const { engine, newId } = this.#deps
    try {
      await engine.keep(accountId, { name: `${commits}-${newId()}`, from }, parts)
    } catch (error) {
      throw notReached(`no snapshot of account ${accountId} was kept`, error)
    }
  }

  async #about(accountId: string): Promise<ClusterAbout> {
    const { engine, timing } = this.#deps
    try {
      const id = await engine.identity()
      const ask = { do: 'readTail', call: 0, acct: accountId, timeoutMs: timing.engineMs } as const
      const answer = await engine.perform(ask)
      if (answer.is !== 'tail') throw new Error('the end of its journal cannot be read')
      const isKept = await engine.hasSnapshot(accountId)
      return { id, end: endOf(answer.tail), isKept }
    } catch (error) {
      throw notReached(`the journal of account ${accountId} cannot be read`, error)
    }
  }

  /** Every account has been left. */
  async stop(): Promise<void> {
    const { limits, engine } = this.#deps
    await this.#node.stop(limits.stopTimeoutMs)
    await engine.close()
  }

  async #read(accountId: string): Promise<ReplicatedBooks> {
    const { engine } = this.#deps
    try {
      const { parts: snapshot, from } = (await engine.snapshot(accountId)) ?? NO_SNAPSHOT
      const commits: ReplicatedCommit[] = []
      let gathering: Gathering | undefined
      for await (const { record } of engine.records(accountId, from)) {
        // Whoever has opened it again has kept the whole account before.
        if (record.body.t === 'left') commits.length = 0
        const gathered = gather(gathering, record)
        for (const bytes of gathered.commits) commits.push(decode<ReplicatedCommit>(bytes))
        gathering = gathered.gathering
      }
      return { snapshot, commits }
    } catch (error) {
      if (error instanceof BrokenChain) throw regressed(error)
      throw notReached(`the journal of account ${accountId} cannot be read`, error)
    }
  }

  async #call(
    { accountId, body, isWrite }: Extract<ClusterRequest, { kind: 'call' }>,
    deadlineMs: number,
  ): Promise<Uint8Array> {
    const { engine, timing, now } = this.#deps
    const routed = {
      acct: accountId,
      body,
      isWrite,
      epochSeen: this.#epochsSeen.get(accountId) ?? 0,
      timeoutMs: Math.max(1, Math.floor(deadlineMs - steadyMs())),
    }
    const reply = await route(routed, {
      engine,
      timing,
      now,
      shown: () => this.#node.shown(accountId),
    })
    this.#epochsSeen.set(accountId, Math.max(routed.epochSeen, readEpoch(reply) ?? 0))
    return reply
  }

  #follow(accountId: string, isOn: boolean): void {
    const { engine, main } = this.#deps
    this.#followed.get(accountId)?.()
    this.#followed.delete(accountId)
    if (!isOn) return
    const unfollow = engine.follow(accountId, () => main.tell({ kind: 'news', accountId }))
    this.#followed.set(accountId, unfollow)
  }

  /** Of every node that has not left in order. Who was fenced is not waited for, and named all the same. */
  async #metrics(timeoutMs: number): Promise<NodeMetrics> {
    const { engine, self } = this.#deps
    const named = this.#node.census.nodes.filter(
      ({ node, standing }) => node !== self.node && standing !== 'gone',
    )
    const expected = named.filter(({ standing }) => standing !== 'fenced').map(({ node }) => node)
    const answers = await engine.survey({ what: METRICS, expected, timeoutMs })
    const texts = Array.from(answers, ([node, bytes]) => [node, TEXT.decode(bytes)] as const)
    return {
      ...Object.fromEntries(named.map(({ node }) => [node, null])),
      ...Object.fromEntries(texts),
    }
  }

  async #tellMetrics(timeoutMs: number): Promise<Uint8Array> {
    const { main, limits } = this.#deps
    const metricsWithinMs = Math.max(1, Math.min(timeoutMs, limits.metricsTimeoutMs))
    const asked: RemoteMetrics = { metricsWithinMs }
    return Buffer.from(await main.ask<string>(asked, { timeoutMs: metricsWithinMs }))
  }

  /** Of another node, which is waiting as long as it says in the call. What is not run here was not executed. */
  async #serve(call: RemoteCall): Promise<Uint8Array> {
    return this.#deps.main.ask<Uint8Array>(call, { timeoutMs: FOREVER_MS })
  }

  #owned(accountId: string, epoch: number): void {
    const slot = this.#slots.get(accountId)
    if (slot === undefined) return
    allowEpoch(this.#deps.words, slot, epoch)
    this.#deps.main.tell({ kind: 'owned', accountId, epoch })
  }

  /** Its thread may not act any more before it even hears of it. */
  #lost(accountId: string, reason: string): void {
    this.#forbid(accountId)
    this.#deps.main.tell({ kind: 'lost', accountId, reason })
  }

  #forbid(accountId: string): void {
    const slot = this.#slots.get(accountId)
    if (slot !== undefined) allowEpoch(this.#deps.words, slot, 0)
  }

  #placed(accountId: string, { node, inc, e, state }: PlacementRecord): void {
    const isHere = inc === this.#deps.self.inc
    const at = { node, isHere, epoch: e, isActive: state === 'active' }
    this.#deps.main.tell({ kind: 'placed', accountId, at })
  }
}

function endOf(tail: Tail | undefined): ClusterAbout['end'] {
  if (tail === undefined) return null
  const { e, node, body } = tail.record
  const [isLeft, isFree] = [body.t === 'left', body.t === 'release']
  return { seq: tail.seq, epoch: e, node, isLeft, isFree }
}

const NO_SNAPSHOT: EngineSnapshot = { parts: [], from: 0 }

const regressed = (error: BrokenChain): ServiceError =>
  new ServiceError('STORE_FAILED', `JOURNAL_REGRESSED: ${error.message}`, undefined, error)

/** Servers that do not answer are no bug of this thread. */
const notReached = (what: string, error: unknown): ServiceError =>
  new ServiceError(
    'NOT_OWNER',
    `${what}: ${error instanceof Error ? error.message : String(error)}`,
    undefined,
    error,
  )
