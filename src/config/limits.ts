import { z } from 'zod'
import { limitsOf } from './drivers.ts'
import { bytes, count, HOUR_MS, MINUTE_MS, ms } from './fields.ts'

const GIB = 1_073_741_824

const runtime = z.strictObject({
  mailbox_requests_max: count(256, 1, 65_536, 'requests waiting for an actor; one more is refused'),
  mailbox_events_max: count(4_096, 64, 1_048_576, 'events waiting for an actor'),
  open_asks_max: count(1_024, 1, 65_536, 'asks of one link that wait for an answer'),
  heartbeat_interval_ms: ms(100, 10, MINUTE_MS, 'between two beats of an actor'),
  heartbeat_timeout_ms: ms(
    2_000,
    100,
    HOUR_MS,
    'silence after which an actor counts as stuck, of time that it could have used',
  ),
  heartbeat_patience_ms: ms(
    30_000,
    1_000,
    HOUR_MS,
    'silence after which it counts as stuck on a computer that is too busy to tell',
  ),
  heartbeat_check_ms: ms(250, 10, MINUTE_MS, 'between two looks at the beats'),
  start_timeout_ms: ms(
    10_000,
    100,
    HOUR_MS,
    'for an actor to become ready, of time that it could have used',
  ),
  start_patience_ms: ms(
    120_000,
    1_000,
    HOUR_MS,
    'for an actor to become ready on a computer that is too busy to tell',
  ),
  starts_at_once: count(8, 1, 1_024, 'accounts that start at the same time; the others wait'),
  stop_timeout_ms: ms(3_000, 50, MINUTE_MS, 'for an actor to stop by itself'),
  terminate_timeout_ms: ms(2_000, 50, MINUTE_MS, 'for a stuck actor to be gone'),
  restart_intensity: count(5, 1, 1_000, 'restarts within the period before an actor is suspended'),
  restart_period_ms: ms(MINUTE_MS, 100, 24 * HOUR_MS, 'period of the restart intensity'),
  restart_backoff_min_ms: ms(200, 1, HOUR_MS, 'wait before the first restart'),
  restart_backoff_max_ms: ms(5_000, 1, HOUR_MS, 'longest wait before a restart'),
  account_heap_mb: count(128, 16, 16_384, 'heap of one account thread; megabytes'),
  account_young_heap_mb: count(3, 1, 1_024, 'of it, for what lives shortly; megabytes'),
  vital_young_heap_mb: count(12, 1, 1_024, 'the same of store, market and paper; megabytes'),
  steps_in_flight_max: count(64, 1, 4_096, 'steps of an account that wait for the store'),
})

const market = z.strictObject({
  codes_max: count(8_192, 1, 1_048_576, 'codes on the quote board'),
  save_every_ms: ms(1_000, 10, HOUR_MS, 'between two saves of the replay position'),
  replay_line_bytes_max: bytes(65_536, 256, 16_777_216, 'longest line of a replay file'),
  replay_chunk_bytes: bytes(262_144, 4_096, 67_108_864, 'read at once from a replay file'),
  slice_ms: ms(8, 1, 1_000, 'of ticks before requests get a turn'),
  count_wait_ms: ms(2_000, 0, MINUTE_MS, 'for a replay file to be counted at the first status'),
  quotes_save_every_ms: ms(5_000, 100, HOUR_MS, 'between two saves of the last quotes'),
  day_check_ms: ms(1_000, 10, MINUTE_MS, 'between two looks for a new day'),
  clock_settle_ms: ms(20_000, 0, HOUR_MS, 'for the clock of a start on a later day to stand'),
  clock_confirm_ms: ms(600_000, 1_000, 24 * HOUR_MS, 'for any other clock that jumped to stand'),
  clock_stream_ms: ms(10_000, 1_000, HOUR_MS, 'of quotes that go on show what time it is'),
  clock_save_every_ms: ms(30_000, 100, HOUR_MS, 'between two saves of the clock'),
  quote_ahead_ms: ms(600_000, 1_000, 24 * HOUR_MS, 'by which a quote may be ahead of the clock'),
  day_wait_ms_max: ms(500, 10, HOUR_MS, 'for the actors to enter a new day while ticks wait'),
  exact_wait_ms_max: ms(60_000, 1_000, HOUR_MS, 'of an exact replay for one tick'),
  codes_reserved: count(1_024, 0, 1_048_576, 'rows that only held codes may take'),
  stop_wait_ms_max: ms(1_500, 0, MINUTE_MS, 'for the actors to finish when the market stops'),
  ask_timeout_ms: ms(5_000, 100, MINUTE_MS, 'for the market to answer an actor'),
  bars_flush_ms: ms(5_000, 10, HOUR_MS, 'between two writes of finished bars'),
  bars_pending_max: count(65_536, 16, 1_048_576, 'finished bars that wait; then the feed waits'),
  bars_read_max: count(20_000, 250, 250_000, 'bars that the market reads at once'),
  minute_bars_keep_days: count(3_660, 1, 36_600, 'days for which minutes are kept'),
  past_years: count(8, 0, 30, 'years that the past of a simulated code goes back'),
  past_minute_days: count(20, 0, 250, 'days of it whose minutes need no download'),
})

