import { type Registration, type SharedRegistration, sharedSchema } from '../../config/account.ts'
import type { ClusterConfig } from '../../config/cluster.ts'
import { ServiceError } from '../../domain/errors.ts'
import type { ClusterTold } from '../../protocol/cluster.ts'
import { decode, encode } from '../../protocol/codec.ts'

export const encodeShared = (shared: SharedRegistration): Uint8Array => encode(shared)

/** Undefined when a later release has written it, or somebody by hand. */
export function parseShared(value: Uint8Array): SharedRegistration | undefined {
  try {
    return sharedSchema.safeParse(decode(value)).data
  } catch {
    return undefined
  }
}

/**
 * With the nodes that may run it: in a cluster this one, where none is named.
 *
 * Errors  `VALIDATION`: there is no cluster; this is a gateway, and no node is named.
 */
export function withNodes(
  registration: Registration,
  cluster: ClusterConfig | undefined,
): Registration {
  const { eligible } = registration
  if (cluster !== undefined) {
    if (eligible === undefined && cluster.role === 'gateway') throw notEligible(NO_NODE)
    return { ...registration, eligible: eligible ?? [cluster.node] }
  }
  if (eligible === undefined) return registration
  throw notEligible(
    'eligible: 本服务不在集群中，请去掉此项 (this service is in no cluster: leave it out)',
  )
}

const NO_NODE =
  'eligible: 网关不运行账户，请写明可以运行它的节点 (a gateway runs no account: name the nodes that may run it)'

/** Errors of `VALIDATION`. */
export const unknownNodes = (nodes: readonly string[]): ServiceError =>
  notEligible(
    `eligible: 集群中没有节点 ${nodes.join('、')}；请核对名字，或先启动它 (the cluster has no node ${nodes.join(', ')}: check the name, or start it first)`,
  )

const notEligible = (text: string): ServiceError =>
  new ServiceError('VALIDATION', text, { eligible: [text] })

/** Of an account that was let go because the servers know its registration no more. */
export const LOST_REGISTRATION =
  '集群已不知道该账户的注册，也没有注销的记录（控制桶可能恢复了旧备份或被重建）：账户不再运行，止盈止损已停。若它仍应运行，请经任一节点重新注册 (the cluster knows its registration no more, and no removal of it either, as after its control bucket was put back or made anew: the account is not run, and neither profits are taken nor losses stopped. Register it again at any node if it is to run)'

type Told = Pick<Extract<ClusterTold, { kind: 'registrations' }>, 'all' | 'removed'>

const NOTHING: Told = { all: [], removed: [] }

/**
 * What all nodes know, as this one has heard of it. What it has done itself counts before it has heard of it: an older
 * list must not undo it.
 */
export class SharedList {
  #told = NOTHING
  #listed: readonly SharedRegistration[] = []
  #unread: ReadonlySet<string> = new Set()
  readonly #own = new Map<string, 'registered' | 'unregistered'>()

  /** In their order. */
  get all(): readonly SharedRegistration[] {
    return this.#listed.filter(
      ({ registration }) => this.#own.get(registration.account_id) !== 'unregistered',
    )
  }

  /**
   * Those that this release cannot read, each told once. They are registered, and nothing is known of how they are to be
   * run; one that `isRun` goes on as it was registered before.
   */
  newlyUnread(isRun: (accountId: string) => boolean): readonly string[] {
    const before = this.#unread
    const unread = this.#told.all.filter(
      ({ accountId, value }) => !isRun(accountId) && parseShared(value) === undefined,
    )
    this.#unread = new Set(unread.map(({ accountId }) => accountId))
    return [...this.#unread].filter((accountId) => !before.has(accountId))
  }

  heard(told: Told): void {
    this.#told = told
    const listed = told.all.flatMap(({ value }) => parseShared(value) ?? [])
    this.#listed = listed.toSorted((a, b) => a.ord - b.ord)
    for (const [accountId, own] of this.#own) {
      if (this.#has(accountId) === (own === 'registered')) this.#own.delete(accountId)
    }
  }

  /** This node has registered it, or has removed it. */
  did(accountId: string, what: 'registered' | 'unregistered'): void {
    if (this.#has(accountId) !== (what === 'registered')) this.#own.set(accountId, what)
    else this.#own.delete(accountId)
  }

  has(accountId: string): boolean {
    const own = this.#own.get(accountId)
    return own === undefined ? this.#has(accountId) : own === 'registered'
  }

  /** It is not there, and nobody has removed it. */
  hasLost(accountId: string): boolean {
    return !(this.has(accountId) || this.#told.removed.includes(accountId))
  }

  #has(accountId: string): boolean {
    return this.#told.all.some((one) => one.accountId === accountId)
  }
}
