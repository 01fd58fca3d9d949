import { strict as assert } from 'node:assert'
import { setTimeout as delay } from 'node:timers/promises'
import { ServiceError } from '../domain/errors.ts'
import type { Result } from '../domain/result.ts'
import type { Line } from '../ports/transport.port.ts'
import type { ClusterAbout, ClusterReplies, ClusterRequest, PlacedAt } from '../protocol/cluster.ts'
import type { StoreControlReplies } from '../protocol/store.ts'
import type { AccountOwnership, OwnershipEvents, Role } from './account-ownership.ts'
import type { Admitted, NotAdmitted, Standing } from './membership.ts'
import type { AskStore } from './ownership.ts'

/** What the thread of the cluster tells of one account. */
export interface SeatListener {
  owned(epoch: number): void
  lost(reason: string): void
  regressed(text: string): void
  /** New orders are refused early while it stands. */
  stalled(isStalled: boolean): void
  placed(at: PlacedAt): void
}

export interface ClusterOwnershipDeps {
  /** Row of the board. */
  readonly slot: number
  /** Of this node. */
  readonly node: string
  /** Nodes that may run the account. */
  readonly eligible: readonly string[]
  /** Whether its trading client here is a real one, not the embedded one. */
  readonly isReal: boolean
  readonly control: AskStore<'mark'>
  /** Whether the account may be claimed here, by what is known of it here and at the servers. */
  readonly admit: (standing: Standing) => Result<Admitted, NotAdmitted>
  /** Asks the thread of the cluster. */
  readonly ask: <K extends Exclude<ClusterRequest['kind'], 'call'>>(
    request: Extract<ClusterRequest, { kind: K }>,
  ) => Promise<ClusterReplies[K]>
  /** Hears of this account from now on. Answers what ends that. */
  readonly listen: (listener: SeatListener) => () => void
  /** To whichever node runs the account. */
  readonly line: Line
  /** Why the account's database must not be opened; undefined when it may. */
  readonly examine: () => Promise<ServiceError | undefined>
  /** New orders are refused early while it stands. */
  readonly stalled: (isStalled: boolean) => void
  readonly limits: {
    /** A start waits so long for the account to be found somewhere. ms */
    readonly settleMs: number
    /** Between two attempts to claim the database of an account that is ours. ms */
    readonly seekAgainMs: number
  }
}

/**
 * An account in a cluster, as the main thread sees it: whether this node runs it is decided by its journal, in
 * the thread of the cluster; here its database is claimed under the epoch that was given there.
 */
export class ClusterOwnership implements AccountOwnership {
  readonly #accountId: string
  readonly #deps: ClusterOwnershipDeps
  readonly #events: OwnershipEvents
  readonly #settled = Promise.withResolvers<void>()
  /** Given by the journal; 0: it is not ours. */
  #epoch = 0
  #role: Role = { kind: 'seeking', problem: null }
  readonly #released = new AbortController()
  #hasStarted = false
  /** What the servers keep of it was seen not to fit on the disk here. */
  #isTooLarge = false
  /** The attempt to claim its database that is under way, or was last. */
  #claiming: Promise<unknown> | undefined
  #unlisten: () => void = () => undefined

  constructor(accountId: string, deps: ClusterOwnershipDeps, events: OwnershipEvents) {
    this.#accountId = accountId
    this.#deps = deps
    this.#events = events
  }

