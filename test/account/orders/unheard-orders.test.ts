import fc from 'fast-check'
import t from 'tap'
import { untoldBy, untoldOf } from '../../../src/account/orders/unheard-orders.ts'
import type { Quantity } from '../../../src/domain/money.ts'
import { Bench, KEY } from '../fixture.ts'

const parts = fc.record({
  filled: fc.integer({ min: 0, max: 1_000 }),
  gone: fc.option(fc.integer({ min: 0, max: 1_000 }), { nil: undefined }),
  rest: fc.integer({ min: 0, max: 1_000 }),
  side: fc.constantFrom('buy' as const, 'sell' as const),
})
const shares = (count: number) => count as Quantity

t.test('of an order nothing is untold that a deal or an earlier list has told', async () => {
  const bench = new Bench().ready()
  bench.place()
  const placed = bench.state.orders.get(KEY)
  if (placed === undefined) throw new Error('no order')
  fc.assert(
    fc.property(fc.array(parts, { maxLength: 4 }), (all) => {
      const orders = all.map(({ filled, gone, rest, side }) => ({
        ...placed,
        side,
        quantity: shares(filled + (gone ?? 0) + rest),
        filledQuantity: shares(filled),
        ...(gone !== undefined && { goneQuantity: shares(gone) }),
      }))
      const sums = { buy: 0, sell: 0 }
      for (const { rest, side } of all) sums[side] += rest
      const isRest = all.every(({ rest }, place) => {
        const order = orders[place]
        return order !== undefined && untoldOf(order) === rest
      })
      return (
        isRest && (['buy', 'sell'] as const).every((side) => untoldBy(orders, side) === sums[side])
      )
    }),
  )
})
