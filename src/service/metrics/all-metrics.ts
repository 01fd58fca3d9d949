import type { CallOptions } from '../../../http/port/service.ts'
import { merged } from '../../observability/merged.ts'
import { exposition, gauge } from '../../observability/prometheus.ts'
import type { NodeMetrics } from '../../protocol/cluster.ts'

export interface AllMetricsDeps {
  /** This one. */
  readonly node: string
  /** The metrics of this process. */
  readonly own: (options: CallOptions) => Promise<string>
  /** Those of the other nodes. Errors  `DEADLINE_EXCEEDED`. */
  readonly others: () => Promise<NodeMetrics>
}

/** Another node has this share of the time for what its accounts have to say; the rest is for the way. */
const OWN_SHARE = 0.7
export const withinShare = (timeoutMs: number): CallOptions => ({
  timeoutMs: Math.max(1, Math.floor(timeoutMs * OWN_SHARE)),
  correlationId: '',
})

/** What all nodes tell, as one exposition; who has not answered in time is named. */
export async function metricsOfAll(
  { node, own, others }: AllMetricsDeps,
  options: CallOptions,
): Promise<string> {
  const [text, told] = await Promise.all([own(options), others()])
  const answers = Object.entries({ ...told, [node]: text })
  const texts = answers.flatMap(([name, of]) => (of === null ? [] : [{ node: name, text: of }]))
  const family = gauge(
    'steward_cluster_told',
    '1 for a node whose metrics are here, 0 for one that did not answer in time.',
    answers.map(([name, of]) => ({ labels: { node: name }, value: Number(of !== null) })),
  )
  return merged(texts) + exposition([family])
}
