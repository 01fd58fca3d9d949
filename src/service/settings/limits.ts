import type { ResourceLimits } from 'node:worker_threads'
import type { JobDeskLimits } from '../../../actors/jobs/job-desk.ts'
import type { MarketLimits } from '../../../actors/market/desks.ts'
import type { PoolLimits } from '../../../actors/pool/pool.ts'
import type { ReaderLimits } from '../../../actors/reader/reader.actor.ts'
import type { StoreLimits } from '../../../actors/store/store.actor.ts'
import type { SupervisorLimits } from '../../../actors/supervisor/child.ts'
import type { FrontLimits } from '../../../http/desk/context.ts'
import { inCamelCase } from '../../config/camel-case.ts'
import { having } from '../../config/drivers.ts'
import type { Limits } from '../../config/schema.ts'
import type { MarketRequest } from '../../protocol/market.ts'
import type { RestartPolicy } from '../../runtime/restart-policy.ts'
import { BLOCK_BYTES as LOG_BLOCK_BYTES } from '../../storage/log/batch.ts'
import type { BackupCommand } from '../backups/backup-command.ts'
import type { DiskWatchOptions } from '../process/disk-watch.ts'

/** The configured limits in the words of each room. Nothing is decided here. */

const MIB = 1_048_576

/** A download may take as long as the market source that takes longest. */
export function marketTimeoutMs(limits: Limits, kind: MarketRequest['kind']): number {
  const { market } = limits
  if (kind !== 'download') return market.ask_timeout_ms
  const sources = Object.values(having('quotes'))
  const longestMs = sources.map((quotes) => quotes.downloadMsMax(limits))
  return market.ask_timeout_ms + Math.max(0, ...longestMs)
}

export const supervisorLimits = ({ runtime }: Limits): SupervisorLimits => ({
  heartbeat: {
    timeoutMs: runtime.heartbeat_timeout_ms,
    startTimeoutMs: runtime.start_timeout_ms,
    patienceMs: runtime.heartbeat_patience_ms,
    startPatienceMs: runtime.start_patience_ms,
    checkIntervalMs: runtime.heartbeat_check_ms,
    beatIntervalMs: runtime.heartbeat_interval_ms,
  },
  stopTimeoutMs: runtime.stop_timeout_ms,
  terminateTimeoutMs: runtime.terminate_timeout_ms,
})

export const restartPolicy = ({ runtime }: Limits): RestartPolicy => ({
  intensity: runtime.restart_intensity,
  periodMs: runtime.restart_period_ms,
  backoffMsMin: runtime.restart_backoff_min_ms,
  backoffMsMax: runtime.restart_backoff_max_ms,
})

/**
 * V8 lets what lives shortly grow to 48 MB a thread, and seldom gives any of it back. The more room there is, the
 * more seldom it is collected: few accounts have more of it than many.
 */
export const accountHeap = ({ runtime }: Limits, accounts: number): ResourceLimits => ({
  maxOldGenerationSizeMb: runtime.account_heap_mb,
  maxYoungGenerationSizeMb: Math.max(
    runtime.account_young_heap_mb,
    Math.min(
      runtime.account_young_heap_max_mb,
      Math.floor(runtime.accounts_young_heap_mb / Math.max(1, accounts)),
    ),
  ),
})

export const vitalHeap = ({ runtime }: Limits): ResourceLimits => ({
  maxYoungGenerationSizeMb: runtime.vital_young_heap_mb,
})

export const storeLimits = ({
  accounts_max: accountsMax,
  store,
  runtime,
}: Limits): StoreLimits => ({
  accountsMax,
  openAsksMax: runtime.open_asks_max,
  groupCommitsMax: store.group_commits_max,
  logBytes: Math.ceil(store.log_bytes / LOG_BLOCK_BYTES) * LOG_BLOCK_BYTES,
  logSegmentsMax: store.log_files_max,
  checkpointMs: store.checkpoint_ms,
  checkpointRestMs: store.checkpoint_rest_ms,
  writeMarginBytes: store.write_margin_mb * MIB,
  writeRetryMs: store.write_retry_ms,
})

/** While the servers of a cluster are silent, all accounts may wait for them with all that each may have under way. */
export const journalAsksMax = ({ accounts_max, runtime }: Limits): number =>
  runtime.open_asks_max + accounts_max * (runtime.steps_in_flight_max + 1)

export const readerLimits = ({ account, store, runtime }: Limits): ReaderLimits => ({
  openAsksMax: runtime.open_asks_max,
  segmentsCached: store.segments_cached,
  archive: {
    segmentEntries: store.segment_entries,
    segmentBytes: store.segment_mb * MIB,
    page: account.audit_page,
  },
})

export const diskLimits = ({ store }: Limits): DiskWatchOptions['limits'] => ({
  floorBytes: store.free_space_floor_mb * MIB,
  backBytes: store.free_space_back_mb * MIB,
  marginBytes: store.write_margin_mb * MIB,
  checkMs: store.free_space_check_ms,
  reserveBytes: store.reserve_mb * MIB,
})

export const backupLimits = ({ examine, store }: Limits): BackupCommand['limits'] => ({
  ...inCamelCase(examine),
  floorBytes: store.free_space_floor_mb * MIB,
})

export const marketLimits = ({ account, market, runtime }: Limits): MarketLimits => ({
  ...inCamelCase(market),
  clockJumpMs: account.clock_jump_ms,
  clockStopMs: account.clock_stop_ms,
  reconnectTurnMs: account.reconnect_turn_ms,
  openAsksMax: runtime.open_asks_max,
  lineBytesMax: market.replay_line_bytes_max,
  chunkBytes: market.replay_chunk_bytes,
  aheadTicksMax: market.replay_ahead_ticks_max,
})

export const poolLimits = ({ jobs }: Limits): PoolLimits => ({
  threadsMax: jobs.threads_max,
  queueMax: jobs.calculations_waiting_max,
  idleMs: jobs.idle_ms,
  heapMb: jobs.heap_mb,
  progressMs: jobs.progress_ms,
})

/** Jobs never take the last thread: somebody waits for a short calculation. */
export const jobLimits = ({ jobs }: Limits): JobDeskLimits => ({
  ...inCamelCase(jobs),
  runningMax: Math.min(jobs.running_max, jobs.threads_max - 1),
})

export const backtestLimits = ({ jobs, market }: Limits) => ({
  barsMax: jobs.backtest_bars_max,
  lineBytesMax: market.replay_line_bytes_max,
  chunkBytes: market.replay_chunk_bytes,
})

export const frontLimits = ({ http, account }: Limits): FrontLimits => ({
  ...inCamelCase(http),
  pacedWaitMs: account.paced_wait_ms,
  drainTimeoutMs: http.close_timeout_ms,
  retryAfterSeconds: http.retry_after_s,
  guessWaitSecondsMax: http.guess_wait_max_s,
})
