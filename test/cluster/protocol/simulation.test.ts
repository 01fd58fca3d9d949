import t from 'tap'
import { Player, story } from '../../simulation/fixtures/play.ts'
import type { Played, Task } from './fixtures/play.thread.ts'
import { REACHED } from './fixtures/reached.ts'

/** `CLUSTER_HISTORIES` for more, `SIMULATION_SEED` to begin elsewhere; `npm run prove -- --cluster` plays on. */
const COUNT = Number(process.env['CLUSTER_HISTORIES'] ?? 300)
const FIRST = Number(process.env['SIMULATION_SEED'] ?? 1)
/** Everything must have come once in so many histories. */
const SELDOM = 300

t.test(
  'whatever breaks: one node at a time may order, each call stands in the journal before, and accounts come back',
  { timeout: 1_800_000 },
  async (t) => {
    t.comment(`seeds ${FIRST} … ${FIRST + COUNT - 1}`)
    const player = new Player<Task, Played>(new URL('fixtures/play.thread.ts', import.meta.url))
    t.teardown(() => player.close())
    const { failure, tally } = await player.play({ from: FIRST, count: COUNT })
    if (failure !== undefined) t.comment(story(failure))
    t.equal(failure?.why, undefined)
    if (COUNT < SELDOM) return
    for (const what of REACHED) t.ok(tally.has(what), `${what}: ${tally.get(what) ?? 0}`)
  },
)

t.test('a history is the same each time', async (t) => {
  const player = new Player<Task, Played>(new URL('fixtures/play.thread.ts', import.meta.url))
  t.teardown(() => player.close())
  const [first, again] = [
    await player.play({ from: 7, count: 3 }),
    await player.play({ from: 7, count: 3 }),
  ]
  t.strictSame(again, first)
})
