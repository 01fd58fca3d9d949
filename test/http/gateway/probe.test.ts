import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { networkInterfaces } from 'node:os'
import t from 'tap'
import type { FrontLimits } from '../../../http/desk/context.ts'
import { Probe, UNKNOWN_SWITCHES } from '../../../http/gateway/probe.ts'
import { heard } from '../../in-time.ts'
import { call } from '../fixtures/client.ts'
import { FakeLink } from '../fixtures/fake-service.ts'
import { directFront, FRONT_LIMITS, gatewayFront } from '../fixtures/fronts.ts'

type Closer = { teardown(then: () => unknown): void }

async function listener(
  t: Closer,
  answer: RequestListener,
  host = '127.0.0.1',
): Promise<{ port: number; server: Server }> {
  const server = createServer(answer)
  server.listen(0, host)
  await heard(server, 'listening')
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  return { port: (server.address() as AddressInfo).port, server }
}

const KNOWN = { isMonitoring: true, simulationMode: false, positionMonitorRunning: true }
const STATUS = JSON.stringify({ status: 'success', isMonitoring: true, settings: KNOWN })

interface Parts {
  readonly port: number | undefined
  readonly host?: string
  readonly token?: string
  readonly limits?: Partial<FrontLimits>
  readonly nowMs?: () => number
}
const probeOf = (parts: Parts): Probe => {
  const { port, host = '127.0.0.1', token = '', limits = {}, nowMs = () => 0 } = parts
  return new Probe({
    portOf: () => port,
    host,
    token,
    limits: { ...FRONT_LIMITS, ...limits },
    nowMs,
  })
}

t.test('the switches are those of the direct-mode process, asked with the token', async (t) => {
  const seen: unknown[] = []
  const { port } = await listener(t, (request, response) => {
    seen.push([request.url, request.headers['x-api-token']])
    response.end(STATUS)
  })
  t.strictSame(await probeOf({ port, token: 'secret' }).switchesOf(new FakeLink('A', 0)), KNOWN)
  t.strictSame(seen, [['/api/status', 'secret']])
})

t.test('a port that serves another account by now tells nothing of this one', async (t) => {
  const link = new FakeLink('B')
  link.texts.status = `{"status":"success","isMonitoring":true,"settings":${JSON.stringify(KNOWN)}`
  const { front } = await directFront(t, link)
  const { port } = front
  t.strictSame(await probeOf({ port }).switchesOf(new FakeLink('B', 0)), KNOWN)
  t.strictSame(await probeOf({ port }).switchesOf(new FakeLink('A', 0)), UNKNOWN_SWITCHES)
})

t.test('it is asked at the address that direct mode listens on, and at no other', async (t) => {
  const loopback = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? [])
  const other = loopback.some(({ address }) => address === '::1') ? '::1' : '127.0.0.2'
  const { port } = await listener(t, (_, response) => response.end(STATUS), other)
  const link = new FakeLink('A', 0)
  t.strictSame(await probeOf({ port, host: other }).switchesOf(link), KNOWN)
  t.strictSame(await probeOf({ port }).switchesOf(link), UNKNOWN_SWITCHES)
})

t.test('one question serves all askers until it is old, failures included', async (t) => {
  let asked = 0
  let nowMs = 0
  const { port } = await listener(t, (_, response) => {
    asked += 1
    response.writeHead(asked === 1 ? 500 : 200).end(STATUS)
  })
  const probe = probeOf({ port, nowMs: () => nowMs })
  const link = new FakeLink('A', 0)
  const both = await Promise.all([probe.switchesOf(link), probe.switchesOf(link)])
  t.strictSame(both, [UNKNOWN_SWITCHES, UNKNOWN_SWITCHES])
  nowMs = 4_999
  t.strictSame(await probe.switchesOf(link), UNKNOWN_SWITCHES)
  t.equal(asked, 1)
  nowMs = 5_000
  t.strictSame(await probe.switchesOf(link), KNOWN)
  t.equal(asked, 2)
})

