import t, { type Test } from 'tap'
import { JobDesk, type JobDeskDeps } from '../../actors/jobs/job-desk.ts'
import { type JobCall, type JobKind, jobKind } from '../../actors/jobs/job-kind.ts'
import { Pool } from '../../actors/pool/pool.ts'
import { ServiceError } from '../../src/domain/errors.ts'
import { silentLogger } from '../../src/observability/logger.ts'
import type { JobOrder } from '../../src/protocol/job.ts'
import type { StoreControl } from '../../src/protocol/store.ts'
import { inTime, turnsUntil } from '../in-time.ts'

const LIMITS = {
  runningMax: 1,
  queueMax: 2,
  keptMax: 3,
  attemptsMax: 2,
  resultBytesMax: 1_000,
  saveEveryMs: 0,
}
const order = (input: unknown = {}): JobOrder => ({
  kind: 'held',
  accountId: 'A',
  place: 'gateway',
  input,
})

/** A kind whose jobs wait for the test. */
class Held {
  readonly calls: { call: JobCall; input: unknown; end: (result: unknown) => void }[] = []
  #begun: (() => void) | undefined

  readonly kind: JobKind = {
    kind: 'held',
    run: (input, call) =>
      new Promise((resolve, reject) => {
        call.signal.addEventListener('abort', () => reject(call.signal.reason))
        this.calls.push({ call, input, end: resolve })
        this.#begun?.()
      }),
  }

  async begun(count: number): Promise<void> {
    while (this.calls.length < count) {
      await new Promise<void>((resolve) => {
        this.#begun = resolve
      })
    }
  }
}

/** Records as the store keeps them, where it is not full. */
class Records {
  readonly rows = new Map<string, Uint8Array>()
  isFull = false

  readonly ask = async (request: StoreControl): Promise<unknown> => {
    if (this.isFull && request.kind === 'put') throw new ServiceError('DISK_FULL', 'no room')
    if (request.kind === 'get') return this.rows.get(request.key) ?? null
    if (request.kind === 'list') {
      const keys = [...this.rows.keys()].filter((key) => key.startsWith(request.prefix)).sort()
      return keys.map((key) => ({ key, value: this.rows.get(key) })).slice(0, request.limit)
    }
    if (request.kind !== 'put') throw new Error(request.kind)
    if (request.value === null) this.rows.delete(request.key)
    else this.rows.set(request.key, request.value)
    return null
  }
}

let serial = 0
function desk(records: Records, kinds: readonly JobKind[], changes: Partial<JobDeskDeps> = {}) {
  serial += 1
  const runner = { pid: serial, key: `process ${serial}` }
  return new JobDesk({
    kinds,
    pool: { run: () => Promise.reject(new Error('no pool')) },
    limits: LIMITS,
    records: records.ask as JobDeskDeps['records'],
    runner,
    isAlive: ({ key }) => key === runner.key,
    isOurs: () => true,
    nowMs: () => Date.now(),
    newId: () => `job ${String(++serial).padStart(6, '0')}`,
    log: silentLogger,
    ...changes,
  })
}

/** Until the job has ended. */
async function ended(jobs: JobDesk, id: string) {
  for (;;) {
    const found = await jobs.find(id)
    if (found !== undefined && !['queued', 'running'].includes(found.job.state)) return found
    await new Promise(setImmediate)
  }
}

t.test('jobs run one after the other and their results are kept', async (t) => {
  const held = new Held()
  const jobs = desk(new Records(), [held.kind])
  const first = await jobs.submit(order({ n: 1 }))
  const second = await jobs.submit(order({ n: 2 }))
  await held.begun(1)
  t.equal((await jobs.find(second.id))?.job.state, 'queued')
  held.calls[0]?.call.progress(2, 4)
  t.match(await jobs.find(first.id), { job: { state: 'running', done: 2, total: 4 }, result: null })
  held.calls[0]?.end({ rows: 5 })
  t.match(await ended(jobs, first.id), { job: { state: 'done', done: 4 }, result: { rows: 5 } })
  await held.begun(2)
  t.strictSame(held.calls[1]?.input, { n: 2 })
  held.calls[1]?.end(null)
  await ended(jobs, second.id)
  t.strictSame(
    (await jobs.list()).map(({ id }) => id),
    [second.id, first.id],
    'newest first',
  )
})