  /**
   * Resolves when the account is run here, or was found elsewhere, or neither in `settleMs`. Call it once.
   *
   * Errors  `ACCOUNT_PARKED`; `STOPPING` when it was released meanwhile.
   */
  async start(): Promise<void> {
    assert(!this.#hasStarted, `account ${this.#accountId} is started once`)
    this.#hasStarted = true
    const { signal } = this.#released
    const late = delay(this.#deps.limits.settleMs, undefined, { signal }).catch(() => undefined)
    const found = this.#found()
    const joined = found.then((standing) => this.#joinOn(standing))
    // Where the start has ended already, that is the only way to say it.
    joined.catch((error: unknown) => this.#change({ kind: 'seeking', problem: asProblem(error) }))
    await Promise.race([found.then(() => this.#settled.promise), late])
    this.#mustGoOn()
  }

  /** Of the database here, once it can be looked at. Errors  `ACCOUNT_PARKED`, `STOPPING`. */
  async #found(): Promise<StoreControlReplies['inspect']> {
    const { examine, control } = this.#deps
    const look = async () => {
      const refused = await examine()
      if (refused !== undefined) throw refused
    }
    await this.#untilDone(look, asIs) // what it says is for now unless it parks
    const found = await this.#untilDone(() =>
      control({ kind: 'inspect', accountId: this.#accountId }),
    )
    this.#mustGoOn()
    return found
  }

  /** A store that is late or fails keeps the account waiting, and nothing else. Errors  `ACCOUNT_PARKED`, `STOPPING`. */
  async #untilDone<T>(work: () => Promise<T>, problemOf = asProblem): Promise<T> {
    for (;;) {
      this.#mustGoOn()
      try {
        return await work()
      } catch (error) {
        const problem = problemOf(error)
        if (problem.code === 'ACCOUNT_PARKED') throw problem
        this.#change({ kind: 'seeking', problem })
        await this.#pause()
      }
    }
  }

  #pause(): Promise<void> {
    const { signal } = this.#released
    return delay(this.#deps.limits.seekAgainMs, undefined, { signal }).catch(() => undefined)
  }

  /** Hears of its seat from here on, and has it claim the account. Errors  `ACCOUNT_PARKED`, `STOPPING`. */
  async #joinOn(standing: StoreControlReplies['inspect']): Promise<void> {
    this.#unlisten = this.#deps.listen({
      owned: (given) => void this.#owned(given),
      lost: () => this.#lost(),
      regressed: (text) => this.#change({ kind: 'seeking', problem: parked(text) }),
      stalled: this.#deps.stalled,
      placed: (at) => this.#placed(at),
    })
    this.#change(this.#role)
    await this.#joinUntilDone(standing)
  }

  /** Errors  `ACCOUNT_PARKED`, `STOPPING`. */
  async #joinUntilDone(standing: StoreControlReplies['inspect']): Promise<void> {
    let found: StoreControlReplies['inspect'] | undefined = standing
    await this.#untilDone(async () => {
      const known = found ?? (await this.#found())
      found = undefined // what was found before a failure may be over
      await this.#join(known)
    })
  }

  #mustGoOn(): void {
    if (this.#isReleased) throw new ServiceError('STOPPING', 'the process is stopping')
  }

  get #isReleased(): boolean {
    return this.#released.signal.aborted
  }

  /** Its seat claims it from now on. The servers may be reached long after this computer was switched on. */
  async #join({ epoch, clientEpoch = 0, cluster }: StoreControlReplies['inspect']): Promise<void> {
    const { ask, control, slot, node, eligible, isReal, admit } = this.#deps
    const accountId = this.#accountId
    let opensAt: number | undefined
    // Who may not run it has nothing of it here.
    while (eligible.includes(node) && !this.#isReleased) {
      const about = await this.#about()
      if (about === undefined) continue
      const admitted = admit({ node, eligible, mark: cluster, epoch, about })
      if (admitted.ok) {
        const { mark } = admitted.value
        if (mark !== undefined) await control({ kind: 'mark', accountId, mark })
        opensAt = admitted.value.opensAt
        break
      }
      const { isLasting, text } = admitted.error
      if (isLasting) throw parked(text)
      this.#change({ kind: 'seeking', problem: new ServiceError('NOT_OWNER', text) })
      await this.#pause()
    }
    if (this.#isReleased) return // a seat that is joined behind its release would never be left
    const floor = Math.max(epoch, clientEpoch)
    await ask({ kind: 'join', accountId, slot, eligible, epoch: floor, opensAt, isReal })
  }

