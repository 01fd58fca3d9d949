import t from 'tap'
import { type Failure, firstFailure, shrunk } from './fixtures/history.ts'
import { WRONG } from './fixtures/wrong.ts'

/** `SIMULATION_HISTORIES` for more, `SIMULATION_SEED` to begin elsewhere. */
const COUNT = Number(process.env['SIMULATION_HISTORIES'] ?? 20_000)
const FIRST = Number(process.env['SIMULATION_SEED'] ?? 1)
/** Histories within which a wrong policy must be found out. */
const BITE_MAX = 20_000

/** What the histories must have been through for their silence to mean anything. */
const REACHED = [
  'crash before a commit',
  'crash before a call',
  'crash after the effects',
  'crash between turns',
  'orderSubmitted',
  'orderDenied',
  'orderAdopted',
  'dealBooked',
  'doubt',
  'absent',
  'accept',
  'reject',
  'requestCancel',
  'refuseCancel',
  'orderWarned',
  'orderQuarantined',
  'doubtDecided',
  'sent again',
  'reorderDropped',
  'killSwitchSet',
  'dayOpened',
  'disconnected',
]

function story({ seed, why, moves }: Failure): string {
  const list = moves.map(({ kind, a, b }) => `  ${kind} ${a} ${b}`).join('\n')
  return `seed ${seed}, ${moves.length} moves\n${list}\n${why}`
}

t.test(
  'whatever breaks: one order per client id, each deal booked once, nothing lost, both books equal',
  { timeout: 1_800_000 },
  async (t) => {
    const tally = new Map<string, number>()
    const failure = await firstFailure({ from: FIRST, count: COUNT }, undefined, tally)
    if (failure !== undefined) t.comment(story(await shrunk(failure)))
    t.equal(failure?.why, undefined)
    for (const what of REACHED) {
      const least = Math.floor(COUNT / 1_000)
      t.ok((tally.get(what) ?? 0) >= least, `${what}: ${tally.get(what) ?? 0}`)
    }
  },
)

for (const [policy, wrong] of Object.entries(WRONG)) {
  t.test(`an account that ${policy} is found out`, { timeout: 300_000 }, async (t) => {
    const failure = await firstFailure({ from: 1, count: BITE_MAX }, wrong)
    t.ok(failure, `not within ${BITE_MAX} histories`)
  })
}
