import { setTimeout as delay } from 'node:timers/promises'
import { digest } from '../../../actors/account/keys.ts'
import type { AccountLink, CallOptions } from '../../../http/port/service.ts'
import type { AccountOwnership, Role } from '../../cluster/account-ownership.ts'
import type { CallReport } from '../../domain/call-log.ts'
import { ServiceError } from '../../domain/errors.ts'
import { clientOrderId } from '../../domain/ids.ts'
import { maskAccount } from '../../domain/mask.ts'
import { sessionAt } from '../../domain/session.ts'
import type { Logger } from '../../observability/logger.ts'
import type { AccountRequest, Published, ReplyTo, Resource } from '../../protocol/account.ts'
import type { MarketReplies, MarketRequest } from '../../protocol/market.ts'
import { ActorLine } from '../lines/actor-line.ts'
import { MarketLine } from '../lines/market-line.ts'
import { noOwner, OwnerLine, type OwnerLineLimits } from '../lines/owner-line.ts'
import { randomKey } from '../process/random-key.ts'
import type { AccountSpawnOptions } from '../threads/actor-system.ts'
import { FollowerLine } from './follower-line.ts'
import { heldBack } from './held-back.ts'
import { KeptReads } from './kept-reads.ts'
import { OwnThread } from './own-thread.ts'
import { type OwnedAccount, ownershipOf } from './ownership-of.ts'

export interface AccountHandleOptions extends OwnedAccount {
  readonly spawn: AccountSpawnOptions
  /** Position in the configuration file; undefined for accounts registered at run time. */
  readonly configIndex: number | undefined
  /** The market repeats itself, and so must everything that follows from it. */
  readonly isReplay: boolean
  readonly limits: OwnedAccount['limits'] &
    OwnerLineLimits & {
      readonly priceAgeMs: number
      /** For an account to write down, at the end, that its answers arrived. */
      readonly answersGivenMs: number
    }
  readonly log: Logger
}

const READY_CHECK_MS = 10
const UNREAD =
  '账户未运行：它的数据现在无法读写，会不断重试；在此之前既不止盈也不止损 (the account is not run: its data cannot be read or written now. It is tried again and again; until then nobody takes its profits or stops its losses)'
const isParking = (error: unknown): error is ServiceError =>
  error instanceof ServiceError && error.code === 'ACCOUNT_PARKED'

/**
 * An account as this process sees it: run by a thread of its own, or by another process that is
 * asked instead. Which of the two may change at any time; callers do not notice.
 */
export class AccountHandle implements AccountLink {
  readonly accountId: string
  readonly alias: string
  readonly configIndex: number | undefined
  readonly callTimeoutMs: number
  readonly #options: AccountHandleOptions
  readonly #ownership: AccountOwnership
  readonly #actor: ActorLine
  readonly #market: MarketLine
  readonly #reads: KeptReads
  readonly #owner: OwnerLine
  readonly #thread: OwnThread
  readonly #followers: FollowerLine
  #isOwner = false
  /** Of the ownership; no two processes ever have the same. */
  #epoch = 0
  #keysMade = 0
  /** Why it is run nowhere; a person has to mend it. */
  #parked: ServiceError | undefined
  /** Why it is not run yet; it is tried again and again. */
  #waitsFor: string | undefined
  /** The journal of the cluster is not answered. */
  #isStalled = false
  /** The account may not know of an answer that did not arrive. */
  #hasUnsaid = false
  #hasStarted = false
  #hasFailed = false
  #isLeaving = false

