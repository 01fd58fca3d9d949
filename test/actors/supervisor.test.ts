import t from 'tap'
import type { Fault } from '../runtime/fixtures/actor.thread.ts'
import { type Actor, type ActorSystem, HEARTBEAT, isLateness, system } from './supervised.ts'

/** The start timeout is short where its passing is the test, and long where starts must succeed. */
/** Only where a start does hang: a busy computer takes a second for a good one. */
const QUICK_START = { heartbeat: { ...HEARTBEAT, startTimeoutMs: 5_000, startPatienceMs: 8_000 } }

t.test('a started child serves, and its board row says so', async (t) => {
  const { supervisor, board, actor } = system()
  const one = actor('account/1', 1)
  await supervisor.startChild(one.spec)
  t.equal(await one.ask(), 1)
  t.strictSame(one.story, ['up'])
  t.equal(supervisor.status('account/1'), 'ready')
  t.equal(board.incarnation(1), 1)
  t.ok(board.isQuiet(), 'it has ended the message that stood for its start')
  await supervisor.stopAll()
  t.equal(supervisor.status('account/1'), 'stopped')
  t.strictSame(one.story, ['up', 'down: stopped'])
  t.notOk(board.connected(1))
  t.ok(board.isQuiet())
})

const ENDS: readonly (readonly [Fault, RegExp])[] = [
  ['throw', /planted error/],
  ['reject', /planted rejection/],
  ['exit', /it exited with code 3/],
  ['memory', /memory limit/],
  ['loop', /its heartbeat stopped/],
  ['wait', /its heartbeat stopped/],
]
for (const [fault, reason] of ENDS) {
  t.test(`a child with the fault "${fault}" is restarted alone`, async (t) => {
    const { supervisor, board, log, actor } = system()
    const [bad, good] = [actor('account/1', 1), actor('account/2', 2)]
    await Promise.all([bad, good].map(({ spec }) => supervisor.startChild(spec)))
    const held = t.rejects(bad.ask('hold'), { code: 'ACTOR_RESTARTING' })
    await bad.ask()
    const down = bad.next('down')
    supervisor.fault('account/1', fault)
    await Promise.all([held, down]) // an open ask ends with its actor, long before its deadline
    t.equal(supervisor.status('account/1'), 'restarting')
    t.notOk(board.isQuiet(), 'an exact replay waits for its return')
    t.ok((await answersUntil(good, bad.next('up'))) > 0, 'the other one answers meanwhile')
    t.equal(await bad.ask(), 2)
    t.equal(await good.ask(), 1)
    t.strictSame(good.story, ['up'])
    t.match(bad.story, ['up', reason, 'up'])
    const crash = { level: 'warn', fields: { actor: 'account/1', reason, incarnation: 1 } }
    t.match(
      log.filter((line) => line.level !== 'info' && !isLateness(line)),
      [crash],
    )
    t.ok(board.isQuiet())
    await supervisor.stopAll()
  })
}

/** Asks without pause until `done`; every ask must be answered. */
async function answersUntil(actor: Actor, done: Promise<void>): Promise<number> {
  let isDone = false
  void done.then(() => {
    isDone = true
  })
  let answers = 0
  for (; !isDone; answers++) await actor.ask()
  return answers
}

t.test('too many crashes suspend that child only, with an alert', async (t) => {
  const { supervisor, board, log, actor } = system()
  const bad = actor('account/1', 1, { faults: () => ({ atStart: 'throw' }) })
  const good = actor('account/2', 2)
  await Promise.all([bad, good].map(({ spec }) => supervisor.startChild(spec)))
  t.equal(supervisor.status('account/1'), 'suspended')
  t.equal(board.incarnation(1), 4, 'the first start and the three restarts of its policy')
  t.equal(bad.story.at(-1), 'suspended: Error: planted error at start')
  t.match(log.at(-1), { level: 'error', fields: { alert: 'actor_suspended', crashesInPeriod: 4 } })
  t.ok(board.isQuiet(), 'nobody waits for it')
  t.equal(await good.ask(), 1)
  t.throws(() => supervisor.fault('account/1', 'throw'), /not running/)
  await supervisor.stopAll()
  t.equal(supervisor.status('account/1'), 'stopped')
})

