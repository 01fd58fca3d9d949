import t from 'tap'
import { atBroker, ORDER } from '../simulation/fixtures/at-broker.ts'
import { pass } from '../simulation/fixtures/calm.ts'
import { SLOT, type World } from '../simulation/fixtures/world.ts'

/** What a front goes by that knows of answers which have arrived. */

async function ask(world: World, request: object): Promise<void> {
  const { life } = world
  if (life?.actor === undefined) throw new Error('nobody lives')
  const { actor } = life
  await world.loop.run(life, () => {
    actor.request(request as typeof ORDER).catch(() => undefined)
  })
  await pass(world, 1_000)
}

t.test('an account says when it has come to doubt that an answer has arrived', (t) =>
  atBroker(async (world) => {
    const doubts = () => world.board.doubtsOfAnswers(SLOT)
    const first = doubts()
    await ask(world, ORDER)
    t.equal(world.called.size, 1)
    t.equal(doubts(), first, 'an order that is answered raises none')
    const source = 'test'
    await ask(world, { kind: 'noteTold', told: [], untold: [ORDER.key], source })
    t.equal(doubts(), first + 1)
    await ask(world, { kind: 'noteTold', told: [ORDER.key], untold: [], source })
    t.equal(doubts(), first + 1, 'nor does one that it stops to doubt')
    await ask(world, { kind: 'answersLost', source })
    t.equal(doubts(), first + 2)
    const late = `${ORDER.key.slice(0, -1)}9`
    await ask(world, { kind: 'noteTold', told: [], untold: [late], source })
    t.equal(doubts(), first + 2, 'an order that is not here yet')
    const other = { ...ORDER, key: late, requestHash: 'other', quantity: 200 }
    await ask(world, other)
    t.equal(doubts(), first + 3, 'is doubted when it comes')
    world.board.nextIncarnation(SLOT)
    t.ok(doubts() > first + 3, 'and one that starts doubts whatever it finds')
  }),
)
