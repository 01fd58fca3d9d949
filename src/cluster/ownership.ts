import { strict as assert } from 'node:assert'
import { setTimeout as delay } from 'node:timers/promises'
import { ServiceError } from '../domain/errors.ts'
import type { OpenLine } from '../ports/transport.port.ts'
import type { StoreControl, StoreControlReplies } from '../protocol/store.ts'
import type { AccountOwnership, OwnershipEvents, SettledRole } from './account-ownership.ts'
import { hello, type Meeting, meet } from './handshake.ts'
import type { ClusterLimits } from './limits.ts'
import { OwnerServer } from './owner-server.ts'
import {
  ownerSocketPath,
  ownerSockets,
  removeOlderSockets,
  SocketFolderError,
} from './socket-path.ts'
import type { SocketWire } from './socket-wire.ts'

/** What asks the store thread. Its asks must end by themselves. */
export type AskStore<More extends StoreControl['kind'] = never> = <
  K extends 'inspect' | 'claim' | 'release' | More,
>(
  request: Extract<StoreControl, { kind: K }>,
) => Promise<StoreControlReplies[K]>

export interface OwnershipDeps {
  readonly dataDir: string
  readonly control: AskStore
  readonly limits: ClusterLimits
  /** Puts a line on a connection between two processes. */
  readonly openLine: OpenLine
  /** Why the account's database must not be opened; undefined when it may. Asked before each search. */
  readonly examine?: () => Promise<ServiceError | undefined>
  /** 0 ≤ x < 1, for jitter. */
  readonly random: () => number
}

interface Owning {
  readonly epoch: number
  readonly server: OwnerServer
}
interface Following {
  readonly epoch: number
  readonly wire: SocketWire
}

/**
 * Finds or becomes the one process that runs an account, and goes on doing so until released.
 *
 * Every doubt is settled by the epoch in the account database: a claim raises it in one transaction,
 * and a process whose epoch is not the newest cannot write. Sockets only say who is alive.
 */
export class Ownership implements AccountOwnership {
  readonly #accountId: string
  readonly #deps: OwnershipDeps
  readonly #events: OwnershipEvents
  readonly #released = new AbortController()
  #owning: Owning | undefined
  #following: Following | undefined
  #watch: NodeJS.Timeout | undefined
  /** A look for a higher epoch is under way: a store that is late is asked once. */
  #isChecking = false
  #hasStarted = false
  #seeking: Promise<void> = Promise.resolve()
  /** Epoch of an owner that stopped answering; it is not waited for again. */
  #suspendedEpoch = 0

  constructor(accountId: string, deps: OwnershipDeps, events: OwnershipEvents) {
    this.#accountId = accountId
    this.#deps = deps
    this.#events = events
  }

