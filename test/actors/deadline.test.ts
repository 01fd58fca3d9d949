import t from 'tap'
import type { ServiceError } from '../../src/domain/errors.ts'
import { atBroker, ORDER } from '../simulation/fixtures/at-broker.ts'
import { pass } from '../simulation/fixtures/calm.ts'
import type { World } from '../simulation/fixtures/world.ts'

const TIMEOUT_MS = 4_000

type Outcome = () => string

/** Asks, and something happens before the account takes the request up. What becomes of it. */
async function asked(world: World, meanwhile: () => void): Promise<Outcome> {
  let outcome = 'open'
  const { life } = world
  if (life?.actor === undefined) throw new Error('nobody lives')
  const { actor } = life
  await world.loop.run(life, () => {
    const deadlineMs = world.nowMs + TIMEOUT_MS
    actor.request(ORDER, { deadlineMs }).then(
      () => {
        outcome = 'answered'
      },
      (error: ServiceError) => {
        outcome = error.code
      },
    )
    meanwhile()
  })
  await pass(world, 1_000)
  return () => outcome
}

t.test('a command that is taken up after its deadline is not executed, and its key is free', (t) =>
  atBroker(async (world) => {
    const late = await asked(world, () => {
      world.loop.nowMs += TIMEOUT_MS + 1
    })
    t.equal(late(), 'DEADLINE_PASSED')
    t.equal(world.called.size, 0, 'nothing was sent')
    t.equal(world.disk.orders.size, 0, 'nothing was written down')
    const again = await asked(world, () => {
      world.loop.nowMs += TIMEOUT_MS
    })
    t.equal(again(), 'answered')
    t.equal(world.called.size, 1)
  }),
)

t.test('a clock that is set while a command waits does not end it', (t) =>
  atBroker(async (world) => {
    const outcome = await asked(world, () => {
      world.loop.skewMs += 86_400_000
    })
    t.equal(outcome(), 'answered')
  }),
)
