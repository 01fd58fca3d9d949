import t from 'tap'
import { Player, story } from '../simulation/fixtures/play.ts'
import type { Played, Task } from './fixtures/days.thread.ts'

/** Fifteen days or so around each ex-day of two stocks in three years. */
const FILE = new URL('fixtures/real-days.csv', import.meta.url)
const THREAD = new URL('fixtures/days.thread.ts', import.meta.url)

t.test(
  'over real ex-days nothing is sold that one scale would not sell, whenever the broker adjusts, and nothing is missed',
  { timeout: 600_000 },
  async (t) => {
    const player = new Player<Task, Played>(THREAD)
    t.teardown(() => player.close())
    const { failure, tally } = await player.play({ windowsOf: FILE.href })
    if (failure !== undefined) t.comment(story(failure))
    t.equal(failure?.why, undefined)
    for (const what of [
      'sent: stop_loss',
      'sent: auto_full',
      'adjusted: early',
      'adjusted: nextDay',
    ]) {
      t.ok(tally.has(what), what)
    }
  },
)
