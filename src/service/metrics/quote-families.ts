import type { Family } from '../../observability/prometheus.ts'
import type { QuoteOrigin } from '../../protocol/market.ts'

const gauge = (name: string, help: string, samples: Family['samples']): Family => ({
  name,
  help,
  type: 'gauge',
  samples,
})

/** Where the quotes of this node come from and go to; nothing while its market is not there, or cannot say. */
export function quoteFamilies(origin: QuoteOrigin | undefined): Family[] {
  const { from, given } = origin ?? {}
  const nodes = from?.nodes ?? []
  return [
    gauge(
      'steward_quotes_from_codes',
      'Codes whose quotes come from another node of the cluster and go on, by that node and its source.',
      nodes.map(({ node, source, codes }) => ({ labels: { node, source }, value: codes })),
    ),
    gauge(
      'steward_quotes_silent_codes',
      'Codes that are wanted of other nodes and whose quotes do not go on.',
      from === undefined ? [] : [{ labels: {}, value: from.silent }],
    ),
    gauge(
      'steward_quotes_given_codes',
      'Codes whose quotes are sent to other nodes.',
      given === undefined ? [] : [{ labels: {}, value: given }],
    ),
  ]
}
