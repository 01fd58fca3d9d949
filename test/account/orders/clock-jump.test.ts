import t from 'tap'
import { SteadyClock } from '../../../actors/account/timers.ts'
import { killSwitchFields } from '../../../src/account/answers/safety.ts'
import { Turn } from '../../../src/account/turn/turn.ts'
import { type Bench, holder, KEY, ORDER, refusals, set } from '../fixture.ts'
import { doubtful, doubtPoll, settle } from '../play.ts'

const DAY_MS = 86_400_000

/** The clock of the computer is that far off from now on; 0 = it is followed. */
function doubt(bench: Bench, offMs: number): void {
  const sinceMs = bench.nowMs
  const turnOf = bench.turn.bind(bench)
  bench.turn = () => {
    const { state, inputs } = turnOf()
    return new Turn(state, {
      ...inputs,
      clockDoubt: offMs === 0 ? undefined : { sinceMs, offMs },
    })
  }
}
const sell = { key: `${ORDER.key.slice(0, -1)}X`, side: 'sell' } as const

for (const offMs of [4 * DAY_MS, -4 * DAY_MS]) {
  t.test(
    `F17 a clock that is ${offMs} ms off keeps purchases back until it is right`,
    async (t) => {
      const bench = holder()
      doubt(bench, offMs)
      bench.input({ kind: 'clockDoubted', offMs })
      t.strictSame(refusals(bench.place(ORDER)), ['KILL_SWITCH'])
      t.strictSame(refusals(bench.place(sell)), [], 'protective sales go on')
      t.equal(bench.state.killSwitch.level, 'off', 'the level of the operator is not touched')
      t.match(killSwitchFields(bench.state, bench.turn().inputs), {
        level_in_force: 'entries',
        holds: [{ name: 'clock_jump', level: 'entries', since: '2026-08-11 10:00:00' }],
      })
      doubt(bench, 0)
      bench.input({ kind: 'clockTrusted', shiftMs: 0 })
      t.strictSame(killSwitchFields(bench.state, bench.turn().inputs).holds, [])
      t.strictSame(refusals(bench.place({ ...ORDER, key: `${ORDER.key.slice(0, -1)}Y` })), [])
      const told = bench.journal
        .map(({ event }) => event.kind)
        .filter((kind) => /^clock/.test(kind))
      t.strictSame(told, ['clockDoubted', 'clockTrusted'], 'both are in the journal')
    },
  )
}

t.test('F17 an account that starts in doubt writes that down', async (t) => {
  const bench = holder()
  doubt(bench, DAY_MS)
  bench.input({ kind: 'started', incarnation: 2, day: '2026-08-11' })
  t.match(bench.journal.at(-1)?.event, { kind: 'clockDoubted', offMs: DAY_MS })
})

t.test('F17 a level that a person has set higher stays where it is', async (t) => {
  const bench = holder()
  set(bench, 'all')
  doubt(bench, DAY_MS)
  t.match(bench.state.killSwitch, { level: 'all', source: 'operator' })
  t.strictSame(refusals(bench.place(sell)), ['KILL_SWITCH'])
})

t.test(
  'F17 durations follow the time that passes, whatever the clock on the wall shows',
  async (t) => {
    let [wallMs, passedMs] = [1_000_000, 5_000]
    const steady = new SteadyClock({ wallMs: () => wallMs, monotonicMs: () => passedMs })
    const pass = (ms: number, jumpMs = 0) => {
      wallMs += ms + jumpMs
      passedMs += ms
    }
    t.equal(steady.nowMs(), 1_000_000)
    pass(250)
    t.equal(steady.nowMs(), 1_000_250)
    pass(250, 3_600_000)
    t.equal(steady.nowMs(), 1_000_500)
    pass(1_000, -7_200_000)
    t.equal(steady.nowMs(), 1_001_500)
  },
)

t.test(
  'F17 while the clock is in doubt no list makes an order absent: it may be that of the next day',
  async (t) => {
    const bench = doubtful()
    doubt(bench, -DAY_MS)
    settle(bench)
    t.match(bench.state.orders.get(KEY), { status: 'inDoubt' })
    doubt(bench, 0)
    doubtPoll(bench)
    t.match(bench.state.orders.get(KEY), { status: 'rejected' })
  },
)
