import { join } from 'node:path'
import { brotliCompressSync } from 'node:zlib'
import t, { type Test } from 'tap'
import type { HttpRequest } from '../../../http/message/request.ts'
import { loadPages } from '../../../http/sockets/static.ts'
import { call } from '../fixtures/client.ts'
import { FakeLink } from '../fixtures/fake-service.ts'
import { directFront, gatewayFront } from '../fixtures/fronts.ts'

const SCRIPT = 'console.log(1)\n'.repeat(100)

const folder = (t: Test): string =>
  t.testdir({
    'index.html': '<!doctype html><title>Steward</title>',
    'favicon.svg': '<svg xmlns="http://www.w3.org/2000/svg"/>',
    'secret.txt': 'not served',
    assets: {
      'main-abc123.js': SCRIPT,
      'main-abc123.js.br': brotliCompressSync(SCRIPT),
    },
  })
const ask = (path: string, headers: Record<string, string> = {}, method = 'GET'): HttpRequest => ({
  id: '1',
  method,
  path,
  query: '',
  peer: '127.0.0.1',
  repeated: new Set<string>(),
  caller: undefined,
  isGone: false,
  onGone: () => {},
  headers: new Map(Object.entries(headers)),
})
const pagesOf = (t: Test, options = {}) => {
  const pages = loadPages({
    folder: folder(t),
    mayConnectElsewhere: false,
    hasFallback: false,
    ...options,
  })
  if (pages === undefined) throw new Error('no pages')
  return pages
}

t.test('the page is always asked for again, what carries a digest in its name never', async (t) => {
  const pages = pagesOf(t)
  const index = pages.find(ask('/'))
  t.equal(index?.status, 200)
  t.match(index?.headers, { 'Content-Type': /^text\/html/, 'Cache-Control': 'no-cache' })
  t.match(String(index?.body), /<title>Steward/)
  t.match(pages.find(ask('/assets/main-abc123.js'))?.headers, {
    'Content-Type': /^text\/javascript/,
    'Cache-Control': 'public, max-age=31536000, immutable',
  })
})

t.test('a compressed copy goes to those who take it', async (t) => {
  const pages = pagesOf(t)
  const cases: [string, string | undefined][] = [
    ['gzip, deflate, br, zstd', 'br'],
    ['br;q=0, gzip', undefined],
    ['', undefined],
  ]
  for (const [accept, encoding] of cases) {
    const reply = pages.find(ask('/assets/main-abc123.js', { 'accept-encoding': accept }))
    t.equal(reply?.headers?.['Content-Encoding'], encoding, accept)
    t.equal(reply?.headers?.['Vary'], 'Accept-Encoding')
  }
})

t.test(
  'the policy allows this origin only; the monitor may also read another gateway',
  async (t) => {
    const policy = (mayConnectElsewhere: boolean) =>
      pagesOf(t, { mayConnectElsewhere }).find(ask('/'))?.headers?.['Content-Security-Policy'] ?? ''
    t.match(policy(false), "default-src 'none'; script-src 'self'; style-src 'self'")
    t.match(policy(false), /connect-src 'self';/)
    t.match(policy(true), /connect-src 'self' http: https:;/)
    t.notMatch(policy(true), /unsafe/)
  },
)

t.test('only files of the folder are served, and only to readers', async (t) => {
  const pages = pagesOf(t)
  for (const path of ['/secret.txt', '/../package.json', '/assets/', '/assets/main-abc123.js.br']) {
    t.equal(pages.find(ask(path)), undefined, path)
  }
  t.equal(pages.find(ask('/', {}, 'POST')), undefined)
  t.ok(pages.find(ask('/', {}, 'HEAD')))
})

t.test('F777 a file of the pages names its verbs to whoever uses another one', async (t) => {
  const pages = pagesOf(t)
  const direct = (await directFront(t, new FakeLink('A'), { pages })).front.port
  const gateway = (await gatewayFront(t, [], { pages: pagesOf(t, { hasFallback: true }) })).front
    .port
  for (const port of [direct, gateway]) {
    for (const path of ['/', '/index.html', '/favicon.svg', '/assets/main-abc123.js']) {
      const { status, headers, body } = await call(port, path, { method: 'POST', body: {} })
      t.equal(status, 405, path)
      t.equal(headers.allow, 'GET, HEAD, OPTIONS', path)
      t.match(body, { code: 'METHOD_NOT_ALLOWED' })
      t.equal((await call(port, path, { method: 'OPTIONS' })).status, 204, path)
    }
    for (const path of ['/secret.txt', '/account/10000001']) {
      t.equal((await call(port, path, { method: 'POST', body: {} })).status, 404, path)
    }
  }
})

t.test(
  'an address of the page itself is answered with the page, where that is wanted',
  async (t) => {
    const pages = pagesOf(t, { hasFallback: true })
    const html = { accept: 'text/html,application/xhtml+xml' }
    for (const headers of [html, {}, { accept: '*/*' }, { accept: 'application/json, text/*' }]) {
      t.match(String(pages.fallback(ask('/account/10000001', headers))?.body), /Steward/)
    }
    // As the monitor names a stock whose digits alone are those of another one.
    t.ok(pages.fallback(ask('/account/10000001/stock/111010.SH', html)))
    t.equal(pages.fallback(ask('/account/10000001/stock/favicon.SH', html)), undefined)
    t.equal(pages.fallback(ask('/account/10000001', { accept: 'application/json' })), undefined)
    t.equal(pages.fallback(ask('/assets/gone.js', html)), undefined)
    t.equal(pages.fallback(ask('/assets/gone', html)), undefined)
    t.equal(pages.fallback(ask('/account/10000001', {}, 'POST')), undefined)
    t.equal(pagesOf(t).fallback(ask('/account/10000001', html)), undefined)
  },
)

t.test('without built pages there is nothing to serve', async (t) => {
  const nowhere = join(t.testdir({}), 'dist')
  t.equal(loadPages({ folder: nowhere, mayConnectElsewhere: false, hasFallback: false }), undefined)
})
