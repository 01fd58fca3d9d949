/**
 * The parameters of the API as the table of settings names them, and the forms on which they stand. Written by
 * test/web/parameters.test.ts with UPDATE_SNAPSHOT=1; the same test fails when the table says otherwise.
 */
export const parameters = {
  'parameter.globalAutoOperation': ['总开关', 'Master switch'],
  'parameter.allowBuy': ['允许买入', 'Buying allowed'],
  'parameter.allowSell': ['允许卖出', 'Selling allowed'],
  'parameter.simulationMode': ['模拟模式', 'Simulation mode'],
  'parameter.globalAllowBuySell': ['自动止盈止损', 'Auto stop-profit'],
  'parameter.firstProfitSellEnabled': ['止盈止损', 'Stop-profit'],
  'parameter.firstProfitSell': ['首次止盈（%）', 'First take-profit (%)'],
  'parameter.stockGainSellPencent': ['首次止盈卖出比例（%）', 'Part sold at first take-profit (%)'],
  'parameter.stockStopLoss': ['止损（%）', 'Stop-loss (%)'],
  'parameter.stopLossBuyEnabled': ['启用补仓', 'Adding enabled'],
  'parameter.stopLossBuy': ['补仓跌幅（%）', 'Add after a fall of (%)'],
  'parameter.pauseGridAfterTakeProfitFull': ['清仓后暂停该股网格', 'Pause the grid after a full exit'],
  'parameter.singleBuyAmount': ['单次买入金额（元）', 'Amount of a purchase (yuan)'],
  'parameter.singleStockMaxPosition': ['单股最大市值（元）', 'Most in one stock (yuan)'],
  'parameter.totalMaxPosition': ['总持仓上限（元）', 'Most in all stocks (yuan)'],
  'parameter.globalAllowGridTrading': ['自动网格', 'Auto grid'],
} as const

/** Wire names in the order of the form: fields for numbers, then switches. */
export const FORMS = {
  exits: {
    numbers: ['firstProfitSell', 'stockGainSellPencent', 'stockStopLoss', 'stopLossBuy', 'singleBuyAmount', 'singleStockMaxPosition', 'totalMaxPosition'],
    switches: ['stopLossBuyEnabled', 'pauseGridAfterTakeProfitFull'],
  },
} as const
