import t from 'tap'
import { ServiceError } from '../../../src/domain/errors.ts'
import type { ClusterRequest, RemoteReply } from '../../../src/protocol/cluster.ts'
import { decode, encode } from '../../../src/protocol/codec.ts'
import { steadyMs } from '../../../src/runtime/steady.ts'
import { FarClocks } from '../../../src/service/lines/far-clocks.ts'
import { onItsWayMs, type Travelling, travellingIn } from '../../../src/service/lines/travelling.ts'
import { ACCOUNT } from '../../cluster/fixtures/protocol.ts'
import { deskOf } from '../fixtures/desk.ts'

const PATIENT = { timeoutMs: 60_000 }
const EPOCH = 5
const CANCEL = { target: 'account', body: { kind: 'cancelOrder', orderId: '1', source: 'test' } }
const HEALTH = { target: 'health' }

t.test(
  'another clock is known by when a call was heard there, and no later than it is',
  async (t) => {
    const clocks = new FarClocks(1_000)
    t.equal(clocks.at(ACCOUNT, 0), undefined)
    // Sent at 100, on its way for 40, heard at 5,140 there, where it was 5,100 when it was sent.
    clocks.heard(ACCOUNT, { epoch: EPOCH, ms: 5_140 }, 100)
    t.strictSame(clocks.at(ACCOUNT, 200), { epoch: EPOCH, ms: 5_240 })
    clocks.heard(ACCOUNT, { epoch: EPOCH, ms: 5_210 }, 200)
    t.strictSame(clocks.at(ACCOUNT, 300), { epoch: EPOCH, ms: 5_310 }, 'a faster one tells more')
    clocks.heard(ACCOUNT, { epoch: EPOCH, ms: 5_900 }, 400)
    t.strictSame(clocks.at(ACCOUNT, 400), { epoch: EPOCH, ms: 5_410 }, 'a slower one tells nothing')
    clocks.heard(ACCOUNT, { epoch: EPOCH, ms: 6_250 }, 1_201)
    t.strictSame(clocks.at(ACCOUNT, 1_300), { epoch: EPOCH, ms: 6_349 }, 'but after a while')
  },
)

t.test('the clock of an owner says nothing of that of the next one', async (t) => {
  const clocks = new FarClocks(1_000)
  clocks.heard(ACCOUNT, { epoch: EPOCH, ms: 5_000 }, 0)
  clocks.heard(ACCOUNT, { epoch: EPOCH + 1, ms: 9_000 }, 0)
  t.strictSame(clocks.at(ACCOUNT, 10), { epoch: EPOCH + 1, ms: 9_010 })
  clocks.heard(ACCOUNT, { epoch: EPOCH, ms: 5_000 }, 20)
  t.strictSame(clocks.at(ACCOUNT, 20), { epoch: EPOCH + 1, ms: 9_020 }, 'a late answer')
  t.equal(clocks.at('10000009', 20), undefined)
})

t.test('how long a call was on its way is told under one epoch alone', async (t) => {
  const header = { request: HEALTH, timeoutMs: 1, startWithinMs: 1, correlationId: '', from: 'n2' }
  const of = (sentAt?: unknown) => travellingIn(encode({ ...header, ...Object(sentAt) }))
  const wayOf = (sentAt?: unknown) => {
    const travelling = of(sentAt)
    return travelling && onItsWayMs(travelling, { epoch: EPOCH, ms: 700 })
  }
  t.equal(wayOf({ sentAt: { epoch: EPOCH, ms: 500 } }), 200)
  t.equal(wayOf({ sentAt: { epoch: EPOCH, ms: 701 } }), 0)
  t.equal(wayOf({ sentAt: { epoch: EPOCH - 1, ms: 500 } }), undefined)
  t.equal(wayOf({ sentAt: null }), undefined)
  t.equal(wayOf(), 0, 'an earlier release does not say')
  for (const odd of [7, 'now', {}, { epoch: EPOCH }, { epoch: 1.5, ms: 1 }]) {
    t.equal(of({ sentAt: odd }), undefined, JSON.stringify(odd))
  }
})

t.test(
  'a node begins nothing that was too long on its way, or of which it cannot tell',
  async (t) => {
    const { desk, thread } = await deskOf(t)
    const served: unknown[] = []
    desk.listen(ACCOUNT, {
      listener: {} as never,
      served: {
        epoch: () => EPOCH,
        answer: async (body) => {
          served.push(body)
          return 'done'
        },
        untold: () => t.fail('nobody has ordered anything'),
      },
    })
    const ask = async (request: object, sentAt: unknown) => {
      const header = { timeoutMs: 60_000, startWithinMs: 30_000, correlationId: '', from: 'n2' }
      const body = encode({ request, ...header, sentAt })
      return decode<RemoteReply>(await thread.ask({ accountId: ACCOUNT, body }, PATIENT))
    }
    const ago = (ms: number) => ({ epoch: EPOCH, ms: steadyMs() - ms })
    t.match(await ask(CANCEL, ago(30_001)), { error: { code: 'DEADLINE_PASSED' } })
    t.match(await ask(CANCEL, null), { epoch: EPOCH, isUndated: true, heardMs: Number })
    t.match(await ask(CANCEL, { ...ago(0), epoch: EPOCH - 1 }), { isUndated: true })
    t.equal(served.length, 0)
    t.match(await ask(CANCEL, ago(1)), { epoch: EPOCH, value: 'done' })
    t.match(await ask(HEALTH, null), { value: 'done' }, 'what changes nothing needs no date')
    t.match(await ask(HEALTH, { ...ago(0), epoch: EPOCH - 1 }), { value: 'done' })
    t.equal(served.length, 3)
  },
)

t.test('what was not dated is sent again with the clock of who was asked, once', async (t) => {
  const sent: Travelling['sentAt'][] = []
  const FAR_MS = 1_000_000_000
  let epoch = EPOCH
  const { desk } = await deskOf(t, (asked) => {
    const { body } = asked as Extract<ClusterRequest, { kind: 'call' }>
    const { sentAt } = travellingIn(body) ?? {}
    sent.push(sentAt)
    const isDated = sentAt?.epoch === epoch
    const reply: RemoteReply = isDated
      ? { epoch, heardMs: FAR_MS, value: 'done' }
      : { epoch, heardMs: FAR_MS, isUndated: true }
    return encode(reply)
  })
  const line = desk.lineTo(ACCOUNT)
  t.equal(await line.ask(CANCEL, PATIENT), 'done')
  t.equal(sent.length, 2)
  t.equal(sent[0], null)
  t.ok((sent[1]?.ms ?? 0) >= FAR_MS, 'no later than it is there')
  t.equal(await line.ask(CANCEL, PATIENT), 'done')
  t.equal(sent.length, 3, 'from then on it is known')
  epoch += 1
  t.equal(await line.ask(CANCEL, PATIENT), 'done', 'another owner has another clock')
  t.equal(sent.length, 5)
})

t.test('an account that moves all the time is not asked for ever', async (t) => {
  let epoch = EPOCH
  const { desk } = await deskOf(t, () => {
    epoch += 1
    return encode({ epoch, heardMs: 1, isUndated: true } satisfies RemoteReply)
  })
  const failed = await desk
    .lineTo(ACCOUNT)
    .ask(CANCEL, PATIENT)
    .catch((error: unknown) => error)
  t.ok(failed instanceof ServiceError)
  t.match(failed, { code: 'NOT_OWNER', message: /nothing was executed/ })
  t.equal(epoch, EPOCH + 2)
})
