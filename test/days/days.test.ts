import t from 'tap'
import { Player, story } from '../simulation/fixtures/play.ts'
import type { Played, Task } from './fixtures/days.thread.ts'
import { REACHED } from './fixtures/reached.ts'

/** `DAYS_STORIES` for more, `DAYS_SEED` to begin elsewhere. */
const COUNT = Number(process.env['DAYS_STORIES'] ?? 90)
const FIRST = Number(process.env['DAYS_SEED'] ?? 1)
const THREAD = new URL('fixtures/days.thread.ts', import.meta.url)

t.test(
  'whatever the market does: what protects is sold in time, and nothing else is; orders are bounded, caps hold',
  { timeout: 600_000 },
  async (t) => {
    const player = new Player<Task, Played>(THREAD)
    t.teardown(() => player.close())
    const { failure, tally } = await player.play({ from: FIRST, count: COUNT, isWhole: true })
    if (failure !== undefined) {
      t.comment(story(failure))
      t.comment(`shorter: npm run prove -- --days --seed ${failure.seed} --histories 1`)
    }
    t.equal(failure?.why, undefined)
    for (const what of REACHED) t.ok(tally.has(what), what)
  },
)
