import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { request as httpRequest, type IncomingMessage } from 'node:http'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { freePorts } from '../free-ports.ts'
import { heard, inTime, PATIENCE_MS } from '../in-time.ts'
import { serve, settings } from './fixture.ts'

const TOKEN = 'a-token-of-thirty-two-characters'
const ORIGIN = 'https://steward.example'
const PAGE = readFileSync(join(import.meta.dirname, '../../docs/proxies.md'), 'utf8')

/** What the page tells people to write, to the letter. */
function documented(name: string): string {
  const [, text] =
    new RegExp(`<!-- tested: ${name} -->\n\`\`\`\\w+\n(.*?)\`\`\``, 's').exec(PAGE) ?? []
  if (text === undefined) throw new Error(`docs/proxies.md has no configuration "${name}"`)
  return text
}

const has = (program: string, ...args: string[]): boolean =>
  spawnSync(program, args, { stdio: 'ignore' }).status === 0

interface Asked {
  readonly method?: string
  readonly headers?: Record<string, string>
  readonly body?: string
}

/** One request to the proxy, on a connection of its own. */
async function ask(port: number, path: string, { method = 'GET', headers = {}, body }: Asked = {}) {
  const request = httpRequest({ host: '127.0.0.1', port, path, method, agent: false, headers })
  request.end(body)
  const [response] = (await heard(request, 'response')) as [IncomingMessage]
  const chunks: Buffer[] = []
  for await (const chunk of response) chunks.push(chunk)
  const text = Buffer.concat(chunks).toString('utf8')
  return { status: response.statusCode, headers: response.headers, text }
}

/** Starts a proxy and waits until it answers; ended by its process id when the test ends. */
async function start(t: Test, program: string, args: string[], env: object, port: number) {
  const child: ChildProcess = spawn(program, args, {
    stdio: 'pipe',
    env: { ...process.env, ...env },
  })
  let said = ''
  child.stderr?.on('data', (text) => {
    said += text
  })
  const ended = heard(child, 'exit')
  t.teardown(async () => {
    child.kill('SIGTERM')
    await ended
  })
  const endMs = performance.now() + PATIENCE_MS
  while (performance.now() < endMs && child.exitCode === null) {
    try {
      await ask(port, '/')
      return
    } catch {
      await delay(20) // not there yet
    }
  }
  throw new Error(`${program} does not answer: ${said.slice(-2_000)}`)
}

/** The documented text with this test's ports in the place of the usual ones. */
const ported = (name: string, ports: Readonly<Record<string, string | number>>): string =>
  Object.entries(ports).reduce((text, [from, to]) => {
    if (!text.includes(from)) throw new Error(`"${name}" no longer says ${from}`)
    return text.replaceAll(from, String(to))
  }, documented(name))

async function nginx(t: Test, folder: string, server: string, port: number): Promise<void> {
  mkdirSync(folder)
  const kinds = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
  const config = `daemon off; pid ${folder}/pid; error_log stderr;
events {}
http {
  access_log off;
  ${kinds.map((kind) => `${kind}_temp_path ${folder}/${kind};`).join(' ')}
  ${server}
}`
  writeFileSync(join(folder, 'nginx.conf'), config)
  await start(
    t,
    'nginx',
    ['-e', 'stderr', '-p', folder, '-c', join(folder, 'nginx.conf')],
    {},
    port,
  )
}

async function caddy(t: Test, folder: string, site: string, port: number): Promise<void> {
  mkdirSync(folder)
  const file = join(folder, 'Caddyfile')
  writeFileSync(file, `{\n\tadmin off\n\tauto_https off\n}\n${site}`)
  const env = { HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder }
  await start(t, 'caddy', ['run', '--adapter', 'caddyfile', '--config', file], env, port)
}

/** The service with a token and what the page says of settings, and a port for old proxies at each backend. */
async function house(t: Test) {
  const [gateway = 0, base = 0, proxyPort = 0, proxyBase = 0] = await freePorts(4)
  const [account] = (settings() as { accounts: object[] }).accounts
  await serve(t, {
    env: { SVC_API_TOKEN: TOKEN, GW_API_TOKEN: TOKEN },
    overrides: {
      accounts: [account],
      gateway: {
        host: '127.0.0.1',
        port: gateway,
        proxy_port: proxyPort,
        trust_proxy: true,
        proxies: ['127.0.0.1'],
      },
      direct: { base_port: base, proxy_base_port: proxyBase, allowed_origins: [ORIGIN] },
    },
  })
  return { gateway, direct: base, proxyPort, proxyBase }
}

const KNOWN = { 'X-API-Token': TOKEN }
const JSON_TYPE = { ...KNOWN, 'Content-Type': 'application/json' }