t.test('a job that waits and one that runs can be canceled', async (t) => {
  const held = new Held()
  const jobs = desk(new Records(), [held.kind])
  const first = await jobs.submit(order())
  const second = await jobs.submit(order())
  await held.begun(1)
  t.equal((await jobs.cancel(second.id)).state, 'canceled')
  t.equal((await jobs.cancel(first.id)).state, 'canceled')
  t.ok(held.calls[0]?.call.signal.aborted, 'its work is ended')
  held.calls[0]?.end('too late')
  t.match(await ended(jobs, first.id), { job: { state: 'canceled' }, result: null })
  await t.rejects(jobs.cancel('nobody'), { code: 'UNKNOWN_JOB' })
  t.equal(held.calls.length, 1, 'the one that waited was never begun')
})

t.test('the queue has an end', async (t) => {
  const held = new Held()
  const jobs = desk(new Records(), [held.kind])
  const asked = await Promise.allSettled([1, 2, 3, 4].map((n) => jobs.submit(order({ n }))))
  const refused = asked.filter(({ status }) => status === 'rejected')
  t.match(refused[0], { reason: { code: 'OVERLOADED' } })
  t.ok(refused.length >= 1)
})

t.test('a job that cannot be written down is refused, and waits in no queue', async (t) => {
  const held = new Held()
  const records = new Records()
  const jobs = desk(records, [held.kind])
  const first = await jobs.submit(order())
  await held.begun(1)
  records.isFull = true
  for (const n of [1, 2, 3]) await t.rejects(jobs.submit(order({ n })), { code: 'DISK_FULL' })
  records.isFull = false
  const wanted = await jobs.submit(order('wanted'))
  held.calls[0]?.end(null)
  await ended(jobs, first.id)
  await held.begun(2)
  t.equal(held.calls[1]?.input, 'wanted', 'none of those that were refused is done')
  held.calls[1]?.end(null)
  await ended(jobs, wanted.id)
  t.equal((await jobs.list()).length, 2)
})

t.test('the end of a job that cannot be written down is its end all the same', async (t) => {
  const held = new Held()
  const records = new Records()
  const jobs = desk(records, [held.kind])
  const canceled = await jobs.submit(order())
  await held.begun(1)
  records.isFull = true
  await t.rejects(jobs.cancel(canceled.id), { code: 'DISK_FULL' })
  t.ok(held.calls[0]?.call.signal.aborted, 'its work is ended')
  t.match(await jobs.find(canceled.id), { job: { state: 'canceled' } })
  t.match(await jobs.list(), [{ state: 'canceled' }])
  records.isFull = false
  t.match(await jobs.cancel(canceled.id), { state: 'canceled' }, 'and asked for again')
  t.match(await jobs.find(canceled.id), { job: { state: 'canceled' } })

  const done = await jobs.submit(order())
  await held.begun(2)
  records.isFull = true
  held.calls[1]?.end('of no use')
  t.match((await ended(jobs, done.id)).job.error, { code: 'DISK_FULL' }, 'no result can be kept')
  await t.rejects(jobs.cancel(done.id), { code: 'CONFLICT', message: /failed/ })
  records.isFull = false
  await jobs.close()
  const next = desk(records, [held.kind])
  await next.open()
  t.match(await next.list(), [{ state: 'failed' }, { state: 'canceled' }], 'written down at a stop')
  t.equal(held.calls.length, 2, 'neither is begun again')
})

t.test(
  'a failure keeps its code; a bug, a large result and a strange input fail alone',
  async (t) => {
    const fails = (kind: string, error: Error): JobKind => ({
      kind,
      run: () => Promise.reject(error),
    })
    const jobs = desk(new Records(), [
      fails('refused', new ServiceError('CONFLICT', 'not now')),
      fails('bug', new Error('broken')),
      { kind: 'large', run: async () => 'x'.repeat(2_000) },
      jobKind({
        kind: 'strange',
        input: { safeParse: () => ({ success: false, error: new Error('other') }) },
        run: async () => 0,
      }),
    ])
    const codes: string[] = []
    for (const kind of ['refused', 'bug', 'large', 'strange']) {
      const { job } = await ended(jobs, (await jobs.submit({ ...order(), kind })).id)
      codes.push(`${kind} ${job.state} ${job.error?.code}`)
    }
    t.strictSame(codes, [
      'refused failed CONFLICT',
      'bug failed INTERNAL',
      'large failed OVERLOADED',
      'strange failed INTERNAL',
    ])
  },
)

