import type { RequestStats } from '../../../http/port/request-stats.ts'
import { isResting } from '../../../http/port/resting.ts'
import type {
  CallOptions,
  LatencyReport,
  Listener,
  Metrics,
  Sight,
} from '../../../http/port/service.ts'
import { type CallSnapshot, snapshotOf } from '../../domain/call-log.ts'
import { maskAccount } from '../../domain/mask.ts'
import type { Dropped } from '../../observability/log-writer.ts'
import {
  counter,
  exposition,
  type Family,
  gauge,
  histogram,
  histogramSamples,
  ProcessMetrics,
  type Sample,
} from '../../observability/prometheus.ts'
import { MEASURES, type Measure } from '../../runtime/latency-board.ts'
import type { AccountHandle } from '../accounts/account-handle.ts'
import type { HeadPublisher } from '../audit/head-publisher.ts'
import type { BackupDesk, BackupFigures } from '../backups/backup-desk.ts'
import type { DiskWatch } from '../process/disk-watch.ts'
import type { ActorSystem } from '../threads/actor-system.ts'
import { type AllMetricsDeps, metricsOfAll } from './all-metrics.ts'
import { connectionFamilies } from './connection-families.ts'
import { quoteFamilies } from './quote-families.ts'
import { switchFamilies } from './switch-families.ts'

interface MetricsDeps {
  readonly system: ActorSystem
  readonly handles: () => readonly AccountHandle[]
  /** Calculations that wait for a thread. */
  readonly poolWaiting: () => number
  readonly heads: Pick<HeadPublisher, 'publishedOf'>
  readonly disk: Pick<DiskWatch, 'freeBytes' | 'isLow'>
  /** Lines of the log that were lost; undefined where nobody counts them. */
  readonly dropped: () => Dropped | undefined
  readonly backups: Pick<BackupDesk, 'figures'>
  readonly certificate: () => readonly Family[]
  /** Of the cluster, where there is one. */
  readonly cluster: (sees: Sight['sees']) => Promise<readonly Family[]>
  /** The other nodes; undefined without a cluster. */
  readonly others: Omit<AllMetricsDeps, 'own'> | undefined
}

/** A system that does not say has no figure: Prometheus knows a gap. */
const freeSpace = ({ freeBytes }: MetricsDeps['disk']): Sample[] =>
  Number.isFinite(freeBytes) ? [{ labels: {}, value: freeBytes }] : []

/** Of scheduled copies. Without a plan, and before the first one, there is no time to tell. */
const backupFamilies = ({ isScheduled, lastMs, failures }: BackupFigures): Family[] => [
  gauge('steward_backup_scheduled', '1 where the service makes backups by itself.', [
    { labels: {}, value: Number(isScheduled) },
  ]),
  gauge(
    'steward_backup_last_success_timestamp_seconds',
    'When the newest scheduled backup was made.',
    isScheduled && lastMs > 0 ? [{ labels: {}, value: lastMs / 1_000 }] : [],
  ),
  {
    name: 'steward_backup_failures_total',
    help: 'Scheduled backups that failed.',
    type: 'counter',
    samples: [{ labels: {}, value: failures }],
  },
]

/** An account under the name that it has in the metrics. */
interface Named {
  readonly handle: AccountHandle
  readonly labels: { readonly account: string }
}

