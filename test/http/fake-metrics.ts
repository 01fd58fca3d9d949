import type { RequestStats } from '../../http/request-stats.ts'
import type { LatencyReport, Logs, Metrics, Sight } from '../../http/service.ts'
import type { CallReport } from '../../src/domain/call-log.ts'
import type { LogLevel } from '../../src/domain/log-level.ts'

/** One position query that succeeded and one that was refused. */
export const REPORT: CallReport = {
  sinceMs: 0,
  counts: { query_positions: { success: 1, error: 1, timeout: 0 } },
  recent: [
    { atMs: 1_000, ms: 3, outcome: 'success' },
    { atMs: 2_000, ms: 5, outcome: 'error' },
  ],
  lastError: { atMs: 2_000, text: 'refused' },
}

/** Keeps what it is given; its text is always the same. */
export class FakeMetrics implements Metrics {
  readonly stats: RequestStats[] = []
  sees: ((accountId: string) => boolean) | undefined

  watch(stats: RequestStats): void {
    this.stats.push(stats)
  }
  async exposition({ sees }: Sight) {
    this.sees = sees
    return { text: 'up 1\n', contentType: 'text/plain; version=0.0.4' }
  }
  /** Of a cluster; undefined as without one. */
  ofNodes: string | undefined
  async expositionOfNodes() {
    const contentType = 'text/plain; version=0.0.4'
    return this.ofNodes === undefined ? undefined : { text: this.ofNodes, contentType }
  }
  latency({ sees }: Sight): LatencyReport {
    this.sees = sees
    const spread = { count: 4, p50: 0.125, p90: 0.5, p99: 2, max: 3 }
    return {
      uptimeSeconds: 61.5,
      paths: [
        { accountId: 'A', measure: 'tickToStep', ...spread },
        { accountId: 'A', measure: 'commit', ...spread },
      ],
      routes: [{ backend: 'direct', method: 'GET', path: '/api/orders', ...spread }],
    }
  }
}

/** A level that is `info` until it is changed. */
export function fakeLogs(): Logs {
  let level: LogLevel = 'info'
  return {
    level: () => level,
    setLevel: (wanted) => {
      level = wanted
    },
  }
}
