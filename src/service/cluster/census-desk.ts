import type { AccountPlace, ClusterSight, ClusterView } from '../../../http/port/service.ts'
import { placeStanding } from '../../cluster/node/census.ts'
import { rulesApart } from '../../cluster/rules-apart.ts'
import type { Census, CensusPlace } from '../../protocol/census.ts'

/** An account as this process has it. */
export interface KnownAccount {
  readonly accountId: string
  /** Nodes that may run it. */
  readonly eligible: readonly string[]
  /** This process runs it. */
  readonly isOwner: boolean
}

export interface CensusDeskDeps {
  /** This one. */
  readonly node: string
  /** Of the thread of the cluster; rejects or answers null where it knows nothing. */
  readonly ask: () => Promise<Census | null>
  readonly accounts: () => readonly KnownAccount[]
  readonly steadyMs: () => number
  readonly limits: {
    /** A census is shown again for so long: who reads often asks the thread of the cluster seldom. ms */
    readonly ageMs: number
  }
}

/** Before the servers were reached, or while their thread has no time. */
const NOTHING: Census = {
  isCurrent: false,
  nodes: [],
  places: [],
  leaseMs: 0,
  echoMsAgo: undefined,
}

/** Nodes and accounts of the cluster for whoever looks; however many look, the cluster is asked once a while. */
export class CensusDesk implements ClusterSight {
  readonly #deps: CensusDeskDeps
  #askedMs = Number.NEGATIVE_INFINITY
  #last: Promise<Census> = Promise.resolve(NOTHING)

  constructor(deps: CensusDeskDeps) {
    this.#deps = deps
  }

  get node(): string {
    return this.#deps.node
  }

  async view(): Promise<ClusterView> {
    return (await this.read()).view
  }

  /** For the metrics: also what only this node knows of itself. */
  async read(): Promise<{ readonly census: Census; readonly view: ClusterView }> {
    const { node, accounts } = this.#deps
    const census = await this.#census()
    return { census, view: viewOf(node, census, accounts()) }
  }

  #census(): Promise<Census> {
    const { ask, steadyMs, limits } = this.#deps
    const nowMs = steadyMs()
    if (nowMs - this.#askedMs < limits.ageMs) return this.#last
    this.#askedMs = nowMs
    this.#last = ask().then(
      (census) => census ?? NOTHING,
      () => NOTHING,
    )
    return this.#last
  }
}

/** What is configured here, in its order, and behind it what is only shown by the servers. */
export function viewOf(
  node: string,
  census: Census,
  accounts: readonly KnownAccount[],
): ClusterView {
  const isGateway = !accounts.some(({ eligible }) => eligible.includes(node))
  const mayAct = isGateway ? null : census.leaseMs > 0
  const shown = new Map(census.places.map((place) => [place.accountId, place]))
  const own = accounts.map((account): AccountPlace => {
    const { accountId, eligible, isOwner } = account
    const place = shown.get(accountId)
    shown.delete(accountId)
    // Who runs it and may act knows that, also while the servers tell nothing.
    if (isOwner && mayAct === true) return { accountId, standing: 'running', node }
    return placeOf(accountId, place, { census, eligible })
  })
  const others = Array.from(shown, ([accountId, place]) =>
    placeOf(accountId, place, { census, eligible: undefined }),
  )
  const { isCurrent, nodes } = census
  const there = nodes.filter(({ standing }) => standing !== 'gone' && standing !== 'fenced')
  const apart = rulesApart(there, accounts)
  return { node, isCurrent, mayAct, nodes, apart, places: [...own, ...others] }
}

function placeOf(
  accountId: string,
  place: CensusPlace | undefined,
  by: { readonly census: Census; readonly eligible: readonly string[] | undefined },
): AccountPlace {
  const standing = placeStanding(by.census, accountId, place, by.eligible)
  const isOwned = standing === 'running' || standing === 'owner_silent'
  return { accountId, standing, node: isOwned ? (place?.node ?? null) : null }
}
