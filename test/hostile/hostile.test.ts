import { Agent, request } from 'node:http'
import t from 'tap'
import { descriptorsMax } from '../../src/service/process/descriptors.ts'
import { inTime } from '../in-time.ts'
import { serve, until } from '../service/fixture.ts'
import { ATTACKS, Horde, type Target } from './fixtures/attacks.ts'

const ADMIN = 'correct-horse-battery-staple-0123456789'
const VIEWER = 'a-token-that-may-only-look-0123456789'
/** Of what is tried with `npm run hostile`. Both ends of all connections are in this process. */
const SHARE = 10
const MOST = ((descriptorsMax() ?? Number.POSITIVE_INFINITY) - 512) / 2

interface Asked {
  readonly port: number
  readonly method: string
  readonly path: string
  readonly token?: string
  readonly body?: string
  readonly agent?: Agent
}

/** Status and text of an answer; 0 when there is none. */
function ask({ port, method, path, token, body = '', agent }: Asked) {
  const headers = {
    ...(token !== undefined && { 'X-API-Token': token }),
    ...(body !== '' && { 'Content-Type': 'application/json', 'Content-Length': body.length }),
  }
  const answered = new Promise<{ status: number; text: string }>((resolve) => {
    const gone = () => resolve({ status: 0, text: '' })
    const options = { host: '127.0.0.1', port, method, path, headers, ...(agent && { agent }) }
    const asking = request(options, (response) => {
      let text = ''
      response.on('data', (chunk: Buffer) => {
        text += chunk.toString('utf8')
      })
      response.on('error', gone)
      response.on('end', () => resolve({ status: response.statusCode ?? 0, text }))
    })
    asking.on('error', gone)
    asking.end(body)
  })
  return inTime(answered, `${method} ${path}`)
}

const portOf = (url: string | undefined): number => Number(new URL(url ?? '').port)

t.test('whatever is thrown at the front, the kill switch and the console answer', async (t) => {
  const hash = 'sha256:b97ce86e3eb5d83736e4a11c6eab88bc936a15f7b87dfd6147c85dbe6868dd70'
  const served = await serve(t, {
    overrides: {
      gateway: { host: '127.0.0.1', port: 0, api_token: ADMIN },
      tokens: [{ name: 'viewer', hash, scope: 'view' }],
    },
  })
  const target: Target = {
    gateway: portOf(served.gateway),
    direct: portOf(served.direct[0]),
    accountId: '10000001',
    viewToken: VIEWER,
  }
  const own = new Agent({ keepAlive: true, maxSockets: 1 })
  t.teardown(() => own.destroy())
  const kill = {
    port: target.gateway,
    method: 'POST',
    path: '/api/v1/accounts/10000001/kill-switch',
    token: ADMIN,
    body: '{"level":"entries","reason":"drill"}',
  }
  t.equal((await ask({ ...kill, agent: own })).status, 200)
  for (const attack of ATTACKS) {
    const horde = new Horde(attack, target, Math.min(MOST, Math.ceil(attack.most / SHARE)))
    await inTime(horde.reached, attack.name)
    for (let i = 0; i < 3; i++) {
      t.equal((await ask({ ...kill, agent: own })).status, 200, `${attack.name}: kill switch`)
    }
    t.equal((await ask(kill)).status, 200, `${attack.name}: kill switch, on a new connection`)
    const health = { port: target.gateway, method: 'GET', path: '/api/v1/health', token: ADMIN }
    t.equal((await ask(health)).status, 200, `${attack.name}: health`)
    const console = { port: target.direct, method: 'GET', path: '/api/status', token: ADMIN }
    t.equal((await ask(console)).status, 200, `${attack.name}: console`)
    horde.stop()
  }
  const metrics = { port: target.direct, method: 'GET', path: '/metrics?whole=true', token: ADMIN }
  const open = /^steward_http_connections\{backend="gateway"\} (\d+)$/m
  const left = await until(
    async () => Number(open.exec((await ask(metrics)).text)?.[1] ?? Number.NaN),
    (count) => count <= 2,
  )
  t.ok(left <= 2, 'and nothing is left of them')
})
