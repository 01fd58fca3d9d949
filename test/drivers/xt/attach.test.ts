import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import type { SidecarEvent } from '../../../src/drivers/terminal/frames.ts'
import {
  attachSidecar,
  SidecarAhead,
  type SidecarOptions,
} from '../../../src/drivers/terminal/sidecar-client.ts'
import { socketLine } from '../../../src/drivers/terminal/socket-line.ts'
import { launchSidecar } from '../../../src/drivers/xt/launch.ts'
import { Witness } from '../../contract/driver.ts'
import { orderOf, price, SH, shares } from '../fixtures/paper.ts'
import { type ByHand, startByHand } from './by-hand.ts'
import { FAKE, LIMITS, Lines, PYTHON, XtRig } from './rig.ts'

const DEAR = { last: 36, lastClose: 35.5, bid: [[35.99, 9_000]], ask: [[36, 9_000]] } as const
const CHEAP = { last: 35, lastClose: 35.5, bid: [[34.9, 9_000]], ask: [[34.99, 9_000]] } as const
const patient = () => orderOf({ quantity: shares(200), price: price(35) })

async function open(t: Test) {
  const folder = t.testdir()
  const hand = await startByHand(t, folder)
  const { port, tokenFile } = hand
  const rig = await XtRig.open({ folder, attach: { port, tokenFile } })
  rig.terminal.tick(SH, DEAR)
  t.teardown(() => rig.close())
  return { rig, hand }
}

/** A bare client that remembers what it is told. */
async function listen(hand: ByHand, parts: Partial<SidecarOptions> = {}) {
  const events: SidecarEvent[] = []
  const ended = Promise.withResolvers<string>()
  const client = await attachSidecar({
    line: socketLine({ ...LIMITS, host: '127.0.0.1', port: hand.port }),
    token: hand.token,
    epoch: 1,
    limits: LIMITS,
    onEvent: (event) => void events.push(event),
    onClose: ended.resolve,
    ...parts,
  })
  return { client, events, ended: ended.promise }
}
const numbers = (events: readonly SidecarEvent[]) =>
  events.flatMap((event) => ('seq' in event ? [event.seq] : []))

t.test('a sidecar lives on while the service restarts, and tells what it missed', async (t) => {
  const { rig, hand } = await open(t)
  const w = new Witness(rig.driver())
  await w.connect()
  const order = patient()
  const orderId = await w.submit(order)
  await w.until('orderPushed', (event) => event.order.status === 50)
  rig.host.close() // the service is gone; its sidecar is not
  rig.terminal.tick(SH, CHEAP)
  const again = rig.anotherHost()
  t.teardown(() => again.close())
  const later = new Witness(rig.driver({ host: again, epoch: 2 }))
  await later.connect()
  t.match(await later.ended(orderId), { status: 56, clientOrderId: order.clientOrderId })
  await later.until('dealPushed')
  const repeated = await later.submit(order)
  t.equal(repeated, orderId, 'the same order is not sent again')
  t.equal(rig.terminal.orders, 1)
  t.equal(rig.terminal.sessions.length, 1, 'the trading client noticed nothing')
  const { events, client } = await listen(hand, { epoch: 3 })
  const all = numbers(events)
  t.ok(all.length >= 4)
  t.strictSame(
    all,
    all.map((_, index) => index + 1),
    'every event once, without a gap',
  )
  const { journal = '' } = client.welcome
  const rest = await listen(hand, { epoch: 3, after: { journal, seq: 2 } })
  t.strictSame(numbers(rest.events), all.slice(2), 'only what came after')
  const other = await listen(hand, { epoch: 3, after: { journal: 'another', seq: 2 } })
  t.strictSame(numbers(other.events), all, 'another journal, another count')
})

t.test('a killed sidecar that is started again counts on', async (t) => {
  const folder = t.testdir()
  const hand = await startByHand(t, folder)
  const rig = await XtRig.open({ folder, attach: hand })
  t.teardown(() => rig.close())
  rig.terminal.tick(SH, DEAR)
  const w = new Witness(rig.driver())
  await w.connect()
  await w.ended(await w.submit(orderOf({ quantity: shares(200), price: price(36) })))
  const before = numbers((await listen(hand)).events)
  hand.child.kill('SIGKILL')
  const next = await startByHand(t, folder)
  t.equal(next.token, hand.token)
  const { events } = await listen(next)
  t.strictSame(numbers(events).slice(0, before.length), before)
})

