import type { RequestStats } from '../../http/request-stats.ts'
import type { CallOptions, Metrics } from '../../http/service.ts'
import { type CallSnapshot, snapshotOf } from '../domain/call-log.ts'
import { maskAccount } from '../domain/mask.ts'
import {
  exposition,
  type Family,
  histogramSamples,
  ProcessMetrics,
  type Sample,
} from '../observability/prometheus.ts'
import type { House } from './house.ts'
import type { Seat } from './seat.ts'

interface MetricsDeps {
  readonly house: House
  readonly seats: () => readonly Seat[]
  /** Calculations that wait for a thread. */
  readonly poolWaiting: () => number
}

/** An account under the name that it has in the metrics. */
interface Named {
  readonly seat: Seat
  readonly labels: { readonly account: string }
}

/** Everything that can be counted, put together when it is asked for. */
export class MetricsDesk implements Metrics {
  readonly #deps: MetricsDeps
  readonly #process = new ProcessMetrics()
  readonly #stats: RequestStats[] = []

  constructor(deps: MetricsDeps) {
    this.#deps = deps
  }

  watch(stats: RequestStats): void {
    this.#stats.push(stats)
  }

  async exposition(sees: (accountId: string) => boolean, options: CallOptions) {
    const seats = masked(this.#deps.seats()).filter(({ seat }) => sees(seat.accountId))
    const families = [
      ...(await this.#callFamilies(seats, options)),
      ...this.#actorFamilies(seats),
      ...this.#requestFamilies(),
      gauge('steward_calculations_waiting', 'Calculations that wait for a thread of the pool.', [
        { labels: {}, value: this.#deps.poolWaiting() },
      ]),
    ]
    const text = exposition(families) + (await this.#process.text())
    return { text, contentType: this.#process.contentType }
  }

  close(): void {
    this.#process.close()
  }

  /** An account that cannot answer now has no figures: Prometheus knows a gap. */
  async #callFamilies(seats: readonly Named[], options: CallOptions): Promise<Family[]> {
    const answers = await Promise.allSettled(seats.map(({ seat }) => seat.calls(options)))
    const known = seats.flatMap(({ labels }, index) => {
      const answer = answers[index]
      if (answer?.status !== 'fulfilled') return []
      return [{ labels, figures: snapshotOf(answer.value, Date.now()) }]
    })
    const each = (value: (figures: CallSnapshot) => number): Sample[] =>
      known.map(({ labels, figures }) => ({ labels, value: value(figures) }))
    const latency = known.flatMap(({ labels, figures }) => [
      { labels: { ...labels, quantile: '0.5' }, value: figures.p50_latency_ms },
      { labels: { ...labels, quantile: '0.95' }, value: figures.p95_latency_ms },
    ])
    return [
      {
        name: 'xqm_calls_total',
        help: 'Calls to the trading client and its market data.',
        type: 'counter',
        samples: known.flatMap(({ labels, figures }) => callSamples(labels, figures)),
      },
      gauge('xqm_call_latency_ms', 'Of the last 1,000 calls, milliseconds.', latency),
      gauge(
        'xqm_error_rate',
        'Share of the last 100 calls that failed.',
        each(({ error_rate }) => error_rate),
      ),
      gauge(
        'xqm_uptime_seconds',
        'Since the actor of the account has started.',
        each(({ uptime_seconds }) => uptime_seconds),
      ),
    ]
  }

  #actorFamilies(seats: readonly Named[]): Family[] {
    const { board, latency } = this.#deps.house
    const own = seats.filter(({ seat }) => seat.isOwner)
    const each = (value: (slot: number) => number): Sample[] =>
      own.map(({ seat, labels }) => ({ labels, value: value(seat.slot) }))
    const times = (measure: 'tickToIntent' | 'commit'): Sample[] =>
      own.flatMap(({ seat, labels }) =>
        histogramSamples(latency.histogram(seat.slot, measure), labels),
      )
    return [
      gauge(
        'xqm_account_connected',
        '1 while the trading client is connected.',
        seats.map(({ seat, labels }) => ({ labels, value: Number(seat.connected) })),
      ),
      {
        name: 'steward_account_restarts_total',
        help: 'Starts of the actor of an account after the first.',
        type: 'counter',
        samples: each((slot) => Math.max(0, board.incarnation(slot) - 1)),
      },
      gauge(
        'steward_mailbox_depth',
        'Messages that an account has not worked off.',
        each((slot) => board.inFlight(slot)),
      ),
      {
        name: 'steward_tick_to_intent_seconds',
        help: 'From the tick that crossed a band to the order intent.',
        type: 'histogram',
        samples: times('tickToIntent'),
      },
      {
        name: 'steward_store_commit_seconds',
        help: 'From a commit to its being on disk.',
        type: 'histogram',
        samples: times('commit'),
      },
    ]
  }

  #requestFamilies(): Family[] {
    const all = this.#stats.flatMap((stats) =>
      stats.rows().map(({ method, path, byStatus, latency }) => ({
        labels: { backend: stats.backend, method, route: path },
        byStatus,
        latency,
      })),
    )
    return [
      {
        name: 'steward_http_requests_total',
        help: 'Requests by route and status; without a route those that none took.',
        type: 'counter',
        samples: all.flatMap(({ labels, byStatus }) =>
          [...byStatus].map(([status, value]) => ({
            labels: { ...labels, status: String(status) },
            value,
          })),
        ),
      },
      {
        name: 'steward_http_request_seconds',
        help: 'From the head of a request to its answer.',
        type: 'histogram',
        samples: all.flatMap(({ labels, latency }) => histogramSamples(latency, labels)),
      },
    ]
  }
}

const gauge = (name: string, help: string, samples: readonly Sample[]): Family => ({
  name,
  help,
  type: 'gauge',
  samples,
})

const callSamples = (labels: { readonly account: string }, { ops }: CallSnapshot): Sample[] =>
  Object.entries(ops).flatMap(([op, { success, error, timeout }]) => [
    { labels: { ...labels, op, result: 'success' }, value: success },
    { labels: { ...labels, op, result: 'error' }, value: error - timeout },
    { labels: { ...labels, op, result: 'timeout' }, value: timeout },
  ])

/** Two accounts may look alike once they are masked; the later one gets a number. */
function masked(seats: readonly Seat[]): Named[] {
  const used = new Map<string, number>()
  return seats.map((seat) => {
    const name = maskAccount(seat.accountId)
    const count = (used.get(name) ?? 0) + 1
    used.set(name, count)
    return { seat, labels: { account: count === 1 ? name : `${name}-${count}` } }
  })
}
