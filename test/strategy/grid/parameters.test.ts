import fc from 'fast-check'
import t from 'tap'
import type { GridFields } from '../../../src/domain/grid-fields.ts'
import type { StockCode } from '../../../src/domain/instrument.ts'
import { gridRows } from '../../../src/domain/settings/grid.ts'
import { isKey } from '../../../src/storage/commit-plan.ts'
import {
  mergedFields,
  startParameters,
  templateFields,
} from '../../../src/strategy/grid/parameters.ts'
import { RISK_LEVELS, RISK_TEMPLATES } from '../../../src/strategy/grid/templates.ts'
import { money, price, shares } from './fixture.ts'

const defaults = {
  ...RISK_TEMPLATES.moderate,
  tradeMode: 'amount' as const,
  highestPrice: price(10.5),
  fixedQuantity: () => shares(300),
  leastQuantity: 100,
}
const CODE = '000001.SZ' as StockCode
const start = (fields: GridFields) =>
  startParameters(CODE, { max_investment: 10_000, ...fields }, defaults)
const wrong = (fields: GridFields) => {
  const parsed = start(fields)
  return parsed.ok ? [] : Object.keys(parsed.error)
}

t.test('what is not given comes from the template', async (t) => {
  const parsed = start({})
  t.match(parsed.ok && parsed.value, {
    code: CODE,
    centerPrice: price(10.5),
    maxInvestment: money(10_000),
    intervalPpm: 50_000,
    positionPpm: 250_000,
    callbackPpm: 5_000,
    durationDays: 7,
    tradeMode: 'amount',
    fixedQuantity: 0,
    riskLevel: 'moderate',
    templateName: null,
  })
})

t.test('every field has its range', async (t) => {
  const RANGES: readonly (readonly [keyof GridFields, readonly unknown[], readonly unknown[]])[] = [
    ['center_price', [0.01, 10], [0.001, -1]],
    ['price_interval', [0.01, 0.2], [0.009, 0.21, Number.NaN]],
    ['position_ratio', [0.01, 1], [0.009, 1.01]],
    ['callback_ratio', [0.001, 0.04], [0.0009, 0.11]],
    ['trade_mode', ['amount', 'shares'], ['both']],
    ['fixed_volume', [0, 100], [-100, 1.5]],
    ['max_investment', [400, 1e6], [-1]],
    ['max_deviation', [0.05, 0.5], [0.04, 0.51]],
    ['target_profit', [0.1, 1], [0.009, 1.1]],
    ['stop_loss', [-0.1, -0.001], [-0.51, 0.1]],
    ['duration_days', [1, 365], [366, -1, 1.5]],
    ['risk_level', ['aggressive'], ['bold']],
  ]
  for (const [field, good, bad] of RANGES) {
    for (const value of good) t.strictSame(wrong({ [field]: value }), [], `${field} ${value}`)
    for (const value of bad) t.strictSame(wrong({ [field]: value }), [field], `${field} ${value}`)
  }
})

t.test('fields are also compared with each other', async (t) => {
  t.strictSame(wrong({ price_interval: 0.01, callback_ratio: 0.01 }), ['callback_ratio'])
  t.strictSame(wrong({ target_profit: 0.05, stop_loss: -0.06 }), ['target_profit'])
  t.strictSame(wrong({ target_profit: 0.01, stop_loss: -0.5 }), [], 'the one exempt pair')
  t.strictSame(wrong({ max_investment: 399 }), ['max_investment'], '399 × 0.25 is below 100')
  t.strictSame(wrong({ max_investment: 399, trade_mode: 'shares', fixed_volume: 100 }), [])
  t.strictSame(wrong({ trade_mode: 'shares', fixed_volume: 150 }), ['fixed_volume'])
  t.strictSame(wrong({ trade_mode: 'amount', fixed_volume: 150 }), [])
  t.strictSame(
    wrong({ price_interval: 9, stop_loss: 9 }),
    ['price_interval', 'stop_loss'],
    'everything at once',
  )
  const none = startParameters(CODE, {}, defaults)
  t.strictSame(none.ok ? [] : Object.keys(none.error), ['max_investment'], 'required')
})

t.test(
  'F432 fewer shares than the board takes are refused: such a grid would never trade',
  async (t) => {
    const star = { ...defaults, leastQuantity: 200 }
    const faults = (fields: GridFields) => {
      const body = { max_investment: 50_000, trade_mode: 'shares', ...fields }
      const parsed = startParameters('688981.SH' as StockCode, body, star)
      return parsed.ok ? [] : Object.values(parsed.error).flat()
    }
    t.match(faults({ fixed_volume: 100 }), [/^fixed_volume: .*200 股.*at least 200 shares/])
    for (const fields of [{ fixed_volume: 200 }, { fixed_volume: 0 }, { trade_mode: 'amount' }]) {
      t.strictSame(faults(fields), [])
    }
  },
)