/** What an account times, as Prometheus is told. */
const TIMED: Readonly<Record<Measure, readonly [name: string, help: string]>> = {
  tickToStep: [
    'steward_tick_to_step_seconds',
    'From the tick that crossed a band to the step of the account that looks at it.',
  ],
  tickToIntent: [
    'steward_tick_to_intent_seconds',
    'From the tick that crossed a band to the order intent.',
  ],
  commit: [
    'steward_store_commit_seconds',
    'From the leaving of what a step has decided to its being on disk.',
  ],
  commitToSubmit: [
    'steward_commit_to_submit_seconds',
    'From an order intent on disk to its leaving for the trading client.',
  ],
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

  async exposition(sight: Sight, at: Listener, options: CallOptions) {
    const requests = this.#requestFamilies(this.#toldAt(at, sight))
    const { contentType } = this.#process
    if (!this.#tellsOfProcess(at)) return { text: exposition(requests), contentType }
    const seen = masked(this.#deps.handles()).filter(({ handle }) => sight.sees(handle.accountId))
    const told = seen.filter(({ handle }) => at.isWhole || !handle.isElsewhere)
    const [calls, switches] = await Promise.all([
      this.#callFamilies(told, options), // one that does not answer costs its time once
      switchFamilies(told, options),
    ])
    const families = [
      ...calls,
      ...this.#actorFamilies(told),
      ...switches,
      gauge(
        'steward_account_elsewhere',
        '1 for an account that another process runs, whose metrics tell of it.',
        seen.map(({ handle, labels }) => ({ labels, value: Number(handle.isElsewhere) })),
      ),
      ...requests,
      gauge(
        'steward_disk_free_bytes',
        'Free space of the data folder.',
        freeSpace(this.#deps.disk),
      ),
      gauge('steward_disk_low', '1 below the floor of free space: orders are refused.', [
        { labels: {}, value: this.#deps.disk.isLow ? 1 : 0 },
      ]),
      gauge(
        'steward_disk_late_seconds',
        'For how long the disk has not answered: no order goes out meanwhile. 0 while it answers.',
        [{ labels: {}, value: this.#deps.system.storeWatch.waitedMs / 1_000 }],
      ),
      ...backupFamilies(this.#deps.backups.figures),
      ...this.#deps.certificate(),
      ...(await this.#deps.cluster(sight.sees)),
      ...(await this.#quoteFamilies()),
      gauge('steward_calculations_waiting', 'Calculations that wait for a thread of the pool.', [
        { labels: {}, value: this.#deps.poolWaiting() },
      ]),
      counter(
        'steward_log_lines_dropped_total',
        'Lines of the log that were not written, by where to; `writer`: nowhere.',
        Object.entries(this.#deps.dropped() ?? {}).map(([to, value]) => ({
          labels: { to },
          value,
        })),
      ),
    ]
    return { text: exposition(families) + (await this.#process.text()), contentType }
  }

  async expositionOfNodes(options: CallOptions) {
    const { others } = this.#deps
    if (others === undefined) return undefined
    const own = async (within: CallOptions) => (await this.tellAll(within)).text
    return {
      text: await metricsOfAll({ ...others, own }, options),
      contentType: this.#process.contentType,
    }
  }

  /** Everything that this process has to tell, for another node. */
  tellAll(options: CallOptions) {
    const everything = { sees: () => true, isOfAll: true }
    return this.exposition(everything, { backend: 'gateway', isWhole: false }, options)
  }

  /** Outside of a cluster quotes go nowhere. */
  async #quoteFamilies(): Promise<Family[]> {
    const { system } = this.#deps
    return system.cluster === undefined ? [] : quoteFamilies(await system.quoteOrigin())
  }

  /** Once in a process, however many of its fronts are scraped. */
  #tellsOfProcess({ backend, isWhole }: Listener): boolean {
    return (
      isWhole || backend === 'gateway' || !this.#stats.some((stats) => stats.backend === 'gateway')
    )
  }

  /** Each front tells of its own requests. */
  #toldAt({ backend, isWhole }: Listener, sight: Sight): RequestStats[] {
    return this.#statsFor(sight).filter((stats) => isWhole || stats.backend === backend)
  }

  latency(sight: Sight): LatencyReport {
    const { sees } = sight
    const { latency } = this.#deps.system
    const own = this.#deps.handles().filter(({ accountId, isOwner }) => isOwner && sees(accountId))
    const paths = own.flatMap(({ accountId, slot }) =>
      MEASURES.map((measure) => ({
        accountId,
        measure,
        ...latency.histogram(slot, measure).spread,
      })),
    )
    const routes = this.#statsFor(sight).flatMap((stats) =>
      stats.rows().map(({ method, path, latency: { spread } }) => ({
        backend: stats.backend,
        method,
        path,
        ...spread,
      })),
    )
    return {
      uptimeSeconds: process.uptime(),
      paths,
      routes: routes.toSorted((a, b) => b.count - a.count),
    }
  }

  /** Those of accounts that are seen; what is nobody's own, for who sees all. */
  #statsFor({ sees, isOfAll }: Sight): RequestStats[] {
    return this.#stats.filter(({ accountId }) =>
      accountId === undefined ? isOfAll : sees(accountId),
    )
  }

  close(): void {
    this.#process.close()
  }

  /** An account that cannot answer now has no figures: Prometheus knows a gap. */
  async #callFamilies(handles: readonly Named[], options: CallOptions): Promise<Family[]> {
    const answers = await Promise.allSettled(handles.map(({ handle }) => handle.calls(options)))
    const known = handles.flatMap(({ labels }, index) => {
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
      counter(
        'xqm_calls_total',
        'Calls to the trading client and its market data.',
        known.flatMap(({ labels, figures }) => callSamples(labels, figures)),
      ),
      gauge('xqm_call_latency_ms', 'Of the last 1,000 calls, milliseconds.', latency),
      gauge(
        'xqm_error_rate',
        'Share of the last 100 calls that failed.',
        each(({ error_rate }) => error_rate),
      ),
      gauge(
        'xqm_uptime_seconds',
        'For how long the calls of the account have been counted; a restart of its actor does not end it.',
        each(({ uptime_seconds }) => uptime_seconds),
      ),
    ]
  }

  #actorFamilies(handles: readonly Named[]): Family[] {
    const { system } = this.#deps
    const { board, latency } = system
    const own = handles.filter(({ handle }) => handle.isOwner)
    const each = (value: (slot: number) => number): Sample[] =>
      own.map(({ handle, labels }) => ({ labels, value: value(handle.slot) }))
    const timed = MEASURES.map((measure) =>
      histogram(
        ...TIMED[measure],
        own.flatMap(({ handle, labels }) =>
          histogramSamples(latency.histogram(handle.slot, measure), labels),
        ),
      ),
    )
    return [
      gauge(
        'xqm_account_connected',
        '1 while the trading client is connected.',
        handles.map(({ handle, labels }) => ({ labels, value: Number(handle.connected) })),
      ),
      gauge(
        'steward_account_resting',
        '1 while no order and no stop is sent for an account: it has crashed too often, its disk or the journal of its cluster takes nothing, or a restore waits for a person.',
        handles.map(({ handle, labels }) => ({ labels, value: Number(isResting(handle)) })),
      ),
      counter(
        'steward_account_restarts_total',
        'Starts of the actor of an account after the first.',
        each((slot) => Math.max(0, system.rows.startsOf(slot) - 1)),
      ),
      gauge(
        'steward_mailbox_depth',
        'Messages that an account has not worked off.',
        each((slot) => board.inFlight(slot)),
      ),
      gauge(
        'steward_journal_head',
        'Number of the last entry of the audit journal when it was published; its hash is the label.',
        own.flatMap(({ handle, labels }) => {
          const published = this.#deps.heads.publishedOf(handle.accountId)
          if (published === undefined) return []
          return [{ labels: { ...labels, head: published.head }, value: published.seq }]
        }),
      ),
      ...timed,
    ]
  }

  /** Each direct mode under its account: two listeners of one name would be one series twice. */
  #requestFamilies(told: readonly RequestStats[]): Family[] {
    const names = new Map(
      masked(this.#deps.handles()).map(({ handle, labels }) => [handle.accountId, labels]),
    )
    const own = ({ accountId }: RequestStats): Sample['labels'] =>
      accountId === undefined ? {} : (names.get(accountId) ?? { account: maskAccount(accountId) })
    const all = told.flatMap((stats) =>
      stats.rows().map(({ method, path, byStatus, latency }) => ({
        labels: { backend: stats.backend, ...own(stats), method, route: path },
        byStatus,
        latency,
      })),
    )
    return [
      ...connectionFamilies(told, own),
      counter(
        'steward_http_requests_total',
        'Requests by route and status; without a route those that none took.',
        all.flatMap(({ labels, byStatus }) =>
          [...byStatus].map(([status, value]) => ({
            labels: { ...labels, status: String(status) },
            value,
          })),
        ),
      ),
      histogram(
        'steward_http_request_seconds',
        'From the head of a request to its answer.',
        all.flatMap(({ labels, latency }) => histogramSamples(latency, labels)),
      ),
    ]
  }
}

const callSamples = (labels: { readonly account: string }, { ops }: CallSnapshot): Sample[] =>
  Object.entries(ops).flatMap(([op, { success, error, timeout }]) => [
    { labels: { ...labels, op, result: 'success' }, value: success },
    { labels: { ...labels, op, result: 'error' }, value: error - timeout },
    { labels: { ...labels, op, result: 'timeout' }, value: timeout },
  ])

/** Two accounts may look alike once they are masked; the later one gets a number. */
function masked(handles: readonly AccountHandle[]): Named[] {
  const used = new Map<string, number>()
  return handles.map((handle) => {
    const name = maskAccount(handle.accountId)
    const count = (used.get(name) ?? 0) + 1
    used.set(name, count)
    return { handle, labels: { account: count === 1 ? name : `${name}-${count}` } }
  })
}
