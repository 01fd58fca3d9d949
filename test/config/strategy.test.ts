import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { accountSchema } from '../../src/config/account.ts'
import { configSchema, strategyOf } from '../../src/config/schema.ts'
import { valueAt } from '../../src/config/tree.ts'
import type { Row } from '../../src/domain/settings/row.ts'
import { CONSTANTS, SETTINGS, WITHOUT_EFFECT } from '../../src/domain/settings/table.ts'

const SOURCES = new URL('../../src/', import.meta.url)

/** The published defaults, written down a second time on purpose. */
const DEFAULTS = {
  // take-profit and stop-loss
  ENABLE_AUTO_OPERATION: false,
  ENABLE_AUTO_TRADING: false,
  ENABLE_DYNAMIC_STOP_PROFIT: true,
  ENABLE_ALLOW_BUY: true,
  ENABLE_ALLOW_SELL: true,
  STOP_LOSS_RATIO: -0.075,
  INITIAL_TAKE_PROFIT_RATIO: 0.06,
  INITIAL_TAKE_PROFIT_PULLBACK_RATIO: 0.005,
  INITIAL_TAKE_PROFIT_RATIO_PERCENTAGE: 0.6,
  DYNAMIC_TAKE_PROFIT: [
    [0.05, 0.96],
    [0.1, 0.93],
    [0.15, 0.9],
    [0.2, 0.87],
    [0.3, 0.85],
    [0.4, 0.83],
    [0.5, 0.8],
  ],
  ENABLE_STOP_LOSS_BUY: true,
  BUY_GRID_LEVELS: [1, 0.93, 0.88],
  POSITION_UNIT: 35_000,
  MAX_POSITION_VALUE: 70_000,
  MAX_TOTAL_POSITION_RATIO: 0.95,
  ENABLE_DYNAMIC_SIGNAL_KEEPALIVE: true,
  DYNAMIC_SIGNAL_KEEPALIVE_SECONDS: 90,
  DYNAMIC_SIGNAL_MAX_AGE_SECONDS: 120,
  ALLOW_TAKE_PROFIT_FULL_WITH_PENDING: false,
  STOP_LOSS_REPLACES_TAKE_PROFIT: false,
  ENABLE_PAUSE_GRID_AFTER_TAKE_PROFIT_FULL: true,
  ENABLE_PENDING_ORDER_AUTO_CANCEL: true,
  PENDING_ORDER_TIMEOUT_MINUTES: 5,
  STOP_LOSS_PENDING_ORDER_TIMEOUT_MINUTES: 0.5,
  PENDING_ORDER_AUTO_REORDER: true,
  PENDING_ORDER_REORDER_PRICE_MODE: 'best',
  MAX_CANCEL_RETRIES: 3,
  CANCEL_RETRY_INTERVAL_SECONDS: 1,
  ENABLE_MARKET_DATA_CIRCUIT_BREAKER: true,
  MARKET_DATA_FAILURE_THRESHOLD: 3,
  MARKET_DATA_FAILURE_WINDOW_SECONDS: 60,
  MARKET_DATA_CIRCUIT_BREAK_SECONDS: 300,
  MONITOR_LOOP_INTERVAL: 3,
  QMT_POSITION_QUERY_INTERVAL: 10,
  POSITION_SYNC_INTERVAL: 15,
  // grid
  ENABLE_GRID_TRADING: true,
  GRID_DEFAULT_PRICE_INTERVAL: 0.05,
  GRID_DEFAULT_POSITION_RATIO: 0.25,
  GRID_CALLBACK_RATIO: 0.005,
  GRID_DEFAULT_MAX_INVESTMENT_RATIO: 0.5,
  GRID_DEFAULT_DURATION_DAYS: 7,
  GRID_MAX_DEVIATION_RATIO: 0.15,
  GRID_TARGET_PROFIT_RATIO: 0.1,
  GRID_STOP_LOSS_RATIO: -0.1,
  GRID_DEFAULT_TRADE_MODE: 'amount',
  GRID_REQUIRE_PROFIT_TRIGGERED: false,
  GRID_LEVEL_COOLDOWN: 60,
  GRID_BUY_COOLDOWN: 300,
  GRID_SELL_COOLDOWN: 300,
  GRID_SELL_COOLDOWN_PRICE_THRESHOLD: 0.02,
  GRID_CONFIRM_LIVE_ORDER_BY_DEAL: true,
  GRID_ORDER_RECONCILE_INTERVAL: 15,
  GRID_ORDER_RECONCILE_STALE_SECONDS: 5,
  ENABLE_GRID_PENDING_ORDER_AUTO_CANCEL: true,
  GRID_PENDING_ORDER_TIMEOUT_SECONDS: 90,
  GRID_PENDING_ORDER_AUTO_REORDER: true,
  GRID_PENDING_ORDER_REORDER_MAX_ATTEMPTS: 1,
  GRID_PENDING_CANCEL_CONFIRM_TIMEOUT_SECONDS: 60,
  GRID_SIGNAL_MAX_AGE_SECONDS: 60,
  GRID_SIGNAL_MAX_PRICE_DRIFT_RATIO: 0.01,
  GRID_USE_COUNTERPARTY_PRICE: true,
  GRID_COUNTERPARTY_BUY_PRICE_BUFFER_RATIO: 0.02,
  GRID_ENABLE_PRICE_LIMIT_GUARD: true,
  GRID_PRICE_LIMIT_EPS: 0.001,
  GRID_STRATEGY_NAME: 'grid',
  GRID_POSITION_QUERY_TIMEOUT: 5,
  GRID_LOCK_ACQUIRE_TIMEOUT: 5,
  // market health
  MARKET_HEALTH_ENABLED: true,
  MARKET_HEALTH_OBSERVE_ONLY: false,
  MARKET_HEALTH_WINDOW_SECONDS: 300,
  MARKET_HEALTH_MAX_EVENTS: 100,
  MARKET_HEALTH_MIN_EVENTS: 3,
  MARKET_HEALTH_HEALTHY_SCORE: 80,
  MARKET_HEALTH_DEGRADED_SCORE: 60,
  MARKET_HEALTH_UNSTABLE_SCORE: 40,
  MARKET_HEALTH_TRADING_MIN_SCORE: 70,
  MARKET_HEALTH_ALLOW_FALLBACK_SOURCE: false,
  // the rest of the list
  ENABLE_POSITION_MONITOR: true,
  ENABLE_DATA_SYNC: true,
  ENABLE_LOG_CLEANUP: true,
  ENABLE_DB_MAINTENANCE: true,
  ENABLE_THREAD_MONITOR: true,
  ENABLE_SELL_MONITOR: true,
  ENABLE_SELL_ALERT_NOTIFICATION: false,
  ENABLE_MACD_SELL: false,
  USE_SYNC_ORDER_API: false,
  ASYNC_ORDER_ID_WAIT_TIMEOUT_SECONDS: 2,
  ASYNC_ORDER_ID_WAIT_INTERVAL: 0.1,
  ASYNC_ORDER_QUERY_FALLBACK_TIMEOUT_SECONDS: 30,
  ASYNC_ORDER_QUERY_FALLBACK_INTERVAL: 0.5,
  ASYNC_ORDER_QUERY_MATCH_PRE_WINDOW_SECONDS: 5,
  ASYNC_ORDER_QUERY_MATCH_POST_WINDOW_SECONDS: 30,
  ASYNC_ORDER_UNKNOWN_COOLDOWN_SECONDS: 300,
  QMT_ORDER_ID_MAP_TTL_SECONDS: 86_400,
  QMT_ORDER_ID_MAP_MAX_ENTRIES: 4_096,
  QMT_CONNECT_TIMEOUT: 30,
  QMT_STOP_TIMEOUT: 5,
  SIMULATION_BALANCE: 1_000_000,
  MONITOR_CALL_TIMEOUT: 8,
  MONITOR_NON_TRADE_SLEEP: 60,
  XTQUANT_RECONNECT_INTERVAL: 30,
  QMT_RECONNECT_ON_ERRORS: 3,
  XTQUANT_CALL_TIMEOUT: 3,
  XTQUANT_CALL_TIMEOUT_NON_TRADE: 1,
  REAL_POSITION_EMPTY_CONFIRM_COUNT: 3,
  CLEARED_POSITION_WARNING_INTERVAL: 1_800,
  VERSION_INCREMENT_INTERVAL: 15,
  ENABLE_VERSION_HEARTBEAT: true,
  THREAD_CHECK_INTERVAL: 60,
  THREAD_RESTART_COOLDOWN: 60,
  UPDATE_INTERVAL: 60,
  HISTORY_UPDATE_THROTTLE_SECONDS: 300,
  HISTORY_TODAY_DAILY_AVAILABLE_AFTER: '15:30:00',
  HISTORY_DATA_DOWNLOAD_TIMEOUT: 5,
  MACD_FAST: 12,
  MACD_SLOW: 26,
  MACD_SIGNAL: 9,
  MA_PERIODS: [10, 20, 30, 60],
  MACD_ADVICE_CACHE_TTL: 300,
  SHENZHEN_INDEX_CODE: '399001.SZ',
  WEB_TRADE_RECORDS_DISPLAY_DAYS: 60,
  WEB_ACCESS_LOG_LEVEL: 'WARNING',
  HEARTBEAT_INTERVAL: 1_800,
  LOG_MAX_SIZE: 10_485_760,
  LOG_BACKUP_COUNT: 5,
  LOG_CLEANUP_DAYS: 30,
  LOG_CLEANUP_TIME: '00:00:00',
  DB_MAINTENANCE_TIME: '00:10:00',
  DB_MAINTENANCE_CHECK_INTERVAL: 600,
  PREMARKET_SYNC_TIME: '9:25',
  PREMARKET_SYNC_WINDOW_MINUTES: 5,
  DEFAULT_STOCK_POOL: ['000001.SZ', '600036.SH', '000333.SZ', '600519.SH', '000858.SZ'],
  XTQUANT_MANAGER_PORT: 8_888,
  XTQUANT_MANAGER_URL: 'http://127.0.0.1:8888',
  XTQUANT_MANAGER_RATE_LIMIT: 600,
  QMT_IPC_ORDER_TIMEOUT: 30,
  QMT_IPC_HEARTBEAT_MAX_AGE: 10,
  QMT_IPC_DEAL_POLL_INTERVAL: 1,
  QMT_IPC_DONE_LOOKBACK_SECONDS: 86_400,
  QMT_RPC_TIMEOUT_SECONDS: 6,
  QMT_RPC_ORDER_TIMEOUT: 30,
  QMT_RPC_DEAL_POLL_INTERVAL: 1,
}

