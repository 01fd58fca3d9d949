import { request as httpRequest, type IncomingMessage } from 'node:http'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import t from 'tap'
import { heard } from '../../in-time.ts'
import { FakeLink } from '../fixtures/fake-service.ts'
import { directFront, gatewayFront } from '../fixtures/fronts.ts'

const PAGE = { entries: Array.from({ length: 200 }, (_, seq) => ({ seq, kind: 'connected' })) }
const LARGE = '/api/audit'

async function ask(port: number, path: string, encoding?: string, method = 'GET') {
  const headers = encoding === undefined ? {} : { 'Accept-Encoding': encoding }
  const options = { host: '127.0.0.1', port, path, method, agent: false, headers }
  const request = httpRequest(options).end()
  const [response] = (await heard(request, 'response')) as [IncomingMessage]
  const chunks: Buffer[] = []
  for await (const chunk of response) chunks.push(chunk as Buffer)
  return { status: response.statusCode, headers: response.headers, bytes: Buffer.concat(chunks) }
}

async function front(t: Parameters<typeof directFront>[0], limits = {}) {
  const link = new FakeLink('A', 0)
  link.answers.audit = { bytes: Buffer.from(JSON.stringify(PAGE)), looked: 1 }
  link.texts.positions = `{"status":"success","data":"${'x'.repeat(20_000)}","data_version":58`
  const { front: direct } = await directFront(t, link, { limits })
  return { link, port: direct.port }
}

const DECODE = { br: brotliDecompressSync, gzip: gunzipSync } as const

t.test('a large answer is compressed for who asks, and the same for who does not', async (t) => {
  const { port } = await front(t)
  const plain = await ask(port, LARGE)
  t.match(plain, { status: 200, headers: { vary: 'Accept-Encoding' } })
  t.equal(plain.headers['content-encoding'], undefined)
  const table: readonly (readonly [asked: string, encoding: 'br' | 'gzip' | undefined])[] = [
    ['gzip, deflate, br, zstd', 'br'],
    ['gzip', 'gzip'],
    ['GZIP;q=1.0', 'gzip'],
    ['br;q=0.5, gzip;q=0.8', 'gzip'],
    ['br;q=0, gzip;q=0', undefined],
    ['*', 'br'],
    ['*;q=0', undefined],
    ['identity', undefined],
    ['identity, gzip;q=0.5', undefined],
    ['deflate, zstd', undefined],
    ['gzip;q=nonsense', undefined],
    ['', undefined],
    [`${'x,'.repeat(1_000)}gzip`, undefined],
  ]
  for (const [asked, encoding] of table) {
    const { status, headers, bytes } = await ask(port, LARGE, asked)
    t.equal(status, 200, asked)
    t.equal(headers['content-encoding'], encoding, asked)
    t.equal(headers['vary'], 'Accept-Encoding', asked)
    t.equal(Number(headers['content-length']), bytes.length, asked)
    const body = encoding === undefined ? bytes : DECODE[encoding](bytes)
    t.strictSame(body, plain.bytes, asked)
    if (encoding !== undefined) t.ok(bytes.length * 2 < plain.bytes.length, asked)
  }
  const head = await ask(port, LARGE, 'br', 'HEAD')
  t.match(head, { status: 200, headers: { 'content-encoding': 'br' } })
  t.equal(head.bytes.length, 0)
})

t.test('small answers, read models, refusals and streams go as they are', async (t) => {
  const { port } = await front(t)
  for (const path of ['/api/logs/level', '/api/positions', '/api/nothing', '/api/audit?limit=0']) {
    const { headers } = await ask(port, path, 'br, gzip')
    t.equal(headers['content-encoding'], undefined, path)
    t.equal(headers['vary'], undefined, path)
  }
  const tagged = await ask(port, '/api/positions', 'br')
  const headers = { 'If-None-Match': String(tagged.headers.etag), 'Accept-Encoding': 'br' }
  const again = httpRequest({ host: '127.0.0.1', port, path: '/api/positions', headers }).end()
  const [unchanged] = (await heard(again, 'response')) as [IncomingMessage]
  unchanged.resume()
  t.equal(unchanged.statusCode, 304)
  const stream = httpRequest({
    host: '127.0.0.1',
    port,
    path: '/api/sse',
    agent: false,
    headers: { 'Accept-Encoding': 'br, gzip' },
  }).end()
  const [events] = (await heard(stream, 'response')) as [IncomingMessage]
  t.match(events.headers, { 'content-type': /event-stream/, 'content-encoding': undefined })
  stream.on('error', () => undefined)
  stream.destroy()
})

t.test('so many are compressed at once; what is more goes as it is', async (t) => {
  const { port } = await front(t, { compressionsMax: 0 })
  const { status, headers } = await ask(port, LARGE, 'br')
  t.equal(status, 200)
  t.match(headers, { 'content-encoding': undefined, vary: 'Accept-Encoding' })
})

t.test('on the gateway too, also what is answered without waiting', async (t) => {
  const { front } = await gatewayFront(t, [new FakeLink('A')])
  const plain = await ask(front.port, '/openapi.json')
  const packed = await ask(front.port, '/openapi.json', 'gzip')
  t.match(packed, { status: 200, headers: { 'content-encoding': 'gzip' } })
  t.strictSame(gunzipSync(packed.bytes), plain.bytes)
})
