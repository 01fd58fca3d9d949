import t from 'tap'
import { Player } from './fixtures/play.ts'
import { WRONG } from './fixtures/wrong.ts'

/** Where the search begins for what shows seldom: just before a history that shows it today. */
const FROM: Readonly<Record<string, number>> = {
  'forgets at a restart where its kill switch stood': 330,
  'takes a lost answer for a refusal': 325,
  'sends the rest again before the fills are known': 140,
  'takes a push for the newest truth about holdings': 190,
  'opens a day by a clock that jumped': 800,
}
/** Histories within which a wrong policy must be found out. */
const BITE_MAX = 20_000

/** One thread for all: what it costs to get going is more than most of them take. */
const player = new Player()
t.teardown(() => player.close())

for (const policy of Object.keys(WRONG)) {
  t.test(`an account that ${policy} is found out`, { timeout: 300_000 }, async (t) => {
    const { failure } = await player.play({ from: FROM[policy] ?? 1, count: BITE_MAX, policy })
    t.ok(failure, `not within ${BITE_MAX} histories`)
    if (failure !== undefined) t.comment(`seed ${failure.seed}: ${failure.why.split('\n')[0]}`)
  })
}