  /** Undefined: the servers do not answer, and may later. */
  async #about(): Promise<ClusterAbout | undefined> {
    const { ask, limits } = this.#deps
    try {
      return await ask({ kind: 'about', accountId: this.#accountId })
    } catch (error) {
      if (!(error instanceof ServiceError) || error.code !== 'NOT_OWNER') throw error
      this.#change({ kind: 'seeking', problem: error })
      await delay(limits.seekAgainMs)
      return undefined
    }
  }

  up(): void {
    const { ask } = this.#deps
    const request = { kind: 'activate', accountId: this.#accountId, epoch: this.#epoch } as const
    if (this.#role.kind === 'owner') void ask(request).catch(() => undefined)
  }

  /**
   * The journal decides, and says so by itself. But where the trading client has seen a later owner than it has had, its
   * next epoch has to be later still: the books are older than what the client has done, as after a restore.
   */
  lost(): void {
    if (this.#role.kind !== 'owner') return
    this.#claimBeyondClient(this.#epoch).catch((error: unknown) => {
      this.#change({ kind: 'seeking', problem: asProblem(error) })
    })
  }

  async #claimBeyondClient(epoch: number): Promise<void> {
    const { ask, control } = this.#deps
    const accountId = this.#accountId
    // Where it cannot be looked at, the next end of its actor asks again.
    const found = await control({ kind: 'inspect', accountId }).catch(() => undefined)
    const isAhead = (found?.clientEpoch ?? 0) > epoch
    if (found === undefined || !isAhead || this.#epoch !== epoch) return
    this.#epoch = 0
    this.#change({ kind: 'seeking', problem: null }) // the client takes nothing from its actor, which stops
    await this.#untilDone(() => ask({ kind: 'leave', accountId }))
    await this.#joinUntilDone(found)
  }

  async release(): Promise<void> {
    await this.#giveUp('release')
  }

  /** Takes the account out of the cluster. Where its journal was closed; null: it was not ours any more. */
  close(): Promise<number | null> {
    return this.#giveUp('left')
  }

  async #giveUp(closing: 'release' | 'left'): Promise<number | null> {
    if (this.#isReleased) return null
    this.#released.abort()
    const { ask, control } = this.#deps
    const accountId = this.#accountId
    try {
      return await ask({ kind: 'leave', accountId, closing })
    } finally {
      this.#epoch = 0
      this.#unlisten()
      if (this.#claiming !== undefined) {
        await this.#claiming // a claim that ends later would have the database name our log again
        await control({ kind: 'release', accountId })
      }
    }
  }

  /** The database here catches up with the journal, and is claimed under its epoch. */
  async #owned(epoch: number): Promise<void> {
    this.#epoch = epoch
    this.#deps.stalled(false)
    const { limits } = this.#deps
    const isOurs = () => this.#epoch === epoch && !this.#isReleased
    while (isOurs()) {
      const claiming = this.#claim(epoch)
      this.#claiming = claiming
      const outcome = await claiming
      this.#tellRoom(outcome)
      if (!isOurs()) return
      if (outcome === 'claimed') return this.#change({ kind: 'owner', epoch })
      if (outcome !== 'not-yet') this.#change({ kind: 'seeking', problem: outcome })
      if (outcome !== 'not-yet' && outcome.code === 'ACCOUNT_PARKED') return this.#parked(outcome)
      await delay(limits.seekAgainMs)
    }
  }

  /** Without room here the account is left to a computer that has some. */
  #tellRoom(outcome: 'claimed' | 'not-yet' | ServiceError): void {
    if (outcome === 'not-yet') return
    const isTooLarge = outcome !== 'claimed' && outcome.code === 'DISK_FULL'
    if (isTooLarge === this.#isTooLarge) return
    this.#isTooLarge = isTooLarge
    const accountId = this.#accountId
    const told = this.#deps.ask({ kind: 'fits', accountId, doesFit: !isTooLarge })
    told.catch(() => undefined) // its thread is over, and with it this process
  }

  /** Another computer may run it, unless it is the journal that is wrong: then nobody may. */
  #parked({ message }: ServiceError): void {
    if (message.includes(JOURNAL_REGRESSED)) return
    const leave = { kind: 'leave', accountId: this.#accountId } as const
    void this.#deps.ask(leave).catch(() => undefined) // the servers are away, and it stays ours
  }

  async #claim(epoch: number): Promise<'claimed' | 'not-yet' | ServiceError> {
    const { control } = this.#deps
    const accountId = this.#accountId
    try {
      const { epoch: expected } = await control({ kind: 'inspect', accountId })
      const owner = { pid: process.pid, socket: '' }
      const claim = { kind: 'claim', accountId, expected, epoch, owner } as const
      const { claimed } = await control({ ...claim, isReplicated: true })
      return claimed ? 'claimed' : 'not-yet'
    } catch (error) {
      return asProblem(error)
    }
  }

  /** Its next pen, whoever has it, begins anew. */
  #lost(): void {
    this.#epoch = 0
    this.#deps.stalled(false)
    this.#change({ kind: 'seeking', problem: null })
  }

  #placed({ isHere, isActive, epoch }: PlacedAt): void {
    if (this.#epoch !== 0 || isHere) return
    if (isActive) this.#change({ kind: 'follower', epoch, line: this.#deps.line })
    else if (this.#role.kind === 'follower') this.#change({ kind: 'seeking', problem: null })
  }

  #change(role: Role): void {
    if (this.#isReleased) return
    const isSame = isToldAlready(role, this.#role)
    this.#role = role
    if (!isSame) this.#events.changed(role)
    if (role.kind !== 'seeking' || role.problem?.code === 'ACCOUNT_PARKED') this.#settled.resolve()
  }
}

/** Servers are asked again and again: what has not changed is told once. */
function isToldAlready(role: Role, before: Role): boolean {
  if (role.kind === 'follower') return before.kind === 'follower'
  if (role.kind !== 'seeking' || role.problem === null || before.kind !== 'seeking') return false
  return role.problem.message === before.problem?.message
}

/** Begins the text of the store, and of the seat. */
const JOURNAL_REGRESSED = 'JOURNAL_REGRESSED'

const parked = (text: string): ServiceError => new ServiceError('ACCOUNT_PARKED', text)

const asIs = (error: unknown): ServiceError =>
  error instanceof ServiceError
    ? error
    : new ServiceError('NOT_OWNER', String(error), undefined, error)

/** What the disk or the journal refuses stays refused for this life of the process. */
function asProblem(error: unknown): ServiceError {
  const problem = asIs(error)
  return problem.code === 'STORE_FAILED' ? parked(problem.message) : problem
}
