import type { Census } from '../../protocol/census.ts'
import type { Closing } from '../protocol/commits.ts'
import type { ControlEntry } from '../protocol/effects.ts'
import type { Deadline, DeathReason } from '../protocol/lease.ts'
import { isLive } from '../protocol/peers.ts'
import type { NodeRecord, PlacementRecord } from '../protocol/records.ts'
import { calendarStanding, censusOf, type Sighting, sighted } from './census.ts'
import type { ControlWatch } from './engine.ts'
import type { LifeParts, SharedWords } from './life.ts'
import { NodeLease } from './node-lease.ts'
import { Seat, type SeatDeps } from './seat.ts'

export interface NodeEvents {
  /** Until when this node may act; undefined: it may not. The shared words say so already. */
  lease(deadline: Deadline | undefined): void
  /** Another computer stands under this name, and is waited for. */
  foreign(host: string): void
  /** The process must end: the next life is a new one. */
  dead(why: DeathReason): void
  owned(acct: string, epoch: number): void
  lost(acct: string, reason: string): void
  regressed(acct: string, text: string): void
  stalled(acct: string, isStalled: boolean): void
  /** An account that may be run here is run there by the other kind of trading client. */
  otherClient(acct: string, node: string): void
  /** Where the servers show an account. */
  placed(acct: string, placement: PlacementRecord): void
  /** The exchange of a node is closed on other days than that of this one; each life of it is told once. */
  otherDays(node: string, version: string): void
  /** Accounts that were registered at run time, wherever that was; all of them each time. */
  registrations(all: ReadonlyMap<string, Uint8Array>, removed: ReadonlySet<string>): void
}

export interface ClusterNodeDeps extends LifeParts, SharedWords {
  readonly events: NodeEvents
}

/** One life of a node: its lease, its view of the others, and the accounts that it may run. */
export class ClusterNode {
  readonly #deps: ClusterNodeDeps
  readonly #lease: NodeLease
  readonly #watch: ControlWatch
  readonly #seats = new Map<string, Seat>()
  readonly #placements = new Map<string, ControlEntry<PlacementRecord>>()
  /** Accounts that would be run here by the other kind of trading client. */
  readonly #otherClient = new Set<string>()
  readonly #sightings = new Map<string, Sighting>()
  /** At a gateway: what was shown before the watch was opened anew, and has not been shown again. */
  readonly #doubted = { nodes: new Set<string>(), accounts: new Set<string>() }
  #unregistered: ReadonlySet<string> = new Set()
  /** Since when the watch tells of the present. */
  #currentMs: number | undefined

