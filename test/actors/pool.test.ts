import t, { type Test } from 'tap'
import { Pool } from '../../actors/pool/pool.ts'
import { ServiceError } from '../../src/domain/errors.ts'
import { heard } from '../in-time.ts'

const WORKER = 'test/actors/fixtures/sum.worker.ts'
const LIMITS = { threadsMax: 1, queueMax: 1, idleMs: 60_000, heapMb: 64, progressMs: 5 }

function pool(t: Test): Pool {
  const threads = new Pool(LIMITS)
  t.teardown(() => threads.close())
  return threads
}
const isCode = (code: string) => (error: unknown) =>
  error instanceof ServiceError && error.code === code

t.test('work is done in a thread and tells how far it has come', async (t) => {
  const seen: [number, number][] = []
  const onProgress = (done: number, total: number) => seen.push([done, total])
  t.equal(await pool(t).run(WORKER, { numbers: [1, 2, 3] }, { onProgress }), 6)
  t.strictSame(seen.at(-1), [3, 3], 'the last look is after the end')
})

t.test('an expected failure keeps its code, a bug its message', async (t) => {
  const threads = pool(t)
  t.ok(await threads.run(WORKER, { refuse: 'no' }).catch(isCode('CONFLICT')))
  await t.rejects(threads.run(WORKER, { fail: 'broken' }), { message: 'broken' })
})

t.test(
  'work that never ends is ended by its signal or its time, and the next one goes on',
  async (t) => {
    const threads = pool(t)
    const abort = new AbortController()
    const spinning = threads.run(
      WORKER,
      { spin: true, numbers: [1] },
      {
        signal: abort.signal,
        onProgress: (done) => done === 1 && abort.abort(new ServiceError('CONFLICT', 'canceled')),
      },
    )
    t.ok(await spinning.catch(isCode('CONFLICT')))
    const late = threads.run(WORKER, { spin: true }, { timeoutMs: 20 })
    t.ok(await late.catch(isCode('DEADLINE_EXCEEDED')))
    t.equal(await threads.run(WORKER, { numbers: [4] }), 4)
  },
)

t.test('more work than may wait is refused at once', async (t) => {
  const threads = pool(t)
  const abort = new AbortController()
  const { promise: begun, resolve } = Promise.withResolvers<void>()
  const first = threads.run(
    WORKER,
    { spin: true, numbers: [1] },
    {
      signal: abort.signal,
      onProgress: (done) => done === 1 && resolve(),
    },
  )
  await begun
  const second = threads.run(WORKER, { numbers: [2] })
  t.ok(await threads.run(WORKER, { numbers: [3] }).catch(isCode('OVERLOADED')))
  abort.abort(new Error('enough'))
  await t.rejects(first, { message: 'enough' })
  t.equal(await second, 2, 'what waited is done')
})

t.test('a heap that is too small ends the work and not the service', async (t) => {
  const threads = pool(t)
  t.ok(await threads.run(WORKER, { grow: true }).catch(isCode('OVERLOADED')))
  t.equal(await threads.run(WORKER, { numbers: [1] }), 1)
})

t.test('closing ends what runs', async (t) => {
  const threads = new Pool(LIMITS)
  const started = new EventTarget()
  const running = threads.run(
    WORKER,
    { spin: true, numbers: [1] },
    {
      onProgress: (done) => done === 1 && started.dispatchEvent(new Event('begun')),
    },
  )
  const refused = running.catch(isCode('STOPPING'))
  await heard(started, 'begun')
  await threads.close()
  t.ok(await refused)
})
