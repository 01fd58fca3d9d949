import t from 'tap'
import { NOT_SENT, Requesters } from '../../actors/account/requesters.ts'
import type { ServiceError } from '../../src/domain/errors.ts'
import type { OrderAnswer } from '../../src/protocol/orders.ts'
import { policy } from '../account/fixture.ts'
import { atBroker, ORDER } from '../simulation/fixtures/at-broker.ts'
import { pass } from '../simulation/fixtures/calm.ts'
import type { World } from '../simulation/fixtures/world.ts'

const TIMEOUT_MS = 4_000

type Outcome = () => string

const ASKED = 'request-1'

/** What happens before the account takes a request up, and while what it decided is on its way to the disk. */
interface Meanwhile {
  readonly waiting?: (world: World) => void
  readonly writing?: (world: World) => void
}

/** Asks; what becomes of it. */
async function asked(world: World, { waiting, writing }: Meanwhile): Promise<Outcome> {
  let outcome = 'open'
  const { life } = world
  if (life?.actor === undefined) throw new Error('nobody lives')
  const { actor } = life
  await world.loop.run(life, () => {
    const startByMs = world.nowMs + TIMEOUT_MS
    actor.request(ORDER, { startByMs, correlationId: ASKED }).then(
      (answer) => {
        outcome = `answered ${(answer as OrderAnswer).state}`
      },
      (error: ServiceError) => {
        outcome = error.code
      },
    )
    waiting?.(world)
  })
  await world.loop.run(life, () => writing?.(world))
  await pass(world, 1_000)
  return () => outcome
}

const late = (world: World) => {
  world.loop.nowMs += TIMEOUT_MS + 1
}
const gone = ({ life }: World) => life?.actor?.withdraw(ASKED)

t.test('a command that is taken up after its deadline is not executed, and its key is free', (t) =>
  atBroker(async (world) => {
    const outcome = await asked(world, { waiting: late })
    t.equal(outcome(), 'DEADLINE_PASSED')
    t.equal(world.called.size, 0, 'nothing was sent')
    t.equal(world.disk.orders.size, 0, 'nothing was written down')
    const again = await asked(world, {
      waiting: () => {
        world.loop.nowMs += TIMEOUT_MS
      },
    })
    t.equal(again(), 'answered accepted')
    t.equal(world.called.size, 1)
  }),
)

t.test(
  'the time that the computer sleeps counts, although its steady clock stands still',
  async (t) => {
    let [monotonicMs, uptimeMs] = [1_000, 51_000]
    const time = { monotonicMs: () => monotonicMs, uptimeMs: () => uptimeMs }
    const requesters = new Requesters(time)
    const said: string[] = []
    const add = () =>
      requesters.add({
        correlationId: ASKED,
        untilMs: monotonicMs + TIMEOUT_MS,
        resolve: () => said.push('resolved'),
        reject: ({ code }) => said.push(code),
      })
    const awake = add()
    monotonicMs += TIMEOUT_MS
    uptimeMs += TIMEOUT_MS + 10 // counted in hundredths of a second
    t.notOk(requesters.isPassed(awake))
    const asleep = add()
    uptimeMs += 7_200_000
    t.ok(requesters.isPassed(asleep))
    t.strictSame(said, ['DEADLINE_PASSED'])
  },
)

t.test('a clock that is set while a command waits does not end it', (t) =>
  atBroker(async (world) => {
    const outcome = await asked(world, {
      waiting: () => {
        world.loop.skewMs += 86_400_000
      },
    })
    t.equal(outcome(), 'answered accepted')
  }),
)

t.test('a command whose caller has gone before it is taken up is not executed', (t) =>
  atBroker(async (world) => {
    const outcome = await asked(world, { waiting: gone })
    t.equal(outcome(), 'DEADLINE_PASSED')
    t.equal(world.disk.orders.size, 0, 'nothing was written down')
    const again = await asked(world, {})
    t.equal(again(), 'answered accepted', 'the key is free')
  }),
)

for (const [what, writing] of Object.entries({ 'time is up': late, 'caller has gone': gone })) {
  t.test(`an order whose ${what} while it was written down is not sent, and that is said`, (t) =>
    atBroker(async (world) => {
      const outcome = await asked(world, { writing })
      t.equal(world.called.size, 0, 'nothing was sent')
      t.equal(outcome(), 'answered rejected')
      t.match(world.disk.orders.get(ORDER.key), {
        status: 'rejected',
        statusMessage: NOT_SENT,
        isTooLate: true,
      })
      const again = await asked(world, {})
      t.equal(again(), 'answered rejected', 'under its key it stays what it was')
      t.equal(world.called.size, 0)
    }),
  )
}

/** One order a second, and whoever waits for it has ten. */
const SLOW = {
  risk: { ...policy.risk, maxOrdersPerSecond: 1 },
  limits: { ...policy.limits, pacedWaitMs: 10_000 },
}

/** So many people ask for an order each, at once. What becomes of each. */
async function askedBy(world: World, people: number): Promise<readonly string[]> {
  const outcomes = Array<string>(people).fill('open')
  const { life } = world
  await world.loop.run(life ?? { name: 'nobody' }, () => {
    for (let n = 0; n < people; n++) {
      const order = { ...ORDER, key: `${ORDER.key.slice(0, -1)}${n}`, requestHash: `h${n}` }
      const call = { startByMs: world.nowMs + TIMEOUT_MS, deadlineMs: world.nowMs + 20_000 }
      life?.actor?.request(order, { ...call, correlationId: `person-${n}` }).then(
        () => {
          outcomes[n] = 'sent'
        },
        ({ code }: ServiceError) => {
          outcomes[n] = code
        },
      )
    }
  })
  return outcomes
}

t.test('an order that waits for its turn is not sent once its caller has gone', (t) =>
  atBroker(async (world) => {
    const outcomes = await askedBy(world, 3)
    await world.loop.run(world.life ?? { name: 'nobody' }, () => {
      world.life?.actor?.withdraw('person-1')
    })
    await pass(world, 5_000)
    t.strictSame(outcomes, ['sent', 'DEADLINE_PASSED', 'sent'])
    t.equal(world.called.size, 2)
  }, SLOW),
)

t.test('an order that was begun in time is sent when its turn comes, however late that is', (t) =>
  atBroker(async (world) => {
    const outcomes = await askedBy(world, 7)
    await pass(world, 9_000)
    t.strictSame(outcomes, Array(7).fill('sent'))
    t.equal(world.called.size, 7)
  }, SLOW),
)
