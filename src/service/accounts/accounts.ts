import { join } from 'node:path'
import type { CrashPoint } from '../../../actors/account/faults.ts'
import { StockIndex } from '../../../http/desk/stock-index.ts'
import type {
  AccountLink,
  Calculations,
  ClusterSight,
  ConsolePlace,
  Jobs,
  Logs,
  Metrics,
  Service,
  Stocks,
} from '../../../http/port/service.ts'
import {
  type Registration,
  registerDefaults,
  type SharedRegistration,
} from '../../config/account.ts'
import { inCamelCase } from '../../config/camel-case.ts'
import { isReal } from '../../config/drivers.ts'
import type { AccountConfig, Config } from '../../config/schema.ts'
import { ServiceError } from '../../domain/errors.ts'
import type { Logger } from '../../observability/logger.ts'
import type { MarketReplies, MarketRequest } from '../../protocol/market.ts'
import type { Soundness } from '../data/soundness.ts'
import type { DiskWatch } from '../process/disk-watch.ts'
import { randomKey } from '../process/random-key.ts'
import { StartGate } from '../process/start-gate.ts'
import { consolePlaces } from '../settings/console-places.ts'
import { portOf } from '../settings/console-port.ts'
import { marketTimeoutMs } from '../settings/limits.ts'
import { accountPolicy, accountThreadLimits } from '../settings/policy.ts'
import type { ActorSystem } from '../threads/actor-system.ts'
import { AccountHandle } from './account-handle.ts'
import { KeptRegistrations, RETURNED, UNREAD } from './kept-registrations.ts'
import { mustHaveOwnFolder } from './own-folder.ts'
import {
  encodeShared,
  LOST_REGISTRATION,
  parseShared,
  SharedList,
  unknownNodes,
  withNodes,
} from './shared-registrations.ts'

export interface AccountsOptions {
  readonly config: Config
  readonly system: ActorSystem
  readonly disk: DiskWatch
  readonly soundness: Soundness
  readonly jobs: Jobs
  readonly calculations: Calculations
  readonly metrics: Metrics
  readonly logs: Logs
  readonly cluster: ClusterSight | undefined
  readonly log: Logger
  readonly allowFaults: boolean
  readonly crashAt?: CrashPoint
  /** Ports of the consoles of this process, by place in the configuration. */
  readonly consolePorts: ReadonlyMap<number, number>
}

/** A start in a cluster waits so many renewals for an account to be found somewhere. */
const SETTLE_RENEWALS = 3

const ALREADY_THERE = '账户已注册 (already registered)'

/** The accounts of this process: those of the configuration first, then those registered at run time. */
export class Accounts implements Service {
  readonly jobs: Jobs
  readonly calculations: Calculations
  readonly stocks: Stocks
  readonly metrics: Metrics
  readonly logs: Logs
  readonly cluster: ClusterSight | undefined
  readonly #options: AccountsOptions
  readonly #handles = new Map<string, AccountHandle>()
  #registrations: readonly Registration[] = []
  readonly #kept: KeptRegistrations
  readonly #shared = new SharedList()
  readonly #gate = new StartGate()
  /** Registering and unregistering one after the other. */
  #changing: Promise<unknown> = this.#gate.opened

