import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { hello, meet } from '../../src/cluster/handshake.ts'
import { OwnerServer } from '../../src/cluster/owner-server.ts'
import type { SocketWire } from '../../src/cluster/socket-wire.ts'
import { ServiceError } from '../../src/domain/errors.ts'
import type { OpenLine } from '../../src/ports/transport.port.ts'
import type { ClusterTold, RemoteReply } from '../../src/protocol/cluster.ts'
import { decode, encode } from '../../src/protocol/codec.ts'
import { PROTOCOL_VERSION } from '../../src/protocol/envelope.ts'
import { Link } from '../../src/runtime/link.ts'
import { FollowerLine } from '../../src/service/accounts/follower-line.ts'
import { ActorLine } from '../../src/service/lines/actor-line.ts'
import { ACCOUNT, LIMITS } from '../cluster/fixtures/protocol.ts'
import { deskOf } from './fixtures/desk.ts'

const PATIENT = { timeoutMs: 60_000 }
const limits = { openAsksMax: 10 }
const openLine: OpenLine = (wire, end) => new Link(wire, { ...end, limits })

/** What no release asks. */
const NONSENSE: readonly unknown[] = [
  null,
  7,
  {},
  { target: 'everything' },
  { target: 'account' },
  { target: 'account', body: null },
  { target: 'account', body: { kind: 9 } },
  { target: 'market', body: [] },
  { target: 'withdraw' },
]
/** What a later release may ask of an account or a market, inside of what this one knows. */
const OF_TOMORROW: readonly unknown[] = [
  { target: 'account', body: { kind: 'read', resource: 'ofTomorrow' } },
  { target: 'account', body: { kind: 'read', resource: 'toString' } },
  { target: 'account', body: { kind: 'read' } },
  { target: 'account', body: { kind: 'gridAsk', question: { about: 'tomorrow' } } },
  { target: 'account', body: { kind: 'gridAsk' } },
  { target: 'account', body: { kind: 'earningsAsk', question: { about: 'tomorrow' } } },
  { target: 'account', body: { kind: 'fillsAsk', question: null } },
  { target: 'account', body: { kind: 'setKillSwitch', level: 'sales', reason: '', source: 's' } },
  { target: 'account', body: { kind: 'placeOrder', key: 'k', side: 'lend' } },
  { target: 'account', body: { kind: 'previewOrder', side: 'lend' } },
  { target: 'account', body: { kind: 'clearRecords', scope: 'month', source: 's' } },
  { target: 'account', body: { kind: 'gridStop', target: { by: 'name' }, source: 's' } },
  { target: 'market', body: { kind: 'tomorrow' } },
  { target: 'market', body: { kind: 'bars', code: '600036.SH', period: '1w' } },
  { target: 'market', body: { kind: 'barCount', code: '600036.SH', period: '1d' } },
  { target: 'market', body: { kind: 'ticks', codes: [7] } },
  { target: 'market', body: { kind: 'listing' } },
  { target: 'market', body: { kind: 'stop' } },
]
const IS_REFUSED = { code: 'BAD_REQUEST', message: /nothing was executed/ }

/** An account that starts, and is asked by others all the same. */
const followers = () =>
  new FollowerLine({
    accountId: ACCOUNT,
    actor: new ActorLine('account'),
    system: { market: async () => ({ ask: async (body: unknown) => body }) } as never,
    isConnected: () => true,
    isReduced: () => false,
    isHeld: () => false,
    isOutOfRoom: () => true,
    isUnconfirmed: () => true,
    isOurs: () => true,
    heldBack: () => undefined,
    limits: { answeredWithinMs: 1_000, callTimeoutMs: 1_000 },
    log: { warn: () => undefined },
  })

/** Where its owner listens. */
async function ownerPath(t: Test): Promise<string> {
  const dir = mkdtempSync(join(tmpdir(), 'calls-'))
  t.teardown(() => rmSync(dir, { recursive: true, force: true }))
  const path = process.platform === 'win32' ? `\\\\.\\pipe\\${dir.slice(-6)}` : join(dir, 's')
  const line = followers()
  const server = await OwnerServer.listen(path, {
    accountId: ACCOUNT,
    epoch: 5,
    limits: LIMITS,
    openLine,
    serve: (body, call) => line.serve(body, call),
    fenced: () => undefined,
  })
  t.teardown(() => server.close())
  server.admit()
  return path
}

async function wireTo(path: string): Promise<SocketWire> {
  const met = await meet(path, hello(ACCOUNT, 5), LIMITS)
  if (met.kind !== 'met') throw new Error(met.kind)
  return met.wire
}

t.test(
  'F316 what no release asks over the socket of an owner is refused, and it goes on',
  async (t) => {
    const path = await ownerPath(t)
    const line = openLine(await wireTo(path), { peer: 'owner', answer: () => null })
    for (const body of NONSENSE) await t.rejects(line.ask(body, PATIENT), IS_REFUSED)
    const health = { isConnected: true, isOutOfRoom: true, isUnconfirmed: true }
    t.match(await line.ask({ target: 'health' }, PATIENT), health)
  },
)

