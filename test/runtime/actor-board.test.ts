import { Worker } from 'node:worker_threads'
import fc from 'fast-check'
import t from 'tap'
import { ACTOR_STATUS, ActorBoard, createActorBoard } from '../../src/runtime/actor-board.ts'
import { heard } from '../in-time.ts'

const newBoard = (): ActorBoard => new ActorBoard(createActorBoard(3))

t.test('each slot has words of its own, and every thread sees the same ones', async (t) => {
  const board = newBoard()
  const elsewhere = new ActorBoard(board.memory)
  t.equal(board.slots, 3)
  for (const status of ACTOR_STATUS) {
    board.setStatus(1, status)
    t.equal(elsewhere.status(1), status)
  }
  board.setConnected(2, true)
  t.equal(board.nextIncarnation(1), 1)
  t.equal(elsewhere.nextIncarnation(1), 2)
  t.equal(board.bumpVersion(0), 1)
  board.beat(0)
  const rows = [0, 1, 2].map((slot) => [
    elsewhere.status(slot),
    elsewhere.connected(slot),
    elsewhere.incarnation(slot),
    elsewhere.version(slot),
    elsewhere.heartbeat(slot),
  ])
  t.strictSame(rows, [
    ['stopped', false, 0, 1, 1],
    ['suspended', false, 2, 0, 0],
    ['stopped', true, 0, 0, 0],
  ])
})

t.test('it is quiet when every message has ended, wherever it was sent', async (t) => {
  const board = newBoard()
  t.ok(board.isQuiet())
  board.begin(1)
  board.begin(2)
  board.end(1)
  t.notOk(board.isQuiet())
  board.end(2)
  t.ok(board.isQuiet())
  board.end(2)
  board.begin(1)
  t.notOk(board.isQuiet(), 'an end without a beginning is not credit')
})

t.test(
  'what only waits for the disk is decided, but it is not quiet before it is there',
  async (t) => {
    const board = newBoard()
    const generation = board.generation(1)
    board.begin(1, generation)
    t.notOk(board.isDecided())
    board.beginSave(1, generation)
    board.end(1, generation)
    t.ok(board.isDecided())
    t.notOk(board.isQuiet())
    const quiet = board.untilQuiet(10_000)
    t.equal(await board.untilDecided(10_000), true)
    board.endSave(1, generation)
    t.equal(await quiet, true)
    board.endSave(1, generation)
    board.beginSave(1, generation)
    t.notOk(board.isQuiet(), 'an end without a beginning is not credit')
    board.forgiveInFlight()
    t.ok(board.isQuiet())
  },
)

t.test('what an actor that died was saving is waited for no longer', async (t) => {
  const board = newBoard()
  const before = board.generation(1)
  board.beginSave(1, before)
  board.beginSave(1, before)
  board.resetInFlight(1, 0)
  t.ok(board.isQuiet())
  board.beginSave(1, before)
  t.ok(board.isQuiet(), 'its last word came too late')
  const now = board.generation(1)
  board.beginSave(1, now)
  board.endSave(1, before)
  t.notOk(board.isQuiet())
  board.endSave(1, now)
  t.ok(board.isQuiet())
})

t.test('a reset forgets what was in flight to one actor only', async (t) => {
  const board = newBoard()
  for (const slot of [1, 1, 1, 2]) board.begin(slot)
  board.resetInFlight(1, 1)
  board.end(2)
  t.notOk(board.isQuiet(), 'it starts')
  board.end(1)
  t.ok(board.isQuiet(), 'it is ready')
  board.begin(1)
  board.resetInFlight(1, 0)
  t.ok(board.isQuiet(), 'it stays away')
  board.resetInFlight(1, 1)
  board.resetInFlight(1, 1)
  board.end(1)
  t.ok(board.isQuiet(), 'a reset does not add up')
})

t.test('what is sent or ended on a line that died is not counted on the next one', async (t) => {
  const board = newBoard()
  const before = board.generation(1)
  t.equal(board.begin(1, before), true)
  board.resetInFlight(1, 0)
  t.equal(board.begin(1, before), false)
  t.ok(board.isQuiet())
  const now = board.generation(1)
  t.equal(board.begin(1, now), true)
  board.end(1, before)
  t.notOk(board.isQuiet())
  board.end(1, now)
  t.ok(board.isQuiet())
})

t.test('generations go round and the count survives it', async (t) => {
  const board = newBoard()
  const seen = new Set<number>()
  for (let i = 0; i < 5_000; i++) {
    board.resetInFlight(1, 1)
    seen.add(board.generation(1))
  }
  t.equal(seen.size, 4_096)
  t.notOk(board.isQuiet())
  board.end(1)
  t.ok(board.isQuiet())
})