t.test('every constant of the strategies has its published default', async (t) => {
  t.strictSame(configSchema.parse({}).strategy, DEFAULTS)
})

t.test('every default may be written into the file as it is', async (t) => {
  t.strictSame(configSchema.parse({ strategy: DEFAULTS }).strategy, DEFAULTS)
})

t.test('every setting of the strategy says what it means', async (t) => {
  const { shape } = configSchema.shape.strategy.def.innerType
  for (const [name, schema] of Object.entries(shape)) t.ok(schema.description, name)
})

t.test('constants without effect are constants of the strategy section', async (t) => {
  for (const name of WITHOUT_EFFECT) t.ok(name in DEFAULTS, name)
  t.notOk(WITHOUT_EFFECT.has('STOP_LOSS_RATIO'))
})

t.test('a constant is read somewhere, or it is one without effect', async (t) => {
  const isTable = (file: string) => file.startsWith(join('domain', 'settings'))
  const files = readdirSync(SOURCES, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !isTable(file))
    .map((file) => readFileSync(new URL(file.replaceAll('\\', '/'), SOURCES), 'utf8'))
  const read = new Set(files.flatMap((text) => text.match(/(?<=\.)[A-Z][A-Z0-9_]+\b/g) ?? []))
  for (const { within } of Object.values<Row>(SETTINGS)) if (within) read.add(within.constant)
  const isTwin = (row: Row) => 'twin' in row
  for (const [name, row] of CONSTANTS) {
    t.equal(read.has(name) || isTwin(row), !WITHOUT_EFFECT.has(name), name)
  }
})

