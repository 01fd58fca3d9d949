import { connect } from 'node:net'
import t from 'tap'
import { heard } from '../../in-time.ts'
import { call } from '../fixtures/client.ts'
import { FakeLink } from '../fixtures/fake-service.ts'
import { directFront, gatewayFront } from '../fixtures/fronts.ts'

interface Document {
  readonly paths: Readonly<Record<string, { readonly get?: Described }>>
}
interface Described {
  readonly responses: { readonly 200: { readonly content: object } }
}
const TAG = /^(W\/)?"[0-9a-f]{32}"$/

/** What the account publishes: of both backends one that ends with the time, and one that is whole. */
const READS = [
  ['direct', '/api/positions-all', 'positionsAll'],
  ['direct', '/api/config', 'config'],
  ['gateway', '/api/orders', 'orders'],
  ['gateway', '/api/v1/accounts/A/positions', 'v1Positions'],
] as const

async function front(
  t: Parameters<typeof directFront>[0],
  backend: 'direct' | 'gateway',
  link: FakeLink,
): Promise<number> {
  if (backend === 'direct') return (await directFront(t, link)).front.port
  return (await gatewayFront(t, [link])).front.port
}

for (const [backend, path, resource] of READS) {
  t.test(
    `${backend} ${path}: a client that has it already is told so, without a body`,
    async (t) => {
      const link = new FakeLink('A')
      const port = await front(t, backend, link)
      const first = await call(port, path)
      const tag = String(first.headers['etag'])
      t.match(tag, TAG)
      t.equal(
        tag.startsWith('W/'),
        path !== '/api/v1/accounts/A/positions',
        'weak where a time is in it',
      )
      const bare = tag.replace('W/', '')
      for (const known of [tag, bare, `W/${bare}`, `"other", ${tag}`, '*']) {
        const again = await call(port, path, { headers: { 'If-None-Match': known } })
        t.equal(again.status, 304, known)
        t.equal(again.text, '')
        t.equal(again.headers['etag'], tag)
        t.equal(again.headers['content-type'], undefined)
        t.match(again.headers['x-request-id'], /./)
      }
      for (const other of ['"other"', bare.slice(1, -1), '', 'W/""']) {
        const full = await call(port, path, { headers: { 'If-None-Match': other } })
        t.equal(full.status, 200, other)
      }
      link.texts[resource] = link.texts[resource].replace('{', '{"news":1,')
      const changed = await call(port, path, { headers: { 'If-None-Match': tag } })
      t.equal(changed.status, 200)
      t.match(changed.body, { news: 1 })
      t.not(changed.headers['etag'], tag)
    },
  )
}

for (const backend of ['direct', 'gateway'] as const) {
  t.test(
    `${backend}: what bears a tag is described with its 304, and nothing else is`,
    async (t) => {
      const port = await front(t, backend, new FakeLink('10000001'))
      const { paths } = (await call(port, '/openapi.json')).body as unknown as Document
      let count = 0
      for (const [path, { get }] of Object.entries(paths)) {
        if (get === undefined || !('application/json' in get.responses['200'].content)) continue
        const ask = path.replace('{account_id}', '10000001').replace('{month}', '2026-08')
        const { status, headers } = await call(port, `${ask}?stock_codes=600036&text=600036`)
        if (status !== 200) continue
        count += 1
        t.equal('304' in get.responses, headers['etag'] !== undefined, path)
      }
      t.ok(count > 15, `${count} addresses`)
    },
  )
}

t.test('HEAD is told the same', async (t) => {
  const port = await front(t, 'direct', new FakeLink('A'))
  const tag = String((await call(port, '/api/status')).headers['etag'])
  const head = await call(port, '/api/status', {
    method: 'HEAD',
    headers: { 'If-None-Match': tag },
  })
  t.equal(head.status, 304)
})

/** Heads of the answers to these requests, one after the other on one connection. */
async function headsOf(port: number, requests: readonly string[]): Promise<readonly string[]> {
  const socket = connect(port, '127.0.0.1')
  const heads: string[] = []
  for (const request of requests) {
    socket.write(`${request}\r\nHost: 127.0.0.1\r\n\r\n`)
    const [chunk] = (await heard(socket, 'data')) as [Buffer]
    heads.push(chunk.toString('latin1'))
  }
  socket.destroy()
  return heads
}

t.test('the connection goes on after an answer without a body, which has no length', async (t) => {
  const port = await front(t, 'gateway', new FakeLink('A'))
  const unchanged = 'GET /api/orders HTTP/1.1\r\nIf-None-Match: *'
  const [first, second, third, last] = await headsOf(port, [
    unchanged,
    unchanged,
    'OPTIONS /api/orders HTTP/1.1',
    'GET /api/orders HTTP/1.1',
  ])
  t.match(first, /^HTTP\/1.1 304 /)
  t.match(second, /^HTTP\/1.1 304 /)
  t.match(third, /^HTTP\/1.1 204 /)
  for (const head of [first, second, third]) t.notMatch(head, /content-length/i)
  t.match(last, /^HTTP\/1.1 200 /)
})
