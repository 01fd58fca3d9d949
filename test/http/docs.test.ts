import { request as httpRequest, type IncomingMessage } from 'node:http'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import t from 'tap'
import { heard } from '../in-time.ts'
import { directFront, FakeLink } from './fake-service.ts'

/** Bytes of the page with all that it loads, as they go over the line. */
const WEIGHT_MAX = { br: 480_000, gzip: 540_000 } as const
const FILES = [
  '/docs',
  '/docs/swagger-ui.css',
  '/docs/swagger-ui-bundle.js',
  '/docs/start.js',
  '/openapi.json',
]

async function ask(port: number, path: string, headers: Readonly<Record<string, string>>) {
  const options = { host: '127.0.0.1', port, path, agent: false, headers }
  const request = httpRequest({
    ...options,
    headers: { Accept: 'text/html,*/*', ...headers },
  }).end()
  const [response] = (await heard(request, 'response')) as [IncomingMessage]
  const chunks: Buffer[] = []
  for await (const chunk of response) chunks.push(chunk as Buffer)
  return { status: response.statusCode, headers: response.headers, bytes: Buffer.concat(chunks) }
}

const DECODE = { br: brotliDecompressSync, gzip: gunzipSync } as const

t.test('the description weighs little over the line, and is what it is uncompressed', async (t) => {
  const { front } = await directFront(t, new FakeLink('A'))
  const plain = new Map<string, Buffer>()
  for (const file of FILES) {
    const { status, bytes } = await ask(front.port, file, {})
    t.equal(status, 200, file)
    plain.set(file, bytes)
  }
  for (const encoding of ['br', 'gzip'] as const) {
    let weight = 0
    for (const file of FILES) {
      const { headers, bytes } = await ask(front.port, file, { 'Accept-Encoding': encoding })
      weight += bytes.length
      if (headers['content-encoding'] === undefined) continue
      t.equal(headers['vary'], 'Accept-Encoding', file)
      t.strictSame(DECODE[encoding](bytes), plain.get(file), `${encoding} ${file}`)
    }
    t.ok(weight < WEIGHT_MAX[encoding], `${encoding}: ${weight} bytes`)
  }
})

t.test('who has it already is not sent it again, in whatever coding', async (t) => {
  const { front } = await directFront(t, new FakeLink('A'))
  for (const file of ['/docs/swagger-ui.css', '/docs/swagger-ui-bundle.js', '/openapi.json']) {
    const first = await ask(front.port, file, { 'Accept-Encoding': 'br' })
    const tag = String(first.headers['etag'])
    t.match(tag, /^W\/"[\w-]{22}"$/, file)
    const again = await ask(front.port, file, { 'Accept-Encoding': 'gzip', 'If-None-Match': tag })
    t.match(again, { status: 304, headers: { etag: tag } }, file)
    t.equal(again.bytes.length, 0)
    const other = await ask(front.port, file, { 'If-None-Match': 'W/"another"' })
    t.equal(other.status, 200)
  }
})