  constructor(options: AccountHandleOptions) {
    const { spawn, system, limits } = options
    this.#options = options
    this.accountId = spawn.policy.accountId
    this.alias = spawn.policy.alias
    this.configIndex = options.configIndex
    this.callTimeoutMs = spawn.policy.limits.callTimeoutMs
    this.#actor = new ActorLine(`account ${this.accountId}`)
    const { cluster } = system
    if (cluster !== undefined && !this.eligible.includes(cluster.node)) {
      // It is never started here: while nobody is known to run it, that is all there is to say.
      this.#actor.disconnect(
        'ACTOR_RESTARTING',
        'is run by no computer of the cluster now; try again',
      )
    }
    this.#owner = new OwnerLine(limits)
    this.#market = new MarketLine({
      owner: this.#owner,
      isOwner: () => this.#isOwner,
      parked: () => this.#parked,
      market: () => system.market(),
    })
    this.#reads = new KeptReads({
      accountId: this.accountId,
      alias: this.alias,
      system,
      slot: options.slot,
      isOwner: () => this.#isOwner,
      // A replay stands still between two ticks, and shows what the last one has led to.
      priceAgeMs: options.isReplay ? 0 : limits.priceAgeMs,
      isInSession: () => sessionAt(system.clock.nowMs()) === 'open',
      steadyMs: () => performance.now(),
      ask: (resource, call) => this.ask({ kind: 'read', resource }, call),
    })
    this.#thread = new OwnThread({
      start: options,
      actor: this.#actor,
      isWanted: (epoch) => !this.#isLeaving && this.#isOwner && this.#epoch === epoch,
      connecting: () => this.#reads.forget(),
      lost: (epoch) => {
        if (this.#epoch === epoch) this.#ownership.lost()
      },
      up: () => this.#ownership.up(),
      // Whoever starts the service is told by the start; a take-over that fails ends it.
      failed: (error) => {
        if (this.#hasStarted && !this.#isLeaving) system.fail(String(error))
      },
    })
    this.#followers = new FollowerLine({
      accountId: this.accountId,
      actor: this.#actor,
      system,
      isConnected: () => this.connected,
      isReduced: () => this.isReduced,
      isHeld: () => this.isHeld,
      isOutOfRoom: () => this.isOutOfRoom,
      isUnconfirmed: () => this.isUnconfirmed,
      isOurs: () => this.#isOwner && !this.#isLeaving,
      heldBack: (request) => this.#heldBack(request),
      limits: spawn.policy.limits,
      log: options.log,
    })
    this.#ownership = ownershipOf(options, {
      serve: (body, call) => this.#followers.serve(body, call),
      left: () => void this.#followers.left(),
      changed: (role) => this.#changed(role),
      // Who gives it up has not executed what comes now: the next owner may be asked.
      epoch: () => (this.#isOwner && !this.#isLeaving ? this.#epoch : 0),
      untold: (keys) => void this.#followers.untold(keys),
      stalled: (isStalled) => {
        this.#isStalled = isStalled
      },
    })
  }

  /** Finds or becomes the owner. Resolves when the account is ready here, found elsewhere, or parked. */
  async start(): Promise<void> {
    try {
      await this.#ownership.start().catch((error: unknown) => {
        if (!isParking(error)) throw error
        this.#park(error)
      })
      await this.#thread.settled
      this.#hasStarted = true
    } catch (error) {
      this.#hasFailed = true
      throw error
    }
  }

  /** Its start was told as failed: nothing runs it here, or will. */
  get hasFailed(): boolean {
    return this.#hasFailed
  }

  /**
   * The interface has closed in good order: the account writes down that its answers arrived. Nothing is written while
   * another process may still be bringing some, nor when it may not have heard of one that did not arrive.
   */
  async answersGiven(): Promise<void> {
    if (!this.#isOwner || this.#hasUnsaid || this.#followers.isAnswering) return
    const timeoutMs = this.#options.limits.answersGivenMs
    try {
      await this.#actor.ask(
        { kind: 'answersGiven', source: 'service/stop' },
        { timeoutMs, correlationId: '' },
      )
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error // its next start takes them for lost
    }
  }

  /**
   * Stops the own thread, then lets another process have the account. At any moment: a take-over
   * that is under way starts nothing any more, and a thread that is starting is stopped.
   */
  async leave(): Promise<void> {
    const { system, slot } = this.#options
    this.#isLeaving = true
    this.#owner.unwatch()
    this.#actor.disconnect('STOPPING', 'is being stopped')
    try {
      await system.stopAccount(this.#options.account)
      // Nothing runs in its row any more, whatever the servers or the disk make of the rest.
      system.rows.giveBack(slot)
    } finally {
      await this.#letGo()
    }
  }

  /** Also of one that is parked: it may have been found out behind the first look into its database. */
  async #letGo(): Promise<void> {
    try {
      await this.#ownership.release()
    } finally {
      await this.#options.system.leaveBooks(this.accountId)
    }
  }

  /** Row of the boards. */
  get slot(): number {
    return this.#options.slot
  }

  /** Nodes that may run it, in a cluster. */
  get eligible(): readonly string[] {
    return this.#options.account.eligible
  }

  /** This process runs the account. */
  get isOwner(): boolean {
    return this.#isOwner
  }

  /** Another process runs it. */
  get isElsewhere(): boolean {
    return this.#owner.isElsewhere
  }

  /** Waits until the account knows what it has, at most so long. Whether the broker is connected. */
  async untilReady(timeoutMs: number): Promise<boolean> {
    const endMs = performance.now() + timeoutMs
    while (!this.#isReady && !this.#parked && performance.now() < endMs) await delay(READY_CHECK_MS)
    return this.connected
  }

  /** Why it is run nowhere, or not yet; null when there is no such reason. */
  get problem(): string | null {
    return this.#parked?.message ?? this.#waitsFor ?? null
  }

  get #isReady(): boolean {
    const { system, slot } = this.#options
    return this.#isOwner ? system.board.status(slot) === 'ready' : this.#owner.isConnected
  }

  get isReduced(): boolean {
    const { system, slot } = this.#options
    return this.#isOwner ? system.board.status(slot) === 'suspended' : this.#owner.isReduced
  }

  get isHeld(): boolean {
    if (!this.#isOwner) return this.#owner.isHeld
    return this.#isStalled || this.#options.system.storeWatch.isLate
  }

  get isOutOfRoom(): boolean {
    return this.#isOwner ? this.#options.system.board.isDiskLow() : this.#owner.isOutOfRoom
  }

  get isUnconfirmed(): boolean {
    const { system, slot } = this.#options
    return this.#isOwner ? system.board.isUnconfirmed(slot) : this.#owner.isUnconfirmed
  }

  get connected(): boolean {
    const { system, slot } = this.#options
    return this.#isOwner ? system.board.connected(slot) : this.#owner.isConnected
  }

  /** Of an account that another process runs only that one sees it. */
  get doubtsOfAnswers(): number | undefined {
    const { system, slot } = this.#options
    return this.#owner.isElsewhere ? undefined : system.board.doubtsOfAnswers(slot)
  }

  ask<R extends AccountRequest>(request: R, options: CallOptions): Promise<ReplyTo<R>> {
    if (this.#parked !== undefined) return Promise.reject(this.#parked)
    const refusal = this.#heldBack(request)
    if (refusal !== undefined) return Promise.reject(refusal)
    return this.#owner.isElsewhere
      ? this.#owner.ask<ReplyTo<R>>({ target: 'account', body: request }, options)
      : this.#actor.ask<ReplyTo<R>>(request, options)
  }

  /** Whoever asks, here or at another node. */
  #heldBack(request: AccountRequest): ServiceError | undefined {
    // Of another process its disk was late some time ago: it says so itself.
    const isDiskLate = this.#isOwner && this.#options.system.storeWatch.isLate
    return heldBack(request, { isJournalStalled: this.#isStalled, isDiskLate })
  }

  answerUnsaid(): void {
    this.#hasUnsaid = true
  }

  withdraw(correlationId: string): void {
    if (!this.#owner.isElsewhere) return this.#actor.tell({ withdrawn: correlationId })
    const timeoutMs = this.#options.limits.ownerTimeoutMs
    const told = this.#owner.ask(
      { target: 'withdraw', correlationId },
      { timeoutMs, correlationId },
    )
    told.catch(() => undefined) // whoever runs the account has lost the asker too
  }

  /**
   * For an order whose caller gave no key. In a replay it follows from the ownership and a count, so
   * that the same requests in a second run make the same orders to the byte.
   */
  newKey(): string {
    const { system, isReplay } = this.#options
    if (!isReplay || !this.#isOwner) return randomKey()
    this.#keysMade += 1
    const place = `${this.accountId}|${this.#epoch}|${this.#keysMade}`
    return clientOrderId(system.clock.nowMs(), digest(place))
  }

  read(resource: Resource, options: CallOptions): Published | Promise<Published> {
    return this.#owner.isElsewhere || this.#actor.isUp
      ? this.#reads.read(resource, options)
      : this.#reads.refresh(resource, options)
  }

  /** In a cluster its servers tell; on one computer whoever listens finds out by looking. */
  onNews(listener: () => void): () => void {
    return this.#options.system.cluster?.onNews(this.accountId, listener) ?? (() => undefined)
  }

  async calls(options: CallOptions): Promise<readonly CallReport[]> {
    return [await this.ask({ kind: 'calls' }, options), this.#market.report()]
  }

  market<R extends MarketRequest>(
    request: R,
    options: CallOptions,
  ): Promise<MarketReplies[R['kind']]> {
    return this.#market.ask(request, options)
  }

  async restart(): Promise<void> {
    if (this.#owner.isElsewhere) {
      const timeoutMs = this.#options.limits.ownerTimeoutMs
      return this.#owner.ask({ target: 'restart' }, { timeoutMs, correlationId: '' })
    }
    if (!this.#isOwner || this.#isLeaving) throw this.#parked ?? noOwner()
    await this.#options.system.supervisor.restartChild(`account/${this.accountId}`)
  }

  #park(problem: ServiceError): void {
    this.#parked = problem
    const fields = { alert: 'account_parked', account: this.accountId }
    const text = problem.message.replaceAll(this.accountId, maskAccount(this.accountId))
    this.#options.log.error(fields, text)
  }

  /** Said once to the log, and to whoever asks meanwhile. What its data refuse nobody else tells, and a person has to mend. */
  #waits(problem: ServiceError | null): void {
    const { log } = this.#options
    const { accountId: account } = this
    const reason = problem?.message
    if (reason === this.#waitsFor) return
    this.#waitsFor = reason
    if (reason === undefined) return
    const said = { account, reason: reason.replaceAll(account, maskAccount(account)) }
    if (problem?.code === 'STORE_FAILED') log.error({ alert: 'account_waits', ...said }, UNREAD)
    else log.warn(said, 'account waits')
    if (!this.#isLeaving) this.#actor.disconnect('ACTOR_RESTARTING', `waits: ${reason}; try again`)
  }

  #changed(role: Role): void {
    const wasOwner = this.#isOwner
    this.#isOwner = role.kind === 'owner'
    if (role.kind === 'seeking' && isParking(role.problem)) this.#park(role.problem)
    else this.#waits(role.kind === 'seeking' ? role.problem : null)
    if (role.kind === 'owner') this.#epoch = role.epoch
    this.#owner.follow(role.kind === 'follower' ? role.line : undefined)
    this.#reads.forget()
    if (this.#isLeaving) return // its thread is being stopped already, and none is started
    if (wasOwner && !this.#isOwner) this.#thread.stopNow()
    if (role.kind === 'owner') {
      this.#options.log.info({ account: this.accountId, epoch: role.epoch }, 'account owned')
      this.#thread.start(role.epoch)
    } else if (role.kind === 'follower') {
      this.#options.log.info({ account: this.accountId, epoch: role.epoch }, 'account followed')
      this.#owner.watch()
    }
  }
}
