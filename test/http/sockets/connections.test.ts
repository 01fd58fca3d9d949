import type { HttpResponse } from 'uWebSockets.js'
import { connect, type Socket } from 'node:net'
import { connect as tlsConnect } from 'node:tls'
import { fileURLToPath } from 'node:url'
import t, { type Test } from 'tap'
import { addressGroup } from '../../../http/access/address.ts'
import { frontParts } from '../../../http/front.ts'
import { ConnectionCounts } from '../../../http/port/request-stats.ts'
import { Connections, type PeerKind } from '../../../http/sockets/connections.ts'
import { Door } from '../../../http/sockets/door.ts'
import { listen, type TlsFiles } from '../../../http/sockets/server.ts'
import {
  descriptorsWanted,
  descriptorsWantedBy,
  inLimits,
  servedBy,
  tooFewDescriptors,
} from '../../../src/service/process/descriptors.ts'
import { heard, inTime, turnsUntil } from '../../in-time.ts'
import { raw } from '../fixtures/client.ts'
import { asked } from '../fixtures/fake-raw.ts'
import { FakeLink } from '../fixtures/fake-service.ts'
import { directFront, FRONT_LIMITS, gatewayFront, gatewayOptions } from '../fixtures/fronts.ts'

const get = (path: string, extra = ''): string =>
  `GET ${path} HTTP/1.1\r\nHost: localhost\r\n${extra}\r\n`

/** A connection that says nothing, and whether it still stands. */
async function idle(t: Test, port: number): Promise<{ socket: Socket; isOpen: () => boolean }> {
  const socket = connect(port, '127.0.0.1')
  let isOpen = true
  socket.on('error', () => {})
  socket.on('close', () => {
    isOpen = false
  })
  socket.resume()
  t.teardown(() => socket.destroy())
  await heard(socket, 'connect')
  return { socket, isOpen: () => isOpen }
}

const someOf = (t: Test, port: number, count: number) =>
  Promise.all(Array.from({ length: count }, () => idle(t, port)))

/** A bare listener for which every caller is of one kind. */
async function behindDoor(
  t: Test,
  kind: PeerKind,
  connections: Connections,
  { mayUseReserved = false, tls }: { mayUseReserved?: boolean; tls?: TlsFiles } = {},
): Promise<{ port: number; counts: ConnectionCounts }> {
  const counts = new ConnectionCounts()
  const door = new Door({ connections, counts, mayUseReserved, kindOf: () => kind })
  const serve = (response: HttpResponse): void => {
    response.end('served')
  }
  const bare = { host: '127.0.0.1', port: 0, tls, waitMs: 0, retryMs: 1 }
  const listener = await listen({ ...bare, waiting: () => {}, serve, door })
  t.teardown(() => listener.closeAll())
  return { port: listener.port, counts }
}

const LIMITS = { ...FRONT_LIMITS, connectionsPerAddressMax: 4, connectionsLocalMax: 4 }

t.test(
  'an address has so many connections that ask nothing; one more is closed unread',
  async (t) => {
    const { port, counts } = await behindDoor(t, 'other', new Connections(LIMITS, undefined))
    const held = await someOf(t, port, 4)
    await turnsUntil(() => counts.waiting === 4, 'four connections')
    t.equal(await raw(port, get('/')), '', 'not even looked at')
    t.equal(counts.turned.address, 1)
    t.ok(held.every(({ isOpen }) => isOpen()))
    held[0]?.socket.write(get('/'))
    await turnsUntil(() => counts.waiting === 3, 'one that has asked')
    t.match(await raw(port, get('/'), /served/), /served/)
    held[1]?.socket.destroy()
    held[2]?.socket.destroy()
    await turnsUntil(() => counts.waiting === 1, 'two that have left')
    t.match(await raw(port, get('/'), /served/), /served/)
  },
)

