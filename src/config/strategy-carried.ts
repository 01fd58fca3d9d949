import { z } from 'zod'
import { decimal, flag, stockCode, timeOfDay, whole } from './fields.ts'

const second = (value: number, text = 'seconds') =>
  decimal({ default: value, min: 0, max: 604_800 }, text)

/** Constants outside the strategies that mean something here. */
export const carriedOver = {
  ENABLE_POSITION_MONITOR: flag(true, 'position monitor'),
  ENABLE_VERSION_HEARTBEAT: flag(true, 'data version rises by itself'),
  VERSION_INCREMENT_INTERVAL: second(15),
  ASYNC_ORDER_UNKNOWN_COOLDOWN_SECONDS: second(300),
  QMT_CONNECT_TIMEOUT: decimal(
    { default: 30, min: 0.1, max: 3_600 },
    'seconds; same as limits.account.connect_timeout_ms',
  ),
  SIMULATION_BALANCE: decimal(
    { default: 1_000_000, min: 0, max: 1e11 },
    'yuan; cash of paper accounts that name none',
  ),
  XTQUANT_CALL_TIMEOUT: decimal(
    { default: 3, min: 0.05, max: 600 },
    'seconds; call_timeout of accounts that name none',
  ),
  REAL_POSITION_EMPTY_CONFIRM_COUNT: whole({ default: 3, min: 1, max: 100 }, 'empty answers'),
  CLEARED_POSITION_WARNING_INTERVAL: second(1_800),
  HEARTBEAT_INTERVAL: second(1_800),
  XTQUANT_MANAGER_PORT: whole({ default: 8_888, min: 0, max: 65_535 }, 'same as gateway.port'),
  XTQUANT_MANAGER_RATE_LIMIT: whole(
    { default: 600, min: 0, max: 1_000_000 },
    'same as gateway.rate_limit',
  ),
  MACD_FAST: whole({ default: 12, min: 1, max: 1_000 }, 'bars'),
  MACD_SLOW: whole({ default: 26, min: 1, max: 1_000 }, 'bars'),
  MACD_SIGNAL: whole({ default: 9, min: 1, max: 1_000 }, 'bars'),
  MA_PERIODS: z.array(z.int().min(1).max(1_000)).max(16).default([10, 20, 30, 60]).describe('bars'),
  MACD_ADVICE_CACHE_TTL: second(300),
  SHENZHEN_INDEX_CODE: stockCode().prefault('399001.SZ').describe('default code of the advice'),
  WEB_TRADE_RECORDS_DISPLAY_DAYS: whole(
    { default: 60, min: 1, max: 3_650 },
    'days; same as limits.account.records_days',
  ),
  DEFAULT_STOCK_POOL: z
    .array(stockCode())
    .max(1_000)
    .prefault(['000001.SZ', '600036.SH', '000333.SZ', '600519.SH', '000858.SZ'])
    .describe('stock pool of an account that has none'),
}

/**
 * Constants of parts that the existing system has and this one does without. They are accepted, so
 * that a configuration can be carried over as it is, and nothing reads them.
 */
