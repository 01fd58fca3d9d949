import t from 'tap'
import { call, post } from '../fixtures/client.ts'
import { JOB } from '../fixtures/fake-jobs.ts'
import { FakeLink, NOW_TEXT } from '../fixtures/fake-service.ts'
import { directFront, gatewayFront } from '../fixtures/fronts.ts'

const ROW = {
  job_id: JOB.id,
  kind: 'download',
  account_id: 'A',
  state: 'running',
  progress: 0.3333,
  done: 1,
  total: 3,
  attempts: 1,
  input: { stock_code: '600036.SH' },
  error: null,
  created_at: NOW_TEXT,
  started_at: NOW_TEXT,
  finished_at: null,
}

t.test('direct mode: the jobs of its account, one of them, and its end', async (t) => {
  const { front, service } = await directFront(t, new FakeLink('A'))
  service.jobs.jobs.push({ ...JOB, id: 'other', accountId: 'B' })
  const list = await call(front.port, '/api/jobs')
  t.match(list.body, { status: 'success', data: { jobs: [ROW] } })
  t.equal(list.body.jobs.length, 1)
  const one = await call(front.port, `/api/jobs/${JOB.id}`)
  t.match(one.body, { status: 'success', data: { ...ROW, result: null } })
  const foreign = await call(front.port, '/api/jobs/other', { method: 'DELETE' })
  t.match(foreign, { status: 404, body: { code: 'UNKNOWN_JOB' } })
  const canceled = await call(front.port, `/api/jobs/${JOB.id}`, { method: 'DELETE' })
  t.match(canceled, { status: 200, body: { data: { state: 'canceled', finished_at: NOW_TEXT } } })
})

t.test('gateway: the jobs of all accounts, in its envelope', async (t) => {
  const { front, service } = await gatewayFront(t, [new FakeLink('A')])
  service.jobs.jobs.push({ ...JOB, id: 'other', accountId: 'B', state: 'done' })
  service.jobs.result = { rows: 7 }
  const list = await call(front.port, '/api/v1/jobs')
  t.match(list.body, { success: true, data: { jobs: [ROW, { account_id: 'B', progress: 1 }] } })
  const one = await call(front.port, '/api/v1/jobs/other')
  t.match(one.body, { success: true, data: { state: 'done', result: { rows: 7 } } })
  const ended = await call(front.port, '/api/v1/jobs/other', { method: 'DELETE' })
  t.match(ended, { status: 409, body: { code: 'CONFLICT' } })
  const unknown = await call(front.port, '/api/v1/jobs/nobody')
  t.match(unknown, { status: 404, body: { code: 'UNKNOWN_JOB', success: false } })
})

t.test('F547 a backtest that was taken is said in both languages', async (t) => {
  const link = new FakeLink('A')
  Object.assign(link.answers, { gridBacktest: { fields: { stock_code: '600036.SH' } } })
  const { front } = await directFront(t, link)
  const { body } = await post(front.port, '/api/grid/backtest', { stock_code: '600036' })
  t.match(body, {
    message_zh: '已提交回测 600036.SH',
    message_en: 'the backtest of 600036.SH was taken',
  })
})
