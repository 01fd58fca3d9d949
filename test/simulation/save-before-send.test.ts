import t from 'tap'
import { atBroker, ORDER } from './fixtures/at-broker.ts'

t.test('an order leaves once its intent is on disk, and not before', (t) =>
  atBroker(async (world) => {
    await world.request(ORDER)
    t.notOk(world.disk.isIdle, 'the intent is on its way')
    t.notOk(world.called.has(ORDER.key), 'and nothing has left')
    await world.flush()
    t.ok(world.called.has(ORDER.key))
  }),
)
