import { EventEmitter } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo, connect, createServer as createRelay, type Socket } from 'node:net'
import type { Page } from 'playwright-core'
import t, { type Test } from 'tap'
import { FakeLink } from '../http/fixtures/fake-service.ts'
import { directFront } from '../http/fixtures/fronts.ts'
import { heard } from '../in-time.ts'
import { startBrowser, visit } from './pages.ts'

const browser = await startBrowser(t)
const TOKEN = 'a-token-of-sixteen-or-more'

/** A page that another program on this computer serves. Returns its origin. */
async function foreignPage(t: Test): Promise<string> {
  const server = createServer((_request, response) => {
    response.writeHead(200, { 'Content-Type': 'text/html' })
    response.end('<!doctype html><title>mine</title><link rel="icon" href="data:,">')
  })
  server.listen(0, '127.0.0.1')
  await heard(server, 'listening')
  t.teardown(() => server.close())
  return `http://localhost:${(server.address() as AddressInfo).port}`
}

interface Ask {
  readonly url: string
  readonly method?: string
  readonly headers?: Record<string, string>
  readonly body?: string
}

/** What a page can read of an answer; `failed` when the browser shows it nothing. */
const ask = (page: Page, asked: Ask) =>
  page.evaluate(async ({ url, ...init }) => {
    try {
      const response = await fetch(url, init)
      const headers = Object.fromEntries(response.headers)
      return { status: response.status, headers, body: await response.json() }
    } catch {
      return { status: 'failed', headers: {}, body: {} }
    }
  }, asked)

t.test(
  'a listed page reads, writes and understands refusals; another one sees nothing',
  async (t) => {
    const origin = await foreignPage(t)
    const other = await foreignPage(t)
    const link = new FakeLink('A')
    const { front } = await directFront(t, link, { allowedOrigins: [origin], token: TOKEN })
    const base = `http://127.0.0.1:${front.port}`
    const known = { 'X-API-Token': TOKEN }
    const { page } = await visit(browser, origin)
    t.match(await ask(page, { url: `${base}/api/status`, headers: known }), {
      status: 200,
      headers: { etag: String, 'x-request-id': String },
      body: { status: 'success' },
    })
    const save = {
      url: `${base}/api/config/save`,
      method: 'POST',
      headers: { ...known, 'Content-Type': 'application/json', 'Idempotency-Key': 'page-1' },
      body: '{"singleBuyAmount":35000}',
    }
    const sent = await ask(page, save)
    t.equal(sent.status, 200)
    t.equal(link.asked.filter(({ kind }) => kind === 'saveConfig').length, 1)
    t.match(await ask(page, { url: `${base}/api/status` }), {
      status: 401,
      body: { code: 'UNAUTHORIZED' },
    })
    t.match(await ask(page, { ...save, body: '{' }), { status: 400, body: { code: 'BAD_JSON' } })
    t.match(await ask(page, { ...save, method: 'DELETE' }), {
      status: 405,
      headers: { allow: 'POST, OPTIONS' },
    })

    const stranger = await visit(browser, other, { expected: /./ })
    for (const asked of [{ url: `${base}/api/status`, headers: known }, save]) {
      t.equal((await ask(stranger.page, asked)).status, 'failed')
    }
    t.equal(link.asked.filter(({ kind }) => kind === 'saveConfig').length, 1, 'nothing was sent')
  },
)

t.test(
  'the event stream of a listed page: by fetch with a token, and by EventSource',
  async (t) => {
    const origin = await foreignPage(t)
    const guarded = await directFront(t, new FakeLink('A'), {
      allowedOrigins: [origin],
      token: TOKEN,
    })
    const { page } = await visit(browser, origin, { expected: /ERR_/ })
    const first = await page.evaluate(
      async ({ url, token }) => {
        const headers = { 'X-API-Token': token, 'Last-Event-ID': 'abc-1' }
        const response = await fetch(url, { headers })
        const reader = response.body?.getReader()
        const { value } = (await reader?.read()) ?? {}
        await reader?.cancel()
        return new TextDecoder().decode(value)
      },
      { url: `http://127.0.0.1:${guarded.front.port}/api/sse`, token: TOKEN },
    )
    t.match(first, /^data: \{/)

    const open = await directFront(t, new FakeLink('A'), {
      allowedOrigins: [origin],
      limits: { sseIntervalMs: 20, sseSilenceMs: 0 },
    })
    const relay = await relayTo(t, open.front.port)
    const opening = relay.nextHead()
    await page.evaluate(`globalThis.seen = []
      const source = new EventSource('http://127.0.0.1:${relay.port}/api/sse')
      source.onmessage = ({ data }) => { seen.push(data) }`)
    const before = await opening
    await page.waitForFunction('seen.length > 1')
    const again = relay.nextHead()
    relay.cut()
    const after = await again
    t.notMatch(before, /last-event-id/i)
    t.match(
      after,
      /\r\nLast-Event-ID: [0-9a-f]+-\d+\r\n/i,
      'it remembers what stood in a block alone',
    )
    const data = (await page.evaluate('seen')) as string[]
    for (const text of data) t.match(JSON.parse(text), { positions_update: Object })
  },
)

/** Passes bytes on, tells the heads of requests, and cuts connections when it is told to. */
async function relayTo(t: Test, port: number) {
  const heads = new EventEmitter()
  const open = new Set<Socket>()
  const server = createRelay((near) => {
    const far = connect(port, '127.0.0.1')
    near.once('data', (head) => heads.emit('head', head.toString('latin1')))
    near.pipe(far).pipe(near)
    for (const socket of [near, far]) {
      open.add(socket)
      socket.on('error', () => {})
      socket.on('close', () => open.delete(socket))
    }
  })
  const cut = (): void => {
    for (const socket of open) socket.destroy()
  }
  server.listen(0, '127.0.0.1')
  await heard(server, 'listening')
  t.teardown(() => {
    server.close()
    cut()
  })
  const nextHead = async (): Promise<string> => String((await heard(heads, 'head'))[0])
  return { port: (server.address() as AddressInfo).port, nextHead, cut }
}
