import { type CodesRow, count, days, seconds, twinOf, yuan } from './row.ts'

const stockPool: CodesRow = {
  kind: 'codes',
  entriesMax: 1_000,
  default: ['000001.SZ', '600036.SH', '000333.SZ', '600519.SH', '000858.SZ'],
  text: ['账户没有股票池时用它', 'stock pool of an account that has none'],
}

/** Constants outside the strategies that mean something here. */
export const carriedOverRows = {
  QMT_POSITION_QUERY_INTERVAL: twinOf(
    seconds(10, 0.1, 3_600, ['两次查询持仓之间的时间', 'seconds between position queries']),
    'limits.account.position_query_interval_ms',
    { scale: 1_000 },
  ),
  QMT_CONNECT_TIMEOUT: twinOf(
    seconds(30, 0.1, 3_600, ['连接交易客户端的时限', 'seconds']),
    'limits.account.connect_timeout_ms',
    { scale: 1_000 },
  ),
  WEB_TRADE_RECORDS_DISPLAY_DAYS: twinOf(
    days(60, 1, 3_650, ['显示多少天的成交记录', 'days']),
    'limits.account.records_days',
  ),
  XTQUANT_MANAGER_PORT: twinOf(count(8_888, 0, 65_535, ['网关端口', 'port']), 'gateway.port'),
  XTQUANT_MANAGER_RATE_LIMIT: twinOf(
    count(600, 0, 1_000_000, ['每个地址每分钟的请求数', 'requests a minute']),
    'gateway.rate_limit',
  ),
  XTQUANT_CALL_TIMEOUT: twinOf(
    seconds(3, 0.05, 600, ['一次调用的时限', 'seconds']),
    'call_timeout',
    { isOfAccount: true },
  ),
  SIMULATION_BALANCE: twinOf(yuan(1_000_000, 0, 1e11, ['模拟账户的现金', 'yuan']), 'paper.cash', {
    isOfAccount: true,
  }),
  VERSION_INCREMENT_INTERVAL: seconds(15, 0, 604_800, [
    '数据版本多久自动递增',
    'seconds after which the data version rises by itself',
  ]),
  REAL_POSITION_EMPTY_CONFIRM_COUNT: count(3, 1, 100, [
    '持仓为空要确认几次',
    'empty answers that confirm that nothing is held',
  ]),
  DEFAULT_STOCK_POOL: stockPool,
} as const
