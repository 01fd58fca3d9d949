import t from 'tap'
import { SteadyClock } from '../../../actors/account/timers.ts'
import { type Bench, holder, ORDER, policy, refusals, set } from '../fixture.ts'

const { clockStopMs } = policy.limits
const jump = (bench: Bench, jumpMs: number, isMarketMoved = true) =>
  bench.input({ kind: 'clockJumped', jumpMs, isMarketMoved })
const alarms = (effects: ReturnType<Bench['input']>) =>
  effects.filter((effect) => effect.kind === 'log' && effect.level === 'error').length

const JUMPS: readonly (readonly [string, number, boolean, string])[] = [
  ['a small one is told and stops nothing', 1_500, true, 'off'],
  ['one just below the limit', clockStopMs - 1, true, 'off'],
  ['a large one keeps purchases back', clockStopMs, true, 'entries'],
  ['back is as bad as forward', -clockStopMs, true, 'entries'],
  ['a replay does not live by the clock that jumped', 86_400_000, false, 'off'],
]
for (const [name, jumpMs, isMarketMoved, level] of JUMPS) {
  t.test(`F17 a jump of the clock: ${name}`, async (t) => {
    const bench = holder()
    t.ok(alarms(jump(bench, jumpMs, isMarketMoved)) > 0, 'a person is told')
    t.equal(bench.state.killSwitch.level, level)
    t.strictSame(refusals(bench.place(ORDER)), level === 'off' ? [] : ['KILL_SWITCH'])
    t.strictSame(refusals(bench.place({ key: `${ORDER.key.slice(0, -1)}X`, side: 'sell' })), [])
  })
}

t.test('F17 a level that a person has set higher stays where it is', async (t) => {
  const bench = holder()
  set(bench, 'all')
  jump(bench, clockStopMs)
  t.match(bench.state.killSwitch, { level: 'all', source: 'operator' })
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
    t.strictSame([steady.nowMs(), steady.takeJumpMs()], [1_000_250, 0])
    pass(250, 3_600_000)
    t.strictSame([steady.nowMs(), steady.takeJumpMs()], [1_000_500, 3_600_000])
    t.equal(steady.takeJumpMs(), 0, 'told once')
    pass(1_000, -7_200_000)
    t.strictSame([steady.nowMs(), steady.takeJumpMs()], [1_001_500, -7_200_000])
    for (let i = 0; i < 1_000; i++) {
      pass(1_000, 1)
      t.equal(steady.takeJumpMs(), 1, 'drift is no jump')
    }
  },
)