const cluster = z.strictObject({
  handshake_timeout_ms: ms(2_000, 50, MINUTE_MS, 'for the owner to greet'),
  health_poll_ms: ms(1_000, 50, MINUTE_MS, 'between two looks at an account run elsewhere'),
  ping_ms: ms(500, 10, MINUTE_MS, 'between two pings of the owner'),
  owner_timeout_ms: ms(5_000, 100, HOUR_MS, 'silence after which the owner counts as gone'),
  epoch_check_ms: ms(1_000, 50, HOUR_MS, 'between two looks of an owner for a higher epoch'),
  attempts_max: count(20, 1, 1_000, 'attempts to find or become the owner'),
  retry_ms: ms(100, 1, MINUTE_MS, 'mean wait between two of them'),
  seek_again_ms: ms(2_000, 10, HOUR_MS, 'wait after a failed search'),
  connections_max: count(64, 1, 4_096, 'processes that one owner serves'),
  buffer_bytes_max: bytes(134_217_728, 65_536, GIB, 'unsent bytes of one connection'),
  frame_bytes_max: bytes(67_108_864, 65_536, GIB, 'longest frame between processes'),
})

const store = z.strictObject({
  group_commits_max: count(1_024, 1, 65_536, 'commits of one account in one transaction'),
  read_timeout_ms: ms(10_000, 100, HOUR_MS, 'for a read of the store'),
  commit_timeout_ms: ms(60_000, 1_000, HOUR_MS, 'after which a commit counts as lost'),
  free_space_floor_mb: count(
    256,
    0,
    1_048_576,
    'free disk space below which orders are refused; 0 = off; megabytes',
  ),
  free_space_back_mb: count(
    64,
    0,
    1_048_576,
    'above the floor, then they are taken again; megabytes',
  ),
  free_space_check_ms: ms(2_000, 10, HOUR_MS, 'between two looks at the free space'),
  reserve_mb: count(8, 0, 1_024, 'file that is given up when the disk is full; megabytes'),
  write_margin_mb: count(4, 0, 1_024, 'free disk space below which nothing is written; megabytes'),
  write_retry_ms: ms(250, 10, MINUTE_MS, 'between two tries of what waits for disk space'),
})

