import { setImmediate as turn } from 'node:timers/promises'
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

t.test('an account that is stopped while it saves ends when that is on disk', async (t) => {
  const world = new World({ policy: { ...policy, isAlwaysOpen: true } })
  const uninstall = world.loop.install()
  try {
    await world.start()
    await pass(world, 1)
    await world.request(ORDER)
    t.notOk(world.disk.isIdle, 'the intent is on its way')
    // Something that has nothing to save waits behind it.
    await world.onMarket({ kind: 'alarm' })
    let isStopped = false
    const { life } = world
    if (life?.actor === undefined) throw new Error('nobody lives')
    const { actor } = life
    await world.loop.run(life, () => {
      void actor.stop().then(() => {
        isStopped = true
      })
    })
    await turn() // of the real event loop: whoever waits lets others have theirs
    t.notOk(isStopped)
    await world.flush()
    t.ok(isStopped)
  } finally {
    uninstall()
  }
})