/** Pages, reads and an order through the gateway, as programs ask for them. */
async function usesGateway(t: Test, port: number, extra: Record<string, string> = {}) {
  const known = { ...KNOWN, ...extra }
  t.match(await ask(port, '/', { headers: extra }), { status: 200, text: /<html/ })
  t.match(await ask(port, '/api/v1/health', { headers: extra }), { status: 200 })
  t.match(await ask(port, '/api/v1/accounts', { headers: extra }), { status: 401 })
  const accounts = await ask(port, '/api/v1/accounts', { headers: known })
  t.match(accounts, { status: 200, text: /10000001/ })
  const positions = await ask(port, '/api/v1/accounts/10000001/positions', { headers: known })
  t.match(positions, { status: 200, text: /600036/ })
  const order = () =>
    ask(port, '/api/v1/accounts/10000001/orders', {
      method: 'POST',
      headers: { ...JSON_TYPE, ...extra, 'Idempotency-Key': `through-${port}` },
      body: '{"stock_code":"600036","order_type":23,"order_volume":100,"price_type":5,"price":0}',
    })
  const first = await order()
  t.equal(first.status, 201, first.text)
  const again = await order()
  t.equal(JSON.parse(again.text).data.order_id, JSON.parse(first.text).data.order_id)
  t.equal(again.headers['idempotency-replayed'], 'true')
  t.match(await ask(port, '/api/nothing', { headers: known }), { status: 404, text: /NOT_FOUND/ })
}

/** Pages, reads, a write of the public page, and two events of the stream through direct mode. */
async function usesDirect(t: Test, port: number, extra: Record<string, string> = {}) {
  const known = { ...KNOWN, ...extra }
  t.match(await ask(port, '/', { headers: extra }), { status: 200, text: /<html/ })
  const status = await ask(port, '/api/status', { headers: known })
  t.match(status, { status: 200, text: /"status":"success"/ })
  const head = await ask(port, '/api/status', { method: 'HEAD', headers: known })
  t.match(head, { status: 200, text: '' })
  const write = (origin: string) =>
    ask(port, '/api/config/save', {
      method: 'POST',
      headers: { ...JSON_TYPE, ...extra, Origin: origin },
      body: '{"singleBuyAmount":35000}',
    })
  t.match(await write(ORIGIN), { status: 200 })
  t.match(await write('https://elsewhere.example'), { status: 403, text: /ORIGIN_REFUSED/ })
  const stream = httpRequest({
    host: '127.0.0.1',
    port,
    path: '/api/sse',
    agent: false,
    headers: known,
  })
  stream.end()
  const [response] = (await heard(stream, 'response')) as [IncomingMessage]
  t.match(response.headers, { 'content-type': /^text\/event-stream/ })
  let text = ''
  const twice = (async () => {
    for await (const chunk of response) {
      text += chunk
      if (text.split('\n\nid: ').length > 2) return
    }
  })()
  await inTime(twice, 'two events through a proxy')
  stream.destroy()
  for (const block of text.split('\n\n').filter((each) => each.startsWith('data: '))) {
    t.match(JSON.parse(block.slice('data: '.length)), { positions_update: Object })
  }
}

const NO_NGINX = has('nginx', '-v') ? false : 'nginx is not installed'
const NO_CADDY = has('caddy', 'version') ? false : 'caddy is not installed'
const NOBODY = { gateway: 0, direct: 0, proxyPort: 0, proxyBase: 0 }
const { gateway, direct, proxyPort, proxyBase } =
  NO_NGINX === false || NO_CADDY === false ? await house(t) : NOBODY

t.test(
  'nginx as it is installed, and as documented, before both backends',
  { skip: NO_NGINX },
  async (t) => {
    const folder = t.testdir()
    const [a = 0, b = 0, c = 0, d = 0, e = 0] = await freePorts(5)
    const here = (port: number) => `listen 127.0.0.1:${port}`
    const servers = [
      ported('nginx default', { 'listen 80': here(a), '127.0.0.1:8889': `127.0.0.1:${gateway}` }),
      ported('nginx default', { 'listen 80': here(b), '127.0.0.1:8889': `127.0.0.1:${proxyPort}` }),
      ported('nginx default', { 'listen 80': here(c), '127.0.0.1:8889': `127.0.0.1:${proxyBase}` }),
      ported('nginx gateway', { 'listen 80': here(d), '127.0.0.1:8888': `127.0.0.1:${gateway}` }),
      ported('nginx direct', { 'listen 80': here(e), '127.0.0.1:5000': `127.0.0.1:${direct}` }),
    ]
    await nginx(t, join(folder, 'nginx'), servers.join('\n'), b)
    const plain = await ask(a, '/api/v1/health')
    t.ok([200, 505].includes(plain.status ?? 0), 'as old as its default, or newer')
    await usesGateway(t, b)
    await usesDirect(t, c)
    await usesGateway(t, d)
    await usesDirect(t, e)
  },
)

t.test('Caddy as documented, before both backends', { skip: NO_CADDY }, async (t) => {
  const folder = t.testdir()
  const [a = 0, b = 0] = await freePorts(2)
  const sites = [
    ported('caddy gateway', {
      'http://steward.example': `http://steward.example:${a}`,
      '127.0.0.1:8888': `127.0.0.1:${gateway}`,
    }),
    ported('caddy direct', {
      'http://desk.example': `http://desk.example:${b}`,
      '127.0.0.1:5000': `127.0.0.1:${direct}`,
    }),
  ]
  await caddy(t, join(folder, 'caddy'), sites.join('\n'), a)
  await usesGateway(t, a, { Host: 'steward.example' })
  await usesDirect(t, b, { Host: 'desk.example' })
})