t.test('F493 what a later release asks of an account or a market is refused', async (t) => {
  const path = await ownerPath(t)
  const line = openLine(await wireTo(path), { peer: 'owner', answer: () => null })
  for (const body of OF_TOMORROW) await t.rejects(line.ask(body, PATIENT), IS_REFUSED)
  const known = [
    { kind: 'read', resource: 'positions' },
    { kind: 'gridAsk', question: { about: 'templates' } },
    { kind: 'earningsAsk', question: { about: 'statement', month: '2026-08' } },
    { kind: 'fillsAsk', question: { limit: 1 } },
    { kind: 'placeOrder', key: 'k', side: 'sell' },
    { kind: 'setKillSwitch', level: 'cancel_all', reason: '', source: 's' },
    { kind: 'clearRecords', scope: 'all', source: 's' },
    { kind: 'gridStop', target: { by: 'all' }, source: 's' },
    { kind: 'saveConfig', changes: {}, source: 's' },
  ]
  for (const body of known) {
    await t.rejects(line.ask({ target: 'account', body }, PATIENT), { code: 'ACTOR_RESTARTING' })
  }
  const days = { code: '600036.SH', period: '1d', from: '2026-08-01', to: '2026-08-11' }
  const market = [
    { kind: 'ticks', codes: ['600036.SH'], waitMs: 100 },
    { kind: 'bars', ...days, after: '2026' },
    { kind: 'barCount', ...days },
    { kind: 'download', ...days },
    { kind: 'listing', known: '' },
    { kind: 'origin' },
    { kind: 'replayPlay', speed: 'max' },
  ]
  for (const body of market) {
    t.strictSame(await line.ask({ target: 'market', body }, PATIENT), body)
  }
})

t.test('F316 messages that are none end the line, and every ask that waits', async (t) => {
  const path = await ownerPath(t)
  const header = { version: PROTOCOL_VERSION, to: 'x', lane: 'request', incarnation: 0 }
  const odd = [
    [null],
    [{ ...header, type: 'answer', messageId: 1 }],
    [{ ...header, type: 'answer', messageId: 1, outcome: { ok: false, error: 'no' } }],
    [{ ...header, type: 'tell' }],
  ]
  for (const envelopes of odd) {
    const wire = await wireTo(path)
    const ended = new Promise<void>((resolve) => wire.onClose(resolve))
    wire.onBytes(() => undefined)
    wire.send(encode(envelopes))
    await ended
    let hear = (_: Uint8Array): void => undefined
    const near = openLine(
      {
        send: () => hear(encode(envelopes)),
        onBytes: (receive) => {
          hear = receive
        },
        onClose: () => undefined,
        close: () => undefined,
      },
      { peer: 'owner', answer: () => null },
    )
    await t.rejects(near.ask('x', PATIENT), { code: 'INTERNAL', message: /cannot be read/ })
  }
  const line = openLine(await wireTo(path), { peer: 'owner', answer: () => null })
  t.match(await line.ask({ target: 'health' }, PATIENT), { isConnected: true })
})

t.test('F316 an error of a later release is told as one of ours', async (t) => {
  const later = ServiceError.fromWire({ code: 'OF_TOMORROW' as 'INTERNAL', message: 'not today' })
  t.match(later, { code: 'INTERNAL', message: /not today/ })
  t.match(later.message, /OF_TOMORROW/)
  t.equal(ServiceError.fromWire({ code: 'toString' as 'INTERNAL', message: '' }).code, 'INTERNAL')
  t.equal(ServiceError.fromWire({ code: 'KILL_SWITCH', message: '' }).code, 'KILL_SWITCH')
})

t.test(
  'F316 what no release asks from another computer is refused, and the node goes on',
  async (t) => {
    const { desk, thread } = await deskOf(t)
    const line = followers()
    const served = {
      epoch: () => 5,
      answer: (body: unknown, call: never) => line.serve(body, call),
      untold: () => t.fail('nobody has ordered anything'),
    }
    desk.listen(ACCOUNT, { listener: {} as never, served: served as never })
    const ask = async (body: Uint8Array) =>
      decode<RemoteReply>(await thread.ask({ accountId: ACCOUNT, body }, PATIENT))
    const travelling = (request: unknown) =>
      encode({ request, timeoutMs: 1_000, startWithinMs: 1_000, correlationId: '', from: 'n2' })
    const bodies = [
      new Uint8Array([0xc1]),
      new Uint8Array(0),
      encode(null),
      encode({ request: { target: 'health' } }),
      ...NONSENSE.map(travelling),
    ]
    for (const body of bodies) {
      t.match(await ask(body), { epoch: 5, error: IS_REFUSED })
      const told: ClusterTold = { kind: 'undelivered', accountId: ACCOUNT, body }
      thread.tell(told)
    }
    t.match(await ask(travelling({ target: 'health' })), { epoch: 5, value: { isConnected: true } })
  },
)
