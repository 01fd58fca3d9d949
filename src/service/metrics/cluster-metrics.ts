import type { ClusterView } from '../../../http/port/service.ts'
import {
  type Family,
  gauge,
  histogram,
  histogramSamples,
  type Sample,
} from '../../observability/prometheus.ts'
import { type Census, NODE_STANDINGS, PLACE_STANDINGS } from '../../protocol/census.ts'
import type { Histogram } from '../../runtime/histogram.ts'

interface Seen {
  readonly sees: (accountId: string) => boolean
  /** Until a quorum keeps a commit of an account of this node. */
  readonly appends: Histogram
}

const SECOND_MS = 1_000
const one = (value: number): Sample[] => [{ labels: {}, value }]

/** Each standing has a sample, also when it is that of none: an alert on a figure that is not there never fires. */
const byStanding = (standings: readonly string[], all: readonly { readonly standing: string }[]) =>
  standings.map(
    (standing): Sample => ({
      labels: { standing },
      value: all.filter((each) => each.standing === standing).length,
    }),
  )

/** The cluster as this node sees it, and how this node itself stands in it. Accounts are counted, never named. */
export function clusterFamilies(
  { census, view }: { readonly census: Census; readonly view: ClusterView },
  { sees, appends }: Seen,
): readonly Family[] {
  const places = view.places.filter(({ accountId }) => sees(accountId))
  const runs = new Map<string, number>()
  for (const { node } of places) if (node !== null) runs.set(node, (runs.get(node) ?? 0) + 1)
  const { echoMsAgo } = census
  const nodes = (value: (of: Census['nodes'][number]) => number | undefined): Sample[] =>
    census.nodes.flatMap((of) => {
      const known = value(of)
      return known === undefined ? [] : [{ labels: { node: of.node }, value: known }]
    })
  return [
    gauge(
      'steward_cluster_may_act',
      '1 while the lease of this node holds: else its accounts send nothing.',
      view.mayAct === null ? [] : one(Number(view.mayAct)),
    ),
    gauge(
      'steward_cluster_lease_seconds',
      'What is left of the lease of this node; a renewal sets it back.',
      one(census.leaseMs / SECOND_MS),
    ),
    gauge(
      'steward_cluster_is_current',
      '1 while the servers tell this node of the present.',
      one(Number(census.isCurrent)),
    ),
    gauge(
      'steward_cluster_echo_age_seconds',
      'Since the servers last showed this node a renewal of its own.',
      echoMsAgo === undefined ? [] : one(echoMsAgo / SECOND_MS),
    ),
    gauge(
      'steward_cluster_nodes',
      'Nodes by how they look to this one.',
      byStanding(NODE_STANDINGS, census.nodes),
    ),
    gauge(
      'steward_cluster_accounts',
      'Accounts by who runs them, as far as this node sees.',
      byStanding(PLACE_STANDINGS, places),
    ),
    gauge(
      'steward_cluster_node_accounts',
      'Accounts that a node runs.',
      nodes(({ node }) => runs.get(node) ?? 0),
    ),
    gauge(
      'steward_cluster_node_heard_seconds',
      'Since this node has seen the last renewal of a node.',
      nodes(({ heardMsAgo }) => (heardMsAgo === undefined ? undefined : heardMsAgo / SECOND_MS)),
    ),
    histogram(
      'steward_cluster_journal_append_seconds',
      'Until a majority of the servers keeps a commit of an account of this node.',
      histogramSamples(appends, {}),
    ),
  ]
}
