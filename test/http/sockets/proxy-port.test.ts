import { type AddressInfo, connect, createServer } from 'node:net'
import t, { type Test } from 'tap'
import { type Front, startFront } from '../../../http/front.ts'
import { listenForProxies } from '../../../http/sockets/proxy-port.ts'
import { freePort } from '../../free-ports.ts'
import { heard, turnsUntil } from '../../in-time.ts'
import { inTurn, raw } from '../fixtures/client.ts'
import { FakeLink } from '../fixtures/fake-service.ts'
import { directFront, directOptions, FRONT_LIMITS, gatewayFront } from '../fixtures/fronts.ts'

const TOKEN = 'a-token-of-sixteen-or-more'
const KNOWN = `X-API-Token: ${TOKEN}\r\n`

/** As nginx asks when nobody has told it anything else. */
const old = (line: string, headers = '', body = ''): string => {
  const length =
    body === '' ? '' : `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n`
  return `${line} HTTP/1.0\r\nHost: 127.0.0.1\r\nConnection: close\r\n${headers}${length}\r\n${body}`
}

const portOf = ({ proxyPort }: Front): number => {
  if (proxyPort === undefined) throw new Error('no port for proxies')
  return proxyPort
}

const both = async (
  t: Test,
  options: { token?: string; trustProxy?: boolean; proxies?: string[] },
) => {
  const link = new FakeLink('A')
  const { token = '' } = options
  const direct = await directFront(t, link, { token, proxyPort: 0 })
  const gateway = await gatewayFront(t, [link], { ...options, token, proxyPort: 0 })
  return {
    link,
    direct: portOf(direct.front),
    gateway: portOf(gateway.front),
    fronts: [direct.front, gateway.front],
  }
}

t.test(
  'the socket library refuses HTTP/1.0 before anybody is asked, in words of its own',
  async (t) => {
    const { front, logged } = await directFront(t, new FakeLink('A'))
    const answer = await raw(front.port, old('GET /api/status'))
    t.match(answer, /^HTTP\/1\.1 505 HTTP Version Not Supported\r\nConnection: close\r\n\r\n<h1>/)
    t.strictSame(logged, [])
    t.equal(front.proxyPort, undefined, 'and there is no other port unless one is wanted')
  },
)

t.test('the port for proxies answers HTTP/1.0 on both backends', async (t) => {
  const { direct, gateway, link } = await both(t, { token: TOKEN })
  const save = '{"singleBuyAmount":35000}'
  const rows: [port: number, text: string, expected: RegExp][] = [
    [direct, old('GET /'), /^HTTP\/1\.1 200 OK\r\n.*<!doctype html>/is],
    [direct, old('GET /api/status', KNOWN), /^HTTP\/1\.1 200 .*"status":"success"/s],
    [direct, old('GET /api/status?x=1', KNOWN), /^HTTP\/1\.1 200 .*"status":"success"/s],
    [direct, old('GET /api/status'), /^HTTP\/1\.1 401 .*"code":"UNAUTHORIZED"/s],
    [direct, old('GET /api/nothing', KNOWN), /^HTTP\/1\.1 404 .*"code":"NOT_FOUND"/s],
    [
      direct,
      old('DELETE /api/status', KNOWN),
      /^HTTP\/1\.1 405 .*\r\nAllow: GET, HEAD, OPTIONS\r\n/s,
    ],
    [direct, old('OPTIONS /api/status', KNOWN), /^HTTP\/1\.1 204 No Content\r\n/],
    [
      direct,
      old('HEAD /api/status', KNOWN),
      /^HTTP\/1\.1 200 .*\r\nContent-Length: \d\d+\r\n.*\r\n\r\n$/s,
    ],
    [direct, old('POST /api/config/save', KNOWN, save), /^HTTP\/1\.1 200 .*"status":"success"/s],
    [direct, old('POST /api/config/save', KNOWN, '{'), /^HTTP\/1\.1 400 .*"code":"BAD_JSON"/s],
    [gateway, old('GET /api/v1/health'), /^HTTP\/1\.1 200 .*"success":true/s],
    [gateway, old('GET /api/v1/accounts', KNOWN), /^HTTP\/1\.1 200 .*"success":true/s],
    [gateway, old('GET /api/v1/accounts'), /^HTTP\/1\.1 401 .*"data":null/s],
    [gateway, old('GET http://x/'), /^HTTP\/1\.1 40\d .*"success":false/s],
    [gateway, old('GET /metrics', KNOWN), /^HTTP\/1\.1 200 /],
    [gateway, 'nonsense\r\n\r\n', /^HTTP\/1\.1 400 .*"code":"BAD_REQUEST".*"data":null/s],
    [gateway, old('GET /', `X-Long: ${'y'.repeat(20_000)}\r\n`), /^HTTP\/1\.1 400 /],
  ]
  for (const [port, text, expected] of rows)
    t.match(await raw(port, text), expected, text.slice(0, 40))
  t.equal(link.asked.filter(({ kind }) => kind === 'saveConfig').length, 1)
  const tag = /\r\nETag: (.*)\r\n/.exec(await raw(direct, old('GET /api/status', KNOWN)))?.[1]
  const again = await raw(direct, old('GET /api/status', `${KNOWN}If-None-Match: ${tag}\r\n`))
  t.match(again, /^HTTP\/1\.1 304 Not Modified\r\n/)
  t.notMatch(again, /content-length|transfer-encoding/i)
})

