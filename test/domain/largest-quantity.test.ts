import fc from 'fast-check'
import t from 'tap'
import { feeRatesOf } from '../../src/domain/fees.ts'
import type { StockCode } from '../../src/domain/instrument.ts'
import { largestQuantity, type QuantityInput } from '../../src/domain/largest-quantity.ts'
import type { Money, Price, Quantity } from '../../src/domain/money.ts'
import { judge } from '../../src/domain/risk.ts'
import { estimateOf } from '../../src/domain/risk-input.ts'
import { lotError, rulesFor } from '../../src/domain/rules.ts'
import { GOOD } from './fixtures/risk.ts'

const DAY = '2026-11-20'
const yuan = (value: number) => Math.round(value * 10_000) as Price & Money
const shares = (count: number) => count as Quantity

interface Case {
  readonly code?: string
  readonly side?: 'buy' | 'sell'
  readonly priceType?: number
  readonly price?: number
  readonly cash?: number | undefined
  readonly reserved?: number
  readonly sellable?: number
  readonly value?: number
}

function inputOf(row: Case): QuantityInput {
  const { code = '600036.SH', side = 'buy', priceType = 11, price = 10, value = 0 } = row
  const cash = 'cash' in row ? row.cash : 10_000
  return {
    order: {
      code: code as StockCode,
      side,
      quantity: shares(1),
      priceType,
      price: yuan(priceType === 11 ? price : 0),
    },
    day: DAY,
    quote: undefined,
    feeRates: feeRatesOf({
      commission: 0.0003,
      commission_min: 5,
      stamp_duty: 0.0005,
      transfer_fee: 0.000_01,
    }),
    limits: {
      maxOrdersPerSecond: 0,
      maxOrdersPerDay: 0,
      maxProtectiveOrdersPerDay: 0,
      maxOrderValue: value,
      priceDeviation: 0,
      staleQuoteMs: 0,
      refuseDuplicates: false,
    },
    cash: cash === undefined ? undefined : yuan(cash),
    cashReserved: yuan(side === 'buy' ? (row.reserved ?? 0) : 0),
    sellable: shares(row.sellable ?? 0),
    sellableReserved: shares(side === 'sell' ? (row.reserved ?? 0) : 0),
  }
}

function largest(row: Case): number | undefined {
  const input = inputOf(row)
  const rule = rulesFor(input.order.code, DAY)
  if (rule === undefined) throw new Error('no board')
  return largestQuantity(input, rule)
}

t.test('the most shares of an order leave room for fees, lots and limits', async (t) => {
  const rows: readonly [string, Case, number | undefined][] = [
    ['a thousand would cost its fees besides', {}, 900],
    ['with the fees there', { cash: 10_005.1 }, 1_000],
    ['not even a lot', { cash: 1_000 }, 0],
    ['STAR: 200, then every share', { code: '688981.SH', cash: 2_505.03 }, 250],
    ['STAR: fewer than 200', { code: '688981.SH', cash: 1_990 }, 0],
    ['cash kept back for an order in doubt', { reserved: 5_000 }, 400],
    ['the value of one order', { cash: 1_000_000, value: 2_500 }, 200],
    ['the largest order of the board', { cash: 1e9, price: 1 }, 1_000_000],
    ['unknown cash', { cash: undefined }, undefined],
    ['unknown price', { priceType: 5 }, undefined],
    ['a sale: all of it, the odd part too', { side: 'sell', sellable: 1_050 }, 1_050],
    ['a sale: kept back', { side: 'sell', sellable: 1_050, reserved: 1_000 }, 50],
    ['a sale of nothing', { side: 'sell' }, 0],
    ['more kept back than there is', { side: 'sell', sellable: 100, reserved: 300 }, 0],
    ['a sale within its value', { side: 'sell', sellable: 1_050, value: 5_500 }, 500],
    ['a sale beyond the board', { side: 'sell', sellable: 1_000_050 }, 1_000_000],
  ]
  for (const [name, row, wanted] of rows) t.equal(largest(row), wanted, name)
})

t.test('one step more is too much, and what is told may be ordered', async (t) => {
  const any = fc.record({
    code: fc.constantFrom('600036.SH', '688981.SH', '300750.SZ', '510300.SH', '920002.BJ'),
    side: fc.constantFrom('buy' as const, 'sell' as const),
    price: fc.integer({ min: 1, max: 200_000 }).map((cents) => cents / 100),
    cash: fc.integer({ min: 0, max: 3_000_000 }),
    sellable: fc.integer({ min: 0, max: 1_200_000 }),
  })
  const holds = fc.property(any, (row) => {
    const input = inputOf(row)
    const rule = rulesFor(input.order.code, DAY)
    const most = largest(row)
    if (rule === undefined || most === undefined) return false
    const { side } = input.order
    const { sellable } = input
    const next = most === 0 ? rule.lotMin : most + rule.lotStep
    const isFit =
      most === 0 || lotError(rule, { side, sellable, quantity: shares(most) }) === undefined
    const isEnough = (quantity: number): boolean =>
      side === 'sell' ? quantity <= sellable : costOf(input, quantity) <= (input.cash ?? 0)
    const isAll = side === 'sell' && most === sellable
    return (
      isFit &&
      (most === 0 || isEnough(most)) &&
      (isAll || next > rule.quantityMax || !isEnough(next))
    )
  })
  fc.assert(holds)
  t.pass('for every board, side, price, cash and holding')
})

t.test(
  'the rules that look at the volume refuse none that is told, and the next one',
  async (t) => {
    const BY_VOLUME = new Set(['cash', 'sellable', 'lot_size', 'max_order_value'])
    const any = fc.record({
      code: fc.constantFrom(
        '600036.SH',
        '688981.SH',
        '300750.SZ',
        '510300.SH',
        '113050.SH',
        '920002.BJ',
      ),
      side: fc.constantFrom('buy' as const, 'sell' as const),
      price: fc.integer({ min: 1, max: 200_000 }).map((cents) => cents / 100),
      cash: fc.integer({ min: 0, max: 300_000_000 }).map((cents) => cents / 100),
      reserved: fc.integer({ min: 0, max: 1_000 }),
      sellable: fc.integer({ min: 0, max: 1_200_000 }),
      value: fc.constantFrom(0, 5_000, 100_000),
    })
    const holds = fc.property(any, (row) => {
      const input = inputOf(row)
      const rule = rulesFor(input.order.code, DAY)
      const most = largest(row)
      if (rule === undefined || most === undefined) return false
      const refusals = (quantity: number) =>
        judge({ ...GOOD, ...input, order: { ...input.order, quantity: shares(quantity) } }).filter(
          ({ name, status }) => BY_VOLUME.has(name) && status === 'refused',
        ).length
      const next = most === 0 ? rule.lotMin : most + rule.lotStep
      return (most === 0 || refusals(most) === 0) && refusals(next) > 0
    })
    fc.assert(holds)
    t.pass('for every board')
  },
)

function costOf(input: QuantityInput, quantity: number): number {
  const { amount, fees } = estimateOf({ ...input.order, quantity: shares(quantity) }, input)
  return amount + fees.total
}