t.test('shares that are not given are reckoned from the holding', async (t) => {
  const parsed = start({ trade_mode: 'shares' })
  t.equal(parsed.ok && parsed.value.fixedQuantity, 300)
})

t.test('0, null and the empty text fall through, the nested object goes first', async (t) => {
  const merged = mergedFields(
    { price_interval: 0.04, position_ratio: 0.3, stop_loss: -0.2, template_name: '' },
    { price_interval: 0.06, position_ratio: 0, stop_loss: null },
  )
  t.strictSame(merged, { price_interval: 0.06, position_ratio: 0.3, stop_loss: -0.2 })
})

t.test('a template has names, ranges and no cross rules', async (t) => {
  const save = (fields: object) => {
    const parsed = templateFields({ template_name: '测试', ...fields }, RISK_TEMPLATES.moderate)
    return parsed.ok ? [] : Object.keys(parsed.error)
  }
  t.strictSame(save({}), [])
  t.strictSame(save({ callback_ratio: 0.1, price_interval: 0.01 }), [])
  t.strictSame(save({ template_name: ' ' }), ['template_name'])
  t.strictSame(save({ template_name: '长'.repeat(51) }), ['template_name'])
  t.strictSame(save({ template_name: '长'.repeat(50) }), [])
  for (const unkept of ['\0', 'a\nb', '\ud800', '\u0085x']) {
    t.strictSame(save({ template_name: unkept }), ['template_name'], JSON.stringify(unkept))
  }
  t.strictSame(save({ description: 'x'.repeat(201) }), ['description'])
  t.strictSame(save({ max_investment_ratio: 0.09 }), ['max_investment_ratio'])
  t.strictSame(save({ duration_days: 0 }), ['duration_days'])
})

t.test('a template that is saved is the default only where that is said', async (t) => {
  for (const [said, isDefault] of [
    [{}, false],
    [{ is_default: false }, false],
    [{ is_default: true }, true],
  ] as const) {
    const parsed = templateFields({ template_name: '测试', ...said }, RISK_TEMPLATES.moderate)
    t.match(parsed, { ok: true, value: { isDefault } })
  }
})

t.test('a name that is taken can be a key of the store', async () => {
  const names = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.string({ unit: 'grapheme' }),
    fc.string(),
  )
  fc.assert(
    fc.property(fc.oneof(names, fc.constantFrom('\ud800', '\0', 'a\tb')), (template_name) => {
      const parsed = templateFields({ template_name }, RISK_TEMPLATES.moderate)
      return !parsed.ok || isKey(parsed.value.name)
    }),
  )
})

t.test('the risk templates pass their own rules', async (t) => {
  for (const level of RISK_LEVELS) {
    const of = { ...defaults, ...RISK_TEMPLATES[level] }
    t.ok(startParameters(CODE, { max_investment: 10_000 }, of).ok, level)
  }
})

t.test('the settings of a new grid and the template that a start goes by are one', async (t) => {
  const { moderate } = RISK_TEMPLATES
  t.strictSame(
    {
      intervalPpm: gridRows.GRID_DEFAULT_PRICE_INTERVAL.default * 1e6,
      positionPpm: gridRows.GRID_DEFAULT_POSITION_RATIO.default * 1e6,
      callbackPpm: gridRows.GRID_CALLBACK_RATIO.default * 1e6,
      maxDeviationPpm: gridRows.GRID_MAX_DEVIATION_RATIO.default * 1e6,
      targetProfitPpm: gridRows.GRID_TARGET_PROFIT_RATIO.default * 1e6,
      stopLossPpm: gridRows.GRID_STOP_LOSS_RATIO.default * 1e6,
      durationDays: gridRows.GRID_DEFAULT_DURATION_DAYS.default,
      maxInvestmentPpm: gridRows.GRID_DEFAULT_MAX_INVESTMENT_RATIO.default * 1e6,
    },
    {
      intervalPpm: moderate.intervalPpm,
      positionPpm: moderate.positionPpm,
      callbackPpm: moderate.callbackPpm,
      maxDeviationPpm: moderate.maxDeviationPpm,
      targetProfitPpm: moderate.targetProfitPpm,
      stopLossPpm: moderate.stopLossPpm,
      durationDays: moderate.durationDays,
      maxInvestmentPpm: moderate.maxInvestmentPpm,
    },
  )
})