  constructor(options: AccountsOptions) {
    this.#options = options
    this.jobs = options.jobs
    this.calculations = options.calculations
    const { names_spoken_max: namesMax } = options.config.limits.http
    this.#kept = new KeptRegistrations({
      records: (request) => options.system.records(request),
      nowMs: Date.now,
      max: options.config.limits.accounts_max,
      onUnread: (account) => this.#alarm('account_not_started', account, UNREAD),
      onReturned: (account) => this.#alarm('registration_returned', account, RETURNED),
    })
    this.stocks = new StockIndex(options.calculations, namesMax)
    this.metrics = options.metrics
    this.logs = options.logs
    this.cluster = options.cluster
  }

  /** Errors  `ACTOR_RESTARTING`: not all that are registered are known yet. */
  accounts(): readonly AccountHandle[] {
    this.#gate.mustBeOpen()
    return this.known
  }

  /** As far as they are known. */
  get known(): readonly AccountHandle[] {
    return [...this.#handles.values()]
  }

  consoles(timeoutMs: number): Promise<readonly ConsolePlace[]> {
    return consolePlaces(this.#options, timeoutMs)
  }

  /** Errors  `ACTOR_RESTARTING`: not all that are registered are known yet. */
  find(accountId: string): AccountLink | undefined {
    const handle = this.#handles.get(accountId)
    if (handle === undefined) this.#gate.mustBeOpen()
    return handle
  }

  /** For a job. Errors  `UNKNOWN_ACCOUNT` and those of the market. */
  async market<R extends MarketRequest>(
    accountId: string,
    request: R,
  ): Promise<MarketReplies[R['kind']]> {
    const handle = this.#handles.get(accountId)
    if (handle === undefined) throw new ServiceError('UNKNOWN_ACCOUNT', `no account ${accountId}`)
    const timeoutMs = marketTimeoutMs(this.#options.config.limits, request.kind)
    return handle.market(request, { timeoutMs, correlationId: '' })
  }

  /** For an order whose caller gave no key. */
  newKey(accountId: string): string {
    return this.#handles.get(accountId)?.newKey() ?? randomKey()
  }

  /** Accounts of the configuration with their place in it. They are known at once and usable after {@link start}. */
  add(accounts: readonly (readonly [AccountConfig, number])[]): void {
    for (const [account, configIndex] of accounts) this.#add(account, configIndex)
  }

  /** Adds what was registered in earlier lives of a gateway on this data directory. */
  async recall(): Promise<void> {
    const kept = await this.#kept.load()
    this.#registrations = kept.filter(({ account_id }) => !this.#handles.has(account_id))
    for (const registration of this.#registrations) this.#addRecalled(registration)
    this.#options.system.cluster?.follow((told) => {
      this.#shared.heard(told)
      void this.#oneAtATime(() => this.#followOthers()).catch((error: unknown) =>
        this.#options.log.error({ err: error }, 'registrations of other nodes were not taken over'),
      )
    })
  }

  /** Resolves when every account is ready here or found in another process, and quotes arrive. */
  async start(): Promise<void> {
    const { known } = this
    const starts = known.map((handle) => this.#startOne(handle))
    this.#gate.open()
    await Promise.all(starts)
    await this.#options.system.openMarket(known.some((handle) => handle.isOwner))
  }

  async #startOne(handle: AccountHandle): Promise<void> {
    try {
      await handle.start()
    } catch (error) {
      // Another node has unregistered it: nobody waits for it any more.
      if (this.#handles.get(handle.accountId) === handle) throw error
    }
  }

  /**
   * After the interface; `isAnswered`: no request of its was left without an answer. Every account is left, whatever
   * becomes of the others. Errors  rejects with all that failed.
   */
  async stop({ isAnswered = false } = {}): Promise<void> {
    const leave = async (handle: AccountHandle) => {
      if (isAnswered) await handle.answersGiven()
      await handle.leave()
    }
    const outcomes = await Promise.allSettled(this.known.map(leave))
    const failures = outcomes.flatMap((outcome) =>
      outcome.status === 'rejected' ? [outcome.reason as unknown] : [],
    )
    if (failures.length > 0) throw new AggregateError(failures, failures.join('; '))
  }

  /** Errors  also `ACTOR_RESTARTING`: the service starts, and the account is none of those that it knows by now. */
  async register(asked: Registration) {
    const isThere = this.#gate.isOpen ? undefined : this.find(asked.account_id)
    if (isThere !== undefined) return { connected: isThere.connected, message: ALREADY_THERE }
    return this.#oneAtATime(async () => {
      // Nothing is begun of one that is there, so neither its nodes nor the disk are asked about.
      const existing = this.#handles.get(asked.account_id)
      if (existing !== undefined && !existing.hasFailed) {
        return { connected: existing.connected, message: ALREADY_THERE }
      }
      const wanted = withNodes(asked, this.#options.config.cluster)
      this.#options.disk.mustHaveRoom()
      mustHaveOwnFolder(wanted.account_id, this.#handles.keys())
      if (existing !== undefined) await this.#drop(existing) // asked for once more, it is begun anew
      const handle =
        this.#addConfigured(wanted) ?? (await this.#admit(await this.#tellOthers(wanted)))
      await handle.start()
      const connected = await handle.untilReady(handle.callTimeoutMs)
      if (handle.problem !== null) return { connected: false, message: handle.problem }
      const message = connected
        ? '账户已注册并连接 (registered and connected)'
        : '账户已注册，尚未连接交易客户端 (registered, not connected yet)'
      return { connected, message }
    })
  }

  /** Errors  `UNKNOWN_ACCOUNT`; `ACTOR_RESTARTING`: the service starts; of the servers of a cluster. */
  async unregister(accountId: string): Promise<void> {
    this.#gate.mustBeOpen()
    return this.#oneAtATime(async () => {
      const handle = this.#handles.get(accountId)
      if (handle === undefined) throw new ServiceError('UNKNOWN_ACCOUNT', `no account ${accountId}`)
      const { cluster } = this.#options.system
      await cluster?.ask({ kind: 'unregister', accountId })
      if (cluster !== undefined) this.#shared.did(accountId, 'unregistered')
      await this.#drop(handle)
    })
  }

  /** What it is registered with: another node may have been faster. Errors  `VALIDATION`; `NOT_OWNER`: the servers are away. */
  async #tellOthers(wanted: Registration): Promise<Registration> {
    const { cluster } = this.#options.system
    if (cluster === undefined) return wanted
    const { account_id: accountId, eligible = [] } = wanted
    const value = encodeShared({ ord: Date.now(), registration: wanted })
    const answer = await cluster.ask<'register'>({ kind: 'register', accountId, eligible, value })
    if (answer.is === 'unknown') throw unknownNodes(answer.nodes)
    this.#shared.did(accountId, 'registered')
    return parseShared(answer.value)?.registration ?? wanted
  }

  async #followOthers(): Promise<void> {
    // One without nodes is of before this computer was in a cluster, and known to nobody else.
    const gone = this.#registrations.filter(
      ({ account_id, eligible }) => eligible !== undefined && !this.#shared.has(account_id),
    )
    for (const registration of gone) await this.#followGone(registration)
    for (const shared of this.#shared.all) {
      if (!this.#handles.has(shared.registration.account_id)) await this.#followNew(shared)
    }
    for (const id of this.#shared.newlyUnread((known) => this.#handles.has(known)))
      this.#alarm('account_not_started', id, UNREAD)
  }

  /** Servers or a disk that do not answer for one account keep no other from being let go. */
  async #followGone(registration: Registration): Promise<void> {
    const account = registration.account_id
    const handle = this.#handles.get(account)
    if (handle === undefined) return
    try {
      if (!handle.isOwner && (await this.#hasLeft(registration))) return
      const isLost = this.#shared.hasLost(account)
      if (isLost) this.#alarm('registration_lost', account, LOST_REGISTRATION)
      await this.#drop(handle)
    } catch (error) {
      const text = 'an account that another node unregistered was not left in good order'
      this.#options.log.error({ alert: 'account_not_left', account, err: error }, text)
    }
  }

  /** Nobody waits for it, and the next one need not either. */
  async #followNew({ registration, ord }: SharedRegistration): Promise<void> {
    try {
      const handle = await this.#admit(registration, ord)
      void this.#startOne(handle).catch((error: unknown) => this.#notRun(registration, error))
    } catch (error) {
      this.#notRun(registration, error)
    }
  }

  #alarm(alert: string, account: string, text: string): void {
    this.#options.log.error({ alert, account }, text)
  }

  #notRun({ account_id: account }: Registration, error: unknown): void {
    const fields = { alert: 'account_not_started', account, err: error }
    this.#options.log.error(fields, 'an account that another node registered is not run here')
  }

  /** Out of its cluster by command: it lives in the database here, whatever servers know, and comes in by command. */
  async #hasLeft(registration: Registration): Promise<boolean> {
    const { config, soundness, system } = this.#options
    const account = registerDefaults(registration, config.market.source)
    if ((await soundness.ofAccount(account)) !== undefined) return false
    const accountId = registration.account_id
    const { cluster } = await system.records({ kind: 'inspect', accountId })
    return cluster?.state === 'left'
  }

  async #admit(registration: Registration, ord?: number): Promise<AccountHandle> {
    const handle = this.#addRegistered(registration)
    try {
      await this.#kept.keep(registration, ord)
      this.#registrations = [...this.#registrations, registration]
      return handle
    } catch (error) {
      this.#handles.delete(registration.account_id)
      await handle.leave()
      throw error
    }
  }

  async #drop(handle: AccountHandle): Promise<void> {
    const { accountId } = handle
    await this.#kept.forget(accountId)
    this.#registrations = this.#registrations.filter(({ account_id }) => account_id !== accountId)
    this.#handles.delete(accountId)
    await handle.leave()
  }

  /** What has no room, or is not of this release any more, keeps no other account from starting. */
  #addRecalled(registration: Registration): void {
    try {
      mustHaveOwnFolder(registration.account_id, this.#handles.keys())
      this.#addRegistered(registration)
    } catch (error) {
      const fields = { alert: 'account_not_started', account: registration.account_id, err: error }
      this.#options.log.error(fields, 'an account that was registered before is not run')
    }
  }

  /**
   * One of the configuration that was let go comes back as it is configured, and will be so at the next start: a
   * registration knows no driver, and would have it run by another trading client.
   */
  #addConfigured({ account_id: id }: Registration): AccountHandle | undefined {
    const { accounts } = this.#options.config
    const index = accounts.findIndex(({ account_id }) => account_id === id)
    const account = accounts[index]
    return account && this.#add(account, index)
  }

  #addRegistered(registration: Registration): AccountHandle {
    const { market, cluster } = this.#options.config
    const eligible = registration.eligible ?? (cluster === undefined ? [] : [cluster.node])
    return this.#add({ ...registerDefaults(registration, market.source), eligible }, undefined)
  }

  #oneAtATime<T>(action: () => Promise<T>): Promise<T> {
    const done = this.#changing.then(action)
    this.#changing = done.catch(() => undefined) // told to the one who asked
    return done
  }

  #add(account: AccountConfig, configIndex: number | undefined): AccountHandle {
    const { config, system, log, allowFaults, crashAt, consolePorts } = this.#options
    const slot = system.rows.take()
    if (slot === undefined) {
      const text = `no room for another account: limits.accounts_max is ${config.limits.accounts_max}`
      throw new ServiceError('OVERLOADED', text)
    }
    const port =
      configIndex === undefined ? 0 : (consolePorts.get(configIndex) ?? portOf(config, configIndex))
    const { cluster, runtime, http } = config.limits
    const handle = new AccountHandle({
      system,
      slot,
      configIndex,
      log,
      dataDir: config.data_dir,
      examine: () => this.#options.soundness.ofAccount(account),
      account,
      isReplay: config.market.source === 'replay',
      limits: {
        ...inCamelCase(cluster),
        openAsksMax: runtime.open_asks_max,
        priceAgeMs: http.price_age_ms,
        answersGivenMs: runtime.answers_given_ms,
        settleMs: SETTLE_RENEWALS * cluster.lease_renew_ms,
      },
      spawn: {
        policy: accountPolicy(config, account, port),
        isReal: isReal(account),
        limits: accountThreadLimits(config),
        stockPoolFile: join(config.data_dir, account.account_id, 'stock2buy.json'),
        allowFaults,
        ...(crashAt && { crashAt }),
      },
    })
    this.#handles.set(account.account_id, handle)
    return handle
  }
}
