import t from 'tap'
import { get, type Json, post, type Served, serve } from './fixture.ts'

const HISTORY = '/api/v1/market/history?stock_code=600036.SH'
const DAYS = 10

/** Asks until the first quote of the code is there. */
async function quoted({ gateway }: Served): Promise<void> {
  for (;;) {
    const { body } = await get(`${gateway}/api/v1/market/tick?stock_codes=600036.SH`)
    if (body['data']?.['600036.SH'] !== undefined) return
  }
}

async function ended({ gateway }: Served, id: string): Promise<Json> {
  for (;;) {
    const { body } = await get(`${gateway}/api/v1/jobs/${id}`)
    const job = body['data'] as Json
    if (String(job['state']) !== 'queued' && String(job['state']) !== 'running') return job
  }
}
const barsIn = (body: Json) => body['data']?.['600036.SH'] as unknown as { time: number }[]

t.test('history is downloaded as a job, read back, and there after a restart', async (t) => {
  const folder = t.testdir()
  const first = await serve(t, { folder })
  await quoted(first)
  const daily = barsIn((await get(first.gateway + HISTORY)).body)
  t.ok(daily.length > 36, `${daily.length} days without a download`)
  // Days whose minutes are not there by themselves.
  const days = daily.slice(-60, -60 + DAYS).map(({ time }) => String(time).slice(0, 8))
  const span = { period: '5m', start_time: days[0] ?? '', end_time: days.at(-1) ?? '' }
  const query = `${HISTORY}&${new URLSearchParams(span)}`
  t.strictSame(barsIn((await get(first.gateway + query)).body), [])
  const accepted = await post(`${first.gateway}/api/v1/market/download`, {
    stock_code: '600036.SH',
    ...span,
  })
  t.match(accepted.body, { success: true, data: { accepted: true } })
  const id = String(accepted.body['data']?.['job_id'])
  const job = await ended(first, id)
  t.match(job, { state: 'done', progress: 1, result: { rows: DAYS * 48, source: 'simulated' } })
  const bars = barsIn((await get(first.gateway + query)).body)
  t.equal(bars.length, DAYS * 48)
  t.equal(bars[0]?.time, Number(`${days[0]}093500000`))
  const direct = await get(
    `${first.direct[0]}/api/market/history?stock_code=600036&start_time=20200101`,
  )
  t.match(direct.body, { status: 'success', source: 'simulated' })
  await first.service.stop()

  const second = await serve(t, { folder })
  t.strictSame(await ended(second, id), job)
  t.strictSame(barsIn((await get(second.gateway + query)).body), bars)
  const again = barsIn((await get(second.gateway + HISTORY)).body)
  t.strictSame(again.slice(0, daily.length - 1), daily.slice(0, -1), 'the past stays as it was')
})