t.test('only one client is in charge, and never an earlier owner', async (t) => {
  const { rig, hand } = await open(t)
  const first = await listen(hand, { epoch: 5 })
  const second = await listen(hand, { epoch: 5 })
  t.match(await first.ended, /closed/)
  const refusal = await listen(hand, { epoch: 4 }).catch((error: Error) => error)
  t.match(refusal, { message: /a later owner .*FENCED/ })
  t.notOk(refusal instanceof SidecarAhead, 'it lives: this is no restore')
  const stands = await second.client.call('query', { what: 'asset' }, 1_000)
  t.match(stands, { ok: false, error: { code: 'NOT_CONNECTED' } }, 'and the one in charge stays')
  t.equal(rig.terminal.orders, 0)
})

t.test('a sidecar of ours that nobody comes to, or whose service is gone, ends', async (t) => {
  const folder = t.testdir()
  const launch = (name: string, idle_exit_ms: number, log: Lines) =>
    launchSidecar({
      settings: {
        role: 'trade',
        token: 'token',
        folder: join(folder, name),
        xtquant_path: FAKE,
        limits: { idle_exit_ms },
      },
      python: PYTHON,
      masked: [],
      timeoutMs: 20_000,
      log,
    })
  const [alone, orphan] = [new Lines(), new Lines()]
  await launch('alone', 1, alone)
  const { stop } = await launch('orphan', 60_000, orphan)
  void stop() // as when the service ends: nothing more comes on standard input
  t.ok(await orphan.until(/^a sidecar has ended$/))
  t.notOk(orphan.all.some((line) => /nobody came/.test(line)))
  t.ok(await alone.until(/^nobody came for/))
  t.ok(await alone.until(/^a sidecar has ended$/))
})

t.test('who does not know the token, or speaks another language, is refused', async (t) => {
  const { hand } = await open(t)
  await t.rejects(listen(hand, { token: 'guessed' }), { message: /refused: .*TOKEN/ })
  const stands = await listen(hand)
  const asked = await stands.client.call('format', {}, 1_000)
  t.match(asked, { ok: false, error: { code: 'BAD_REQUEST', message: /format/ } })
})

t.test('a program that is no sidecar is not told the token', async (t) => {
  const heard: string[] = []
  const sockets: Socket[] = []
  const server = createServer((socket) => {
    sockets.push(socket)
    socket.on('error', () => undefined)
    socket.on('data', (data) => heard.push(data.toString('latin1')))
    socket.write('HTTP/1.1 400 Bad Request\r\n\r\n')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  const hand = { port, token: 'secret', tokenFile: '' } as ByHand
  await t.rejects(listen(hand), { message: /not a frame of a sidecar/ })
  t.notMatch(heard.join(''), /secret/)
  await t.rejects(listen({ ...hand, port: 1 } as ByHand), { message: /ECONNREFUSED/ })
})

t.test('F341 an empty token is none, and made anew', async (t) => {
  const folder = t.testdir({ 'by-hand': { token: '' } })
  const hand = await startByHand(t, folder)
  t.match(hand.token, /^[0-9a-f]{64}$/)
  const { client } = await listen(hand)
  client.close()
  await t.rejects(listen(hand, { token: '' }), { message: /refused: .*TOKEN/ })
})

t.test('a second sidecar on the same folder is refused, and told why', async (t) => {
  await open(t)
  await t.rejects(startByHand(t, t.testdirName), { message: /ended with 76/ })
  const log = readFileSync(join(t.testdirName, 'by-hand', 'sidecar.log'), 'utf8')
  t.match(log, /^2\d{3}-.* error another sidecar holds /m)
})

t.test('F212 a sidecar that was started anew still refuses an earlier owner', async (t) => {
  const folder = t.testdir()
  const hand = await startByHand(t, folder)
  const { client } = await listen(hand, { epoch: 5 })
  client.close()
  const ended = once(hand.child, 'exit')
  hand.child.kill('SIGKILL')
  await ended
  const next = await startByHand(t, folder)
  const refusal = await listen(next, { epoch: 4 }).catch((error: Error) => error)
  t.match(refusal, { message: /a later owner .*FENCED/, epoch: 5 })
  t.ok((await listen(next, { epoch: 5 })).client.welcome, 'and takes the one that it knows')
})

t.test('F850 fills that a terminal tells again with each connection are kept once', async (t) => {
  const { rig, hand } = await open(t)
  const w = new Witness(rig.driver())
  await w.connect()
  await w.ended(await w.submit(orderOf({ quantity: shares(200), price: price(36) })))
  await w.until('dealPushed')
  for (let times = 0; times < 3; times += 1) {
    w.events.length = 0
    rig.terminal.disconnect()
    await w.until('disconnected')
    w.events.length = 0
    await w.connect()
    await w.until('dealPushed')
  }
  const { events } = await listen(hand, { epoch: 3 })
  // What is only passed on once more has no number, and may still come.
  const kept = events.filter((event) => event.kind === 'deal' && 'seq' in event)
  t.equal(kept.length, 1)
})
