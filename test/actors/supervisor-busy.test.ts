import t, { type Test } from 'tap'
import { startHogs } from '../../bench/kit/hogs.ts'
import { ProcessorTimes } from '../../src/runtime/processor-times.ts'
import { inTime, turnsUntil } from '../in-time.ts'
import type { Fault } from '../runtime/fixtures/actor.thread.ts'
import { HEARTBEAT, type LogLine, newAlarm, system } from './supervised.ts'

/** A computer whose processors never have a moment for anybody. */
const busy = () => new ProcessorTimes({ processors: 0, idleMs: () => 0, ownMs: () => 0 })
/** One that always has some left. */
const free = () => new ProcessorTimes({ processors: 8, idleMs: () => undefined, ownMs: () => 0 })
/** Whoever is found so is found by what it has done, and by nobody's patience. */
const SOON = { heartbeat: { ...HEARTBEAT, timeoutMs: 500, patienceMs: 120_000 } }
/** Longer than a busy computer keeps silent who does not nap; and nobody's patience ends. */
const TOLD = { heartbeat: { ...HEARTBEAT, timeoutMs: 2_000, patienceMs: 120_000 } }
const IMPATIENT = { heartbeat: { ...HEARTBEAT, timeoutMs: 500, patienceMs: 1_000 } }
const LATE = { level: 'warn', message: /^an actor is late because the computer is busy/ } as const
/** Stopped at the end, whatever the test has come to. */
function begin(t: Test, ...how: Parameters<typeof system>): ReturnType<typeof system> {
  const begun = system(...how)
  t.teardown(() => begun.supervisor.stopAll())
  return begun
}
const warnings = (log: readonly LogLine[]) => log.filter(({ level }) => level !== 'info')
const untilWarned = (log: readonly LogLine[]) =>
  turnsUntil(() => warnings(log).length > 0, 'a word of the silence')

t.test('a child that a busy computer keeps silent is waited for', async (t) => {
  const { supervisor, log, actor } = begin(t, TOLD, busy())
  const { alarm, wake } = newAlarm()
  const one = actor('account/1', 1, { faults: () => ({ alarm }) })
  await supervisor.startChild(one.spec)
  supervisor.fault('account/1', 'nap')
  await untilWarned(log)
  wake()
  t.equal(await one.ask(), 1, 'it goes on where it was')
  t.strictSame(one.story, ['up'])
  t.match(warnings(log), [{ ...LATE, fields: { actor: 'account/1' } }], 'told once')
  t.equal(warnings(log).length, 1)
})

t.test(
  'F464 a start that waits for a store whose disk stands still is no hang, and one later is',
  async (t) => {
    let isLate = true
    const hasted = { heartbeat: { ...HEARTBEAT, startTimeoutMs: 500, startPatienceMs: 120_000 } }
    const { supervisor, log, actor } = begin(t, hasted, free(), () => isLate)
    const one = actor('account/1', 1, {
      faults: (life) => (life === 1 ? { atStart: 'silence' } : {}),
    })
    const started = supervisor.startChild(one.spec)
    await untilWarned(log)
    t.strictSame(one.story, [], 'nobody has ended it')
    const down = one.next('down').then(() => {
      isLate = true // the next one has all the time that a busy computer takes
    })
    isLate = false
    await down
    await started
    t.strictSame(one.story, ['down: it did not become ready in time', 'up'])
  },
)

t.test('the same silence beside a free processor is a hang', async (t) => {
  const { supervisor, actor } = begin(t, SOON, free())
  const { alarm } = newAlarm() // which nobody rings
  const one = actor('account/1', 1, { faults: () => ({ alarm }) })
  await supervisor.startChild(one.spec)
  const up = one.next('up')
  supervisor.fault('account/1', 'nap')
  await up
  t.strictSame(one.story, ['up', 'down: its heartbeat stopped', 'up'])
})

const FOUND: readonly (readonly [Fault, object, string])[] = [
  ['loop', SOON, 'down: its heartbeat stopped'],
  ['wait', IMPATIENT, 'down: its heartbeat stopped, on a computer that is too busy'],
]
for (const [fault, limits, word] of FOUND) {
  t.test(`a child with the fault "${fault}" is found on a busy computer too`, async (t) => {
    const { supervisor, actor } = begin(t, limits, busy())
    const one = actor('account/1', 1)
    await supervisor.startChild(one.spec)
    const up = one.next('up')
    supervisor.fault('account/1', fault)
    await up
    t.strictSame(one.story, ['up', word, 'up'])
  })
}

/** Long before a thread comes back from native code. */
const AT_ONCE = {
  heartbeat: { ...HEARTBEAT, timeoutMs: 100, patienceMs: 120_000 },
  terminateTimeoutMs: 200,
}

t.test('a child that a busy computer does not let end is waited for', async (t) => {
  const { supervisor, fatal, actor } = begin(t, AT_ONCE, busy())
  const one = actor('account/1', 1)
  await supervisor.startChild(one.spec)
  const up = one.next('up')
  supervisor.fault('account/1', 'native')
  await supervisor.restartChild('account/1')
  await up
  t.equal(await Promise.race([fatal, 'nothing']), 'nothing')
})

t.test('one that native code holds beside a free processor ends the process', async (t) => {
  const { supervisor, fatal, actor } = begin(t, AT_ONCE, free())
  const one = actor('account/1', 1)
  await supervisor.startChild(one.spec)
  supervisor.fault('account/1', 'native')
  const reason = 'account/1 cannot be terminated: native code holds its thread'
  t.equal(await inTime(fatal, 'the end'), reason)
})

t.test('a vital actor that a busy computer keeps silent ends nothing', async (t) => {
  const { supervisor, fatal, log, vital } = begin(t, TOLD, busy())
  const { alarm, wake } = newAlarm()
  const thread = await supervisor.startVital(vital('paper', 0, { alarm }))
  thread.control({ kind: 'fault', fault: 'nap' })
  await untilWarned(log)
  const stopped = supervisor.stopAll()
  wake() // only now: it finds that it is to stop
  await stopped
  t.match(warnings(log)[0], LATE)
  t.notMatch(await Promise.race([fatal, 'nothing']), /hangs/)
})

t.test('a vital actor that never comes back ends the process even so', async (t) => {
  const { supervisor, fatal, vital } = begin(t, IMPATIENT, busy())
  const thread = await supervisor.startVital(vital('paper', 0))
  thread.control({ kind: 'fault', fault: 'wait' })
  t.teardown(() => thread.terminate()) // this test only: nothing native is in there
  t.equal(await inTime(fatal, 'its end'), 'paper hangs, on a computer that is too busy')
})

t.test('one that computes beside busy processes is not taken for one that hangs', async (t) => {
  const endHogs = await startHogs(4, 60_000)
  t.teardown(endHogs)
  const { supervisor, fatal, actor, vital } = begin(t, {
    heartbeat: { ...HEARTBEAT, timeoutMs: 700, patienceMs: 30_000 },
  })
  const one = actor('account/1', 1)
  const thread = await supervisor.startVital(vital('paper', 0))
  await supervisor.startChild(one.spec)
  thread.control({ kind: 'fault', fault: 'work' })
  supervisor.fault('account/1', 'work')
  t.equal(await one.ask(), 1, 'it has done its work in the same life')
  t.strictSame(one.story, ['up'])
  await endHogs()
  await supervisor.stopAll()
  t.equal(await Promise.race([fatal, 'nothing']), 'nothing')
})
