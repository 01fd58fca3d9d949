import { choice, count, flag, minutes, offered, ratio, seconds, yuan } from './row.ts'

/** How large purchases and positions get, and what becomes of orders that wait for their fill. */
export const orderRows = {
  POSITION_UNIT: offered(yuan(35_000, 1_000, 100_000, ['单次买入金额', 'yuan per buy']), {
    name: 'singleBuyAmount',
    label: ['单次买入金额', 'Amount of a purchase'],
    form: 'exits',
  }),
  MAX_POSITION_VALUE: offered(
    yuan(70_000, 10_000, 100_000, [
      '单只股票最大市值；限制补仓',
      'yuan per stock, for supplementary purchases',
    ]),
    { name: 'singleStockMaxPosition', label: ['单股最大市值', 'Most in one stock'], form: 'exits' },
  ),
  MAX_TOTAL_POSITION_RATIO: offered(
    ratio(0.95, 0.05, 1, [
      '全部持仓占总资产的比例上限；限制策略买入，不限制手动委托',
      'most of all assets (cash and holdings) that may be in holdings; binds purchases of strategies, not orders by hand',
    ]),
    {
      name: 'totalMaxPosition',
      unit: 'yuanOfMillion',
      label: ['总持仓上限', 'Most in all stocks'],
      form: 'exits',
    },
  ),
  ENABLE_PENDING_ORDER_AUTO_CANCEL: flag(true, [
    '未及时成交的委托自动撤单',
    'orders not filled in time are canceled',
  ]),
  PENDING_ORDER_TIMEOUT_MINUTES: minutes(5, 0.05, 240, [
    '多久算未及时成交',
    'minutes an order may wait',
  ]),
  STOP_LOSS_PENDING_ORDER_TIMEOUT_MINUTES: minutes(0.5, 0.05, 240, [
    '止损委托多久算未及时成交',
    'minutes, for stop-loss orders',
  ]),
  PENDING_ORDER_AUTO_REORDER: flag(true, [
    '撤单后重新委托剩余数量',
    'the rest is sent again after a cancel',
  ]),
  PENDING_ORDER_REORDER_PRICE_MODE: choice(['market', 'limit', 'best'], 'best', [
    '重新委托的价格：最新价、原价或对手方最优价',
    'price of the order sent again: last, first price, or best of the other side',
  ]),
  MAX_CANCEL_RETRIES: count(3, 0, 20, ['撤单最多重试几次', 'tries of a cancel']),
  CANCEL_RETRY_INTERVAL_SECONDS: seconds(1, 0.1, 60, [
    '两次撤单重试之间的时间',
    'seconds between two tries of a cancel',
  ]),
} as const
