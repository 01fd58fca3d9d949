import t from 'tap'
import type { Failure } from './fixtures/history.ts'
import { played } from './fixtures/play.ts'

/** `SIMULATION_HISTORIES` for more, `SIMULATION_SEED` to begin elsewhere. */
const COUNT = Number(process.env['SIMULATION_HISTORIES'] ?? 20_000)
const FIRST = Number(process.env['SIMULATION_SEED'] ?? 1)
/** Everything below must have come once in so many histories. */
const SELDOM = 5_000

/** What the histories must have been through for their silence to mean anything. */
const REACHED = [
  ...['crash before a commit', 'crash after a commit', 'crash between turns', 'clock jumps'],
  ...['crash in the middle of its effects', 'dayOpened', 'disconnected', 'killSwitchSet'],
  ...['orderSubmitted', 'orderDenied', 'orderAdopted', 'dealBooked', 'orderWarned'],
  ...['accept', 'reject', 'requestCancel', 'refuseCancel', 'doubt', 'absent'],
  ...['orderQuarantined', 'doubtDecided', 'sent again', 'reorderDropped', 'batchPlaced'],
  ...['fault: hang', 'fault: fail', 'fault: disconnect', 'fault: disconnect, sent'],
  ...['fault: restart', 'fault: lose', 'fault: twice', 'fault: late', 'fault: swap'],
  ...['fault: instead', 'replayed', 'refused: IDEMPOTENCY_MISMATCH', 'refused: KILL_SWITCH'],
  ...['refused: BUY_NOT_ALLOWED', 'refused: NOT_CONNECTED', 'answered: executeSell'],
]

/** The shortest list of moves that still breaks the rule. */
function story({ seed, why, moves }: Failure): string {
  const list = moves.map(({ kind, a, b }) => `  ${kind} ${a} ${b}`).join('\n')
  return `seed ${seed}, ${moves.length} moves\n${list}\n${why}`
}

t.test(
  'whatever breaks: one order per client id, each deal booked once, nothing lost, both books equal',
  { timeout: 1_800_000 },
  async (t) => {
    const half = Math.ceil(COUNT / 2)
    const halves = await Promise.all([
      played({ from: FIRST, count: half }),
      played({ from: FIRST + half, count: COUNT - half }),
    ])
    for (const { failure } of halves) {
      if (failure !== undefined) t.comment(story(failure))
      t.equal(failure?.why, undefined)
    }
    for (const what of REACHED) {
      const count = halves.reduce((sum, { tally }) => sum + (tally.get(what) ?? 0), 0)
      t.ok(count >= Math.floor(COUNT / SELDOM), `${what}: ${count}`)
    }
  },
)
