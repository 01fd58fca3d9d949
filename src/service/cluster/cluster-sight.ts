import type { Config } from '../../config/schema.ts'
import type { NodeMetrics } from '../../protocol/cluster.ts'
import { steadyMs } from '../../runtime/steady.ts'
import type { AllMetricsDeps } from '../metrics/all-metrics.ts'
import type { ActorSystem } from '../threads/actor-system.ts'
import { CensusDesk, type KnownAccount } from './census-desk.ts'

/** What looks at the cluster; undefined where the process is in none. */
export function clusterSight(
  { cluster: desk }: ActorSystem,
  { cluster, limits }: Config,
  accounts: () => readonly KnownAccount[],
): CensusDesk | undefined {
  if (desk === undefined || cluster === undefined) return
  const { census_age_ms: ageMs, census_timeout_ms: timeoutMs } = limits.cluster
  return new CensusDesk({
    node: cluster.node,
    ask: () => desk.ask({ kind: 'census' }, timeoutMs),
    accounts,
    steadyMs,
    limits: { ageMs },
  })
}

/** What collects the metrics of the other nodes, once at a time, for however many ask meanwhile. */
export function otherNodes(
  { cluster: desk }: ActorSystem,
  { cluster, limits }: Config,
): Omit<AllMetricsDeps, 'own'> | undefined {
  if (desk === undefined || cluster === undefined) return
  const { census_timeout_ms: timeoutMs } = limits.cluster
  let running: Promise<NodeMetrics> | undefined
  return {
    node: cluster.node,
    others: () => {
      // The thread of the cluster answers when that time is over: it is given as long again.
      running ??= desk.ask({ kind: 'metrics', timeoutMs }, 2 * timeoutMs).finally(() => {
        running = undefined
      })
      return running
    },
  }
}
