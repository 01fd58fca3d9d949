import {
  choice,
  count,
  days,
  flag,
  fromEnvironment,
  minutes,
  seconds,
  stockCode,
  timeOfDay,
  url,
  type WholesRow,
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
/**
 * Constants of parts that the existing system has and this one does without, or whose values are fixed
 * here. They are accepted, so that a configuration can be carried over as it is, and nothing reads them.
 */
export const withoutEffectRows = {
  ENABLE_DATA_SYNC: flag(true, ['历史数据更新', 'history updater']),
  ENABLE_LOG_CLEANUP: flag(true, ['日志清理', 'log cleanup']),
  ENABLE_DB_MAINTENANCE: flag(true, ['数据库维护', 'database maintenance']),
  ENABLE_THREAD_MONITOR: flag(true, ['线程监控', 'thread monitor']),
  ENABLE_SELL_MONITOR: flag(true, ['卖出监控', 'sell monitor']),
  ENABLE_SELL_ALERT_NOTIFICATION: flag(false, ['卖出失败通知', 'notification of failed sales']),
  ENABLE_MACD_SELL: fromEnvironment(flag(false, ['按指标卖出', 'indicator sales'])),
  USE_SYNC_ORDER_API: flag(false, ['同步下单', 'synchronous submission']),
  ASYNC_ORDER_ID_WAIT_TIMEOUT_SECONDS: seconds(2, WEEK, [
    '等待委托编号的时限',
    'seconds for an order number',
  ]),
  ASYNC_ORDER_ID_WAIT_INTERVAL: seconds(0.1, WEEK, [
    '两次查看委托编号之间的时间',
    'seconds between two looks for it',
  ]),
  ASYNC_ORDER_QUERY_FALLBACK_TIMEOUT_SECONDS: seconds(30, WEEK, [
    '改为查询委托的时限',
    'seconds for the query instead',
  ]),
  ASYNC_ORDER_QUERY_FALLBACK_INTERVAL: seconds(0.5, WEEK, [
    '两次查询之间的时间',
    'seconds between two queries',
  ]),
  ASYNC_ORDER_QUERY_MATCH_PRE_WINDOW_SECONDS: seconds(5, WEEK, [
    '匹配委托时向前多久',
    'seconds before the order',
  ]),
  ASYNC_ORDER_QUERY_MATCH_POST_WINDOW_SECONDS: seconds(30, WEEK, [
    '匹配委托时向后多久',
    'seconds after the order',
  ]),
  QMT_ORDER_ID_MAP_TTL_SECONDS: seconds(86_400, WEEK, [
    '委托编号对照保留多久',
    'seconds for which order numbers are kept',
  ]),
  QMT_ORDER_ID_MAP_MAX_ENTRIES: count(4_096, [1, 1_000_000], ['委托编号对照最多条数', 'entries']),
  QMT_STOP_TIMEOUT: seconds(5, WEEK, [
    '停止交易客户端的时限',
    'seconds for the trading client to stop',
  ]),
  MONITOR_CALL_TIMEOUT: seconds(8, WEEK, ['监控调用的时限', 'seconds for a call of the monitor']),
  MONITOR_NON_TRADE_SLEEP: seconds(60, WEEK, ['非交易时间的间隔', 'seconds outside the session']),
  XTQUANT_RECONNECT_INTERVAL: seconds(30, WEEK, [
    '两次重连之间的时间',
    'seconds between two reconnects',
  ]),
  QMT_RECONNECT_ON_ERRORS: count(3, [1, 100], ['连续错误几次后重连', 'errors in a row']),
  XTQUANT_CALL_TIMEOUT_NON_TRADE: seconds(1, WEEK, [
    '非交易时间调用的时限',
    'seconds for a call outside the session',
  ]),
  THREAD_CHECK_INTERVAL: seconds(60, WEEK, [
    '两次线程检查之间的时间',
    'seconds between two checks of threads',
  ]),
  THREAD_RESTART_COOLDOWN: seconds(60, WEEK, [
    '两次线程重启之间的时间',
    'seconds between two restarts',
  ]),
  XTQUANT_MANAGER_URL: url('http://127.0.0.1:8888', ['网关地址', 'address of the gateway']),
  QMT_IPC_ORDER_TIMEOUT: seconds(30, WEEK, ['进程间下单的时限', 'seconds for an order']),
  QMT_IPC_HEARTBEAT_MAX_AGE: seconds(10, WEEK, [
    '心跳多久算失效',
    'seconds after which a heartbeat is old',
  ]),
  QMT_IPC_DEAL_POLL_INTERVAL: seconds(1, WEEK, [
    '两次查询成交之间的时间',
    'seconds between two looks for deals',
  ]),
  QMT_IPC_DONE_LOOKBACK_SECONDS: seconds(86_400, WEEK, ['向前看多久', 'seconds to look back']),
  QMT_RPC_TIMEOUT_SECONDS: seconds(6, WEEK, ['远程调用的时限', 'seconds for a call']),
  QMT_RPC_ORDER_TIMEOUT: seconds(30, WEEK, ['远程下单的时限', 'seconds for an order']),
  QMT_RPC_DEAL_POLL_INTERVAL: seconds(1, WEEK, [
    '两次查询成交之间的时间',
    'seconds between two looks for deals',
  ]),
  GRID_CONFIRM_LIVE_ORDER_BY_DEAL: flag(true, ['只按成交记账', 'only deals are booked, always']),
  GRID_ORDER_RECONCILE_INTERVAL: seconds(15, WEEK, [
    '两次核对网格委托之间的时间',
    'seconds between two comparisons of grid orders',
  ]),
  GRID_ORDER_RECONCILE_STALE_SECONDS: seconds(5, WEEK, [
    '委托多旧才核对',
    'seconds of age before it is compared',
  ]),
  GRID_PENDING_CANCEL_CONFIRM_TIMEOUT_SECONDS: seconds(60, WEEK, [
    '等待撤单确认的时限',
    'seconds for a cancel to be confirmed',
  ]),
  GRID_POSITION_QUERY_TIMEOUT: seconds(5, WEEK, [
    '启动时查询持仓的时限',
    'seconds for the holding at a start',
  ]),
  GRID_LOCK_ACQUIRE_TIMEOUT: seconds(5, WEEK, [
    '启动时等待锁的时限',
    'seconds for the lock at a start',
  ]),
  UPDATE_INTERVAL: seconds(60, WEEK, ['两次更新之间的时间', 'seconds between two updates']),
  HISTORY_UPDATE_THROTTLE_SECONDS: seconds(300, WEEK, [
    '两次历史更新之间的时间',
    'seconds between two updates of the history',
  ]),
  HISTORY_TODAY_DAILY_AVAILABLE_AFTER: timeOfDay('15:30:00', [
    '当日日线何时完整',
    "today's daily bar is complete",
  ]),
  HISTORY_DATA_DOWNLOAD_TIMEOUT: seconds(5, WEEK, ['下载历史数据的时限', 'seconds for a download']),
  WEB_ACCESS_LOG_LEVEL: choice(['DEBUG', 'INFO', 'WARNING', 'ERROR'], 'WARNING', [
    '访问日志级别',
    'access log',
  ]),
  LOG_MAX_SIZE: count(10_485_760, [1, 1e12], ['日志文件大小（字节）', 'bytes of a log file']),
  LOG_BACKUP_COUNT: count(5, [0, 1_000], ['日志备份份数', 'copies']),
  LOG_CLEANUP_DAYS: days(30, [1, 3_650], ['日志保留天数', 'days']),
  LOG_CLEANUP_TIME: timeOfDay('00:00:00', ['日志清理时间', 'log cleanup']),
  DB_MAINTENANCE_TIME: timeOfDay('00:10:00', ['数据库维护时间', 'database maintenance']),
  DB_MAINTENANCE_CHECK_INTERVAL: seconds(600, WEEK, [
    '两次维护检查之间的时间',
    'seconds between two checks',
  ]),
  PREMARKET_SYNC_TIME: timeOfDay('9:25', ['盘前准备时间', 'preparation of the day']),
  PREMARKET_SYNC_WINDOW_MINUTES: minutes(5, [0, 60], ['盘前准备的时间窗', 'minutes']),
  POSITION_SYNC_INTERVAL: seconds(15, WEEK, [
    '两次同步持仓之间的时间',
    'seconds between two updates of positions',
  ]),
  ENABLE_POSITION_MONITOR: flag(true, ['持仓监控', 'position monitor']),
  ENABLE_VERSION_HEARTBEAT: flag(true, ['数据版本自动递增', 'data version rises by itself']),
  ASYNC_ORDER_UNKNOWN_COOLDOWN_SECONDS: seconds(300, WEEK, [
    '结果未知的委托之后等待',
    'seconds of waiting after an order in doubt',
  ]),
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
} as const
