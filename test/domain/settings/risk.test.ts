import fc from 'fast-check'
import t from 'tap'
import {
  isToConfirm,
  RISK_NAMES,
  type RiskName,
  riskRows,
  riskShown,
  riskValue,
} from '../../../src/domain/settings/risk.ts'

t.test('a limit is a whole number of parts, and comes back as it was said', async (t) => {
  for (const [name, said, value] of [
    ['max_order_value', 50_000, 500_000_000],
    ['max_order_value', 0.1, 1_000],
    ['max_daily_loss', 1e11, 1e15],
    ['price_deviation', 0.1, 100_000],
    ['stale_quote_seconds', 1.5, 1_500],
    ['max_orders_per_day', 500, 500],
    ['refuse_duplicates', true, true],
  ] as const) {
    t.equal(riskValue(name, said), value, name)
    t.equal(riskShown(name, value), said, name)
  }
  const cents = fc.integer({ min: 0, max: 1e13 })
  fc.assert(
    fc.property(cents, (cent) => {
      const said = cent / 100
      const value = riskValue('max_daily_loss', said)
      return Number.isSafeInteger(value) && riskShown('max_daily_loss', value) === said
    }),
  )
})

t.test('more gets through a higher limit, and through one that is off', async (t) => {
  const table: readonly (readonly [RiskName, number | boolean, number | boolean, boolean])[] = [
    ['max_order_value', 5_000, 6_000, true],
    ['max_order_value', 6_000, 5_000, false],
    ['max_order_value', 5_000, 5_000, false],
    ['max_order_value', 5_000, 0, true],
    ['max_order_value', 0, 5_000, false],
    ['max_order_value', 0, 0, false],
    ['stale_quote_seconds', 60_000, 90_000, true],
    ['price_deviation', 100_000, 50_000, false],
    ['max_rejects_in_row', 10, 0, true],
    ['max_daily_loss', 0, 1, false],
    ['refuse_duplicates', true, false, true],
    ['refuse_duplicates', false, true, false],
    ['max_protective_orders_per_day', 1_000, 900, true],
    ['max_protective_orders_per_day', 0, 900, true],
    ['max_protective_orders_per_day', 900, 1_000, true],
    ['max_protective_orders_per_day', 900, 900, false],
  ]
  for (const [name, before, after, expected] of table) {
    t.equal(isToConfirm(name, before, after), expected, `${name} ${before} → ${after}`)
  }
})

t.test('of two different values one way is looser, never both', async (t) => {
  const numbers = RISK_NAMES.filter((name) => riskRows[name].kind !== 'flag')
  const value = fc.nat(100)
  for (const name of numbers) {
    if (name === 'max_protective_orders_per_day') continue
    const isOneWay = fc.property(
      value,
      value,
      (a, b) => a === b || isToConfirm(name, a, b) !== isToConfirm(name, b, a),
    )
    t.doesNotThrow(() => fc.assert(isOneWay), name)
  }
})