export const withoutEffect = {
  ENABLE_DATA_SYNC: flag(true, 'history updater'),
  ENABLE_LOG_CLEANUP: flag(true, 'log cleanup'),
  ENABLE_DB_MAINTENANCE: flag(true, 'database maintenance'),
  ENABLE_THREAD_MONITOR: flag(true, 'thread monitor'),
  ENABLE_SELL_MONITOR: flag(true, 'sell monitor'),
  ENABLE_SELL_ALERT_NOTIFICATION: flag(false, 'notification of failed sales'),
  ENABLE_MACD_SELL: flag(false, 'indicator sales'),
  USE_SYNC_ORDER_API: flag(false, 'synchronous submission'),
  ASYNC_ORDER_ID_WAIT_TIMEOUT_SECONDS: second(2),
  ASYNC_ORDER_ID_WAIT_INTERVAL: second(0.1),
  ASYNC_ORDER_QUERY_FALLBACK_TIMEOUT_SECONDS: second(30),
  ASYNC_ORDER_QUERY_FALLBACK_INTERVAL: second(0.5),
  ASYNC_ORDER_QUERY_MATCH_PRE_WINDOW_SECONDS: second(5),
  ASYNC_ORDER_QUERY_MATCH_POST_WINDOW_SECONDS: second(30),
  QMT_ORDER_ID_MAP_TTL_SECONDS: second(86_400),
  QMT_ORDER_ID_MAP_MAX_ENTRIES: whole({ default: 4_096, min: 1, max: 1_000_000 }, 'entries'),
  QMT_STOP_TIMEOUT: second(5),
  MONITOR_CALL_TIMEOUT: second(8),
  MONITOR_NON_TRADE_SLEEP: second(60),
  XTQUANT_RECONNECT_INTERVAL: second(30),
  QMT_RECONNECT_ON_ERRORS: whole({ default: 3, min: 1, max: 100 }, 'errors in a row'),
  XTQUANT_CALL_TIMEOUT_NON_TRADE: second(1),
  THREAD_CHECK_INTERVAL: second(60),
  THREAD_RESTART_COOLDOWN: second(60),
  XTQUANT_MANAGER_URL: z.url().default('http://127.0.0.1:8888').describe('address of the gateway'),
  QMT_IPC_ORDER_TIMEOUT: second(30),
  QMT_IPC_HEARTBEAT_MAX_AGE: second(10),
  QMT_IPC_DEAL_POLL_INTERVAL: second(1),
  QMT_IPC_DONE_LOOKBACK_SECONDS: second(86_400),
  QMT_RPC_TIMEOUT_SECONDS: second(6),
  QMT_RPC_ORDER_TIMEOUT: second(30),
  QMT_RPC_DEAL_POLL_INTERVAL: second(1),
  GRID_CONFIRM_LIVE_ORDER_BY_DEAL: flag(true, 'only deals are booked, always'),
  GRID_ORDER_RECONCILE_INTERVAL: second(15),
  GRID_ORDER_RECONCILE_STALE_SECONDS: second(5),
  GRID_PENDING_CANCEL_CONFIRM_TIMEOUT_SECONDS: second(60),
  GRID_POSITION_QUERY_TIMEOUT: second(5),
  GRID_LOCK_ACQUIRE_TIMEOUT: second(5),
  UPDATE_INTERVAL: second(60),
  HISTORY_UPDATE_THROTTLE_SECONDS: second(300),
  HISTORY_TODAY_DAILY_AVAILABLE_AFTER: timeOfDay('15:30:00', "today's daily bar is complete"),
  HISTORY_DATA_DOWNLOAD_TIMEOUT: second(5),
  WEB_ACCESS_LOG_LEVEL: z
    .enum(['DEBUG', 'INFO', 'WARNING', 'ERROR'])
    .default('WARNING')
    .describe('access log'),
  LOG_MAX_SIZE: whole({ default: 10_485_760, min: 1, max: 1e12 }, 'bytes of a log file'),
  LOG_BACKUP_COUNT: whole({ default: 5, min: 0, max: 1_000 }, 'copies'),
  LOG_CLEANUP_DAYS: whole({ default: 30, min: 1, max: 3_650 }, 'days'),
  LOG_CLEANUP_TIME: timeOfDay('00:00:00', 'log cleanup'),
  DB_MAINTENANCE_TIME: timeOfDay('00:10:00', 'database maintenance'),
  DB_MAINTENANCE_CHECK_INTERVAL: second(600),
  PREMARKET_SYNC_TIME: timeOfDay('9:25', 'preparation of the day'),
  PREMARKET_SYNC_WINDOW_MINUTES: decimal({ default: 5, min: 0, max: 60 }, 'minutes'),
  POSITION_SYNC_INTERVAL: second(15),
}

/** Setting one of these gives a warning: a dead setting must not look alive. */
export const WITHOUT_EFFECT: ReadonlySet<string> = new Set(Object.keys(withoutEffect))
