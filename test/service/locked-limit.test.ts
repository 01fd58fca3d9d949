import t from 'tap'
import type { Json } from './fixture.ts'
import {
  type DayOfTicks,
  HELD,
  MONDAY,
  nobodyBuys,
  ON,
  type Scene,
  Stage,
  tickMs,
  together,
} from './fixtures/ticks.ts'

const [ONE, TWO, THIRD] = ['600010.SH', '600011.SH', '600000.SH'] as const
const LOCKED = [ONE, TWO]
/** Ticks of a half day, the quiet ones at its begin left out. */
const HALF_DAY = 2_397
const NOON = '13:00:00'

/** The price at which the two of them are locked from their first tick on: 10 % below 10. */
const FLOOR = 9
const locked = (code: string): readonly DayOfTicks[] => [
  { day: MONDAY, code, prices: Array<number>(HALF_DAY).fill(FLOOR), fields: belowOpen },
  { day: MONDAY, code, from: NOON, open: FLOOR, prices: half(FLOOR), fields: offersOnly },
]
const half = (price: number) => Array<number>(HALF_DAY).fill(price)
const offersOnly = (_: number, price: number) => nobodyBuys(price)
const belowOpen = (index: number, price: number) => (index < 0 ? {} : nobodyBuys(price))

/** Ten minutes before the end it falls below its stop. */
const late = HALF_DAY - 200
const day: Scene = {
  positions: [...LOCKED, THIRD].map((stock_code) => ({ ...HELD, stock_code })),
  strategy: { ...ON, ENABLE_STOP_LOSS_BUY: false },
  overrides: { risk: { max_orders_per_day: 500 } },
  lines: together(
    ...LOCKED.flatMap(locked),
    { day: MONDAY, code: THIRD, prices: half(9.9) },
    {
      day: MONDAY,
      code: THIRD,
      from: NOON,
      open: 9.9,
      prices: half(9.9).map((price, n) => (n < late ? price : 9.2)),
    },
  ),
}

t.test('a day locked at the lower limit: one order, which keeps its place', async (t) => {
  const stage = await Stage.open(t, day)
  await stage.to(tickMs(MONDAY, 0))
  const firsts = await stage.orders()
  t.strictSame(firsts.length, 2)
  await stage.to(tickMs(MONDAY, 100))
  await stage.restart()
  await stage.to(tickMs(MONDAY, 300, NOON))
  await stage.restart()
  await stage.to()
  for (const code of LOCKED) {
    const orders = await stage.orders(code)
    t.match(orders, [{ status: 50, strategy: 'stop_loss', price: FLOOR, traded_volume: 0 }])
    t.equal(orders.length, 1, 'one order a stock and day')
    const [first] = firsts.filter((row) => row['stock_code'] === orders[0]?.['stock_code'])
    t.strictSame(orders[0]?.['order_id'], first?.['order_id'], 'the first, in its place')
  }
  t.strictSame(await stage.fills(THIRD), ['stop_loss 1000@9.2'], 'and the third stock is sold')
  const { entries } = await stage.data('/api/audit?kind=orderKept&limit=100')
  t.equal((entries as unknown as readonly Json[]).length, 2, 'told once for each')
})
