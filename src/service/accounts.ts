import { join } from 'node:path'
import type { CrashPoint } from '../../actors/account/faults.ts'
import type {
  AccountLink,
  Calculations,
  Jobs,
  Logs,
  Metrics,
  Registration,
  Service,
} from '../../http/service.ts'
import { registerDefaults } from '../config/account.ts'
import { having, isReal } from '../config/drivers.ts'
import type { AccountConfig, Config, Limits } from '../config/schema.ts'
import { ServiceError } from '../domain/errors.ts'
import type { Logger } from '../observability/logger.ts'
import { decode, encode } from '../protocol/codec.ts'
import type { MarketReplies, MarketRequest } from '../protocol/market.ts'
import type { House } from './house.ts'
import { clusterLimits } from './limits.ts'
import { accountPolicy, accountThreadLimits } from './policy.ts'
import { randomKey, Seat } from './seat.ts'

export interface AccountsOptions {
  readonly config: Config
  readonly house: House
  readonly jobs: Jobs
  readonly calculations: Calculations
  readonly metrics: Metrics
  readonly logs: Logs
  readonly log: Logger
  readonly allowFaults: boolean
  readonly crashAt?: CrashPoint
  /** Port of direct mode for the account at this place of the configuration; 0 when it has none here. */
  readonly directPortOf: (configIndex: number) => number
}

const REGISTRATIONS = 'accounts/registered'

/** The accounts of this process: those of the configuration first, then those registered at run time. */
export class Accounts implements Service {
  readonly jobs: Jobs
  readonly calculations: Calculations
  readonly metrics: Metrics
  readonly logs: Logs
  readonly #options: AccountsOptions
  readonly #seats = new Map<string, Seat>()
  #registrations: readonly Registration[] = []
  /** Registering and unregistering one after the other. */
  #changing: Promise<unknown> = Promise.resolve()

  constructor(options: AccountsOptions) {
    this.#options = options
    this.jobs = options.jobs
    this.calculations = options.calculations
    this.metrics = options.metrics
    this.logs = options.logs
  }

  accounts(): readonly Seat[] {
    return [...this.#seats.values()]
  }

  find(accountId: string): AccountLink | undefined {
    return this.#seats.get(accountId)
  }

  /** For a job. Errors  `UNKNOWN_ACCOUNT` and those of the market. */
  async market<R extends MarketRequest>(
    accountId: string,
    request: R,
  ): Promise<MarketReplies[R['kind']]> {
    const seat = this.#seats.get(accountId)
    if (seat === undefined) throw new ServiceError('UNKNOWN_ACCOUNT', `no account ${accountId}`)
    const { limits } = this.#options.config
    const longerMs = request.kind === 'download' ? downloadMsMax(limits) : 0
    const timeoutMs = limits.market.ask_timeout_ms + longerMs
    return seat.market(request, { timeoutMs, correlationId: '' })
  }

  /** For an order whose caller gave no key. */
  newKey(accountId: string): string {
    return this.#seats.get(accountId)?.newKey() ?? randomKey()
  }

  /** Accounts of the configuration with their place in it. They are known at once and usable after {@link start}. */
  add(accounts: readonly (readonly [AccountConfig, number])[]): void {
    for (const [account, configIndex] of accounts) this.#add(account, configIndex)
  }

  /** Adds what was registered in earlier lives of a gateway on this data directory. */
  async recall(): Promise<void> {
    const bytes = await this.#options.house.records({ kind: 'get', key: REGISTRATIONS })
    const saved = bytes === null ? [] : decode<Registration[]>(bytes)
    this.#registrations = saved.filter(({ account_id }) => !this.#seats.has(account_id))
    for (const registration of this.#registrations) {
      this.#add(registerDefaults(registration, this.#options.config.market.source), undefined)
    }
  }

  /** Resolves when every account is ready here or found in another process, and quotes arrive. */
  async start(): Promise<void> {
    const seats = [...this.#seats.values()]
    await Promise.all(seats.map((seat) => seat.start()))
    await this.#options.house.openMarket(seats.some((seat) => seat.isOwner))
  }

  async stop(): Promise<void> {
    await Promise.all([...this.#seats.values()].map((seat) => seat.leave()))
  }

  register(registration: Registration) {
    return this.#oneAtATime(async () => {
      const existing = this.#seats.get(registration.account_id)
      if (existing !== undefined) {
        return { connected: existing.connected, message: '账户已注册 (already registered)' }
      }
      const { config } = this.#options
      const seat = this.#add(registerDefaults(registration, config.market.source), undefined)
      await this.#remember([...this.#registrations, registration])
      await seat.start()
      const connected = await seat.untilConnected(registration.call_timeout * 1_000)
      const message = connected
        ? '账户已注册并连接 (registered and connected)'
        : '账户已注册，尚未连接交易客户端 (registered, not connected yet)'
      return { connected, message }
    })
  }

  unregister(accountId: string): Promise<void> {
    return this.#oneAtATime(async () => {
      const seat = this.#seats.get(accountId)
      if (seat === undefined) throw new ServiceError('UNKNOWN_ACCOUNT', `no account ${accountId}`)
      this.#seats.delete(accountId)
      await this.#remember(this.#registrations.filter(({ account_id }) => account_id !== accountId))
      await seat.leave()
    })
  }

  async #remember(registrations: readonly Registration[]): Promise<void> {
    const value = encode(registrations)
    await this.#options.house.records({ kind: 'put', key: REGISTRATIONS, value })
    this.#registrations = registrations
  }

  #oneAtATime<T>(action: () => Promise<T>): Promise<T> {
    const done = this.#changing.then(action)
    this.#changing = done.catch(() => undefined) // told to the one who asked
    return done
  }

  #add(account: AccountConfig, configIndex: number | undefined): Seat {
    const { config, house, log, allowFaults, crashAt, directPortOf } = this.#options
    const slot = house.takeSlot()
    if (slot === undefined) {
      const text = `no room for another account: limits.accounts_max is ${config.limits.accounts_max}`
      throw new ServiceError('OVERLOADED', text)
    }
    const port = configIndex === undefined ? 0 : directPortOf(configIndex)
    const { cluster, runtime } = config.limits
    const seat = new Seat({
      house,
      slot,
      configIndex,
      log,
      dataDir: config.data_dir,
      account,
      isReplay: config.market.source === 'replay',
      limits: {
        ...clusterLimits(config.limits),
        openAsksMax: runtime.open_asks_max,
        healthPollMs: cluster.health_poll_ms,
      },
      birth: {
        policy: accountPolicy(config, account, port),
        isReal: isReal(account),
        limits: accountThreadLimits(config),
        stockPoolFile: join(config.data_dir, account.account_id, 'stock2buy.json'),
        allowFaults,
        ...(crashAt && { crashAt }),
      },
    })
    this.#seats.set(account.account_id, seat)
    return seat
  }
}

/** Of the market source that takes longest. */
const downloadMsMax = (limits: Limits): number =>
  Math.max(0, ...Object.values(having('quotes')).map((quotes) => quotes.downloadMsMax(limits)))