t.test('the ranges are those of the API where it has them', async (t) => {
  const table: [string, number[], number[]][] = [
    ['POSITION_UNIT', [1_000, 100_000], [999, 100_001]],
    ['INITIAL_TAKE_PROFIT_RATIO', [0.01, 0.2], [0.009, 0.21]],
    ['INITIAL_TAKE_PROFIT_RATIO_PERCENTAGE', [0.01, 1], [0, 1.01]],
    ['STOP_LOSS_RATIO', [-0.2, -0.01], [-0.21, 0, 0.075]],
    ['MAX_POSITION_VALUE', [10_000, 100_000], [9_999, 100_001]],
    ['MAX_TOTAL_POSITION_RATIO', [0.05, 1], [0.049, 1.01]],
  ]
  const accepts = (name: string, value: unknown) =>
    configSchema.safeParse({ strategy: { [name]: value } }).success
  for (const [name, good, bad] of table) {
    for (const value of good) t.ok(accepts(name, value), `${name} ${value}`)
    for (const value of bad) t.notOk(accepts(name, value), `${name} ${value}`)
  }
  t.ok(accepts('BUY_GRID_LEVELS', [1, 0.8, 0.5]))
  t.notOk(accepts('BUY_GRID_LEVELS', [1, 0.79, 0.5]))
  t.ok(accepts('DYNAMIC_TAKE_PROFIT', []))
  t.notOk(accepts('DYNAMIC_TAKE_PROFIT', [[0.1, 1.2]]))
})