t.test(
  'an operator brings back a suspended child, and its earlier crashes are forgotten',
  async (t) => {
    const { supervisor, actor } = system()
    const isBad = (incarnation: number): boolean => incarnation <= 4 || incarnation === 6
    const faults = (incarnation: number) =>
      isBad(incarnation) ? ({ atStart: 'exit' } as const) : {}
    const one = actor('account/1', 1, { faults })
    await supervisor.startChild(one.spec)
    t.equal(supervisor.status('account/1'), 'suspended')
    const up = one.next('up')
    await supervisor.restartChild('account/1')
    await up
    const again = one.next('up')
    supervisor.fault('account/1', 'throw')
    await again
    t.equal(await one.ask(), 7, 'two more crashes were tolerated')
    await supervisor.stopAll()
  },
)

const STARTS = [
  ['throw', /planted error at start/],
  ['exit', /exited with code 4/],
  ['loop', /it did not become ready in time/],
  ['silence', /it did not become ready in time/],
] as const
for (const [atStart, reason] of STARTS) {
  t.test(`a start that fails by "${atStart}" is a crash like any other`, async (t) => {
    const hangs = atStart === 'loop' || atStart === 'silence'
    const { supervisor, actor } = system(hangs ? QUICK_START : {})
    const one = actor('account/1', 1, { faults: (life) => (life === 1 ? { atStart } : {}) })
    await supervisor.startChild(one.spec)
    t.match(one.story, [reason, 'up'])
    t.equal(await one.ask(), 2)
    await supervisor.stopAll()
  })
}

t.test('F123 a child that serves and hangs before it is ready is found by its heart', async (t) => {
  const { supervisor, actor } = system() // whose starts have a minute
  const one = actor('account/1', 1, {
    faults: (life) => (life === 1 ? { atStart: 'warm-up' } : {}),
  })
  const [down, up] = [one.next('down'), one.next('up')]
  const started = supervisor.startChild(one.spec)
  t.equal(await one.ask(), 1, 'it answers')
  supervisor.fault('account/1', 'loop')
  await down
  await up
  await started
  t.match(one.story, [/^down: its heartbeat stopped/, 'up'])
  await supervisor.stopAll()
})

t.test('a child whose preparation throws is restarted, then suspended', async (t) => {
  const { supervisor, actor } = system()
  const one = actor('account/1', 1, {
    faults: () => {
      throw new Error('no port for you')
    },
  })
  await supervisor.startChild(one.spec)
  t.match(one.story.at(-1), /suspended: .*no port for you/)
  await supervisor.stopAll()
})

t.test('a restart asked for at any moment ends in one running actor', async (t) => {
  const moments: readonly ((system: ActorSystem, one: Actor) => Promise<void> | void)[] = [
    () => undefined,
    ({ supervisor }) => supervisor.restartChild('account/1'), // while it is restarting
    ({ supervisor }) => supervisor.fault('account/1', 'throw'), // crashes while it stops
    ({ supervisor }) => supervisor.fault('account/1', 'loop'), // does not hear the stop
  ]
  const home = system()
  const { supervisor, board } = home
  const one = home.actor('account/1', 1)
  await supervisor.startChild(one.spec)
  for (const moment of moments) {
    const before = board.incarnation(1)
    const up = one.next('up')
    const down = one.next('down')
    const meanwhile = moment(home, one)
    await supervisor.restartChild('account/1')
    await Promise.all([meanwhile, down, up])
    t.equal(await one.ask(), before + 1)
    t.equal(supervisor.status('account/1'), 'ready')
    t.ok(board.isQuiet())
  }
  await supervisor.stopAll()
})

