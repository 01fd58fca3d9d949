import { Histogram } from '../../src/runtime/histogram.ts'

/** Requests of one route. */
interface RouteStats {
  readonly latency: Histogram
  readonly byStatus: Map<number, number>
}

export interface RequestRow {
  readonly method: string
  /** As in the route table, never as it was asked for: that would be without end. */
  readonly path: string
  readonly latency: Histogram
  readonly byStatus: ReadonlyMap<number, number>
}

/** What no route took: refused before, or not there. */
const NO_ROUTE = { method: '', path: '' } as const

/** Why a new connection was closed at once. */
export type Turned = 'address' | 'total'

/** What a listener tells of its connections. */
export class ConnectionCounts {
  open = 0
  /** Have not asked anything yet. */
  waiting = 0
  /** Closed to make room for one of this computer. */
  pushedOut = 0
  readonly turned: Record<Turned, number> = { address: 0, total: 0 }
}

/** Requests of one listener, counted by route and status, and its connections. */
export class RequestStats {
  readonly backend: 'direct' | 'gateway'
  /** Whose direct mode it is; undefined for the gateway. */
  readonly accountId: string | undefined
  readonly connections = new ConnectionCounts()
  readonly #routes = new Map<{ readonly method: string; readonly path: string }, RouteStats>()

  constructor(backend: 'direct' | 'gateway', accountId?: string) {
    this.backend = backend
    this.accountId = accountId
  }

  /** `route` is the row of the table itself; undefined when none was found. */
  observe(
    route: { readonly method: string; readonly path: string } | undefined,
    status: number,
    ms: number,
  ): void {
    const key = route ?? NO_ROUTE
    let stats = this.#routes.get(key)
    if (stats === undefined) {
      stats = { latency: new Histogram(), byStatus: new Map() }
      this.#routes.set(key, stats)
    }
    stats.latency.observe(ms)
    stats.byStatus.set(status, (stats.byStatus.get(status) ?? 0) + 1)
  }

  rows(): RequestRow[] {
    return [...this.#routes].map(([{ method, path }, stats]) => ({ method, path, ...stats }))
  }
}