  /**
   * The first role; undefined when the first search has failed, whatever it met (the owner lives and will not have
   * us, the store is late, the folder cannot be used): it is told as a problem and goes on. Call it once.
   *
   * Errors  `ACCOUNT_PARKED`; `STOPPING` when it was released meanwhile; `SocketFolderError`.
   */
  async start(): Promise<SettledRole | undefined> {
    assert(!this.#hasStarted, `account ${this.#accountId} is started once`)
    this.#hasStarted = true
    const seeking = this.#seek()
    this.#seeking = seeking.then(noMatter, noMatter)
    const role = await seeking.catch((error: unknown) => this.#failedFirst(error))
    this.#mustGoOn()
    if (role !== undefined) this.#events.changed(role)
    return role
  }

  /** Other accounts start beside it, and must not wait for it. */
  #failedFirst(error: unknown): undefined {
    const problem = asProblem(error)
    if (problem.code === 'ACCOUNT_PARKED' || error instanceof SocketFolderError) throw error
    this.#mustGoOn()
    this.#events.changed({ kind: 'seeking', problem })
    this.#seeking = this.#pause(this.#deps.limits.seekAgainMs).then(() => this.#seekOn(undefined))
  }

  /** Nobody but the socket says where it is, and that is there since the claim. */
  up(): void {}

  /** A commit was answered `NOT_OWNER`: steps down and follows whoever has claimed the account. */
  lost(): void {
    if (this.#owning !== undefined) this.#leave()
  }

  /**
   * Gives up whatever role there is, so that another process can take over at once. The last call.
   *
   * A claim that waits for the lock of a process that sleeps is not waited for longer than for a
   * greeting: what it still brings is given up when it comes.
   */
  async release(): Promise<void> {
    if (this.#released.signal.aborted) return
    this.#released.abort()
    clearInterval(this.#watch)
    const over = new AbortController()
    const patience = delay(this.#deps.limits.handshakeTimeoutMs, undefined, { signal: over.signal })
    const givenUp = this.#seeking.then(() => this.#giveUp()).finally(() => over.abort())
    await Promise.race([givenUp, patience.catch(() => givenUp)])
  }

  async #giveUp(): Promise<void> {
    const { accountId, owning } = { accountId: this.#accountId, owning: this.#owning }
    this.#owning = undefined
    this.#following?.wire.close()
    if (owning === undefined) return
    try {
      await this.#deps.control({ kind: 'release', accountId })
    } finally {
      await owning.server.close() // followers see this, and find the account free
    }
  }

  get #isReleased(): boolean {
    return this.#released.signal.aborted
  }

  /** From any role to `seeking`, and on. */
  #leave(): void {
    if (this.#isReleased) return
    clearInterval(this.#watch)
    const wire = this.#following?.wire
    const server = this.#owning?.server
    this.#following = undefined
    this.#owning = undefined
    wire?.close() // tells its listeners at once, and this role must not be left twice
    this.#events.changed({ kind: 'seeking', problem: null })
    this.#seeking = this.#seekOn(server)
  }

  /** Searches until there is a role again or the process stops. */
  async #seekOn(server: OwnerServer | undefined): Promise<void> {
    await server?.close()
    while (!this.#isReleased) {
      try {
        const role = await this.#seek()
        if (!this.#isReleased) this.#events.changed(role)
        return
      } catch (error) {
        if (this.#isReleased) return
        const problem = asProblem(error)
        this.#events.changed({ kind: 'seeking', problem })
        if (problem.code === 'ACCOUNT_PARKED') return // for this life of the process
        await this.#pause(this.#deps.limits.seekAgainMs)
      }
    }
  }

  async #seek(): Promise<SettledRole> {
    const { limits, control, random } = this.#deps
    const damage = await this.#deps.examine?.()
    if (damage !== undefined) throw damage
    let silentMs = 0
    for (let attempt = 1; attempt <= limits.attemptsMax; attempt++) {
      this.#mustGoOn()
      const found = await control({ kind: 'inspect', accountId: this.#accountId })
      const meeting = await this.#unlessReleased(this.#meet(found, silentMs))
      if (meeting.kind === 'met') return this.#follow(meeting.wire, found.epoch)
      silentMs = meeting.kind === 'silent' ? silentMs + limits.handshakeTimeoutMs : 0
      if (meeting.kind === 'silent') continue
      const role = meeting.kind === 'gone' ? await this.#claim(found) : undefined
      if (role !== undefined) return role
      await this.#pause(limits.retryMs * (0.5 + random()))
    }
    const text = `account ${this.#accountId}: no owner in ${limits.attemptsMax} attempts`
    throw new ServiceError('NOT_OWNER', text)
  }

  async #meet(found: StoreControlReplies['inspect'], silentMs: number): Promise<Meeting> {
    const { limits } = this.#deps
    const { epoch, owner } = found
    const isSuspended = epoch === this.#suspendedEpoch || silentMs >= limits.ownerTimeoutMs
    // A node of a cluster listens nowhere; whether its account may be claimed is said by the database.
    if (owner === null || owner.socket === '' || isSuspended) return { kind: 'gone' }
    const meeting = await meet(owner.socket, hello(this.#accountId, epoch), limits)
    if (meeting.kind !== 'refused') return meeting
    const text = `account ${this.#accountId} is run by process ${owner.pid}: ${meeting.text}`
    throw new ServiceError('CONFLICT', text)
  }

  /** A process that stops does not wait for a greeting; one that comes all the same is ended. */
  async #unlessReleased(meeting: Promise<Meeting>): Promise<Meeting> {
    const { signal } = this.#released
    const { promise: released, resolve } = Promise.withResolvers<Meeting>()
    const stop = () => resolve({ kind: 'unclear' })
    signal.addEventListener('abort', stop, { once: true })
    if (signal.aborted) stop()
    const first = await Promise.race([meeting, released])
    signal.removeEventListener('abort', stop)
    if (signal.aborted) {
      void meeting.then((late) => late.kind === 'met' && late.wire.close(), noMatter)
      return { kind: 'unclear' }
    }
    return first
  }

  #mustGoOn(): void {
    if (this.#isReleased) throw new ServiceError('STOPPING', 'the process is stopping')
  }

  async #pause(ms: number): Promise<void> {
    await delay(ms, undefined, { signal: this.#released.signal }).catch(() => undefined)
  }

  /** Listens first, so that whoever reads the claim finds us. Undefined when another was faster. */
  async #claim(found: StoreControlReplies['inspect']): Promise<SettledRole | undefined> {
    const { dataDir, control, limits, openLine } = this.#deps
    const { epoch: expected, clientEpoch = 0 } = found
    const accountId = this.#accountId
    if (clientEpoch > expected) await this.#mustBeAlone(found)
    const epoch = Math.max(expected, clientEpoch) + 1
    const socket = ownerSocketPath(dataDir, accountId, epoch)
    const server = await OwnerServer.listen(socket, {
      accountId,
      epoch,
      limits,
      openLine,
      serve: (body, call) => this.#events.serve(body, call),
      left: () => this.#events.left?.(),
      fenced: () => this.lost(),
    })
    const owner = { pid: process.pid, socket }
    const outcome = await control({ kind: 'claim', accountId, expected, epoch, owner }).catch(
      async (error: unknown) => {
        await server.close()
        throw error
      },
    )
    if (!outcome.claimed) {
      await server.close()
      return undefined
    }
    removeOlderSockets(dataDir, accountId, epoch)
    return this.#own({ epoch, server })
  }

  /**
   * The trading client has seen a later owner than this database: a backup was put back, unless that
   * owner lives, on a folder that was taken away under it.
   *
   * Errors  `CONFLICT` when somebody listens where only an owner of this account does.
   */
  async #mustBeAlone({ epoch, clientEpoch }: StoreControlReplies['inspect']): Promise<void> {
    const accountId = this.#accountId
    for (const path of ownerSockets(this.#deps.dataDir, accountId)) {
      const meeting = await meet(path, hello(accountId, epoch), this.#deps.limits)
      if (meeting.kind === 'gone') continue
      if (meeting.kind === 'met') meeting.wire.close()
      const text = `account ${accountId}: this data folder is older than what the trading client has seen (epoch ${epoch}, ${clientEpoch} there), and another process still runs the account; stop it first`
      throw new ServiceError('CONFLICT', text)
    }
  }

  #own(owning: Owning): SettledRole {
    const { epoch, server } = owning
    this.#owning = owning
    server.admit()
    if (!this.#isReleased) {
      this.#watch = setInterval(() => void this.#checkEpoch(), this.#deps.limits.epochCheckMs)
    }
    return { kind: 'owner', epoch }
  }

  /** An owner that slept finds out here that it is none any more. */
  async #checkEpoch(): Promise<void> {
    const owning = this.#owning
    if (owning === undefined || this.#isChecking) return
    const accountId = this.#accountId
    this.#isChecking = true
    // A store that cannot answer ends the process by itself.
    const found = await this.#deps.control({ kind: 'inspect', accountId }).catch(() => undefined)
    this.#isChecking = false
    if (found !== undefined && found.epoch > owning.epoch && this.#owning === owning) this.lost()
  }

  #follow(wire: SocketWire, epoch: number): SettledRole {
    const { openLine, limits } = this.#deps
    const following = { wire, epoch }
    this.#following = following
    const line = openLine(wire, { peer: `owner of ${this.#accountId}`, answer: refuseCall })
    wire.onClose(() => {
      if (this.#following === following) this.#leave()
    })
    const missedMax = Math.ceil(limits.ownerTimeoutMs / limits.pingMs)
    let missed = 0
    this.#watch = setInterval(() => {
      // Counted, not timed: when it was this process that slept, the answers are already here.
      missed = wire.takeHeard() ? 0 : missed + 1
      if (missed < missedMax) wire.sendSignOfLife()
      else this.#giveUpOn(following)
    }, limits.pingMs)
    return { kind: 'follower', epoch, line }
  }

  #giveUpOn(following: Following): void {
    if (this.#following !== following) return
    this.#suspendedEpoch = following.epoch
    this.#leave()
  }
}

const noMatter = () => undefined

const asProblem = (error: unknown) =>
  error instanceof ServiceError
    ? error
    : new ServiceError('NOT_OWNER', String(error), undefined, error)

const refuseCall = () => {
  throw new ServiceError('INTERNAL', 'a follower answers no calls')
}
