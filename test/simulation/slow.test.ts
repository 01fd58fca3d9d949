import t from 'tap'
import { atBroker, ORDER } from './fixtures/at-broker.ts'
import { calm, pass } from './fixtures/calm.ts'
import type { World } from './fixtures/world.ts'

const AGAIN = '01ARZ3NDEKTSV4RRFFQ6000001'
/** 300 of 2,000 shares, at a price that the market pays at once. */
const SALE = { ...ORDER, side: 'sell', quantity: 300, price: 340_000 } as const

/** Sold at the broker. */
const sold = (world: World): number =>
  world.client.disk.books.deals.reduce((sum, { row }) => sum + row.quantity, 0)

/** The embedded broker takes so long over the first order, and answers lists at once. */
function slow({ life }: World, delayMs: number): void {
  if (life === undefined) throw new Error('nobody lives')
  let isFirst = true
  life.faults.command = (command) => {
    if (command.kind !== 'submit' || !isFirst) return undefined
    isFirst = false
    return { kind: 'late', until: new Promise((resolve) => setTimeout(resolve, delayMs)) }
  }
}

for (const delayMs of [40_000, 150_000]) {
  t.test(`a client that takes ${delayMs / 1_000} s over an order sells once`, (t) =>
    atBroker(async (world) => {
      slow(world, delayMs)
      await world.request(SALE)
      await pass(world, 25_000)
      const [first] = world.disk.orders.values()
      t.match(first, { status: 'inDoubt' })
      // Who reads that it was not received sends the rest again, and the rest is all of it.
      if (first?.status === 'rejected') await world.request({ ...SALE, key: AGAIN })
      await pass(world, delayMs)
      await calm(world)
      t.match(world.disk.orders.get(SALE.key), { status: 'filled', filledQuantity: 300 })
      t.equal(sold(world), 300)
    }),
  )
}
