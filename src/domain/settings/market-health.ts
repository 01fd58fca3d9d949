import { count, flag, score, seconds } from './row.ts'

/** What tells good quotes from bad ones, and what bad ones stop. */
export const marketHealthRows = {
  ENABLE_MARKET_DATA_CIRCUIT_BREAKER: flag(true, [
    '越过涨跌停价的坏行情暂停补仓（从不阻止卖出）',
    'quotes outside the price limits stop supplementary purchases for a while, never a sale',
  ]),
  MARKET_DATA_FAILURE_THRESHOLD: count(3, 1, 100, [
    '一只股票连续几次坏行情',
    'bad quotes of one stock in a row',
  ]),
  MARKET_DATA_FAILURE_WINDOW_SECONDS: seconds(60, 1, 3_600, [
    '在多长时间内',
    'seconds within which they count',
  ]),
  MARKET_DATA_CIRCUIT_BREAK_SECONDS: seconds(300, 1, 86_400, [
    '补仓暂停多久',
    'seconds for which supplementary purchases stop',
  ]),
  MARKET_HEALTH_ENABLED: flag(true, ['给行情源评分', 'quote sources are scored']),
  MARKET_HEALTH_OBSERVE_ONLY: flag(false, [
    '评分只显示，不阻止信号',
    'the score is shown but stops nothing',
  ]),
  MARKET_HEALTH_WINDOW_SECONDS: seconds(300, 10, 86_400, [
    '评分看多长时间',
    'seconds that the score looks back',
  ]),
  MARKET_HEALTH_MAX_EVENTS: count(100, 1, 10_000, ['最多保留的事件', 'events kept per key']),
  MARKET_HEALTH_MIN_EVENTS: count(3, 1, 1_000, ['至少几个事件才评分', 'events before a score']),
  MARKET_HEALTH_HEALTHY_SCORE: score(80, 0, 100, ['健康', 'healthy: score from here']),
  MARKET_HEALTH_DEGRADED_SCORE: score(60, 0, 100, ['下降', 'degraded: score from here']),
  MARKET_HEALTH_UNSTABLE_SCORE: score(40, 0, 100, ['不稳定', 'unstable: score from here']),
  MARKET_HEALTH_TRADING_MIN_SCORE: score(70, 0, 100, [
    '低于此分的行情不产生信号',
    'score below which quotes feed no signals',
  ]),
  MARKET_HEALTH_ALLOW_FALLBACK_SOURCE: flag(false, [
    '备用行情源也可产生信号',
    'a fallback source may feed signals',
  ]),
} as const
