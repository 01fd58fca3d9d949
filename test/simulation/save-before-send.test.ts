import t from 'tap'
import type { PlaceOrder } from '../../src/protocol/account.ts'
import { policy } from '../account/fixture.ts'
import { pass } from './fixtures/calm.ts'
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

t.test('an order leaves once its intent is on disk, and not before', async (t) => {
  const world = new World({ policy: { ...policy, isAlwaysOpen: true } })
  const uninstall = world.loop.install()
  try {
    await world.start()
    await pass(world, 1)
    await world.request(ORDER)
    t.notOk(world.disk.isIdle, 'the intent is on its way')
    t.notOk(world.called.has(ORDER.key), 'and nothing has left')
    await world.flush()
    t.ok(world.called.has(ORDER.key))
  } finally {
    uninstall()
  }
})
