import t from 'tap'
import {
  cancelJob,
  failJob,
  finishJob,
  type JobBook,
  layDownJob,
  nextJob,
  outlivedJobs,
  progressJob,
  queueJob,
  startJob,
  takeUpJob,
  withJob,
} from '../../src/jobs/job-book.ts'
import type { Job, JobState } from '../../src/protocol/job.ts'

const RUNNER = { pid: 7, key: 'first' }
const OTHER = { pid: 8, key: 'second' }
const ORDER = { kind: 'download', accountId: 'A', place: 'gateway', input: { n: 1 } } as const

const queued = (id: string, book: JobBook = new Map()): Job => {
  const result = queueJob(book, ORDER, { id, nowMs: 1_000, runner: RUNNER }, { queueMax: 10 })
  if (!result.ok) throw result.error
  return result.value
}
const inState = (state: JobState, id = 'a'): Job => ({ ...queued(id), state })
const bookOf = (...jobs: readonly Job[]): JobBook =>
  jobs.reduce<JobBook>((book, job) => withJob(book, job), new Map())

t.test('a job begins in the queue with nothing done', async (t) => {
  t.match(queued('a'), { ...ORDER, id: 'a', state: 'queued', done: 0, total: 0, attempts: 0 })
})

t.test('one job more than may wait is refused, and running ones do not count', async (t) => {
  const book = bookOf(inState('queued', 'a'), inState('running', 'b'))
  const origin = { id: 'c', nowMs: 0, runner: RUNNER }
  t.ok(queueJob(book, ORDER, origin, { queueMax: 2 }).ok)
  const refused = queueJob(book, ORDER, origin, { queueMax: 1 })
  t.equal(refused.ok ? '' : refused.error.code, 'OVERLOADED')
})

t.test('the oldest job that waits is next, while fewer run than may', async (t) => {
  const book = bookOf(inState('running', 'a'), inState('queued', 'b'), inState('queued', 'c'))
  t.equal(nextJob(book, { runningMax: 2 })?.id, 'b')
  t.equal(nextJob(book, { runningMax: 1 }), undefined)
  t.equal(nextJob(new Map(), { runningMax: 1 }), undefined)
})

t.test('progress never goes back and never past the total', async (t) => {
  const running = startJob(queued('a'), 2_000)
  const half = progressJob(running, 5, 10)
  t.match(half, { done: 5, total: 10 })
  t.match(progressJob(half, 3, 10), { done: 5, total: 10 })
  t.match(progressJob(half, 99, 10), { done: 10, total: 10 })
  t.match(finishJob(half, 3_000), { state: 'done', done: 10, endedMs: 3_000 })
})

t.test('what has ended stays as it is', async (t) => {
  for (const state of ['done', 'failed', 'canceled'] as const) {
    const ended = inState(state)
    t.equal(progressJob(ended, 1, 2), ended)
    t.equal(finishJob(ended, 1), ended)
    t.equal(failJob(ended, { code: 'INTERNAL', message: '' }, 1), ended)
  }
})

t.test(
  'a cancel ends what waits or runs, is repeated safely, and is refused after another end',
  async (t) => {
    for (const state of ['queued', 'running'] as const) {
      t.match(cancelJob(inState(state), 5), { ok: true, value: { state: 'canceled', endedMs: 5 } })
    }
    t.match(cancelJob(inState('canceled'), 5), { ok: true })
    t.match(cancelJob(inState('done'), 5), { ok: false, error: { code: 'CONFLICT' } })
    t.match(cancelJob(inState('failed'), 5), { ok: false, error: { code: 'CONFLICT' } })
  },
)

t.test('a job of a process that died is begun again, but not for ever', async (t) => {
  const left = startJob(queued('a'), 2_000)
  const at = { nowMs: 9_000, attemptsMax: 2 }
  t.match(takeUpJob(left, OTHER, at), { state: 'queued', attempts: 1, runner: OTHER })
  const again = startJob(takeUpJob(left, OTHER, at), 9_500)
  t.match(takeUpJob(again, OTHER, at), { state: 'failed', endedMs: 9_000 })
})

t.test('a stop in good order costs no attempt', async (t) => {
  t.match(layDownJob(startJob(queued('a'), 1)), { state: 'queued', attempts: 0 })
})

t.test('only the newest ended jobs are kept, and none that has not ended is dropped', async (t) => {
  const jobs = [
    inState('done', 'c'),
    inState('queued', 'a'),
    inState('failed', 'b'),
    inState('canceled', 'd'),
  ]
  t.strictSame(outlivedJobs(jobs, 2, 1_000), ['b'])
  t.strictSame(outlivedJobs(jobs, 0, 1_000), ['b', 'c', 'd'])
  t.strictSame(outlivedJobs(jobs, 3, 1_000), [])
})

t.test('F979 jobs of a clock that was ahead take the place of no later one', async (t) => {
  const ahead = ['x', 'y'].map((id) => ({ ...inState('done', id), endedMs: 9_000 }))
  const jobs = [inState('done', 'a'), inState('failed', 'b'), ...ahead]
  t.strictSame(outlivedJobs(jobs, 2, 1_000), ['x', 'y'])
  t.strictSame(outlivedJobs(jobs, 1, 1_000), ['x', 'y', 'a'])
  t.strictSame(outlivedJobs(jobs, 2, 9_000), ['a', 'b'], 'their day has come')
})
