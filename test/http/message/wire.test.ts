import { connect } from 'node:net'
import fc from 'fast-check'
import t from 'tap'
import { headerValue } from '../../../http/message/reply.ts'
import { heard } from '../../in-time.ts'
import { call, JSON_TYPE, post, postHead, raw } from '../fixtures/client.ts'
import { FakeLink, NOW_TEXT } from '../fixtures/fake-service.ts'
import { directFront, gatewayFront } from '../fixtures/fronts.ts'

const get = (path: string, extra = ''): string =>
  `GET ${path} HTTP/1.1\r\nHost: localhost\r\n${extra}\r\n`

t.test('the error body is the same everywhere, with data on the gateway', async (t) => {
  const direct = await directFront(t, new FakeLink('A'))
  const gateway = await gatewayFront(t, [])
  const [chinese, english] = [
    '此地址不存在，接口列表见 /docs',
    'there is nothing here; /docs has all there is',
  ]
  const text = `${chinese} (${english})`
  const expected = {
    success: false,
    status: 'error',
    error: text,
    message: text,
    message_zh: chinese,
    message_en: english,
    detail: text,
    code: 'NOT_FOUND',
    timestamp: NOW_TEXT,
  }
  for (const path of ['/api/nothing', '/api', '/api/', '/nothing', '/favicon.ico']) {
    t.strictSame((await call(direct.front.port, path)).body, expected, path)
    t.strictSame((await call(gateway.front.port, path)).body, { ...expected, data: null }, path)
  }
})

t.test('another method on a known path is 405 with the methods there are', async (t) => {
  const direct = (await directFront(t, new FakeLink('A'))).front.port
  const gateway = (await gatewayFront(t, [new FakeLink('A')])).front.port
  const rows = [
    [direct, 'POST', '/api/status', 'GET, HEAD, OPTIONS'],
    [direct, 'DELETE', '/api/orders', 'GET, HEAD, OPTIONS'],
    [direct, 'GET', '/api/monitor/start', 'POST, OPTIONS'],
    [direct, 'GET', '/api/orders/7/cancel', 'POST, OPTIONS'],
    [direct, 'POST', '/', 'GET, HEAD, OPTIONS'],
    [direct, 'BREW', '/api/status', 'GET, HEAD, OPTIONS'],
    [direct, 'get', '/api/status', 'GET, HEAD, OPTIONS'],
    [gateway, 'PUT', '/api/v1/accounts', 'POST, GET, HEAD, OPTIONS'],
    [gateway, 'GET', '/api/v1/accounts/A/restart', 'POST, OPTIONS'],
    [gateway, 'PATCH', '/api/v1/accounts/A/orders/7', 'GET, HEAD, DELETE, OPTIONS'],
  ] as const
  for (const [port, method, path, allow] of rows) {
    const text = `${method} ${path} HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n`
    const answer = await raw(port, text, /}$/)
    t.match(answer, /^HTTP\/1\.1 405 Method Not Allowed\r\n/, `${method} ${path}`)
    t.ok(answer.includes(`\r\nAllow: ${allow}\r\n`), `${method} ${path}`)
    t.match(answer, /"code":"METHOD_NOT_ALLOWED"/)
  }
})

t.test('HEAD is GET without the body', async (t) => {
  const { front } = await directFront(t, new FakeLink('A'))
  const whole = await call(front.port, '/api/status')
  for (const [path, status] of [
    ['/api/status', 200],
    ['/', 200],
    ['/api/nothing', 404],
    ['/api/monitor/start', 405],
  ] as const) {
    const { text, ...head } = await call(front.port, path, { method: 'HEAD' })
    t.equal(head.status, status)
    t.equal(text, '')
    t.ok(Number(head.headers['content-length']) > 0)
  }
  const head = await call(front.port, '/api/status', { method: 'HEAD' })
  t.equal(head.headers['content-length'], String(whole.text.length))
})

t.test('paths are exact: no other spelling reaches a route', async (t) => {
  const { front } = await directFront(t, new FakeLink('A'))
  for (const path of [
    '/api/%73tatus',
    '/api//status',
    '/api/./status',
    '/x/../api/status',
    '/API/status',
  ]) {
    t.match(await raw(front.port, get(path), /}$/), /^HTTP\/1\.1 404 /, path)
  }
  const broken = 'POST /api/orders/%zz/cancel HTTP/1.1\r\nHost: localhost\r\n\r\n'
  t.match(await raw(front.port, broken, /}$/), /^HTTP\/1\.1 400 .*"BAD_REQUEST"/s)
  const long = await call(front.port, `/api/status?x=${'y'.repeat(2_048)}`)
  t.equal(long.status, 400)
})