const account = z.strictObject({
  position_query_interval_ms: ms(10_000, 100, HOUR_MS, 'between two position queries'),
  open_orders_query_ms: ms(
    1_000,
    20,
    HOUR_MS,
    'between two looks at open orders, where the trading client pushes no news of orders',
  ),
  holdings_lag_ms: ms(
    5_000,
    0,
    HOUR_MS,
    'for which lists of a real trading client may be behind our own orders and deals',
  ),
  ping_interval_ms: ms(30_000, 100, HOUR_MS, 'between two pings of the trading client'),
  connect_timeout_ms: ms(30_000, 100, HOUR_MS, 'for the trading client to connect'),
  doubt_query_interval_ms: ms(2_000, 50, HOUR_MS, 'between two looks for an order in doubt'),
  doubt_settle_ms: ms(10_000, 100, 24 * HOUR_MS, 'unseen in full lists, then an order is absent'),
  doubt_quarantine_ms: ms(300_000, 1_000, 24 * HOUR_MS, 'in doubt, then the operator decides'),
  match_before_ms: ms(5_000, 0, HOUR_MS, 'a row without our remark may be earlier than our order'),
  match_after_ms: ms(30_000, 0, HOUR_MS, 'a later row without our remark needs a person'),
  cancels_at_once_max: count(32, 1, 10_000, 'cancels under way when many orders are canceled'),
  orders_keep_days: count(2, 1, 365, 'ended orders and their keys are kept; days'),
  reconnect_cap_s: count(3_600, 1, 86_400, 'longest wait before a reconnect; seconds'),
  records_days: count(60, 1, 3_650, 'days of trade records shown; days'),
  records_page: count(10_000, 1, 10_000, 'trade records read at once'),
  records_shown_max: count(100_000, 1, 10_000_000, 'trade records in one answer'),
  reconcile_interval_ms: ms(60_000, 100, HOUR_MS, 'between two looks for differences'),
  clock_jump_ms: ms(1_000, 10, HOUR_MS, 'jump of the computer clock that is told'),
  clock_stop_ms: ms(MINUTE_MS, 1_000, 24 * HOUR_MS, 'jump that keeps purchases back'),
  ex_day_hold_ms: ms(
    30 * MINUTE_MS,
    0,
    24 * HOUR_MS,
    'a stock whose shares have changed is not judged for so long while nobody says what its prices do',
  ),
  reconcile_fresh_ms: ms(120_000, 1_000, 24 * HOUR_MS, 'age of a comparison that counts as fresh'),
  differences_max: count(200, 1, 10_000, 'differences with the trading client that are kept'),
  audit_page: count(500, 1, 10_000, 'audit entries read at once'),
  audit_scan_max: count(5_000, 100, 1_000_000, 'audit entries looked at for one answer'),
  audit_reads_max: count(4, 1, 1_000, 'audit pages of one account being read at once'),
  orders_in_memory_max: count(2_000, 100, 1_000_000, 'orders that an account keeps in memory'),
  grid_sessions_kept: count(500, 1, 10_000, 'grid sessions of an account, ended ones included'),
  grid_templates_max: count(200, 3, 10_000, 'grid templates of an account'),
  decisions_per_stock_max: count(200, 1, 10_000, 'evaluations of one stock in the decision trace'),
  signal_retry_max_ms: ms(
    900_000,
    1_000,
    HOUR_MS,
    'longest wait before a signal whose orders end without a fill is sent anew',
  ),
  refusal_repeat_ms: ms(MINUTE_MS, 0, HOUR_MS, 'between two audit entries of one repeated refusal'),
  health_keys_max: count(1_000, 1, 100_000, 'stocks whose quotes an account scores'),
  denials_max: count(1_000, 1, 100_000, 'refused orders whose keys an account keeps'),
})

const http = z.strictObject({
  body_bytes_max: bytes(1_048_576, 1_024, 67_108_864, 'longest request body'),
  body_depth_max: count(16, 2, 256, 'nesting of a request body'),
  url_bytes_max: bytes(2_048, 64, 16_384, 'path and query'),
  listen_wait_ms: ms(65_000, 0, 10 * MINUTE_MS, 'for a port that the last run still holds'),
  listen_retry_ms: ms(250, 10, MINUTE_MS, 'between two tries for it'),
  open_requests_max: count(1_024, 1, 65_536, 'requests under way'),
  account_requests_max: count(256, 1, 65_536, 'of them about one account'),
  request_timeout_ms: ms(40_000, 100, 60 * MINUTE_MS, 'hard end of any request'),
  read_timeout_ms: ms(3_000, 50, 10 * MINUTE_MS, 'for a read'),
  first_quote_wait_ms: ms(2_000, 0, MINUTE_MS, 'of a read of ticks for a first quote'),
  command_timeout_ms: ms(5_000, 50, 10 * MINUTE_MS, 'for a command'),
  order_grace_ms: ms(1_000, 0, 10 * MINUTE_MS, 'on top of call_timeout'),
  execute_timeout_ms: ms(35_000, 100, 60 * MINUTE_MS, 'for execute_buy and execute_sell'),
  retry_after_s: count(1, 1, 3_600, 'told to callers that are refused for now; seconds'),
  execute_codes_max: count(100, 1, 1_000, 'codes in one execute_buy'),
  scans_per_token_max: count(4, 1, 1_000, 'long reads of one token at once'),
  scan_rows_per_s: count(20_000, 100, 100_000_000, 'rows that they look at; a second and token'),
  scan_rows_saved_max: count(
    100_000,
    100,
    100_000_000,
    'rows that a token which was quiet may have at once',
  ),
  sse_clients_max: count(256, 1, 65_536, 'open event streams of an account'),
  sse_clients_per_token_max: count(64, 1, 65_536, 'of them with one token'),
  sse_interval_ms: ms(1_000, 20, MINUTE_MS, 'between two looks for news'),
  sse_silence_ms: ms(5_000, 100, 10_000, 'after which an unchanged event is repeated'),
  sse_kept_max: count(60, 1, 10_000, 'events kept for clients that come back'),
  sse_missed_max: count(15, 1, 1_000, 'events that a client may miss before it is closed'),
  probe_timeout_ms: ms(1_000, 50, MINUTE_MS, 'for the direct mode of an account to answer'),
  probe_cache_ms: ms(5_000, 0, MINUTE_MS, 'for which its answer holds'),
  probe_bytes_max: bytes(65_536, 1_024, 16_777_216, 'of its answer'),
  probe_accounts_max: count(1_024, 1, 65_536, 'accounts whose answer is remembered'),
  guesses_max: count(20, 1, 10_000, 'different wrong tokens of one address, then it waits'),
  guess_wait_max_s: count(60, 1, 3_600, 'longest such wait; seconds'),
  guess_forget_ms: ms(600_000, 1_000, 24 * HOUR_MS, 'without wrong tokens, then it starts afresh'),
  rate_limit_addresses_max: count(10_000, 16, 10_000_000, 'addresses that the rate limit knows'),
  macd_cache_ms: ms(300_000, 0, 24 * HOUR_MS, 'for which a MACD advice holds'),
  macd_cache_max: count(1_000, 1, 100_000, 'MACD advices that are remembered'),
  history_bars_max: count(400_000, 1_000, 10_000_000, 'bars in one answer'),
  tick_codes_max: count(500, 1, 10_000, 'codes in one tick request'),
  close_timeout_ms: ms(2_000, 0, MINUTE_MS, 'for open requests to end at a stop'),
})

