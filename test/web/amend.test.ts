import t from 'tap'
import { amendmentBody } from '../../web/console/amend.ts'
import type { OrderRow } from '../../web/shared/wire.ts'

const ORDER = { price: 35, volume: 300, traded_volume: 100 } as OrderRow

t.test('an order is changed to what was typed, or not at all', async (t) => {
  const rows = [
    [{ price: 36, volume: 300 }, { price: 36 }],
    [{ price: 35, volume: 200 }, { order_volume: 200 }],
    [
      { price: 36, volume: 200 },
      { price: 36, order_volume: 200 },
    ],
    [{ price: 35, volume: 300 }, undefined],
    [{ price: 36, volume: 100 }, undefined],
    [{ price: 36, volume: 250.5 }, undefined],
    [{ price: 36, volume: Number.NaN }, undefined],
    [{ price: 0, volume: 200 }, undefined],
    [{ price: -1, volume: 200 }, undefined],
    [{ price: '' as unknown as number, volume: 200 }, undefined],
  ] as const
  for (const [wanted, body] of rows) t.strictSame(amendmentBody(ORDER, wanted), body)
  const market = { ...ORDER, price: 0 }
  t.strictSame(amendmentBody(market, { price: 0, volume: 200 }), { order_volume: 200 })
})