t.test(
  'a head that is too long or has too many headers is 431 and ends the connection',
  async (t) => {
    const { front } = await directFront(t, new FakeLink('A'))
    for (const extra of [`X-Long: ${'y'.repeat(20_000)}\r\n`, 'X-Many: 1\r\n'.repeat(300)]) {
      const answer = await raw(front.port, get('/api/status', extra))
      t.match(answer, /^HTTP\/1\.1 431 .*\r\nConnection: close\r\n/s)
    }
    t.equal((await call(front.port, '/api/status')).status, 200)
  },
)

t.test(
  'a refused request with a body is answered after it, and the connection lives on',
  async (t) => {
    const { front } = await directFront(t, new FakeLink('A'), { token: 'secret' })
    const head = postHead('/api/config/save', `${JSON_TYPE}Content-Length: 2\r\n`)
    const both = await raw(front.port, `${head}{}${get('/', 'Connection: close\r\n')}`, /<\/html>/)
    t.match(both, /^HTTP\/1\.1 401 .*HTTP\/1\.1 200 OK/s)
  },
)

t.test('requests that could be read in two ways end the connection', async (t) => {
  const { front } = await directFront(t, new FakeLink('A'))
  const { port } = front
  const body = '{}'
  const rows = [
    'Content-Length: 2\r\nContent-Length: 7\r\n',
    'Transfer-Encoding: xchunked\r\n',
    'Transfer-Encoding: chunked, identity\r\n',
    'Content-Length: 2\r\nHost: other\r\n',
  ]
  for (const extra of rows) {
    const smuggled = get('/api/status')
    const answer = await raw(
      port,
      postHead('/api/config/save', JSON_TYPE + extra) + body + smuggled,
    )
    t.notMatch(answer, /200 OK/, extra)
    t.ok(answer.split('HTTP/1.1 ').length <= 2, 'one answer at most')
    const alone = await raw(port, postHead('/api/config/save', JSON_TYPE + extra))
    t.match(alone, /^HTTP\/1\.1 400 .*\r\nConnection: close\r\n/s, extra)
  }
  t.equal((await call(port, '/api/status')).status, 200)
})

t.test(
  'pipelined requests are answered in order, or the connection ends; never mixed up',
  async (t) => {
    const link = new FakeLink('A')
    const { front } = await directFront(t, link)
    const three = get('/api/orders') + get('/api/status') + get('/api/trade-records')
    const quick = await raw(front.port, three, /"record".*}$/s)
    t.match(quick, /"order".*"isMonitoring".*"record"/s)
    link.before = () => new Promise((resolve) => setImmediate(resolve))
    const slow = await raw(front.port, three)
    t.notMatch(slow, /"record"/, 'the library ends a connection that does not wait for its answer')
    link.before = () => {}
    t.equal((await call(front.port, '/api/status')).status, 200)
  },
)

t.test('a client that leaves before its answer harms nobody', async (t) => {
  const link = new FakeLink('A')
  const { front, logged } = await directFront(t, link)
  let answer: () => void = () => {}
  const reached = new Promise<void>((resolve) => {
    link.before = () => {
      resolve()
      return new Promise<void>((then) => {
        answer = then
      })
    }
  })
  const socket = connect(front.port, '127.0.0.1', () => socket.write(get('/api/status')))
  await reached
  socket.destroy()
  await heard(socket, 'close')
  link.before = () => {}
  t.equal((await call(front.port, '/api/status')).status, 200)
  answer()
  t.equal((await call(front.port, '/api/status')).status, 200)
  t.strictSame(logged, [])
})

t.test('a client that leaves in the middle of its body harms nobody', async (t) => {
  const link = new FakeLink('A')
  const { front } = await directFront(t, link)
  const head = postHead('/api/config/save', `${JSON_TYPE}Content-Length: 100\r\n`)
  const socket = connect(front.port, '127.0.0.1', () => socket.end(`${head}{"allow`))
  socket.resume()
  await heard(socket, 'close')
  t.equal((await post(front.port, '/api/config/save', {})).status, 200)
  t.equal(link.asked.length, 1)
})

t.test('a bug in a route is a 500 with its request id in the log, never a hang', async (t) => {
  const link = new FakeLink('A')
  const { front, logged } = await directFront(t, link)
  link.before = () => {
    throw new TypeError('secret detail')
  }
  const { status, body, headers, text } = await call(front.port, '/api/status')
  t.equal(status, 500)
  t.match(body, { code: 'INTERNAL', message: 'internal error' })
  t.notMatch(text, /secret/)
  t.match(logged[0]?.fields, {
    requestId: headers['x-request-id'],
    err: { message: 'secret detail' },
  })
})