const FIXTURES = fileURLToPath(new URL('../fixtures/', import.meta.url))
const TLS = { certFile: `${FIXTURES}localhost.cert.pem`, keyFile: `${FIXTURES}localhost.key.pem` }

t.test('the same under TLS, before the keys are agreed upon', async (t) => {
  const connections = new Connections(LIMITS, undefined)
  const { port, counts } = await behindDoor(t, 'other', connections, { tls: TLS })
  const held = await someOf(t, port, 4)
  await turnsUntil(() => counts.waiting === 4, 'four connections')
  t.equal(await raw(port, 'hello'), '')
  t.equal(counts.turned.address, 1)
  held[0]?.socket.destroy()
  await turnsUntil(() => counts.waiting === 3, 'one that has left')
  const asking = tlsConnect({ host: '127.0.0.1', port, rejectUnauthorized: false })
  t.teardown(() => asking.destroy())
  asking.write(get('/'))
  const [answer] = await heard(asking, 'data')
  t.match(String(answer), /^HTTP\/1\.1 200 OK/)
  await turnsUntil(() => counts.waiting === 3, 'one that has asked')
  const local = await behindDoor(t, 'local', connections, { tls: TLS })
  const idlers = await someOf(t, local.port, 6)
  await turnsUntil(() => local.counts.pushedOut === 2, 'two that made room')
  t.equal(local.counts.waiting, 4)
  for (const { socket } of [...held, ...idlers]) socket.destroy()
  asking.destroy()
  await turnsUntil(() => connections.open === 0, 'the end of all')
})

t.test('a proxy of ours has more, in a limit of its own', async (t) => {
  const limits = { ...LIMITS, connectionsPerProxyMax: 6 }
  const { port, counts } = await behindDoor(t, 'proxy', new Connections(limits, undefined))
  await someOf(t, port, 6)
  await turnsUntil(() => counts.waiting === 6, 'six connections')
  t.equal(await raw(port, get('/')), '')
})

t.test('this computer gets in: the oldest of its idle connections ends', async (t) => {
  const { port, counts } = await behindDoor(t, 'local', new Connections(LIMITS, undefined))
  const held = await someOf(t, port, 4)
  await turnsUntil(() => counts.waiting === 4, 'four connections')
  for (let i = 0; i < 3; i++) t.match(await raw(port, get('/'), /served/), /served/)
  await turnsUntil(() => held.filter(({ isOpen }) => isOpen()).length < 4, 'one that was closed')
  t.ok(counts.pushedOut > 0)
  t.equal(counts.turned.address, 0)
})

t.test('what the gateway may not use is there for direct mode', async (t) => {
  const limits = { ...LIMITS, connectionsMax: 64, connectionsReserved: 8 }
  const roomy = { ...limits, connectionsPerAddressMax: 100, connectionsLocalMax: 100 }
  const connections = new Connections(roomy, undefined)
  const gateway = await behindDoor(t, 'other', connections)
  const direct = await behindDoor(t, 'local', connections, { mayUseReserved: true })
  await someOf(t, gateway.port, 56)
  await turnsUntil(() => connections.open === 56, 'all that the gateway may have')
  t.equal(await raw(gateway.port, get('/')), '')
  t.equal(gateway.counts.turned.total, 1)
  await someOf(t, direct.port, 8)
  await turnsUntil(() => connections.open === 64, 'all there are')
  t.match(
    await raw(direct.port, get('/'), /served/),
    /served/,
    'and then in the place of an idle one',
  )
  t.equal(direct.counts.pushedOut, 1)
})

t.test('connections leave descriptors for the rest of the process', (t) => {
  const limits = { ...LIMITS, connectionsMax: 4_096, descriptorsReserved: 512 }
  t.equal(new Connections(limits, 1_024).max, 512)
  t.equal(new Connections(limits, 1_000_000).max, 4_096)
  t.equal(new Connections(limits, undefined).max, 4_096)
  t.equal(new Connections(limits, 256).max, 64, 'a few in any case')
  t.equal(
    inLimits('Max processes 1 1 x\nMax open files            1024      4096   files\n'),
    1_024,
  )
  t.equal(inLimits('Max open files            unlimited  unlimited   files\n'), undefined)
  t.end()
})

