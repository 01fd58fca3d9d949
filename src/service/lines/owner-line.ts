import type { CallOptions } from '../../../http/port/service.ts'
import type { ClusterLimits } from '../../cluster/limits.ts'
import { ServiceError } from '../../domain/errors.ts'
import type { Line } from '../../ports/transport.port.ts'
import type { AccountRequest } from '../../protocol/account.ts'
import type { MarketRequest } from '../../protocol/market.ts'
import { isKnownOfAccount, isKnownOfMarket } from './known-requests.ts'

/** What one process asks another about an account that the other runs. */
export type Forwarded =
  | { readonly target: 'account'; readonly body: AccountRequest }
  | { readonly target: 'market'; readonly body: MarketRequest }
  | { readonly target: 'withdraw'; readonly correlationId: string }
  | { readonly target: 'restart' }
  | { readonly target: 'health' }

const NOT_KNOWN =
  '请求无法识别，未执行任何操作；两端的 Steward 版本可能不同 (what is asked is not known here, nothing was executed: the other side may run another release of Steward)'

/** To whoever asks what this release does not know. */
export const notKnown = () => new ServiceError('BAD_REQUEST', NOT_KNOWN)

/** What another process or computer asks. Errors  `BAD_REQUEST`: nothing of this release, and nothing was executed. */
export function forwardedIn(asked: unknown): Forwarded {
  if (!isForwarded(asked)) throw notKnown()
  return asked
}

export function isForwarded(asked: unknown): asked is Forwarded {
  const { target, body, correlationId } = Object(asked) as Readonly<Record<string, unknown>>
  if (target === 'account') return isKnownOfAccount(body)
  if (target === 'market') return isKnownOfMarket(body)
  if (target === 'withdraw') return typeof correlationId === 'string'
  return target === 'restart' || target === 'health'
}

/** Under which its orders are asked for; undefined: it leads to none. */
export const orderKeyOf = (request: AccountRequest): string | undefined =>
  request.kind === 'placeOrder' || request.kind === 'executeBuy' || request.kind === 'executeSell'
    ? request.key
    : undefined

/** Of an account: what may be asked again of whoever has taken it over. */
const READS: ReadonlySet<AccountRequest['kind']> = new Set<AccountRequest['kind']>([
  'read',
  'audit',
  'calls',
  'decisions',
  'earningsAsk',
  'fillsAsk',
  'findOrder',
  'gridAsk',
  'gridBacktest',
  'gridPreview',
  'marketHealth',
  'previewOrder',
  'riskLimits',
  'stockNames',
  'stopProfitRows',
])

/** Whether it may have changed something where its answer was lost: then it is never sent twice. */
export function mayChange(request: Forwarded): boolean {
  if (request.target === 'health' || request.target === 'market') return false
  return request.target !== 'account' || !READS.has(request.body.kind)
}

export interface Health {
  readonly isConnected: boolean
  /** It has crashed too often and runs with less. Earlier releases do not say. */
  readonly isReduced?: boolean
  /** Its disk, or the journal of its cluster, does not answer. Earlier releases do not say. */
  readonly isHeld?: boolean
  /** Its disk is nearly full. Earlier releases do not say. */
  readonly isOutOfRoom?: boolean
  /** Nobody has confirmed what its restore has found. Earlier releases do not say. */
  readonly isUnconfirmed?: boolean
}

const NOTHING_HEARD: Health = { isConnected: false }

export interface OwnerLineLimits extends Pick<ClusterLimits, 'ownerTimeoutMs'> {
  /** Between two looks at the health of an account that another process runs. */
  readonly healthPollMs: number
}

/** Said to whoever asks while the account is run neither here nor by a process that can be reached. */
export const noOwner = () => new ServiceError('NOT_OWNER', 'nobody runs this account at the moment')

/** The way to another process that runs the account, while one does. */
export class OwnerLine {
  readonly #limits: OwnerLineLimits
  #line: Line | undefined
  #health = NOTHING_HEARD
  #timer: NodeJS.Timeout | undefined

  constructor(limits: OwnerLineLimits) {
    this.#limits = limits
  }

  /** Another process runs the account. */
  get isElsewhere(): boolean {
    return this.#line !== undefined
  }

  /** Whether its broker was connected when it was last looked at. */
  get isConnected(): boolean {
    return this.#health.isConnected
  }

  /** Whether it ran with less then. */
  get isReduced(): boolean {
    return this.#health.isReduced === true
  }

  /** Whether its disk, or the journal of its cluster, did not answer then. */
  get isHeld(): boolean {
    return this.#health.isHeld === true
  }

  /** Whether its disk was nearly full then. */
  get isOutOfRoom(): boolean {
    return this.#health.isOutOfRoom === true
  }

  /** Whether a person had still to confirm what its restore has found. */
  get isUnconfirmed(): boolean {
    return this.#health.isUnconfirmed === true
  }

  /** undefined when no other process runs the account any more. Nobody looks before {@link watch}. */
  follow(line: Line | undefined): void {
    this.#line = line
    this.#health = NOTHING_HEARD
    this.unwatch()
  }

  /** Looks at its health now and from time to time. */
  watch(): void {
    this.#timer = setInterval(() => this.#pollHealth(), this.#limits.healthPollMs)
    this.#pollHealth()
  }

  unwatch(): void {
    clearInterval(this.#timer)
  }

  ask<T>(body: Forwarded, options: CallOptions): Promise<T> {
    return this.#line === undefined ? Promise.reject(noOwner()) : this.#line.ask<T>(body, options)
  }

  #pollHealth(): void {
    const timeoutMs = this.#limits.ownerTimeoutMs
    this.ask<Health>({ target: 'health' }, { timeoutMs, correlationId: '' }).then(
      (health) => {
        this.#health = health
      },
      () => {
        // What has crashed too often goes on with less until a person restarts it.
        this.#health = { ...this.#health, isConnected: false }
      },
    )
  }
}
