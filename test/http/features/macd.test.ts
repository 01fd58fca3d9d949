import t from 'tap'
import { call } from '../fixtures/client.ts'
import { FakeLink, NOW_TEXT } from '../fixtures/fake-service.ts'
import { directFront, gatewayFront } from '../fixtures/fronts.ts'

const PATH = '/api/macd/advice'

t.test('both backends answer the advice of a code, 399001.SZ when none is named', async (t) => {
  const link = new FakeLink('A')
  const fields = { trend: '上升趋势(强)', cat: 0 }
  for (const { front } of [await directFront(t, link), await gatewayFront(t, [link])]) {
    const named = await call(front.port, `${PATH}?code=600036`)
    const body = { status: 'success', code: '600036.SH', ...fields, timestamp: NOW_TEXT }
    t.match(named, { status: 200, body })
    t.match((await call(front.port, PATH)).body, { code: '399001.SZ' })
  }
  t.match(link.marketAsked[0], {
    kind: 'bars',
    code: '600036.SH',
    period: '1d',
    to: '2026-08-10', // at ten o'clock today is not complete
  })
})

t.test('an advice is calculated once, also one that there is none', async (t) => {
  const link = new FakeLink('A')
  const { front, service } = await directFront(t, link, { limits: { macdCacheMax: 1 } })
  service.advice = { ok: false, error: '数据不足 (too few)' }
  const first = await call(front.port, `${PATH}?code=600036`)
  const why = {
    code: '600036.SH',
    message: '数据不足 (too few)',
    message_zh: '数据不足',
    message_en: 'too few',
  }
  t.match(first, { status: 200, body: { status: 'error', ...why, data: why } })
  service.advice = { ok: true, value: {} }
  t.match((await call(front.port, `${PATH}?code=600036.SH`)).body, { status: 'error' })
  t.equal(link.marketAsked.length, 1)
  await call(front.port, `${PATH}?code=600037`)
  t.match(
    (await call(front.port, `${PATH}?code=600036`)).body,
    { status: 'success' },
    'the oldest was dropped',
  )
})

t.test('no history at all, and a market that does not answer, are asked again', async (t) => {
  const link = new FakeLink('A')
  const { front, service } = await directFront(t, link)
  link.pages = { '': { source: 'replay', bars: [], next: null } }
  service.advice = { ok: false, error: 'none' }
  await call(front.port, PATH)
  await call(front.port, PATH)
  t.equal(link.marketAsked.length, 2)
  link.before = () => {
    throw new Error('broken')
  }
  t.equal((await call(front.port, PATH)).status, 500)
  link.before = () => {}
  t.equal((await call(front.port, PATH)).status, 200)
})

t.test('what is no code is refused by name', async (t) => {
  const { front } = await directFront(t, new FakeLink('A'))
  const answer = await call(front.port, `${PATH}?code=hello`)
  t.match(answer, { status: 400, body: { code: 'CODE_INVALID', details: { code: [] } } })
})
