import t from 'tap'
import { atBroker, ORDER } from './fixtures/at-broker.ts'
import { calm, pass } from './fixtures/calm.ts'
import { CODES } from './fixtures/market.ts'

t.test('an order that waited when the process ended is over on the next day, whatever ticks', (t) =>
  atBroker(async (world) => {
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
  }),
)
