import { ServiceError } from '../../domain/errors.ts'
import { type ClaimView, isOfAnotherClient } from '../protocol/claim.ts'
import type { Owned } from '../protocol/claim-state.ts'
import type { Closing } from '../protocol/commits.ts'
import type { ControlEntry, KvEffect } from '../protocol/effects.ts'
import { NO_MEMORY } from '../protocol/known-past.ts'
import {
  type PlacementInput,
  type PlacementState,
  startPlacement,
  stepPlacement,
} from '../protocol/placement.ts'
import type { PlacementRecord } from '../protocol/records.ts'
import { type RoomState, startRoom, stepRoom } from '../protocol/room.ts'
import { Claim } from './claim.ts'
import { FencedLog, NotAppended } from './fenced-log.ts'
import type { LifeParts } from './life.ts'
import type { NodeView } from './node-lease.ts'
import { StepRunner } from './step-runner.ts'

export interface SeatEvents {
  /** The account is ours under this epoch: its database may be claimed, and then it may act. */
  owned(epoch: number): void
  /** It is not any more: its actor must stop. */
  lost(reason: string): void
  /** JOURNAL_REGRESSED: nobody may trade on it. */
  regressed(text: string): void
  /** New orders are refused early while it stands. */
  stalled(isStalled: boolean): void
  /** That node runs it by the other kind of trading client: it is not claimed here. Each is told once. */
  otherClient(node: string): void
}

export interface SeatDeps extends LifeParts {
  readonly acct: string
  /** Nodes that may run it. */
  readonly eligible: readonly string[]
  /** Highest epoch that the database of this computer has had by itself. */
  readonly epochFloor: number
  /** Behind which record the journal may be opened here: see {@link ClaimView}. */
  readonly opensAt: number | undefined
  /** Whether it would be run here by a real trading client. */
  readonly isReal: boolean
  /** What the node knows beside the account. */
  readonly view: () => NodeView & Pick<ClaimView, 'isShown'>
  readonly events: SeatEvents
}

/** One account as this node sees it: claimed when it is our turn, and written by us alone while it is ours. */
export class Seat {
  readonly #deps: SeatDeps
  readonly #claim: Claim
  #log: FencedLog | undefined
  /** The one that is being laid down, for want of room. */
  #leaving: FencedLog | undefined
  #left: Promise<void> = Promise.resolve()
  #room: RoomState = startRoom()
  /** What the servers keep of the account fits on the disk here, as far as is known. */
  #fits = true
  /** Its journal takes nothing now, and would not take our release either. */
  #isStalled = false
  /** It is being released: how that ends is decided. */
  #isReleased = false
  /** Under which it is ours; 0: it is not. */
  #epoch = 0
  #placement: StepRunner<PlacementState, PlacementInput, KvEffect> | undefined
  #shown: ControlEntry<PlacementRecord> | undefined
  /** The node that was told of last, as long as nobody else is shown. */
  #otherClient: string | undefined
  readonly #timer: NodeJS.Timeout

