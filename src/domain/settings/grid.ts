import {
  choice,
  count,
  days,
  flag,
  fromEnvironment,
  offered,
  type PatternRow,
  ratio,
  seconds,
  yuan,
} from './row.ts'

const DAY = 86_400

const strategyName: PatternRow = {
  kind: 'pattern',
  pattern: /^[A-Za-z0-9_]{1,24}$/,
  error: '须为 1 至 24 个字母、数字或 "_" (must be 1 to 24 letters, digits or "_")',
  default: 'grid',
  text: ['网格委托和成交上的策略名', 'strategy name on grid orders and records'],
}

/** Grids, and what a session begins with when nothing else is said. */
export const gridRows = {
  ENABLE_GRID_TRADING: offered(flag(true, ['网格可以下单', 'grids may trade']), {
    name: 'globalAllowGridTrading',
    label: ['自动网格', 'Auto grid'],
  }),
  GRID_DEFAULT_PRICE_INTERVAL: ratio(0.05, 0.001, 0.5, [
    '两档之间的距离，占中心价的比例',
    'distance of levels as a ratio of the center',
  ]),
  GRID_DEFAULT_POSITION_RATIO: ratio(0.25, 0.01, 1, ['每档交易的比例', 'share per level']),
  GRID_CALLBACK_RATIO: ratio(0.005, 0, 0.2, ['穿越后回调多少成交', 'reversal after a crossing']),
  GRID_DEFAULT_MAX_INVESTMENT_RATIO: ratio(0.5, 0.01, 10, [
    '建议的最大投入，占持仓市值的比例',
    'suggested quota as a ratio of the market value held',
  ]),
  GRID_DEFAULT_DURATION_DAYS: days(7, 1, 3_650, ['运行天数', 'days a session runs']),
  GRID_MAX_DEVIATION_RATIO: ratio(0.15, 0.01, 1, ['偏离到此结束', 'deviation that ends it']),
  GRID_TARGET_PROFIT_RATIO: ratio(0.1, 0.001, 10, ['盈利到此结束', 'profit that ends it']),
  GRID_STOP_LOSS_RATIO: ratio(-0.1, -1, -0.001, ['亏损到此结束', 'loss that ends it']),
  GRID_DEFAULT_TRADE_MODE: choice(['amount', 'shares'], 'amount', [
    '按金额或按股数交易',
    'whether levels trade an amount or shares',
  ]),
  GRID_REQUIRE_PROFIT_TRIGGERED: fromEnvironment(
    flag(false, ['首次止盈之后才能启动', 'a session needs a first take-profit before it']),
  ),
  GRID_LEVEL_COOLDOWN: seconds(60, 0, DAY, ['同一档两次之间的时间', 'seconds per level']),
  GRID_BUY_COOLDOWN: seconds(300, 0, DAY, ['两次买入之间的时间', 'seconds per session, for buys']),
  GRID_SELL_COOLDOWN: seconds(300, 0, DAY, [
    '两次卖出之间的时间',
    'seconds per session, for sales',
  ]),
  GRID_SELL_COOLDOWN_PRICE_THRESHOLD: ratio(0.02, 0, 1, [
    '比上次卖出涨多少时等待减半；0 = 关',
    'rise over the last sale that halves the wait; 0 = off',
  ]),
  ENABLE_GRID_PENDING_ORDER_AUTO_CANCEL: flag(true, [
    '未成交的网格委托自动撤单',
    'grid orders not filled are canceled',
  ]),
  GRID_PENDING_ORDER_TIMEOUT_SECONDS: seconds(90, 1, 86_400, [
    '网格委托等待多久撤单',
    'seconds a grid order may wait',
  ]),
  GRID_PENDING_ORDER_AUTO_REORDER: flag(true, [
    '撤单后重新委托剩余数量',
    'the rest is sent again after a cancel',
  ]),
  GRID_PENDING_ORDER_REORDER_MAX_ATTEMPTS: count(1, 0, 20, [
    '最多重新委托几次',
    'times it is sent again',
  ]),
  GRID_SIGNAL_MAX_AGE_SECONDS: seconds(60, 1, 3_600, [
    '信号超过多久不再执行',
    'seconds after which a signal is refused',
  ]),
  GRID_SIGNAL_MAX_PRICE_DRIFT_RATIO: ratio(0.01, 0, 1, [
    '价格离信号多远不再执行',
    'distance of the price from the signal that refuses it',
  ]),
  GRID_USE_COUNTERPARTY_PRICE: flag(true, [
    '按对手方价格委托',
    'orders take the price of the other side',
  ]),
  GRID_COUNTERPARTY_BUY_PRICE_BUFFER_RATIO: ratio(0.02, 0, 0.5, [
    '买入预算上加的余量',
    'reserve added to the budget of a buy',
  ]),
  GRID_ENABLE_PRICE_LIMIT_GUARD: flag(true, ['涨跌停时不委托', 'no order at the price limit']),
  GRID_PRICE_LIMIT_EPS: yuan(0.001, 0, 1, [
    '离涨跌停多近算到了',
    'yuan from the price limit that count as at it',
  ]),
  GRID_STRATEGY_NAME: strategyName,
} as const