t.test('HTTP/1.1 keeps its connection there as well', async (t) => {
  const { direct } = await both(t, { token: TOKEN })
  const request = (method: string, path: string) =>
    `${method} ${path} HTTP/1.1\r\nHost: localhost\r\n${KNOWN}\r\n`
  const answer = await inTurn(direct, [
    request('GET', '/api/status'),
    request('HEAD', '/api/status'),
    request('OPTIONS', '/api/status'),
    request('GET', '/api/nothing'),
    request('GET', '/api/status'),
  ])
  t.strictSame(
    [...answer.matchAll(/HTTP\/1\.1 (\d+) /g)].map(([, status]) => status),
    ['200', '200', '204', '404', '200'],
  )
})

t.test('a refusal does not wait for the body, and can be read', async (t) => {
  const { direct } = await both(t, { token: TOKEN })
  const head = (line: string) => `${line} HTTP/1.0\r\nHost: localhost\r\nContent-Length: 90000\r\n`
  const rows: [string, RegExp][] = [
    [`${head('POST /api/config/save')}\r\n{"half":`, /^HTTP\/1\.1 401 .*"UNAUTHORIZED".*}\r\n$/s],
    [
      `${head('POST /api/config/save')}${KNOWN}\r\n${'x'.repeat(70_000)}`,
      /^HTTP\/1\.1 413 .*}\r\n$/s,
    ],
  ]
  for (const [text, expected] of rows) t.match(await raw(direct, text), expected)
})

t.test(
  'the event stream: bare bytes until the end in 1.0, chunks with a last one in 1.1',
  async (t) => {
    const { front } = await directFront(t, new FakeLink('A'), { token: TOKEN, proxyPort: 0 })
    const open = async (version: string) => {
      const socket = connect(portOf(front), '127.0.0.1')
      t.teardown(() => socket.destroy())
      let text = ''
      socket.on('data', (chunk) => {
        text += chunk.toString('latin1')
      })
      socket.write(`GET /api/sse ${version}\r\nHost: localhost\r\n${KNOWN}\r\n`)
      while (!text.includes('\nid: ')) await heard(socket, 'data')
      return { socket, text: () => text }
    }
    const bare = await open('HTTP/1.0')
    const chunked = await open('HTTP/1.1')
    const ends = [bare, chunked].map(({ socket }) => heard(socket, 'close'))
    await front.close()
    await Promise.all(ends)
    t.match(bare.text(), /^HTTP\/1\.1 200 OK\r\n/)
    t.notMatch(bare.text(), /transfer-encoding/i)
    t.match(bare.text(), /\r\n\r\ndata: \{[^\n]*\}\n\nid: [0-9a-f]+-1\n\n$/)
    t.match(chunked.text(), /\r\nTransfer-Encoding: chunked\r\n/)
    t.match(chunked.text(), /\r\n0\r\n\r\n$/)
  },
)

/** What somebody who is far away can have his request look like through a proxy that was put there as it comes. */
const DISGUISES = [
  '',
  'X-Forwarded-For: 127.0.0.1\r\n',
  'X-Forwarded-For: 8.8.8.8\r\n',
  'X-Real-IP: 127.0.0.1\r\n',
  'X-API-Token:\r\n',
  'X-API-Token: guess\r\n',
  'Origin: http://127.0.0.1\r\n',
]

const ASKED = ['GET /api/status', 'POST /api/kill-switch', 'GET /metrics'].flatMap((line) =>
  ['1.0', '1.1'].flatMap((version) =>
    DISGUISES.map((disguise) => `${line} HTTP/${version}\r\nConnection: close\r\n${disguise}`),
  ),
)

