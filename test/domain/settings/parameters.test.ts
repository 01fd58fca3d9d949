import fc from 'fast-check'
import t from 'tap'
import {
  PARAMETER_RANGES,
  PARAMETERS,
  RUNTIME_ONLY,
  settingChanges,
  settingsOf,
  shownDefaults,
  shownSettings,
} from '../../../src/domain/settings/parameters.ts'
import type { Row } from '../../../src/domain/settings/row.ts'
import { CONSTANTS, type Constants } from '../../../src/domain/settings/table.ts'

const DEFAULTS = {
  ...(Object.fromEntries(CONSTANTS.map(([name, row]) => [name, row.default])) as Constants),
  ENABLE_SIMULATION_MODE: false,
}
const SETTINGS = settingsOf(DEFAULTS)

t.test('the settings that the API changes are taken from the constants of the file', async (t) => {
  t.strictSame(SETTINGS, {
    ENABLE_AUTO_OPERATION: false,
    ENABLE_SIMULATION_MODE: false,
    ENABLE_AUTO_TRADING: false,
    ENABLE_GRID_TRADING: true,
    ENABLE_ALLOW_BUY: true,
    ENABLE_ALLOW_SELL: true,
    ENABLE_STOP_LOSS_BUY: true,
    ENABLE_PAUSE_GRID_AFTER_TAKE_PROFIT_FULL: true,
    POSITION_UNIT: 35_000,
    INITIAL_TAKE_PROFIT_RATIO: 0.06,
    INITIAL_TAKE_PROFIT_RATIO_PERCENTAGE: 0.6,
    BUY_GRID_LEVEL_1: 0.93,
    STOP_LOSS_RATIO: -0.075,
    MAX_POSITION_VALUE: 70_000,
    MAX_TOTAL_POSITION_RATIO: 0.95,
  })
  const levels = { ...DEFAULTS, BUY_GRID_LEVELS: [1, 0.9, 0.8] as const }
  t.equal(settingsOf(levels).BUY_GRID_LEVEL_1, 0.9)
})

t.test('what lasts only for a run is never written', async (t) => {
  t.strictSame(RUNTIME_ONLY, new Set(['ENABLE_AUTO_OPERATION', 'ENABLE_SIMULATION_MODE']))
})

const SHOWN = {
  singleBuyAmount: 35_000,
  firstProfitSell: 6,
  stockGainSellPencent: 60,
  stopLossBuy: 7,
  stopLossBuyEnabled: true,
  stockStopLoss: 7.5,
  singleStockMaxPosition: 70_000,
  totalMaxPosition: 950_000,
  allowBuy: true,
  allowSell: true,
  globalAllowGridTrading: true,
  pauseGridAfterTakeProfitFull: true,
  globalAllowBuySell: false,
}

t.test('the API shows percent and yuan, without float noise', async (t) => {
  const own = { globalAutoOperation: false, simulationMode: false }
  t.strictSame(shownSettings(SETTINGS), { ...SHOWN, ...own })
  t.equal(shownSettings({ ...SETTINGS, BUY_GRID_LEVEL_1: 0.9 })['stopLossBuy'], 10)
  t.strictSame(shownDefaults(), {
    ...SHOWN,
    firstProfitSellEnabled: true,
    globalAutoOperation: null,
    simulationMode: null,
  })
})

t.test('every range of the API is the one of the file in other units', async (t) => {
  t.strictSame(PARAMETER_RANGES, {
    firstProfitSell: { min: 1, max: 20 },
    stockGainSellPencent: { min: 1, max: 100 },
    stockStopLoss: { min: 1, max: 20 },
    stopLossBuy: { min: 1, max: 20 },
    singleBuyAmount: { min: 1_000, max: 100_000 },
    singleStockMaxPosition: { min: 10_000, max: 100_000 },
    totalMaxPosition: { min: 50_000, max: 1_000_000 },
  })
})

t.test('what is sent is shown again, and lies in the range of the file', async () => {
  const numbers = Array.from(PARAMETERS.values()).flatMap(({ name, row, range }) =>
    row.kind !== 'flag' && range ? [{ name, row, range }] : [],
  )
  fc.assert(
    fc.property(
      fc.constantFrom(...numbers),
      fc.double({ min: 0, max: 1, noNaN: true }),
      (one, part) => {
        const { name, row, range } = one
        const wire = Math.round((range.min + part * (range.max - range.min)) * 100) / 100
        const [change] = settingChanges(SETTINGS, { [name]: wire })
        if (change === undefined) return SHOWN[name as keyof typeof SHOWN] === wire
        const { setting, after } = change
        const shown = shownSettings({ ...SETTINGS, [setting]: after })[name]
        return shown === wire && Number(after) >= row.min && Number(after) <= row.max
      },
    ),
  )
})

t.test('fields that are only checked change nothing, equal values neither', async (t) => {
  const wire = { firstProfitSellEnabled: false, connectPort: 1, stockStopLoss: 7.5, allowBuy: true }
  t.strictSame(settingChanges(SETTINGS, wire), [])
  t.strictSame(settingChanges(SETTINGS, { stockStopLoss: 8, allowSell: false }), [
    { setting: 'STOP_LOSS_RATIO', before: -0.075, after: -0.08 },
    { setting: 'ENABLE_ALLOW_SELL', before: true, after: false },
  ])
})

const isInside = (row: Row): boolean =>
  !('unit' in row) || (row.default >= row.min && row.default <= row.max)

t.test('every row says what it means in both languages, and its default is in range', async (t) => {
  for (const [name, row] of CONSTANTS) {
    t.match(row.text, [/\p{Script=Han}/u, /^[^\p{Script=Han}]+$/u], name)
    t.ok(isInside(row), name)
  }
})
