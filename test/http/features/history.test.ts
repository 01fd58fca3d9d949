import t from 'tap'
import { call, post } from '../fixtures/client.ts'
import { FakeLink, NOW_TEXT } from '../fixtures/fake-service.ts'
import { directFront, gatewayFront } from '../fixtures/fronts.ts'

const PATH = '/api/v1/market/history?stock_code='

t.test('bars stand once, under the suffixed code, whatever the spelling asked with', async (t) => {
  const link = new FakeLink('A')
  const { front } = await gatewayFront(t, [link])
  const bars = [{ period: '1d', from: '2020-01-01', to: '2026-08-11' }]
  const answer = await call(front.port, `${PATH}600036.SH&account_id=A`)
  t.strictSame(answer.body, { success: true, data: { '600036.SH': bars }, error: null })
  t.match(link.marketAsked, [
    { kind: 'bars', code: '600036.SH', period: '1d', from: '2020-01-01', to: '2026-08-11' },
  ])
  for (const spelling of ['600036', 'SH.600036']) {
    const { body } = await call(front.port, PATH + spelling)
    t.strictSame(body.data, { '600036.SH': bars }, spelling)
  }
})

t.test('minutes serve every period below a day, in as many pages as there are', async (t) => {
  const link = new FakeLink('A')
  const page = (next: string | null, count = 1) => ({
    source: 'replay' as const,
    bars: Array.from({ length: count }, () => new Uint8Array()),
    next,
  })
  link.pages = { '': page('one'), one: page('two', 0), two: page(null) }
  const { front } = await directFront(t, link)
  const answer = await call(
    front.port,
    '/api/market/history?stock_code=600036.SH&period=15m&start_time=20260801&end_time=20260805',
  )
  const bar = { period: '15m', from: '2026-08-01', to: '2026-08-05' }
  t.strictSame(answer.body, {
    status: 'success',
    data: { '600036.SH': [bar, bar] },
    source: 'replay',
    timestamp: NOW_TEXT,
  })
  t.match(link.marketAsked, [{ period: '1m' }, { after: 'one' }, { after: 'two' }])
})

t.test('a wrong question is refused by the name of its field', async (t) => {
  const { front } = await gatewayFront(t, [new FakeLink('A')], { limits: { historyBarsMax: 0 } })
  const table = [
    ['', 'stock_code'],
    ['hello', 'stock_code'],
    ['600036&period=2m', 'period'],
    ['600036&start_time=2026-08-01', 'start_time'],
    ['600036&start_time=20260230', 'start_time'],
    ['600036&end_time=x', 'end_time'],
    ['600036&start_time=20260805&end_time=20260801', 'end_time'],
    ['600036', 'start_time'], // more than one answer may hold
  ] as const
  for (const [query, field] of table) {
    const { status, body } = await call(front.port, PATH + query)
    t.equal(status, 400, query)
    t.ok(field in body.details, `${query} names ${field}`)
  }
  t.equal((await call(front.port, `${PATH}600036&account_id=B`)).status, 404)
})

t.test(
  'F64 what is too much for one answer is refused before any of it is put together',
  async (t) => {
    const link = new FakeLink('A')
    const page = (next: string | null) => ({ source: 'x', bars: [new Uint8Array()], next })
    link.pages = { '': page('one'), one: page('two'), two: page('three'), three: page(null) }
    const { front, service } = await gatewayFront(t, [link], { limits: { historyBarsMax: 2 } })
    let made = 0
    const { bars } = service.calculations
    Object.assign(service.calculations, {
      bars: (wanted: Parameters<typeof bars>[0]) => {
        made += 1
        return bars(wanted)
      },
    })
    const { status, body } = await call(front.port, `${PATH}600036&period=1m`)
    t.match({ status, body }, { status: 400, body: { code: 'VALIDATION' } })
    t.match(body.details.start_time, [/more than 2 bars.*later start_time.*longer period/])
    t.equal(made, 0, 'no bar was made ready for it')
    t.strictSame(
      link.marketAsked.map(({ kind }) => kind),
      ['barCount', 'barCount', 'barCount'],
      'counted until it was too much',
    )
    const fits = await call(front.port, `${PATH}600036&period=60m`)
    t.equal(fits.status, 400, 'four rows of an hour are too much as well')
    link.pages = { '': page(null) }
    t.equal((await call(front.port, `${PATH}600036&period=1m`)).status, 200, 'few are served')
    link.marketAsked.length = 0
    await call(front.port, `${PATH}600036&start_time=20260811`)
    t.strictSame(
      link.marketAsked.map(({ kind }) => kind),
      ['bars'],
      'what cannot be too much is not counted',
    )
  },
)

t.test('a download is accepted as a job', async (t) => {
  const { front, service } = await gatewayFront(t, [new FakeLink('A')])
  const path = '/api/v1/market/download'
  const body = { account_id: 'A', stock_code: '600036', period: '5m', start_time: '20260101' }
  const answer = await post(front.port, path, body)
  t.match(answer, {
    status: 200,
    body: {
      success: true,
      data: {
        accepted: true,
        stock_code: '600036.SH',
        period: '5m',
        end_time: '',
        state: 'queued',
      },
    },
  })
  t.match(service.jobs.jobs.at(-1), {
    id: answer.body.data.job_id,
    kind: 'download',
    accountId: 'A',
    place: 'gateway',
    input: { stock_code: '600036.SH', period: '5m', start_time: '20260101', end_time: '' },
  })
  for (const wrong of [{}, { stock_code: '600036', period: '1w' }, { stock_code: 7 }]) {
    t.equal((await post(front.port, path, wrong)).status, 400)
  }
  t.equal((await post(front.port, path, { ...body, account_id: 'B' })).status, 404)
})

t.test('quotes are there in direct mode too', async (t) => {
  const { front } = await directFront(t, new FakeLink('A'))
  const answer = await call(front.port, '/api/market/tick?stock_codes=600036.SH')
  t.match(answer.body, { status: 'success', data: { '600036.SH': { lastPrice: 36.5 } } })
})
