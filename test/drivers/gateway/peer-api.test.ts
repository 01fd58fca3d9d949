import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import t, { type Test } from 'tap'
import { PeerApi } from '../../../src/drivers/gateway/peer-api.ts'
import {
  type PeerAnswer,
  type PeerAsk,
  PeerClient,
} from '../../../src/drivers/gateway/peer-client.ts'

const LIMITS = { requestTimeoutMs: 1_000, orderTimeoutMs: 1_000 }
const ACCOUNT = '10000001'

/** An account at a gateway that answers with each of these, and what it was asked. */
function apiOf(answers: readonly PeerAnswer[]) {
  const left = [...answers]
  const asked: string[] = []
  const client = {
    ask: async ({ method, path }: PeerAsk) => {
      asked.push(`${method} ${path.replace(`/api/v1/accounts/${ACCOUNT}`, '')}`)
      return left.shift()
    },
  }
  return { api: new PeerApi(client as unknown as PeerClient, ACCOUNT, LIMITS), asked }
}

const answered = (status: number, code = '', allow = ''): PeerAnswer => ({
  kind: 'answered',
  status,
  headers: { allow },
  json: { code },
})
const ROUTE = answered(405, 'METHOD_NOT_ALLOWED', 'POST')
const NO_ROUTE = answered(404, 'NOT_FOUND')

t.test(
  'F245 a gateway that has no time to say how it takes keys is not taken for another',
  async (t) => {
    for (const status of [429, 502, 503, 504]) {
      t.equal(await apiOf([answered(status), NO_ROUTE]).api.manner(), undefined, `${status} first`)
      t.equal(await apiOf([NO_ROUTE, answered(status)]).api.manner(), undefined, `${status} then`)
    }
    t.equal(await apiOf([ROUTE]).api.manner(), 'withdraws')
    t.equal(await apiOf([NO_ROUTE, answered(404, 'UNKNOWN_ORDER')]).api.manner(), 'keyed')
    t.equal(await apiOf([NO_ROUTE, NO_ROUTE]).api.manner(), 'foreign')
  },
)

t.test(
  'F466 a gateway that fails as it is asked how it takes keys is not taken for another',
  async (t) => {
    const fault = answered(500, 'INTERNAL')
    const page = answered(500)
    const status = (data: object): PeerAnswer => ({
      kind: 'answered',
      status: 200,
      headers: {},
      json: { data },
    })
    const ours = status({ connected: true, ready: true })
    for (const failure of [fault, page]) {
      t.equal(await apiOf([failure, ours]).api.manner(), undefined)
      t.equal(await apiOf([NO_ROUTE, failure, ours]).api.manner(), undefined)
      t.equal(await apiOf([failure, failure]).api.manner(), undefined, 'it fails at everything')
    }
    const others = status({ connected: true })
    for (const failure of [page, answered(500, '500'), answered(500, 'SERVER_ERROR')]) {
      t.equal(
        await apiOf([failure, others, failure, others]).api.manner(),
        'foreign',
        'another one may always fail at a number that is none',
      )
    }
  },
)

t.test('F247 the number of an order is a number, whatever a gateway calls it', async (t) => {
  for (const number of ['\ud800', '.', '..', '']) {
    const { api, asked } = apiOf([])
    t.match(
      await api.cancel(number),
      { kind: 'lost', mayHaveArrived: false },
      JSON.stringify(number),
    )
    t.strictSame(asked, [], 'it would be asked of something else')
  }
  const { api, asked } = apiOf([answered(200)])
  await api.cancel('a/b?../委托')
  t.strictSame(asked, ['DELETE /orders/a%2Fb%3F..%2F%E5%A7%94%E6%89%98'])
})

t.test('F247 a request that cannot be made is an answer like any other', async (t) => {
  const address = { url: new URL('http://127.0.0.1:1'), token: '', ca: undefined }
  const client = new PeerClient(address, { connectionsMax: 1, idleMs: 1, bodyBytesMax: 1 })
  t.teardown(() => client.close())
  const headers = { 'If-None-Match': 'a\nb' }
  const answer = await client.ask({ method: 'GET', path: '/', headers, timeoutMs: 1_000 })
  t.match(answer, { kind: 'lost', mayHaveArrived: false })
})

const pem = (name: string): Buffer =>
  readFileSync(new URL(`../../http/fixtures/localhost.${name}.pem`, import.meta.url))

/** A gateway under TLS, and how many bytes of requests it has had. */
async function underTls(t: Test) {
  const seen = { bytes: 0, isServing: true }
  const server = createServer({ cert: pem('cert'), key: pem('key') }, (request, response) => {
    if (seen.isServing) response.end('{}')
    else request.socket.destroy()
  })
  server.on('secureConnection', (socket) => {
    socket.on('data', ({ length }: Buffer) => {
      seen.bytes += length
    })
  })
  server.on('tlsClientError', () => undefined)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  return { seen, port: (server.address() as AddressInfo).port }
}

t.test('F467 what meets a certificate that counts for nothing was not sent', async (t) => {
  const { seen, port } = await underTls(t)
  const clientOf = (host: string, ca: string | undefined) => {
    const address = { url: new URL(`https://${host}:${port}`), token: 'secret', ca }
    const client = new PeerClient(address, { connectionsMax: 1, idleMs: 9e3, bodyBytesMax: 99 })
    t.teardown(() => client.close())
    return client
  }
  const order: PeerAsk = { method: 'POST', path: '/orders', body: {}, timeoutMs: 60_000 }
  const untrusted = await clientOf('localhost', undefined).ask(order)
  t.match(untrusted, { kind: 'lost', message: /certificate/, mayHaveArrived: false })
  t.equal(seen.bytes, 0, 'nor is the token told to whoever it is')
  const client = clientOf('localhost', String(pem('cert')))
  t.match(await client.ask(order), { kind: 'answered', status: 200 })
  t.ok(seen.bytes > 0)
  seen.isServing = false
  for (const what of ['over the connection that is kept', 'over a new one']) {
    t.match(await client.ask(order), { kind: 'lost', mayHaveArrived: true }, what)
  }
})

t.test('F467 what waited for a connection that is kept may have been sent', async (t) => {
  const { seen, port } = await underTls(t)
  const address = { url: new URL(`https://localhost:${port}`), token: '', ca: String(pem('cert')) }
  const client = new PeerClient(address, { connectionsMax: 1, idleMs: 9e3, bodyBytesMax: 99 })
  t.teardown(() => client.close())
  const first = client.ask({ method: 'GET', path: '/status', timeoutMs: 60_000 })
  const second = client.ask({ method: 'POST', path: '/orders', body: {}, timeoutMs: 60_000 })
  t.match(await first, { kind: 'answered', status: 200 })
  seen.isServing = false
  t.match(await second, { kind: 'lost', mayHaveArrived: true })
})