  constructor(deps: SeatDeps) {
    const { acct, engine, timing, now, events } = deps
    this.#deps = deps
    this.#claim = new Claim({
      acct,
      engine,
      timing,
      now,
      view: () => this.#view(),
      // A driver keeps the highest epoch that has spoken to its client, and hears ours before any order.
      fenceGate: async () => undefined,
      onOwner: (owned) => this.#own(owned),
      onRegressed: (text) => events.regressed(text),
    })
    this.#timer = setInterval(() => this.#tick(), timing.tickMs)
  }

  /** What the watch shows; a hint. */
  shown(entry: ControlEntry<PlacementRecord>): void {
    if (entry.revision <= (this.#shown?.revision ?? 0)) return
    this.#shown = entry
    this.#placement?.take({ is: 'shown', entry })
    this.#compareClient(entry.value)
  }

  #compareClient(placed: PlacementRecord): void {
    const { self, eligible, events } = this.#deps
    const isOther = eligible.includes(self.node) && isOfAnotherClient(this.#deps, placed)
    const before = this.#otherClient
    this.#otherClient = isOther ? placed.node : undefined
    if (isOther && placed.node !== before) events.otherClient(placed.node)
  }

  /** The account lives with the other kind of trading client than it would have here. */
  get isOfAnotherClient(): boolean {
    return this.#otherClient !== undefined
  }

  /** The watch shows that somebody has deleted where it is: that is written again, by whoever has it. */
  removed(revision: number): void {
    const placement = this.#placement
    if (placement?.state.wanted.e === this.#epoch) placement.take({ is: 'removed', revision })
  }

  /** Something has changed that may make it our turn. */
  look(): void {
    this.#claim.look()
  }

  /** Whether what the servers keep of the account fits on the disk here. */
  fits(doesFit: boolean): void {
    this.#fits = doesFit
  }

  /** Its actor is up: gateways may ask it here. */
  activate(epoch: number): void {
    const log = this.#log
    if (log !== undefined && epoch === this.#epoch) this.#place(epoch, log.place.seq, 'active')
  }

  /** Resolves with the place of the commit of this number once a quorum keeps it. Errors  `NOT_OWNER`. */
  async append(epoch: number, number: number, bytes: Uint8Array): Promise<number> {
    const { acct } = this.#deps
    if (this.#log === undefined || epoch !== this.#epoch) throw notOurs(acct)
    try {
      return (await this.#log.append({ number, bytes, opens: [], closes: [] })).seq
    } catch (error) {
      if (!(error instanceof NotAppended)) throw error
      throw new ServiceError('NOT_OWNER', error.message, undefined, error)
    }
  }

  /**
   * Its actor has stopped: behind all that was appended anybody may take over at once, or nobody. Nobody here does.
   * Answers where that stands; undefined when it was not ours. Errors  of the servers.
   */
  async release(closing: Closing = 'release'): Promise<number | undefined> {
    this.#claim.stop()
    this.#isReleased = true
    await this.#left
    const log = this.#log
    if (log === undefined) {
      this.#end()
      return undefined
    }
    const epoch = this.#epoch
    let seq: number | undefined
    try {
      seq = await log.release(closing)
      this.#place(epoch, seq, 'released')
    } catch (error) {
      if (!(error instanceof NotAppended)) throw error // it was taken over meanwhile
    }
    this.#log = undefined
    this.#epoch = 0
    this.#end()
    return seq
  }

  /** This life of the node is over. */
  close(): void {
    this.#claim.stop()
    this.#log?.close()
    this.#leaving?.close()
    this.#end()
  }

  #view(): ClaimView {
    const { eligible, epochFloor, opensAt, isReal, newId, view } = this.#deps
    const node = view()
    return {
      ...node,
      lacksRoom: node.lacksRoom || !this.#fits,
      eligible,
      opensAt,
      isReal,
      placement: this.#shown,
      memory: { ...NO_MEMORY, floor: epochFloor },
      rid: newId(),
    }
  }

  #own(owned: Owned): void {
    const { self, timing, append: limits, engine, now, events } = this.#deps
    this.#epoch = owned.e
    this.#isStalled = false
    this.#log = new FencedLog({
      engine,
      owned,
      self,
      timing,
      limits,
      now,
      onFenced: (why) => this.#lost(why),
      onStalled: (isStalled) => this.#stalled(isStalled),
    })
    events.owned(owned.e)
  }

  #stalled(isStalled: boolean): void {
    if (this.#log === undefined) return // given up: what another node's journal does is not ours to say
    this.#isStalled = isStalled
    this.#deps.events.stalled(isStalled)
  }

  #lost(why: 'overtaken' | 'closed' | 'regressed'): void {
    const { acct, events } = this.#deps
    const isOurs = this.#log !== undefined // else it is being given up, and that was told
    this.#log = undefined
    this.#epoch = 0
    if (isOurs) events.lost(`its journal is ${why}`)
    if (why === 'regressed') events.regressed(regressed(acct))
    // If it is ours again all the same, the books here are compared with it first.
    if (isOurs) this.#claim.ended()
  }

  #tick(): void {
    this.#placement?.take({ is: 'tick' })
    const { eligible, timing, now, view } = this.#deps
    const { mayClaim, peers, ...node } = view()
    const isOurs = this.#log !== undefined && mayClaim && !this.#isStalled && !this.#isReleased
    const lacksRoom = node.lacksRoom || !this.#fits
    const asked = { isOurs, lacksRoom, eligible, peers }
    const { state, givesUp } = stepRoom(this.#room, asked, { timing, now: now() })
    this.#room = state
    if (givesUp) this.#left = this.#giveUp()
  }

  /** Nothing that its actor does passes any more once this is told; then anybody may take it over, we last of all. */
  async #giveUp(): Promise<void> {
    const log = this.#log
    if (log === undefined) return
    const epoch = this.#epoch
    this.#log = undefined
    this.#epoch = 0
    this.#leaving = log
    this.#deps.events.lost(NO_ROOM)
    try {
      this.#place(epoch, await log.release(), 'released')
    } catch (error) {
      if (!(error instanceof NotAppended)) throw error // it was taken over meanwhile
    }
    this.#leaving = undefined
    this.#claim.ended()
  }

  #place(e: number, seq: number, state: PlacementRecord['state']): void {
    const { acct, self, timing, engine, isReal, now } = this.#deps
    const wanted: PlacementRecord = { node: self.node, inc: self.inc, e, seq, state, isReal }
    this.#placement ??= new StepRunner<PlacementState, PlacementInput, KvEffect>({
      state: startPlacement(acct, wanted, timing),
      step: stepPlacement,
      engine,
      now,
      perform: () => undefined,
    })
    if (this.#shown !== undefined) this.#placement.take({ is: 'shown', entry: this.#shown })
    this.#placement.take({ is: 'want', wanted })
  }

  /** What was placed last is still written, for a while. */
  #end(): void {
    const { timing } = this.#deps
    setTimeout(() => clearInterval(this.#timer), timing.engineMs).unref()
  }
}

const NO_ROOM =
  '本机磁盘空间不足，而另一节点有空间：让给它 (the disk here has no room, and another node has: it is left to that one)'

const notOurs = (acct: string): ServiceError =>
  new ServiceError('NOT_OWNER', `account ${acct} is not run by this computer any more`)

const regressed = (acct: string): string =>
  `JOURNAL_REGRESSED: 账户 ${acct} 的集群日志缺少本机已写入并得到确认的记录：服务器恢复了旧数据，停止交易 (the journal of account ${acct} lacks what this computer wrote and the servers confirmed: they were put back to older data; nothing is traded)`