t.test('a stop asked for at any moment ends in rest', async (t) => {
  const moments: readonly ((system: ActorSystem) => Promise<void> | void)[] = [
    () => undefined,
    ({ supervisor }) => supervisor.restartChild('account/1'),
    ({ supervisor }) => supervisor.fault('account/1', 'throw'),
    ({ supervisor }) => supervisor.fault('account/1', 'loop'),
  ]
  const home = system()
  const { supervisor, board } = home
  for (const moment of moments) {
    const one = home.actor('account/1', 1)
    await supervisor.startChild(one.spec)
    await moment(home)
    await supervisor.stopChild('account/1')
    t.equal(supervisor.status('account/1'), 'stopped')
    t.equal(one.story.filter((word) => word.startsWith('down')).length, 1, 'told once')
    t.notOk(board.connected(1))
    t.ok(board.isQuiet())
  }
  await supervisor.stopAll()
})

t.test('a stop ends the back-off of a crashed child, and a start that is under way', async (t) => {
  const { supervisor, board, actor } = system()
  const slow = { backoffMsMin: 60_000, backoffMsMax: 60_000 }
  const crashed = actor('account/1', 1, { policy: slow, faults: () => ({ atStart: 'throw' }) })
  const starting = actor('account/2', 2, { faults: () => ({ atStart: 'loop' }) })
  const down = crashed.next('down')
  const started = [crashed, starting].map(({ spec }) => supervisor.startChild(spec))
  await down
  t.equal(supervisor.status('account/1'), 'restarting')
  await supervisor.stopAll()
  await Promise.all(started)
  t.equal(supervisor.status('account/1'), 'stopped')
  t.equal(supervisor.status('account/2'), 'stopped')
  t.equal(board.incarnation(1), 1)
  t.ok(board.isQuiet())
})

t.test('an operator need not wait for the back-off', async (t) => {
  const { supervisor, actor } = system()
  const policy = { backoffMsMin: 60_000, backoffMsMax: 60_000 }
  const faults = (incarnation: number) => (incarnation === 1 ? ({ atStart: 'throw' } as const) : {})
  const one = actor('account/1', 1, { policy, faults })
  const down = one.next('down')
  const started = supervisor.startChild(one.spec)
  await down
  await supervisor.restartChild('account/1')
  await started
  t.equal(await one.ask(), 2)
  await supervisor.stopAll()
})

t.test('a child that ignores the request to stop is terminated', async (t) => {
  const { supervisor, actor } = system()
  const one = actor('account/1', 1, { faults: () => ({ atStop: 'silence' }) })
  await supervisor.startChild(one.spec)
  await supervisor.stopChild('account/1')
  t.equal(supervisor.status('account/1'), 'stopped')
  await supervisor.stopAll()
})

t.test('a name and a slot belong to one child at a time', async (t) => {
  const { supervisor, actor } = system()
  const one = actor('account/1', 1)
  await supervisor.startChild(one.spec)
  await t.rejects(supervisor.startChild(actor('account/1', 2).spec), /belongs to account\/1/)
  await t.rejects(supervisor.startChild(actor('account/2', 1).spec), /belongs to account\/1/)
  await supervisor.stopChild('account/1')
  const two = actor('account/2', 1)
  await supervisor.startChild(two.spec)
  t.equal(await two.ask(), 2, 'incarnations of a slot only rise')
  t.throws(() => supervisor.status('account/1'), { code: 'UNKNOWN_ACCOUNT' })
  await t.rejects(supervisor.restartChild('account/1'), { code: 'UNKNOWN_ACCOUNT' })
  await t.rejects(supervisor.stopChild('account/1'), { code: 'UNKNOWN_ACCOUNT' })
  await supervisor.stopAll()
  await t.rejects(supervisor.startChild(one.spec), { code: 'STOPPING' })
  await t.rejects(supervisor.restartChild('account/2'), { code: 'STOPPING' })
  await t.rejects(supervisor.startVital(undefined as never), { code: 'STOPPING' })
})