t.test('who is not known keeps no connection; this computer, proxies and tokens do', async (t) => {
  const proxied = { token: 'secret', trustProxy: true, proxies: ['10.9.9.9'] }
  const { dispatcher, close } = frontParts(gatewayOptions([new FakeLink('A')], proxied), {
    port: 1,
  })
  t.teardown(close)
  const rows: [peer: string, token: string, path: string, isEnd: boolean][] = [
    ['203.0.113.9', '', '/', true],
    ['203.0.113.9', '', '/api/v1/health', true],
    ['203.0.113.9', 'wrong', '/api/status', true],
    ['203.0.113.9', 'secret', '/api/status', false],
    ['127.0.0.1', '', '/api/status', false],
    ['::ffff:127.0.0.1', '', '/', false],
    ['10.9.9.9', '', '/', false],
  ]
  for (const [peer, token, path, isEnd] of rows) {
    const headers = token === '' ? {} : { 'x-api-token': token }
    const told = await asked(dispatcher, { method: 'GET', path, peer, headers })
    t.equal(told.isEnd, isEnd, `${peer} ${token} ${path}`)
  }
})

t.test('a network of IPv6 counts as one address', (t) => {
  const rows = [
    ['10.0.0.7', '10.0.0.7'],
    ['::ffff:10.0.0.7', '10.0.0.7'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:db8:1:2::9', '2001:db8:1:2::/64'],
    ['2001:db8::9', '2001:db8:0:0::/64'],
    ['fe80::', 'fe80:0:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['', ''],
  ] as const
  for (const [address, group] of rows) t.equal(addressGroup(address), group, address)
  t.end()
})

/** Everything that a first request can be, and come to: after it nothing may be held of its connection. */
const FIRST: readonly (readonly [what: string, parts: readonly string[]])[] = [
  ['a read', [get('/api/status')]],
  ['a read of a page, to be closed', [get('/', 'Connection: close\r\n')]],
  ['two reads at once', [get('/api/status') + get('/api/orders')]],
  ['HEAD', [get('/api/status').replace('GET', 'HEAD')]],
  ['OPTIONS', [get('/api/status').replace('GET', 'OPTIONS')]],
  ['nothing new', [get('/api/nothing')]],
  ['a head in two parts', ['GET /api/status HTTP/1.1\r\nHost: loc', 'alhost\r\n\r\n']],
  ['no HTTP, without an answer', ['nonsense\r\n\r\n']],
  ['a head without an end', ['GET /']],
  ['a head that is too long', [get('/', `X: ${'y'.repeat(9_000)}\r\n`)]],
  ...['GET', 'HEAD', 'OPTIONS', 'POST', 'DELETE'].flatMap((method) => {
    const begin = `${method} /api/config/save HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n`
    const [sized, chunked] = [
      `${begin}Content-Length: 2\r\n\r\n`,
      `${begin}Transfer-Encoding: chunked\r\n\r\n`,
    ]
    return [
      [`${method} with its body`, [`${sized}{}`]],
      [`${method} and then its body`, [sized, '{}']],
      [`${method} without its body`, [sized]],
      [`${method} in one chunk`, [`${chunked}2\r\n{}\r\n0\r\n\r\n`]],
      [`${method} and then a chunk`, [chunked, '2\r\n{}\r\n0\r\n\r\n']],
      [`${method} without its chunk`, [chunked]],
      [`${method} with a bad length`, [`${begin}Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}`]],
    ] as const
  }),
]

t.test('whatever a first request comes to, nothing is held of its connection', async (t) => {
  const link = new FakeLink('A')
  const limits = { refusalLingerMs: 5, bodyTimeoutMs: 50 }
  const connections = new Connections({ ...FRONT_LIMITS, ...limits }, undefined)
  const fronts = [
    await directFront(t, link, { limits, connections }),
    await directFront(t, link, { limits, connections, token: 'secret' }),
    await gatewayFront(t, [link], { limits, connections }),
  ]
  for (const { front, service } of fronts) {
    const counts = service.metrics.stats.at(-1)?.connections as ConnectionCounts
    for (const [what, parts] of FIRST) {
      const { socket } = await idle(t, front.port)
      await turnsUntil(() => counts.waiting === 1, `the connection of ${what}`)
      const answered = new Promise((resolve) => {
        socket.once('data', resolve).once('close', resolve)
      })
      for (const part of parts) {
        socket.write(part)
        await new Promise((resolve) => setImmediate(resolve))
      }
      if (!/without/.test(what)) await inTime(answered, `an answer to ${what}`)
      socket.destroy()
      await turnsUntil(() => counts.open === 0, `the end of ${what}`)
      t.equal(counts.waiting, 0, `${front.backend}: ${what}`)
    }
  }
  t.equal(connections.open, 0)
})

t.test(
  'F930 connections leave what many accounts have open, however few are reserved',
  async (t) => {
    const limits = { ...FRONT_LIMITS, connectionsMax: 4_096, descriptorsReserved: 512 }
    const own = (accounts: number) => ({ own: accounts, foreign: 0 })
    const maxWith = (accounts: number) =>
      new Connections(limits, 2_048, () => descriptorsWanted(own(accounts))).max
    t.equal(maxWith(1), 2_048 - 512)
    t.equal(tooFewDescriptors(own(60), 2_048), undefined, 'of which nothing is said')
    t.equal(maxWith(60) + descriptorsWanted(own(60)), 2_048)
    t.equal(maxWith(119), 64, 'a few in any case')
  },
)

t.test(
  'F968 accounts that are registered while the process runs have their descriptors',
  async (t) => {
    const limits = { ...FRONT_LIMITS, connectionsMax: 4_096, descriptorsReserved: 512 }
    const of = (count: number) => ({
      known: Array.from({ length: count }, () => ({ eligible: ['n1'] })),
    })
    const now = of(0)
    const wanted = descriptorsWantedBy({ own: 40, foreign: 0 }, now, undefined)
    const connections = new Connections(limits, 2_048, wanted)
    const maxWith = (accounts: number) => {
      Object.assign(now, of(accounts))
      return connections.max
    }
    t.equal(maxWith(0), 2_048 - 128 - 640, 'those that are about to be opened')
    t.equal(maxWith(40), 2_048 - 128 - 640)
    t.equal(maxWith(60), 2_048 - 128 - 960)
    t.equal(maxWith(10), 2_048 - 128 - 640, 'those that were let go may come back')
  },
)

t.test('F949 what other nodes run takes no descriptors here but for its fronts', async (t) => {
  const accounts = Array.from({ length: 200 }, (_, index) => ({
    eligible: index < 10 ? ['n1', 'n2'] : ['n2', 'n3'],
  }))
  const limits = { ...FRONT_LIMITS, connectionsMax: 4_096, descriptorsReserved: 512 }
  const seenBy = (node: string | undefined) => {
    const served = servedBy(accounts, node === undefined ? undefined : { node })
    const text = tooFewDescriptors(served, 2_048)
    return [new Connections(limits, 2_048, () => descriptorsWanted(served)).max, text !== undefined]
  }
  t.strictSame(seenBy('gateway'), [2_048 - 128 - 400, false])
  t.strictSame(seenBy('n1'), [2_048 - 128 - 160 - 380, false])
  t.strictSame(seenBy('n2'), [64, true], 'which may come to run them all')
  t.strictSame(seenBy(undefined), [64, true])
})
