import {
  flag,
  fromEnvironment,
  type LevelsRow,
  offered,
  ratio,
  seconds,
  type TiersRow,
} from './row.ts'

/** Rows of [profit level, coefficient]: the highest row whose level is reached applies. */
const tiers: TiersRow = {
  kind: 'tiers',
  entriesMax: 32,
  default: [
    [0.05, 0.96],
    [0.1, 0.93],
    [0.15, 0.9],
    [0.2, 0.87],
    [0.3, 0.85],
    [0.4, 0.83],
    [0.5, 0.8],
  ],
  text: [
    '首次止盈之后：[到过的最高盈利，卖出价与最高价之比]',
    'after the first take-profit: [highest profit reached, exit price as ratio of the high]',
  ],
}

const addLevel = ratio(0.93, 0.8, 0.99, [
  '跌到成本的这个比例时补仓',
  'buy more when the price is at this ratio of the cost',
])
const addLevels: LevelsRow = {
  kind: 'levels',
  default: [1, addLevel.default, 0.88],
  counts: addLevel,
  text: [
    '只有第二个起作用：跌到成本的这个比例时补仓',
    'only the second counts: buy more when the price is at this ratio of the cost',
  ],
}

/** Loss from which on a stop-loss is executed, whatever its ratio says. Source  docs/domain.md 5.9. */
export const EXECUTED_LOSS_MIN = 0.02

/** Take-profit, stop-loss and the purchase after a fall. */
export const stopProfitRows = {
  ENABLE_AUTO_TRADING: offered(
    flag(false, ['止盈止损可以下单', 'take-profit and stop-loss may trade']),
    { name: 'globalAllowBuySell', label: ['自动止盈止损', 'Auto stop-profit'] },
  ),
  ENABLE_DYNAMIC_STOP_PROFIT: offered(
    flag(true, ['检测止盈止损信号', 'take-profit and stop-loss signals are detected']),
    { name: 'firstProfitSellEnabled', label: ['止盈止损', 'Stop-profit'], saved: 'never' },
  ),
  INITIAL_TAKE_PROFIT_RATIO: offered(
    ratio(0.06, 0.01, 0.2, ['首次止盈的盈利', 'profit that arms the first take-profit']),
    {
      name: 'firstProfitSell',
      unit: 'percent',
      label: ['首次止盈', 'First take-profit'],
      form: 'exits',
    },
  ),
  INITIAL_TAKE_PROFIT_PULLBACK_RATIO: ratio(0.005, 0.0001, 0.2, [
    '触及首次止盈后，从最高价回落多少卖出',
    'fall from the high after arming that sells',
  ]),
  INITIAL_TAKE_PROFIT_RATIO_PERCENTAGE: offered(
    ratio(0.6, 0.01, 1, ['首次止盈卖出的比例', 'fraction sold at the first take-profit']),
    {
      name: 'stockGainSellPencent',
      unit: 'percent',
      label: ['首次止盈卖出比例', 'Part sold at first take-profit'],
      form: 'exits',
    },
  ),
  DYNAMIC_TAKE_PROFIT: tiers,
  STOP_LOSS_RATIO: offered(
    ratio(-0.075, -0.2, -0.01, ['亏损到此全部卖出', 'loss that sells all']),
    { name: 'stockStopLoss', unit: 'percentLost', label: ['止损', 'Stop-loss'], form: 'exits' },
  ),
  ENABLE_STOP_LOSS_BUY: offered(flag(true, ['补仓', 'supplementary buying']), {
    name: 'stopLossBuyEnabled',
    label: ['启用补仓', 'Adding enabled'],
    form: 'exits',
  }),
  BUY_GRID_LEVELS: addLevels,
  BUY_GRID_LEVEL_1: offered(
    { ...addLevel, within: { constant: 'BUY_GRID_LEVELS', at: 1 } },
    {
      name: 'stopLossBuy',
      unit: 'percentFallen',
      label: ['补仓跌幅', 'Add after a fall of'],
      form: 'exits',
    },
  ),
  ENABLE_DYNAMIC_SIGNAL_KEEPALIVE: flag(true, [
    '行情过后信号仍保留',
    'a signal stays although the tick has passed',
  ]),
  DYNAMIC_SIGNAL_KEEPALIVE_SECONDS: seconds(90, 0, 300, ['信号保留多久', 'seconds it stays']),
  DYNAMIC_SIGNAL_MAX_AGE_SECONDS: seconds(120, 1, 300, [
    '信号超过多久不再执行',
    'seconds after which a signal is refused',
  ]),
  ALLOW_TAKE_PROFIT_FULL_WITH_PENDING: flag(false, [
    '全部卖出时不看在途委托',
    'full exit ignores pending orders',
  ]),
  STOP_LOSS_REPLACES_TAKE_PROFIT: flag(false, [
    '止损触发时撤销该股在途的止盈卖出，改为止损卖出',
    'a stop-loss cancels the resting take-profit of its stock and takes its place',
  ]),
  ENABLE_PAUSE_GRID_AFTER_TAKE_PROFIT_FULL: offered(
    fromEnvironment(
      flag(true, ['清仓成交后暂停该股网格', 'a confirmed full exit pauses the grid']),
    ),
    {
      name: 'pauseGridAfterTakeProfitFull',
      label: ['清仓后暂停该股网格', 'Pause the grid after a full exit'],
      form: 'exits',
    },
  ),
} as const