const examine = z.strictObject({
  read_ms: ms(2_000, 10, HOUR_MS, 'for the rows of one database to be read before it is opened'),
  whole_ms: ms(600_000, 1_000, 24 * HOUR_MS, 'for all rows of a database of a backup to be read'),
  silence_ms: ms(
    10_000,
    100,
    HOUR_MS,
    'without a word about one database; then it counts as damaged',
  ),
})

const audit = z.strictObject({
  publish_ms: ms(MINUTE_MS, 100, 24 * HOUR_MS, 'between two looks for journals that have moved'),
  stop_ms: ms(1_000, 0, MINUTE_MS, 'for the last heads to be published at a stop'),
  head_file_bytes_max: bytes(GIB, 4_096, 1_024 * GIB, 'of audit.head_file; then it takes no more'),
})

const log = z.strictObject({
  file_bytes_max: bytes(16_777_216, 4_096, GIB, 'of a log file; then it is put aside'),
  files_max: count(8, 1, 1_000, 'log files of one process that are kept'),
  check_ms: ms(5_000, 10, HOUR_MS, 'between two looks at the length of the log file'),
})

const jobs = z.strictObject({
  threads_max: count(2, 2, 64, 'threads for calculations; one at least is kept for short ones'),
  running_max: count(1, 1, 64, 'jobs that run at once, fewer than threads_max'),
  queue_max: count(32, 1, 10_000, 'jobs that wait; one more is refused'),
  kept_max: count(200, 1, 10_000, 'ended jobs that are kept'),
  attempts_max: count(3, 1, 100, 'starts of a job that outlives processes'),
  result_bytes_max: bytes(4_194_304, 1_024, 67_108_864, 'of the result of a job'),
  save_every_ms: ms(1_000, 10, HOUR_MS, 'between two saves of the progress of a job'),
  progress_ms: ms(250, 10, MINUTE_MS, 'between two looks at the progress of a calculation'),
  heap_mb: count(256, 16, 65_536, 'heap of one thread for calculations; megabytes'),
  idle_ms: ms(30_000, 0, HOUR_MS, 'after which a thread without work ends'),
  calculations_waiting_max: count(64, 1, 65_536, 'calculations that wait for a thread'),
  backtest_bars_max: count(400_000, 1_000, 10_000_000, 'bars of one backtest'),
  calculation_ms_max: ms(10_000, 100, HOUR_MS, 'for a calculation that a caller waits for'),
})

/** Every queue, retry, timeout, cache and loop has its bound here, or beside its driver; the unit is in the name. */
export const limitsSchema = z
  .strictObject({
    accounts_max: count(128, 1, 4_096, 'accounts in one process'),
    runtime: runtime.prefault({}),
    market: market.prefault({}),
    cluster: cluster.prefault({}),
    store: store.prefault({}),
    ...limitsOf('embedded'),
    account: account.prefault({}),
    ...limitsOf('real'),
    http: http.prefault({}),
    jobs: jobs.prefault({}),
    examine: examine.prefault({}),
    audit: audit.prefault({}),
    log: log.prefault({}),
  })
  .prefault({})

export type Limits = z.output<typeof limitsSchema>
