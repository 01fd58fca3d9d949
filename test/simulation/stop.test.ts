import { setImmediate as turn } from 'node:timers/promises'
import t from 'tap'
import { atBroker, ORDER } from './fixtures/at-broker.ts'

t.test('an account that is stopped while it saves ends when that is on disk', (t) =>
  atBroker(async (world) => {
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
  }),
)
