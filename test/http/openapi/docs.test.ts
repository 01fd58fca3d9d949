import { request as httpRequest, type IncomingMessage } from 'node:http'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import t from 'tap'
import { heard } from '../../in-time.ts'
import { FakeLink } from '../fixtures/fake-service.ts'
import { directFront, gatewayFront } from '../fixtures/fronts.ts'

/** Bytes of the page with all that it loads by itself, as they go over the line. */
const FIRST_LOAD_MAX = 20_000
/** Bytes of it all, once an operation is opened. */
const WEIGHT_MAX = { br: 480_000, gzip: 550_000 } as const
const LATER = ['/docs/swagger-ui.css', '/docs/swagger-ui-bundle.js', '/openapi.json']

/** The page, and what its elements name to be loaded. */
const filesOf = (page: string): string[] => {
  const named = [...page.matchAll(/<(?:link|script|img)\b[^>]* (?:href|src)="(\/[^"]*)"/g)]
  return ['/docs', ...named.map(([, name]) => name ?? '')]
}

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
  const first = filesOf((await ask(front.port, '/docs', {})).bytes.toString())
  t.strictSame(first.sort(), ['/docs', '/docs/page.css', '/docs/start.js'])
  const plain = new Map<string, Buffer>()
  for (const file of [...first, ...LATER]) {
    const { status, bytes } = await ask(front.port, file, {})
    t.equal(status, 200, file)
    plain.set(file, bytes)
  }
  for (const encoding of ['br', 'gzip'] as const) {
    const weigh = async (files: readonly string[]): Promise<number> => {
      let weight = 0
      for (const file of files) {
        const { headers, bytes } = await ask(front.port, file, { 'Accept-Encoding': encoding })
        t.equal(headers['content-encoding'], encoding, file)
        t.equal(headers['vary'], 'Accept-Encoding', file)
        t.strictSame(DECODE[encoding](bytes), plain.get(file), `${encoding} ${file}`)
        weight += bytes.length
      }
      return weight
    }
    const early = await weigh(first)
    t.ok(early < FIRST_LOAD_MAX, `${encoding}: ${early} bytes at first load`)
    const all = early + (await weigh(LATER))
    t.ok(all < WEIGHT_MAX[encoding], `${encoding}: ${all} bytes`)
  }
})

t.test('the contents have every operation, at the address that the viewer gives it', async (t) => {
  const link = new FakeLink('A')
  for (const { front } of [await directFront(t, link), await gatewayFront(t, [link])]) {
    const page = (await ask(front.port, '/docs', {})).bytes.toString()
    const { paths } = JSON.parse((await ask(front.port, '/openapi.json', {})).bytes.toString()) as {
      paths: Record<string, Record<string, { tags: string[]; operationId: string }>>
    }
    const operations = Object.values(paths).flatMap((item) => Object.values(item))
    const expected = operations.map(
      ({ tags, operationId }) => `#/${encodeURIComponent(tags[0] ?? '')}/${operationId}`,
    )
    const shown = [...page.matchAll(/<li><a href="([^"]+)"/g)].map(([, address]) => address)
    t.strictSame(shown.sort(), expected.sort())
  }
})

t.test('who has it already is not sent it again, in whatever coding', async (t) => {
  const { front } = await directFront(t, new FakeLink('A'))
  for (const file of ['/docs', ...LATER]) {
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