t.test(
  'untilQuiet resolves at once when it is quiet, and when the last message ends',
  async (t) => {
    const board = newBoard()
    await board.untilQuiet()
    board.begin(1)
    board.begin(2)
    let isQuiet = false
    const quiet = board.untilQuiet().then(() => {
      isQuiet = true
    })
    board.end(1)
    await new Promise((resolve) => setImmediate(resolve))
    t.notOk(isQuiet)
    const alive = setInterval(() => undefined, 1_000)
    board.resetInFlight(2, 0)
    await quiet
    clearInterval(alive)
  },
)

t.test('whatever happens, the total is the sum of what a plain model counts', async () => {
  const slot = fc.integer({ min: 0, max: 2 })
  const step = fc.oneof(
    fc.record({ kind: fc.constantFrom('begin', 'end'), slot }),
    fc.record({ kind: fc.constantFrom('reset-0', 'reset-1'), slot }),
  )
  fc.assert(
    fc.property(fc.array(step, { maxLength: 100 }), (steps) => {
      const board = newBoard()
      const model = [0, 0, 0]
      return steps.every(({ kind, slot }) => {
        const count = model[slot] ?? 0
        if (kind === 'begin') board.begin(slot)
        else if (kind === 'end') board.end(slot)
        else board.resetInFlight(slot, kind === 'reset-0' ? 0 : 1)
        const next = { begin: count + 1, end: Math.max(0, count - 1), 'reset-0': 0, 'reset-1': 1 }
        model[slot] = next[kind as keyof typeof next]
        return board.isQuiet() === model.every((inFlight) => inFlight === 0)
      })
    }),
  )
})

t.test('threads that count at the same time lose nothing', async (t) => {
  const { memory } = newBoard()
  const source = `
    import { workerData } from 'node:worker_threads'
    const { ActorBoard } = await import(workerData.module)
    const board = new ActorBoard(workerData.memory)
    for (let i = 0; i < 20_000; i++) board.begin(1)
    for (let i = 0; i < 20_000; i++) board.end(1)`
  const module = new URL('../../src/runtime/actor-board.ts', import.meta.url).href
  const url = new URL(`data:text/javascript,${encodeURIComponent(source)}`)
  const board = new ActorBoard(memory)
  board.begin(1)
  const workers = [1, 2].map(() => new Worker(url, { workerData: { memory, module } }))
  await Promise.all(workers.map((worker) => new Promise((resolve) => worker.on('exit', resolve))))
  t.notOk(board.isQuiet())
  board.end(1)
  t.ok(board.isQuiet())
})

t.test(
  'who waits without a turn sees the end in another thread, and is let go when none comes',
  async (t) => {
    const { memory } = newBoard()
    const board = new ActorBoard(memory)
    t.equal(board.isDecidedWithin(0), true, 'nothing is in flight')
    board.begin(1)
    t.equal(board.isDecidedWithin(0), false)
    t.equal(board.isDecidedWithin(5), false)
    const source = `
    import { workerData } from 'node:worker_threads'
    const { ActorBoard } = await import(workerData.module)
    const board = new ActorBoard(workerData.memory)
    board.begin(2)
    board.end(1)
    setTimeout(() => board.end(2), 20)`
    const module = new URL('../../src/runtime/actor-board.ts', import.meta.url).href
    const url = new URL(`data:text/javascript,${encodeURIComponent(source)}`)
    const worker = new Worker(url, { workerData: { memory, module } })
    const exited = heard(worker, 'exit') // a short life may be over when its beginning is told
    await heard(worker, 'online')
    t.equal(board.isDecidedWithin(30_000), true, 'what one message led to was waited for too')
    await exited
  },
)

t.test(
  'who waits without a turn works off what there is to do meanwhile, and no more',
  async (t) => {
    const board = newBoard()
    let left = 3
    const work = () => left-- > 0
    t.equal(board.isDecidedWithin(1_000, work), true)
    t.equal(left, 3, 'nobody was waited for')
    board.begin(1)
    t.equal(board.isDecidedWithin(5, work), false)
    t.ok(left < 0, 'all of it is done')
    left = Number.POSITIVE_INFINITY
    t.equal(
      board.isDecidedWithin(5, work),
      false,
      'work without an end is no reason to wait longer',
    )
    const ends = () => {
      board.end(1)
      return true
    }
    t.equal(board.isDecidedWithin(1_000, ends), true)
  },
)
