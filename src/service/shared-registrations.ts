import { type Registration, type SharedRegistration, sharedSchema } from '../config/account.ts'
import type { ClusterConfig } from '../config/cluster.ts'
import { ServiceError } from '../domain/errors.ts'
import { decode, encode } from '../protocol/codec.ts'

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

/**
 * What all nodes know, as this one has heard of it. What it has done itself counts before it has heard of it: an older
 * list must not undo it.
 */
export class SharedList {
  #listed: readonly SharedRegistration[] = []
  readonly #own = new Map<string, 'registered' | 'unregistered'>()

  /** In their order. */
  get all(): readonly SharedRegistration[] {
    return this.#listed.filter(
      ({ registration }) => this.#own.get(registration.account_id) !== 'unregistered',
    )
  }

  heard(listed: readonly SharedRegistration[]): void {
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

  #has(accountId: string): boolean {
    return this.#listed.some(({ registration }) => registration.account_id === accountId)
  }
}
