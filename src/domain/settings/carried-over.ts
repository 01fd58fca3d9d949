import {
  type CodesRow,
  count,
  days,
  flag,
  seconds,
  stockCode,
  twinOf,
  type WholesRow,
  yuan,
} from './row.ts'

const WEEK: readonly [number, number] = [0, 604_800]

const averages: WholesRow = {
  kind: 'wholes',
  entriesMax: 16,
  min: 1,
  max: 1_000,
  default: [10, 20, 30, 60],
  text: ['均线周期', 'bars of the moving averages'],
}
const stockPool: CodesRow = {
  kind: 'codes',
  entriesMax: 1_000,
  default: ['000001.SZ', '600036.SH', '000333.SZ', '600519.SH', '000858.SZ'],
  text: ['账户没有股票池时用它', 'stock pool of an account that has none'],
}

/** Constants outside the strategies that mean something here. */
export const carriedOverRows = {
  QMT_POSITION_QUERY_INTERVAL: twinOf(
    seconds(10, [0.1, 3_600], ['两次查询持仓之间的时间', 'seconds between position queries']),
    ['limits', 'account', 'position_query_interval_ms'],
    { scale: 1_000 },
  ),
  QMT_CONNECT_TIMEOUT: twinOf(
    seconds(30, [0.1, 3_600], ['连接交易客户端的时限', 'seconds']),
    ['limits', 'account', 'connect_timeout_ms'],
    { scale: 1_000 },
  ),
  WEB_TRADE_RECORDS_DISPLAY_DAYS: twinOf(days(60, [1, 3_650], ['显示多少天的成交记录', 'days']), [
    'limits',
    'account',
    'records_days',
  ]),
  XTQUANT_MANAGER_PORT: twinOf(count(8_888, [0, 65_535], ['网关端口', 'port']), [
    'gateway',
    'port',
  ]),
  XTQUANT_MANAGER_RATE_LIMIT: twinOf(
    count(600, [0, 1_000_000], ['每个地址每分钟的请求数', 'requests a minute']),
    ['gateway', 'rate_limit'],
  ),
  XTQUANT_CALL_TIMEOUT: twinOf(
    seconds(3, [0.05, 600], ['一次调用的时限', 'seconds']),
    ['call_timeout'],
    { isOfAccount: true },
  ),
  SIMULATION_BALANCE: twinOf(
    yuan(1_000_000, [0, 1e11], ['模拟账户的现金', 'yuan']),
    ['paper', 'cash'],
    { isOfAccount: true },
  ),
  ENABLE_POSITION_MONITOR: flag(true, ['持仓监控', 'position monitor']),
  ENABLE_VERSION_HEARTBEAT: flag(true, ['数据版本自动递增', 'data version rises by itself']),
  VERSION_INCREMENT_INTERVAL: seconds(15, WEEK, [
    '数据版本多久自动递增',
    'seconds after which the data version rises by itself',
  ]),
  ASYNC_ORDER_UNKNOWN_COOLDOWN_SECONDS: seconds(300, WEEK, [
    '结果未知的委托之后等待',
    'seconds of waiting after an order in doubt',
  ]),
  REAL_POSITION_EMPTY_CONFIRM_COUNT: count(
    3,
    [1, 100],
    ['持仓为空要确认几次', 'empty answers that confirm that nothing is held'],
  ),
  CLEARED_POSITION_WARNING_INTERVAL: seconds(1_800, WEEK, [
    '两次清仓提示之间的时间',
    'seconds between two warnings of a cleared position',
  ]),
  HEARTBEAT_INTERVAL: seconds(1_800, WEEK, ['两次心跳之间的时间', 'seconds between heartbeats']),
  MACD_FAST: count(12, [1, 1_000], ['MACD 快线周期', 'bars']),
  MACD_SLOW: count(26, [1, 1_000], ['MACD 慢线周期', 'bars']),
  MACD_SIGNAL: count(9, [1, 1_000], ['MACD 信号线周期', 'bars']),
  MA_PERIODS: averages,
  MACD_ADVICE_CACHE_TTL: seconds(300, WEEK, ['MACD 建议保留多久', 'seconds']),
  SHENZHEN_INDEX_CODE: stockCode('399001.SZ', [
    'MACD 建议的默认代码',
    'default code of the advice',
  ]),
  DEFAULT_STOCK_POOL: stockPool,
} as const
