import t from 'tap'
import type { StockCode } from '../../../../src/domain/instrument.ts'
import type { Quantity } from '../../../../src/domain/money.ts'
import type { BrokerOrder } from '../../../../src/domain/order.ts'
import {
  type Bench,
  brokerDeal,
  brokerOrder,
  brokerPosition,
  commands,
  policy,
  quote,
  yuan,
} from '../../fixture.ts'
import { count, said, timer } from '../../play.ts'
import { acting } from './chain.ts'

const BANK = '600036.SH' as StockCode
const CHIPS = '688981.SH' as StockCode

interface Part {
  readonly code: StockCode
  /** Shares held before the first take-profit, which sells 60 % of them in whole hundreds. */
  readonly held: number
  /** What of it is filled before it is canceled for its age. */
  readonly filled: number
}

/** A first take-profit at a cost of 10 that was filled in part; a list shows the shares that are left. */
function partlyFilled({ code, held, filled }: Part): Bench {
  const bench = acting()
  const holding = (shares: number) => {
    const quantity = shares as Quantity
    return brokerPosition({ code, quantity, sellable: quantity, costPrice: yuan(10) })
  }
  const later = (ms: number) => {
    bench.nowMs += ms
    bench.wallMs += ms
  }
  bench.quotes.set(code, quote(10, bench.nowMs))
  bench.ready([holding(held)])
  for (const price of [10.6, 10.8, 10.74]) {
    later(3_000)
    bench.quotes.set(code, quote(price, bench.nowMs))
    bench.input({ kind: 'quotes', crossed: [code] })
  }
  const [order] = bench.state.orders.values()
  if (order === undefined) throw new Error('no order')
  const { clientOrderId, quantity, createdMs: timeMs } = order
  const row = { clientOrderId, orderId: '7001', code, side: 'sell', quantity, timeMs } as const
  const dealt = { ...row, quantity: filled as Quantity }
  const report = (status: BrokerOrder['status'], filledQuantity: number) =>
    brokerOrder({ ...row, status, filledQuantity: filledQuantity as Quantity })
  bench.input(said({ kind: 'orderPushed', order: report(50, 0) }))
  bench.input(said({ kind: 'dealPushed', deal: brokerDeal(dealt) }))
  later(policy.pending.timeoutMs)
  bench.quotes.set(code, quote(10.7, bench.nowMs))
  bench.input({ kind: 'alarm' })
  bench.input(said({ kind: 'orderPushed', order: report(53, filled) }))
  later(policy.limits.holdingsLagMs + 1_000)
  const asked = commands(bench.input(timer('poll')))
  bench.answerQueries(asked, { positions: [holding(held - filled)] })
  return bench
}

const sent = (bench: Bench): readonly string[] =>
  [...bench.state.orders.values()].map(({ strategy, quantity }) => `${strategy} ${quantity}`)

const CASES: readonly (readonly [string, Part, readonly string[]])[] = [
  ['whole lots', { code: BANK, held: 1_000, filled: 200 }, ['reorder_take_profit_half 400']],
  [
    'with the odd remainder that the fill has left',
    { code: BANK, held: 1_000, filled: 50 },
    ['reorder_take_profit_half 550'],
  ],
  [
    'in whole lots beside another odd remainder',
    { code: BANK, held: 1_050, filled: 30 },
    ['reorder_take_profit_half 500'],
  ],
  ['not when less than a lot is left', { code: BANK, held: 1_050, filled: 530 }, []],
  [
    'share by share where the board lets it',
    { code: CHIPS, held: 1_050, filled: 30 },
    ['reorder_take_profit_half 570'],
  ],
  ['not below the fewest of the board', { code: CHIPS, held: 1_050, filled: 450 }, []],
]
for (const [name, part, again] of CASES) {
  t.test(`the rest of a first take-profit is sent again: ${name}`, async (t) => {
    const bench = partlyFilled(part)
    t.strictSame(sent(bench), ['auto_partial 600', ...again])
    t.equal(count(bench, 'orderDenied'), 0, 'no rule had to refuse it')
  })
}

t.test(
  'F562 before a list shows what a cancel has freed, the rest goes in lots either way',
  async (t) => {
    const bench = acting({}, { maxOrderValue: 3_000 })
    const later = (ms: number) => {
      bench.nowMs += ms
      bench.wallMs += ms
    }
    const holding = (quantity: number, sellable: number) =>
      brokerPosition({
        quantity: quantity as Quantity,
        sellable: sellable as Quantity,
        costPrice: yuan(10),
      })
    bench.quotes.set(BANK, quote(10, bench.nowMs))
    bench.ready([holding(770, 770)])
    later(3_000)
    bench.quotes.set(BANK, quote(9.2, bench.nowMs))
    bench.input({ kind: 'quotes', crossed: [BANK] })
    const [order] = bench.state.orders.values()
    if (order === undefined) throw new Error('no order')
    const { clientOrderId, quantity, createdMs: timeMs } = order
    const row = { clientOrderId, orderId: '7001', side: 'sell', quantity, timeMs } as const
    const report = (status: BrokerOrder['status'], filled: number) =>
      bench.input(
        said({
          kind: 'orderPushed',
          order: brokerOrder({ ...row, status, filledQuantity: filled as Quantity }),
        }),
      )
    report(50, 0)
    later(policy.limits.holdingsLagMs + 1_000)
    const asked = commands(bench.input(timer('poll')))
    bench.answerQueries(asked, { positions: [holding(770, 470)] })
    bench.input(
      said({ kind: 'dealPushed', deal: brokerDeal({ ...row, quantity: 130 as Quantity }) }),
    )
    report(55, 130)
    later(policy.pending.stopLossTimeoutMs)
    bench.quotes.set(BANK, quote(9.19, bench.nowMs))
    bench.input({ kind: 'alarm' })
    report(53, 130)
    // Of 470 an order of 170 would be whole; of the 640 that are free at the broker by now it is not.
    t.strictSame(sent(bench), ['stop_loss 300', 'reorder_stop_loss 100'])
  },
)

t.test(
  'F562 so does an exit while what may be sold has another odd part than what is held',
  async (t) => {
    const cases: readonly (readonly [sellable: number, held: number, sent: number])[] = [
      [470, 640, 400], // 170 that were frozen may be free by now: then 40 are odd, and 470 are not taken
      [440, 640, 440],
      [640, 640, 640],
      [50, 180, 50], // less than a lot is tried as it is
    ]
    for (const [sellable, held, wanted] of cases) {
      const bench = acting()
      bench.quotes.set(BANK, quote(10, bench.nowMs))
      const quantity = held as Quantity
      const row = { quantity, sellable: sellable as Quantity, costPrice: yuan(10) }
      bench.ready([brokerPosition(row)])
      bench.nowMs += 3_000
      bench.quotes.set(BANK, quote(9.2, bench.nowMs))
      bench.input({ kind: 'quotes', crossed: [BANK] })
      t.strictSame(sent(bench), [`stop_loss ${wanted}`], `${sellable} of ${held}`)
    }
  },
)