t.test('without a token nobody is local by the port for proxies, listed or not', async (t) => {
  for (const options of [{}, { trustProxy: true, proxies: ['127.0.0.1'] }]) {
    const { link, fronts, ...ports } = await both(t, options)
    for (const port of [ports.direct, ports.gateway]) {
      for (const text of ASKED) {
        const answer = await raw(port, `${text}Host: 127.0.0.1:${port}\r\n\r\n`)
        t.match(answer, /^HTTP\/1\.1 403 .*"(FORWARDED|ORIGIN)_REFUSED"/s, text)
      }
      t.match(await raw(port, old('GET /')), /^HTTP\/1\.1 200 /, 'the page is for everybody')
    }
    t.strictSame(link.asked, [])
    const local = 'GET /api/status HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n'
    for (const { port } of fronts) {
      t.match(await raw(port, local), /^HTTP\/1\.1 200 /, 'this computer, by the other port')
    }
  }
})

t.test(
  'who connects there is no allowed address; whom a listed proxy names may be one',
  async (t) => {
    const rows: [trusted: boolean, header: string, status: number][] = [
      [false, '', 403],
      [false, 'X-Forwarded-For: 10.1.2.3\r\n', 403],
      [true, '', 403],
      [true, 'X-Forwarded-For: 10.1.2.3\r\n', 200],
      [true, 'X-Forwarded-For: 127.0.0.1, 8.8.8.8\r\n', 403],
    ]
    for (const [trusted, header, status] of rows) {
      const { front } = await gatewayFront(t, [new FakeLink('A')], {
        token: TOKEN,
        proxyPort: 0,
        allowedIps: ['127.0.0.1', '10.0.0.0/8'],
        ...(trusted && { trustProxy: true, proxies: ['127.0.0.1'] }),
      })
      const answer = await raw(portOf(front), old('GET /api/status', KNOWN + header))
      t.ok(answer.startsWith(`HTTP/1.1 ${status} `), `${trusted} ${header}`)
    }
  },
)

t.test('who is no proxy is closed unread', async (t) => {
  let served = 0
  const listener = await listenForProxies({
    host: '127.0.0.1',
    port: 0,
    limits: FRONT_LIMITS,
    mayConnect: () => false,
    door: { passed: () => t.fail('not even counted') },
    serve: () => {
      served += 1
    },
    unreadable: () => '',
  })
  t.teardown(() => listener.closeAll())
  t.equal(await raw(listener.port, old('GET /')), '')
  t.equal(served, 0)
})

t.test('a port that is taken is said, and the front listens nowhere', async (t) => {
  const holder = createServer().listen(0, '127.0.0.1')
  await heard(holder, 'listening')
  t.teardown(() => holder.close())
  const { port: proxyPort } = holder.address() as AddressInfo
  const port = await freePort()
  const options = { token: TOKEN, port, proxyPort }
  await t.rejects(directFront(t, new FakeLink('A'), options), {
    name: 'ListenError',
    port: proxyPort,
  })
  const again = await directFront(t, new FakeLink('A'), { port })
  t.equal(again.front.port, port)
})

t.test(
  'there are so many connections, and a head that does not end is not waited for',
  async (t) => {
    const { front } = await directFront(t, new FakeLink('A'), {
      token: TOKEN,
      proxyPort: 0,
      limits: { proxyConnectionsMax: 1, proxyHeadTimeoutMs: 100 },
    })
    const slow = raw(portOf(front), 'GET / HTTP/1.0\r\nHost: local')
    t.equal(await raw(portOf(front), old('GET /')), '', 'one more is closed')
    t.match(await slow, /^HTTP\/1\.1 400 .*"code":"BAD_REQUEST"/s)
    t.match(await raw(portOf(front), old('GET /')), /^HTTP\/1\.1 200 /)
  },
)

t.test('its connections count, and come to an end with whoever has left', async (t) => {
  const link = new FakeLink('A')
  const options = directOptions(link, { token: TOKEN, proxyPort: 0 })
  const front = await startFront(options)
  t.teardown(() => front.close())
  const { connections } = options
  const waited = Promise.withResolvers<void>()
  link.before = () => waited.promise
  const socket = connect(portOf(front), '127.0.0.1')
  socket.write(old('POST /api/config/save', KNOWN, '{"singleBuyAmount":35000}'))
  const idle = connect(portOf(front), '127.0.0.1')
  await turnsUntil(() => connections.open === 2 && link.asked.length === 1, 'two connections')
  socket.destroy()
  idle.destroy()
  await turnsUntil(() => connections.open === 0, 'their ends')
  waited.resolve()
})