t.test(
  'simulation mode is off on paper and on with a real driver, unless it is given',
  async (t) => {
    const of = (strategy: object, driver: 'paper' | 'xt') =>
      strategyOf(configSchema.parse({ strategy }), { driver }).ENABLE_SIMULATION_MODE
    t.equal(of({}, 'paper'), false)
    t.equal(of({}, 'xt'), true)
    t.equal(of({ ENABLE_SIMULATION_MODE: true }, 'paper'), true)
    t.equal(of({ ENABLE_SIMULATION_MODE: false }, 'xt'), false)
  },
)

t.test('a constant and its twin among the settings have one default and one range', async (t) => {
  const accepts = (path: readonly string[], value: unknown) => {
    const [section = '', ...rest] = path
    const tree = rest.reduceRight<unknown>((inner, name) => ({ [name]: inner }), value)
    return configSchema.safeParse({ [section]: tree }).success
  }
  const defaults = configSchema.parse({})
  const account = accountSchema.parse({ account_id: 'a', qmt_path: 'q' })
  const twins = CONSTANTS.flatMap(([name, row]) =>
    'twin' in row && row.twin ? [{ name, row, ...row.twin }] : [],
  )
  t.equal(twins.length, 7)
  for (const { name, row, path, scale, isOfAccount } of twins) {
    t.equal(valueAt(isOfAccount ? account : defaults, path), row.default * scale, name)
    if (isOfAccount) continue
    for (const end of [row.min, row.max]) t.ok(accepts(path, end * scale), `${name} ${end}`)
    for (const end of [row.min * scale - 1, row.max * scale + 1]) t.notOk(accepts(path, end), name)
  }
})
