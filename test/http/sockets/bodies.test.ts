import t from 'tap'
import { call, JSON_TYPE, postHead, raw } from '../fixtures/client.ts'
import { FakeLink } from '../fixtures/fake-service.ts'
import { directFront } from '../fixtures/fronts.ts'

const BAD_BODIES = [
  ['{', 'BAD_JSON', 400],
  ['', 'BAD_JSON', 400],
  ['[]', 'BAD_JSON', 400],
  ['null', 'BAD_JSON', 400],
  ['"text"', 'BAD_JSON', 400],
  ['{"a":1}{"b":2}', 'BAD_JSON', 400],
  ['{"__proto__":{"x":1}}', 'BAD_JSON', 400],
  ['{"a":{"constructor":1}}', 'BAD_JSON', 400],
  ['{"\\u005f_proto__":1}', 'BAD_JSON', 400],
  ['{"allowBuy":true,"allowBuy":false}', 'BAD_JSON', 400],
  [`{"a":${'['.repeat(16)}${']'.repeat(16)}}`, 'BAD_JSON', 400],
  ['{"singleBuyAmount":1e400}', 'VALIDATION', 400],
  [Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]), 'BAD_JSON', 400],
] as const

t.test('a body that is no plain JSON object is refused', async (t) => {
  const link = new FakeLink('A')
  const { front } = await directFront(t, link)
  for (const [body, code, status] of BAD_BODIES) {
    const head = postHead('/api/config/save', `${JSON_TYPE}Content-Length: ${body.length}\r\n`)
    const answer = await raw(
      front.port,
      Buffer.concat([Buffer.from(head), Buffer.from(body)]),
      /}$/,
    )
    t.ok(answer.startsWith(`HTTP/1.1 ${status} `), String(body))
    t.ok(answer.includes(`"code":"${code}"`), String(body))
  }
  t.strictSame(link.asked, [])
})

t.test('a body without the right Content-Type is 415', async (t) => {
  const { front } = await directFront(t, new FakeLink('A'))
  const save = (type: string | undefined) =>
    call(front.port, '/api/config/save', {
      method: 'POST',
      body: '{}',
      ...(type !== undefined && { headers: { 'Content-Type': type } }),
    })
  for (const type of [
    undefined,
    'text/plain',
    'application/jsonp',
    'application/x-www-form-urlencoded',
  ]) {
    const { status, body } = await save(type)
    t.equal(status, 415, String(type))
    t.equal(body.code, 'NOT_JSON')
  }
  for (const type of [
    'application/json',
    'application/json; charset=utf-8',
    'Application/JSON;x=y',
  ]) {
    t.equal((await save(type)).status, 200, type)
  }
})

t.test('F680 a body that its sender has packed is 415, with what helps', async (t) => {
  const link = new FakeLink('A')
  const { front } = await directFront(t, link)
  const coded = async (coding: string | string[]) => {
    const headers = { 'Content-Encoding': coding }
    const sent = { method: 'POST', headers, body: { stock_code: '600036', enabled: true } }
    return call(front.port, '/api/holdings/stop_profit', sent)
  }
  for (const coding of ['gzip', 'br', 'identity, gzip', ['identity', 'gzip']]) {
    const { status, body } = await coded(coding)
    t.equal(status, 415, String(coding))
    t.match(body, {
      code: 'NOT_JSON',
      message: /去掉.*Content-Encoding.*leave Content-Encoding out/,
    })
  }
  t.strictSame(link.asked, [])
  t.equal((await coded('Identity')).status, 200)
})

t.test('F719 a body whose sender names its charset where packings are named is read', async (t) => {
  const link = new FakeLink('A')
  const { front } = await directFront(t, link)
  for (const coding of ['utf-8', 'UTF-8', 'utf8']) {
    const headers = { 'Content-Encoding': coding }
    const sent = { method: 'POST', headers, body: { stock_code: '600036', enabled: true } }
    t.equal((await call(front.port, '/api/holdings/stop_profit', sent)).status, 200, coding)
  }
})

t.test('the body limit: up to it yes, above it 413, endless is cut off', async (t) => {
  const { front } = await directFront(t, new FakeLink('A'), {
    limits: { bodyBytesMax: 1_000 },
  })
  const { port } = front
  const padded = (bytes: number): string => `{"x":"${'y'.repeat(bytes - 8)}"}`
  const send = (bytes: number) =>
    call(port, '/api/config/save', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: padded(bytes),
    })
  t.equal((await send(1_000)).status, 200)
  const over = await send(1_001)
  t.equal(over.status, 413)
  t.equal(over.body.code, 'BODY_TOO_LARGE')
  const chunk = `${(500).toString(16)}\r\n${'y'.repeat(500)}\r\n`
  const endless = `${postHead('/api/config/save', `${JSON_TYPE}Transfer-Encoding: chunked\r\n`)}${chunk.repeat(6)}`
  const cut = await raw(port, endless)
  t.match(cut, /^HTTP\/1\.1 413 .*\r\nConnection: close\r\n.*BODY_TOO_LARGE/s)
})
