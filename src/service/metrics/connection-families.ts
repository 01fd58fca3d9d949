import type { RequestStats } from '../../../http/port/request-stats.ts'
import { counter, type Family, gauge, type Sample } from '../../observability/prometheus.ts'

/** What each listener lets in, and what it turns away before reading any of it. */
export function connectionFamilies(
  all: readonly RequestStats[],
  own: (stats: RequestStats) => Sample['labels'],
): Family[] {
  const each = (value: (counts: RequestStats['connections']) => number): Sample[] =>
    all.map((stats) => ({
      labels: { backend: stats.backend, ...own(stats) },
      value: value(stats.connections),
    }))
  return [
    gauge(
      'steward_http_connections',
      'Connections that are open.',
      each(({ open }) => open),
    ),
    gauge(
      'steward_http_connections_waiting',
      'Of them, those that have not asked anything yet.',
      each(({ waiting }) => waiting),
    ),
    counter(
      'steward_http_connections_refused_total',
      'Connections closed unread, because their address or all together had too many.',
      all.flatMap((stats) =>
        Object.entries(stats.connections.turned).map(([reason, value]) => ({
          labels: { backend: stats.backend, ...own(stats), reason },
          value,
        })),
      ),
    ),
    counter(
      'steward_http_connections_pushed_out_total',
      'Connections that asked nothing, closed to make room for one of this computer.',
      each(({ pushedOut }) => pushedOut),
    ),
  ]
}
