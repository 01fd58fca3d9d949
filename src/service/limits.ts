import type { ResourceLimits } from 'node:worker_threads'
import type { JobDeskLimits } from '../../actors/jobs/job-desk.ts'
import type { MarketLimits } from '../../actors/market/market.actor.ts'
import type { PoolLimits } from '../../actors/pool/pool.ts'
import type { StoreLimits } from '../../actors/store/store.actor.ts'
import type { SupervisorLimits } from '../../actors/supervisor/child.ts'
import type { FrontLimits } from '../../http/context.ts'
import type { ClusterLimits } from '../cluster/limits.ts'
import type { Limits } from '../config/schema.ts'
import type { RestartPolicy } from '../runtime/restart-policy.ts'

/** The configured limits in the words of each room. Nothing is decided here. */

export const supervisorLimits = ({ runtime }: Limits): SupervisorLimits => ({
  heartbeat: {
    timeoutMs: runtime.heartbeat_timeout_ms,
    startTimeoutMs: runtime.start_timeout_ms,
    checkIntervalMs: runtime.heartbeat_check_ms,
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

/** V8 lets what lives shortly grow to 48 MB a thread, and seldom gives any of it back. */
export const accountHeap = ({ runtime }: Limits): ResourceLimits => ({
  maxOldGenerationSizeMb: runtime.account_heap_mb,
  maxYoungGenerationSizeMb: runtime.account_young_heap_mb,
})

export const vitalHeap = ({ runtime }: Limits): ResourceLimits => ({
  maxYoungGenerationSizeMb: runtime.vital_young_heap_mb,
})

export const storeLimits = ({ store, runtime }: Limits): StoreLimits => ({
  openAsksMax: runtime.open_asks_max,
  groupCommitsMax: store.group_commits_max,
})

export const marketLimits = ({ market, runtime }: Limits): MarketLimits => ({
  openAsksMax: runtime.open_asks_max,
  lineBytesMax: market.replay_line_bytes_max,
  chunkBytes: market.replay_chunk_bytes,
  saveEveryMs: market.save_every_ms,
  sliceMs: market.slice_ms,
  countWaitMs: market.count_wait_ms,
  quotesSaveEveryMs: market.quotes_save_every_ms,
  dayCheckMs: market.day_check_ms,
  dayWaitMsMax: market.day_wait_ms_max,
  exactWaitMsMax: market.exact_wait_ms_max,
  codesReserved: market.codes_reserved,
  stopWaitMsMax: market.stop_wait_ms_max,
  barsFlushMs: market.bars_flush_ms,
  barsPendingMax: market.bars_pending_max,
  barsReadMax: market.bars_read_max,
  minuteBarsKeepDays: market.minute_bars_keep_days,
  pastYears: market.past_years,
  pastMinuteDays: market.past_minute_days,
})

export const clusterLimits = ({ cluster }: Limits): ClusterLimits => ({
  handshakeTimeoutMs: cluster.handshake_timeout_ms,
  pingMs: cluster.ping_ms,
  ownerTimeoutMs: cluster.owner_timeout_ms,
  epochCheckMs: cluster.epoch_check_ms,
  attemptsMax: cluster.attempts_max,
  retryMs: cluster.retry_ms,
  seekAgainMs: cluster.seek_again_ms,
  connectionsMax: cluster.connections_max,
  frameBytesMax: cluster.frame_bytes_max,
  bufferBytesMax: cluster.buffer_bytes_max,
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
  runningMax: Math.min(jobs.running_max, jobs.threads_max - 1),
  queueMax: jobs.queue_max,
  keptMax: jobs.kept_max,
  attemptsMax: jobs.attempts_max,
  resultBytesMax: jobs.result_bytes_max,
  saveEveryMs: jobs.save_every_ms,
})

export const backtestLimits = ({ jobs, market }: Limits) => ({
  barsMax: jobs.backtest_bars_max,
  lineBytesMax: market.replay_line_bytes_max,
  chunkBytes: market.replay_chunk_bytes,
})

export const frontLimits = ({ http }: Limits): FrontLimits => ({
  bodyBytesMax: http.body_bytes_max,
  bodyDepthMax: http.body_depth_max,
  urlBytesMax: http.url_bytes_max,
  listenWaitMs: http.listen_wait_ms,
  listenRetryMs: http.listen_retry_ms,
  openRequestsMax: http.open_requests_max,
  accountRequestsMax: http.account_requests_max,
  requestTimeoutMs: http.request_timeout_ms,
  readTimeoutMs: http.read_timeout_ms,
  commandTimeoutMs: http.command_timeout_ms,
  orderGraceMs: http.order_grace_ms,
  executeTimeoutMs: http.execute_timeout_ms,
  drainTimeoutMs: http.close_timeout_ms,
  retryAfterSeconds: http.retry_after_s,
  rateLimitAddressesMax: http.rate_limit_addresses_max,
  guessesMax: http.guesses_max,
  guessWaitSecondsMax: http.guess_wait_max_s,
  guessForgetMs: http.guess_forget_ms,
  macdCacheMs: http.macd_cache_ms,
  macdCacheMax: http.macd_cache_max,
  historyBarsMax: http.history_bars_max,
  tickCodesMax: http.tick_codes_max,
  executeCodesMax: http.execute_codes_max,
  sseClientsMax: http.sse_clients_max,
  sseClientsPerTokenMax: http.sse_clients_per_token_max,
  sseIntervalMs: http.sse_interval_ms,
  sseSilenceMs: http.sse_silence_ms,
  sseMissedMax: http.sse_missed_max,
  sseKeptMax: http.sse_kept_max,
  probeTimeoutMs: http.probe_timeout_ms,
  probeCacheMs: http.probe_cache_ms,
  probeBytesMax: http.probe_bytes_max,
  probeAccountsMax: http.probe_accounts_max,
})
