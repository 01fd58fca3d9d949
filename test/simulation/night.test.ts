import t from 'tap'
import type { PlaceOrder } from '../../src/protocol/account.ts'
import { policy } from '../account/fixture.ts'
import { calm, pass } from './fixtures/calm.ts'
import { CODES } from './fixtures/market.ts'
import { World } from './fixtures/world.ts'

const ORDER: PlaceOrder = {
  kind: 'placeOrder',
  key: '01ARZ3NDEKTSV4RRFFQ6000000',
  requestHash: 'hash',
  code: CODES[0],
  side: 'buy',
  quantity: 100,
  priceType: 11,
  price: 350_000,
  strategy: 'manual',
  source: 'user',
}

t.test(
  'an order that waited when the process ended is over on the next day, whatever ticks',
  async (t) => {
    const world = new World({ policy: { ...policy, isAlwaysOpen: true } })
    const uninstall = world.loop.install()
    try {
      await world.start()
      await pass(world, 1)
      await world.request(ORDER)
      await pass(world, 1_000)
      t.match(world.disk.orders.get(ORDER.key), { status: 'accepted' })
      world.crash()
      world.nextProcess()
      world.loop.nowMs += 86_400_000
      await world.tick(CODES[0], 34, 4)
      await calm(world)
      t.equal(world.client.disk.deals.size, 0)
      t.match(world.client.disk.byClientId.get(ORDER.key), { status: 54 })
    } finally {
      uninstall()
    }
  },
)