t.test('a route that never ends is answered 504 when its time is up', async (t) => {
  const link = new FakeLink('A')
  link.before = () => new Promise(() => {})
  const { front } = await directFront(t, link, { limits: { requestTimeoutMs: 20 } })
  const { status, body } = await call(front.port, '/api/status')
  t.equal(status, 504)
  t.equal(body.code, 'DEADLINE_EXCEEDED')
  const head = postHead('/api/config/save', `${JSON_TYPE}Content-Length: 100\r\n`)
  t.match(await raw(front.port, `${head}{"half`), /^HTTP\/1\.1 504 /, 'a body that never comes')
})

t.test('more requests than allowed at a time are 503', async (t) => {
  const link = new FakeLink('A')
  const { front } = await directFront(t, link, { limits: { openRequestsMax: 1 } })
  let answer: () => void = () => {}
  const reached = new Promise<void>((resolve) => {
    link.before = () => {
      resolve()
      return new Promise<void>((then) => {
        answer = then
      })
    }
  })
  const first = call(front.port, '/api/status')
  await reached
  const second = await call(front.port, '/api/status')
  t.equal(second.status, 503)
  t.match(second.body, { code: 'OVERLOADED' })
  t.equal(second.headers['retry-after'], '1')
  answer()
  t.equal((await first).status, 200)
})

t.test('one account that hangs does not take the place of the others', async (t) => {
  const [slow, quick] = [new FakeLink('A'), new FakeLink('B')]
  const limits = { accountRequestsMax: 2 }
  const { port } = (await gatewayFront(t, [slow, quick], { limits })).front
  const held: (() => void)[] = []
  const reached = new Promise<void>((resolve) => {
    slow.before = () =>
      new Promise<void>((go) => {
        held.push(go)
        if (held.length === 2) resolve()
      })
  })
  const waiting = ['/api/orders', '/api/v1/accounts/A/asset'].map((path) => call(port, path))
  await reached
  for (const path of ['/api/trade-records', '/api/v1/accounts/A/positions']) {
    const third = await call(port, path)
    t.match(third, { status: 503, body: { code: 'OVERLOADED' }, headers: { 'retry-after': '1' } })
  }
  t.equal((await call(port, '/api/v1/accounts/B/asset')).status, 200)
  t.equal((await call(port, '/api/orders', { headers: { 'X-Account-Id': 'B' } })).status, 200)
  slow.before = () => {}
  for (const go of held) go()
  for (const { status } of await Promise.all(waiting)) t.equal(status, 200)
  t.equal((await call(port, '/api/orders')).status, 200, 'and then it has room again')
})

t.test('refused requests are logged with their path and time, good ones are not', async (t) => {
  const { front, logged } = await directFront(t, new FakeLink('A'), { token: 'secret' })
  await call(front.port, '/')
  t.strictSame(logged, [])
  await call(front.port, '/api/status?x=1', { headers: { 'X-API-Token': 'canary' } })
  t.match(logged, [{ fields: { method: 'GET', path: '/api/status', status: 401, ms: Number } }])
  t.notMatch(JSON.stringify(logged), /canary/)
})

t.test('line ends never reach a header', (t) => {
  t.equal(headerValue('a\r\nSet-Cookie: b\0c'), 'a Set-Cookie: b c')
  t.end()
})

t.test('nonsense on the wire never stops the service', async (t) => {
  const { front } = await directFront(t, new FakeLink('A'))
  const seeds = [
    get('/api/status'),
    postHead('/api/config/save', `${JSON_TYPE}Content-Length: 2\r\n`).concat('{}'),
    postHead('/api/config/save', `${JSON_TYPE}Transfer-Encoding: chunked\r\n`) +
      '2\r\n{}\r\n0\r\n\r\n',
  ].map((text) => Buffer.from(text))
  const edit = fc.record({
    seed: fc.nat(seeds.length - 1),
    at: fc.nat(120),
    cut: fc.nat(4),
    put: fc.uint8Array({ maxLength: 6 }),
  })
  await fc.assert(
    fc.asyncProperty(fc.array(edit, { minLength: 1, maxLength: 20 }), async (edits) => {
      await Promise.all(
        edits.map(({ seed, at, cut, put }) => {
          const bytes = seeds[seed] ?? Buffer.alloc(0)
          const mutated = Buffer.concat([bytes.subarray(0, at), put, bytes.subarray(at + cut)])
          return new Promise<void>((resolve) => {
            const socket = connect(front.port, '127.0.0.1', () => socket.end(mutated))
            socket.on('error', () => {})
            socket.on('data', () => socket.destroy())
            socket.on('close', () => resolve())
          })
        }),
      )
      t.equal((await call(front.port, '/api/status')).status, 200)
    }),
    { numRuns: 40, seed: 20_261_120 },
  )
})
