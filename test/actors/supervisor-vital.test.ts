import t from 'tap'
import { turnsUntil } from '../in-time.ts'
import type { Fault } from '../runtime/fixtures/actor.thread.ts'
import { HEARTBEAT, isLateness, newAlarm, system } from './supervised.ts'

const ENDS: readonly (readonly [Fault, RegExp])[] = [
  ['throw', /^store ended: planted error$/],
  ['exit', /^store ended: exit code 3$/],
  ['wait', /^store hangs/],
]
for (const [fault, reason] of ENDS) {
  t.test(
    `the fault "${fault}" of a vital actor is fatal, and it is never terminated`,
    async (t) => {
      const { supervisor, fatal, log, vital } = system()
      const thread = await supervisor.startVital(vital('store', 0))
      let hasExited = false
      void thread.exited.then(() => {
        hasExited = true
      })
      thread.control({ kind: 'fault', fault })
      t.match(await fatal, reason)
      t.equal(hasExited, fault !== 'wait')
      t.match(log.at(-1), { level: 'error', fields: { alert: 'process_fatal', reason } })
      await supervisor.stopAll()
      if (fault === 'wait') await thread.terminate() // this test only: nothing native is in there
    },
  )
}

t.test(
  'F465 a vital actor that stands in a write of the disk does not hang, and later it does',
  async (t) => {
    const heartbeat = { ...HEARTBEAT, timeoutMs: 500, patienceMs: 1_000 }
    const { supervisor, board, fatal, vital, actor } = system({ heartbeat })
    const { alarm, isAsleep } = newAlarm() // which nobody rings
    const thread = await supervisor.startVital(vital('paper', 0, { alarm }))
    const one = actor('account/1', 1, { faults: (life) => (life <= 2 ? { alarm } : {}) })
    await supervisor.startChild(one.spec)
    const told: string[] = []
    void fatal.then((reason) => told.push(reason))
    board.setAtDisk(0, true)
    thread.control({ kind: 'fault', fault: 'nap' })
    await turnsUntil(isAsleep, 'the sleep of the vital actor')
    // Who was silent no longer than this was found twice, and has begun anew.
    for (let times = 0; times < 2; times += 1) {
      const up = one.next('up')
      supervisor.fault('account/1', 'nap')
      await up
    }
    t.strictSame(told, [])
    board.setAtDisk(0, false)
    t.match(await fatal, /^paper hangs/)
    await thread.terminate()
    await supervisor.stopAll()
  },
)

const STARTS = [
  ['throw', /^planted error at start$/],
  ['silence', /^store did not become ready in time/],
] as const
for (const [atStart, message] of STARTS) {
  t.test(`a vital actor that fails to start by "${atStart}" rejects the start`, async (t) => {
    const heartbeat = { ...HEARTBEAT, startTimeoutMs: 5_000, startPatienceMs: 8_000 }
    const { supervisor, log, vital } = system(atStart === 'silence' ? { heartbeat } : {})
    const spec = vital('store', 0, { atStart })
    await t.rejects(supervisor.startVital(spec), { message })
    t.strictSame(
      log.filter((line) => !isLateness(line)),
      [],
      'whoever starts it decides',
    )
    await supervisor.stopAll()
  })
}

t.test(
  'children stop before vital actors, and those in reverse order of their start',
  async (t) => {
    const { supervisor, board, vital, actor } = system()
    const order: string[] = []
    for (const [slot, name] of ['store', 'market'].entries()) {
      const thread = await supervisor.startVital(vital(name, slot + 2))
      void thread.exited.then(({ code }) => order.push(`${name} ${code}`))
    }
    const child = actor('account/1', 1)
    void child.next('down').then(() => order.push('account/1'))
    await supervisor.startChild(child.spec)
    t.equal(board.status(2), 'ready')
    await supervisor.stopAll()
    t.strictSame(order, ['account/1', 'market 0', 'store 0'])
    t.equal(board.status(2), 'stopped')
  },
)

for (const atStop of ['silence', 'throw'] as const) {
  t.test(`a vital actor that fails to stop by "${atStop}" is fatal`, async (t) => {
    const { supervisor, fatal, vital } = system()
    const thread = await supervisor.startVital(vital('store', 0, { atStop }))
    await supervisor.stopAll()
    t.match(await fatal, atStop === 'throw' ? /^store ended: planted/ : /^store does not stop/)
    if (atStop === 'silence') await thread.terminate()
  })
}