  constructor(deps: ClusterNodeDeps) {
    const { engine, events, self, timing, now, words, origin, isGateway } = deps
    this.#deps = deps
    this.#lease = new NodeLease({
      self,
      timing,
      engine,
      now,
      words,
      origin,
      isGateway,
      reopenWatch: () => this.#watch.reopen(),
      onDeadline: (deadline) => events.lease(deadline),
      onUp: () => this.#look(),
      onSuspended: () => events.lease(undefined),
      onDead: (why) => {
        this.#close()
        events.dead(why)
      },
      onForeign: (host) => events.foreign(host),
      onPeerFenced: () => this.#look(),
    })
    this.#watch = engine.watch({
      onNode: (record, revision) => {
        this.#sight(record, revision)
        this.#lease.sight(record, revision)
      },
      onPlacement: (acct, entry) => this.#placed(acct, entry),
      onPlacementRemoved: (acct, revision) => this.#seats.get(acct)?.removed(revision),
      onCurrent: () => {
        this.#currentMs = now().monoMs
        this.#forgetDoubted()
      },
      onStalled: () => {
        this.#currentMs = undefined
        if (isGateway === true) this.#doubtAll()
      },
      onRegistrations: (all, removed) => {
        this.#unregistered = removed
        events.registrations(all, removed)
      },
    })
  }

  /** Everything that the watch shows, as people are told of it. */
  get census(): Census {
    const { timing, now, self } = this.#deps
    const sights = {
      sightings: this.#sightings.values(),
      placements: this.#placements,
      unregistered: this.#unregistered,
      currentMs: this.#currentMs,
      leaseMs: this.#lease.leaseMs,
      echoMs: this.#lease.view.peers.echoMs,
      timing,
      self: { ...self, otherClient: [...this.#otherClient].toSorted() },
    }
    return censusOf(sights, now())
  }

  /** What the watch shows of an account; a hint. */
  shown(acct: string): ControlEntry<PlacementRecord> | undefined {
    return this.#placements.get(acct)
  }

  seat(acct: string): Seat | undefined {
    return this.#seats.get(acct)
  }

  /** From now on the account is claimed here when it is our turn. */
  join(
    acct: string,
    entry: Pick<SeatDeps, 'eligible' | 'epochFloor' | 'opensAt' | 'isReal'>,
  ): void {
    if (this.#seats.has(acct)) return
    const { events } = this.#deps
    // One that was left says no more: the account may have another by then.
    const isSeated = () => this.#seats.get(acct) === seat
    const seat: Seat = new Seat({
      ...this.#deps,
      ...entry,
      acct,
      view: () => ({ ...this.#lease.view, isShown: this.#currentMs !== undefined }),
      events: {
        owned: (epoch) => isSeated() && events.owned(acct, epoch),
        lost: (reason) => isSeated() && events.lost(acct, reason),
        regressed: (text) => isSeated() && events.regressed(acct, text),
        stalled: (isStalled) => isSeated() && events.stalled(acct, isStalled),
        otherClient: (node) => isSeated() && events.otherClient(acct, node),
      },
    })
    this.#seats.set(acct, seat)
    const placed = this.#placements.get(acct)
    if (placed !== undefined) this.#show(acct, seat, placed)
  }

  /** The account's actor has stopped here, and is not wanted any more: see {@link Seat.release}. */
  async leave(acct: string, closing?: Closing): Promise<number | undefined> {
    const seat = this.#seats.get(acct)
    this.#seats.delete(acct)
    this.#tellClient(acct, false)
    return seat?.release(closing)
  }

  /** The disk of this computer has no room, or has some again. */
  room(isFull: boolean): void {
    this.#lease.room(isFull)
  }

  /** Takes no more accounts. */
  drain(): void {
    this.#lease.drain()
  }

  /** Every account is released: says so, and is gone. Resolves then, at the latest after `patienceMs`. */
  async stop(patienceMs: number): Promise<void> {
    const late = setTimeout(() => this.#lease.stop(), patienceMs)
    await this.#lease.leave()
    clearTimeout(late)
    this.#deps.events.lease(undefined)
    this.#close()
  }

  #close(): void {
    this.#lease.stop()
    this.#watch.close()
    for (const seat of this.#seats.values()) seat.close()
  }

  #look(): void {
    for (const seat of this.#seats.values()) seat.look()
  }

  /**
   * The control bucket may have been put back since: its revisions begin anew, and what is shown next counts whatever was
   * shown before. A node ends over that (see `stepLease`), a gateway only looks: what is older for a moment harms nobody.
   */
  #doubtAll(): void {
    for (const node of this.#sightings.keys()) this.#doubted.nodes.add(node)
    for (const acct of this.#placements.keys()) this.#doubted.accounts.add(acct)
  }

  /** Everything that stands there has been shown. */
  #forgetDoubted(): void {
    const { nodes, accounts } = this.#doubted
    for (const node of nodes) this.#sightings.delete(node)
    for (const acct of accounts) this.#placements.delete(acct)
    nodes.clear()
    accounts.clear()
  }

  #sight(record: NodeRecord, revision: number): void {
    const { node } = record
    const known = this.#sightings.get(node)
    const isPutBack = this.#doubted.nodes.delete(node) && revision < (known?.revision ?? 0)
    const next = sighted(isPutBack ? undefined : known, { record, revision }, this.#deps.now())
    if (next === undefined) return
    this.#sightings.set(node, next)
    this.#compareDays(known?.record, record)
  }

  /** Who is gone trades by no days; a fence leaves what it has said. */
  #compareDays(before: NodeRecord | undefined, record: NodeRecord): void {
    const { self, events, now } = this.#deps
    if (!isLive(record) || calendarStanding(record, self, now()) !== 'other') return
    const isTold = before?.inc === record.inc && before.years === record.years
    if (!isTold) events.otherDays(record.node, record.v)
  }

  #placed(acct: string, entry: ControlEntry<PlacementRecord>): void {
    const isFirst = this.#doubted.accounts.delete(acct)
    if (!isFirst && entry.revision <= (this.#placements.get(acct)?.revision ?? 0)) return
    this.#placements.set(acct, entry)
    const seat = this.#seats.get(acct)
    if (seat !== undefined) this.#show(acct, seat, entry)
    this.#deps.events.placed(acct, entry.value)
  }

  #show(acct: string, seat: Seat, entry: ControlEntry<PlacementRecord>): void {
    seat.shown(entry)
    this.#tellClient(acct, seat.isOfAnotherClient)
  }

  /** The others hear of it with the next renewal: nobody is to count on this node for the account. */
  #tellClient(acct: string, isOther: boolean): void {
    const all = this.#otherClient
    if (all.has(acct) === isOther) return
    if (isOther) all.add(acct)
    else all.delete(acct)
    this.#lease.otherClient([...all].toSorted())
  }
}