t.test(
  'what a process left is taken up by the next, and given up when it was begun too often',
  async (t) => {
    const records = new Records()
    const held = new Held()
    const first = desk(records, [held.kind])
    const { id } = await first.submit(order({ n: 1 }))
    await held.begun(1)
    const second = desk(records, [held.kind]) // the first one died: nobody closed it
    await second.open()
    await held.begun(2)
    t.match(await second.find(id), { job: { state: 'running', attempts: 2 } })
    const third = desk(records, [held.kind])
    await third.open()
    t.match(await ended(third, id), { job: { state: 'failed', attempts: 2 } })
  },
)

t.test('a stop in good order leaves its jobs to the next start', async (t) => {
  const records = new Records()
  const held = new Held()
  const first = desk(records, [held.kind])
  const { id } = await first.submit(order())
  await held.begun(1)
  await first.close()
  t.ok(held.calls[0]?.call.signal.aborted)
  await t.rejects(first.submit(order()), { code: 'STOPPING' })
  const second = desk(records, [held.kind])
  await second.open()
  await held.begun(2)
  held.calls[1]?.end('done')
  t.match(await ended(second, id), { job: { state: 'done', attempts: 1 }, result: 'done' })
})

t.test(
  'work that does not end when it is told to keeps neither the next job nor a stop',
  async (t) => {
    const begun: string[] = []
    const deaf: JobKind = {
      kind: 'held',
      run: (input) => {
        begun.push(String(input))
        return new Promise(() => undefined)
      },
    }
    const records = new Records()
    const jobs = desk(records, [deaf])
    const first = await jobs.submit(order('first'))
    await jobs.submit(order('second'))
    await turnsUntil(() => begun.length === 1, 'the first job to begin')
    await jobs.cancel(first.id)
    await turnsUntil(() => begun.length === 2, 'the second job to begin')
    await jobs.submit(order('third'))
    await inTime(jobs.close(), 'the desk to close')
    t.strictSame(begun, ['first', 'second'])
    const left = await desk(records, [deaf]).list()
    t.strictSame(
      left.map(({ state, attempts }) => [state, attempts]),
      [
        ['queued', 0],
        ['queued', 0],
        ['canceled', 1],
      ],
      'for the next life',
    )
  },
)

t.test('a start goes on where jobs of earlier processes cannot be read or written', async (t) => {
  const held = new Held()
  const records = new Records()
  const first = desk(records, [held.kind])
  const { id } = await first.submit(order())
  await first.close()
  const unread = desk(records, [held.kind], {
    records: () => Promise.reject(new ServiceError('DEADLINE_EXCEEDED', 'busy')),
  })
  await unread.open()
  records.isFull = true
  const unwritten = desk(records, [held.kind])
  await unwritten.open()
  t.match(await unwritten.find(id), { job: { state: /queued|running/ } }, 'it is taken up')
})

t.test('jobs of a living process are seen and left to it', async (t) => {
  const records = new Records()
  const held = new Held()
  const first = desk(records, [held.kind])
  const { id } = await first.submit(order())
  await held.begun(1)
  const other = desk(records, [held.kind], { isAlive: () => true })
  await other.open()
  t.equal(held.calls.length, 1)
  t.equal((await other.list())[0]?.id, id)
  await t.rejects(other.cancel(id), { code: 'CONFLICT' })
})

t.test('only so many ended jobs are kept, with their results', async (t) => {
  const records = new Records()
  const jobs = desk(records, [{ kind: 'held', run: async () => 1 }])
  for (let n = 0; n < 6; n++) await ended(jobs, (await jobs.submit(order())).id)
  await jobs.close()
  t.equal((await jobs.list()).length, LIMITS.keptMax)
  t.equal([...records.rows.keys()].length, 2 * LIMITS.keptMax)
})

t.test('a kind can be one worker file', async (t: Test) => {
  const pool = new Pool({ threadsMax: 1, queueMax: 1, idleMs: 60_000, heapMb: 64, progressMs: 5 })
  t.teardown(() => pool.close())
  const sum: JobKind = {
    kind: 'sum',
    run: (input, { inPool, progress }) =>
      inPool('test/actors/fixtures/sum.worker.ts', input, { onProgress: progress }),
  }
  const jobs = desk(new Records(), [sum], { pool })
  const { id } = await jobs.submit({ ...order({ numbers: [1, 2] }), kind: 'sum' })
  t.match(await ended(jobs, id), { job: { state: 'done', done: 2, total: 2 }, result: 3 })
})
