import t from 'tap'
import { lockedOf, sharesOnSale } from '../../web/console/locked.ts'
import type { OrderRow } from '../../web/shared/wire.ts'

const order = (more: Partial<OrderRow>): OrderRow =>
  ({
    stock_code: '600036.SH',
    trade_type: 'SELL',
    is_pending: true,
    volume: 300,
    traded_volume: 100,
    ...more,
  }) as OrderRow

t.test('what open sales have not sold yet is on sale, and nothing else', async (t) => {
  const orders = [
    order({}),
    order({ stock_code: '600036', volume: 100, traded_volume: 0 }),
    order({ trade_type: 'BUY' }),
    order({ is_pending: false }),
    order({ stock_code: '000001.SZ' }),
  ]
  t.strictSame(Object.fromEntries(sharesOnSale(orders)), { '600036': 300, '000001': 200 })
})

t.test(
  'shares that may not be sold are behind open sales first; the rest has another reason',
  async (t) => {
    const held = (available: number) => ({ volume: 1_000, available })
    t.strictSame(lockedOf(held(1_000), 0), { onSale: 0, other: 0 })
    t.strictSame(lockedOf(held(700), 300), { onSale: 300, other: 0 })
    t.strictSame(lockedOf(held(0), 300), { onSale: 300, other: 700 })
    t.strictSame(lockedOf(held(700), 0), { onSale: 0, other: 300 })
    t.strictSame(
      lockedOf(held(1_000), 300),
      { onSale: 0, other: 0 },
      'a client that keeps none back',
    )
  },
)