t.test('whatever goes wrong is unknown', async (t) => {
  const rows: Record<string, RequestListener> = {
    'wrong token': (_, response) => response.writeHead(401).end('{}'),
    'a redirect': (_, response) => response.writeHead(302, { Location: '/api/other' }).end(),
    'no JSON': (_, response) => response.end('<html>'),
    'another status': (_, response) => response.end('{"status":"error"}'),
    'JSON null': (_, response) => response.end('null'),
    'too long': (_, response) => response.end(`{"a":"${'x'.repeat(100_000)}"}`),
    'a hang-up': (request) => request.socket.destroy(),
    'half an answer': (request, response) => {
      response.writeHead(200, { 'Content-Length': '100' })
      response.write('{')
      response.socket?.once('drain', () => {})
      setImmediate(() => request.socket.destroy())
    },
  }
  for (const [name, answer] of Object.entries(rows)) {
    const { port } = await listener(t, answer)
    t.strictSame(await probeOf({ port }).switchesOf(new FakeLink('A', 0)), UNKNOWN_SWITCHES, name)
  }
})

t.test('a process that does not answer is unknown when the time is up', async (t) => {
  const silent = await listener(t, () => {})
  const limits = { probeTimeoutMs: 30 }
  const link = new FakeLink('A', 0)
  t.strictSame(await probeOf({ port: silent.port, limits }).switchesOf(link), UNKNOWN_SWITCHES)
  const dribbling = await listener(t, (_, response) => {
    response.writeHead(200)
    response.write('{')
  })
  t.strictSame(await probeOf({ port: dribbling.port, limits }).switchesOf(link), UNKNOWN_SWITCHES)
})

t.test('switches that are no booleans are unknown one by one', async (t) => {
  const { port } = await listener(t, (_, response) => {
    response.end('{"status":"success","isMonitoring":true,"settings":{"simulationMode":1}}')
  })
  const switches = await probeOf({ port }).switchesOf(new FakeLink('A', 0))
  t.strictSame(switches, { ...UNKNOWN_SWITCHES, isMonitoring: true })
})

t.test('no listener, no known port, or no place in the configuration: unknown', async (t) => {
  const { port, server } = await listener(t, () => {})
  server.close()
  await heard(server, 'close')
  const configured = new FakeLink('A', 0)
  t.strictSame(await probeOf({ port }).switchesOf(configured), UNKNOWN_SWITCHES)
  t.strictSame(await probeOf({ port: undefined }).switchesOf(configured), UNKNOWN_SWITCHES)
  const isAsked = { value: false }
  const other = await listener(t, (_, response) => {
    isAsked.value = true
    response.end(STATUS)
  })
  const probe = probeOf({ port: other.port })
  t.strictSame(await probe.switchesOf(new FakeLink('B')), UNKNOWN_SWITCHES)
  t.equal(isAsked.value, false, 'an account outside the configuration is not probed')
})

t.test('the memory of probes is bounded', async (t) => {
  let asked = 0
  const { port } = await listener(t, (_, response) => {
    asked += 1
    response.end(STATUS)
  })
  const probe = probeOf({ port, limits: { probeAccountsMax: 1 } })
  await probe.switchesOf(new FakeLink('A', 0))
  await probe.switchesOf(new FakeLink('B', 1))
  await probe.switchesOf(new FakeLink('B', 1))
  t.equal(asked, 2)
  await probe.switchesOf(new FakeLink('A', 0))
  t.equal(asked, 3, 'the older one was forgotten')
})

t.test(
  'gateway status shows the probed switches and sends the first token that is set',
  async (t) => {
    const tokens: unknown[] = []
    const { port } = await listener(t, (request, response) => {
      tokens.push(request.headers['x-api-token'])
      response.end(STATUS)
    })
    const { front } = await gatewayFront(t, [new FakeLink('A', 0)], {
      probe: { tokens: ['', 'second', 'third'], host: '127.0.0.1', directPortOf: () => port },
    })
    const { body } = await call(front.port, '/api/status')
    t.match(body, { isMonitoring: true, settings: { ...KNOWN, allowBuy: true } })
    t.strictSame(tokens, ['second'])
  },
)
