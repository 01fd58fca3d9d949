import { randomBytes } from 'node:crypto'
import t from 'tap'
import { clientOrderId } from '../../../src/domain/ids.ts'
import { Witness } from '../../contract/driver.ts'
import { orderOf, price, SH, shares } from '../fixtures/paper.ts'
import { XtRig } from './rig.ts'

const BOOK = { last: 36, lastClose: 35.5, bid: [[35.99, 9_000]], ask: [[36, 9_000]] } as const
const purchase = () =>
  orderOf({
    clientOrderId: clientOrderId(Date.now(), randomBytes(10)),
    quantity: shares(200),
    price: price(36),
  })

async function open(folder: string, parts: Partial<Parameters<typeof XtRig.open>[0]> = {}) {
  const rig = await XtRig.open({ folder, callTimeoutMs: 2_000, ...parts })
  rig.terminal.tick(SH, BOOK)
  const w = new Witness(rig.driver())
  await w.connect()
  return { rig, w, terminal: rig.terminal }
}

const barrier = async (w: Witness) =>
  (await w.answerTo('barrierAnswered', w.send({ kind: 'barrier' }))).result
/** Asked again and again, as an account does. */
async function cleared(w: Witness): Promise<void> {
  while (!(await barrier(w)).ok);
}

t.test(
  'a call that stands in the library holds the barrier, and places its order late',
  async (t) => {
    const { rig, w, terminal } = await open(t.testdir())
    t.teardown(() => rig.close())
    t.match(await barrier(w), { ok: true }, 'nothing is under way')
    const gate = Promise.withResolvers<void>()
    terminal.fault = (method) => (method === 'order' ? { until: gate.promise } : undefined)
    const order = purchase()
    const callId = w.send({ kind: 'submit', order })
    const early = w.send({ kind: 'barrier' })
    const { outcome } = await w.answerTo('submitAnswered', callId)
    t.match(outcome, { kind: 'unknown', message: /has not answered in time/ })
    const { result } = await w.answerTo('barrierAnswered', early)
    t.match(result, { ok: false }, 'it waited behind the order')
    t.strictSame((await w.rows('orders')).rows, [], 'the lists answer at once, and prove nothing')
    t.match(await barrier(w), { ok: false, error: { code: 'FAILED', message: /1 .*library/ } })
    t.match(await barrier(w), { ok: false }, 'the lane has a new thread, and that proves nothing')
    gate.resolve()
    const isIt = (event: { readonly clientOrderId: string; readonly callId: number }) =>
      event.clientOrderId === order.clientOrderId && event.callId !== callId
    const late = await w.until('submitAnswered', isIt)
    t.match(late.outcome, { kind: 'accepted' }, 'its number is told when it comes')
    await cleared(w)
    t.equal((await w.rows('orders')).rows.length, 1)
  },
)

t.test('a response that is lost holds the barrier until its row is seen', async (t) => {
  const { rig, w, terminal } = await open(t.testdir())
  t.teardown(() => rig.close())
  terminal.onPush = () => false // no response, no row, no deal
  w.send({ kind: 'submit', order: purchase() })
  while (terminal.orders === 0) await barrier(w)
  t.match(await barrier(w), {
    ok: false,
    error: { message: /nothing was heard: start the .*client anew/ },
  })
  t.equal((await w.rows('orders')).rows.length, 1)
  t.match(await barrier(w), { ok: true }, 'what is listed has arrived')
})

t.test('a response that comes late ends the wait', async (t) => {
  const { rig, w, terminal } = await open(t.testdir())
  t.teardown(() => rig.close())
  const held: Parameters<typeof terminal.push>[] = []
  terminal.onPush = (...push) => held.push(push) === 0
  w.send({ kind: 'submit', order: purchase() })
  while (held.length === 0) t.match(await barrier(w), { ok: false })
  terminal.onPush = () => true
  for (const push of held) terminal.push(...push)
  await cleared(w)
})

t.test('what a session held ends with it', async (t) => {
  const { rig, w, terminal } = await open(t.testdir())
  t.teardown(() => rig.close())
  terminal.fault = (method) => (method === 'order' ? { answer: 5 } : undefined) // and nothing more
  w.send({ kind: 'submit', order: purchase() })
  t.match(await barrier(w), {
    ok: false,
    error: { message: /nothing was heard: start the .*client anew/ },
  })
  terminal.fault = () => undefined
  terminal.disconnect()
  await w.until('disconnected')
  t.match(await barrier(w), { ok: false, error: { code: 'NOT_CONNECTED' } })
  w.events.length = 0
  await w.connect()
  await cleared(w) // as soon as the library has let go of it
})

t.test(
  'a call outlives its session and its account’s thread, and holds the barrier of the next',
  async (t) => {
    const { rig, w, terminal } = await open(t.testdir())
    t.teardown(() => rig.close())
    terminal.fault = (method) => (method === 'order' ? 'hang' : undefined)
    w.send({ kind: 'submit', order: purchase() })
    await w.until('submitAnswered')
    const next = new Witness(rig.driver())
    await next.connect()
    t.match(await barrier(next), { ok: false, error: { message: /stand in the/ } })
    terminal.disconnect()
    await next.until('disconnected')
    next.events.length = 0
    await next.connect()
    t.equal(terminal.sessions.length, 2, 'another session of the same process')
    t.match(await barrier(next), { ok: false, error: { message: /stand in the/ } })
  },
)

t.test('what one process held ends with it', async (t) => {
  const { rig, w, terminal } = await open(t.testdir())
  t.teardown(() => rig.close())
  const before = terminal.pid
  terminal.fault = (method) => (method === 'order' ? 'hang' : undefined)
  w.send({ kind: 'submit', order: purchase() })
  await w.until('submitAnswered')
  terminal.fault = () => undefined
  process.kill(before, 'SIGKILL')
  await w.until('disconnected')
  w.events.length = 0
  await w.connect()
  t.not(terminal.pid, before)
  t.match(await barrier(w), { ok: true }, 'an intent without an end is no call of this process')
  t.strictSame((await w.rows('orders')).rows, [])
})

t.test('an order that stands in the library for too long ends the sidecar, loudly', async (t) => {
  const { rig, w, terminal } = await open(t.testdir(), { own: { stuck_order_call_ms: 1_500 } })
  t.teardown(() => rig.close())
  const before = terminal.pid
  terminal.fault = (method) => (method === 'order' ? 'hang' : undefined)
  w.send({ kind: 'submit', order: purchase() })
  const { reason } = await w.until('disconnected')
  t.match(reason, /an order call has been standing in the trading client's library for \d+ s/)
  await rig.log.until(/standing in the trading client's library for \d+ s; giving up/)
  terminal.fault = () => undefined
  w.events.length = 0
  await w.connect()
  t.not(terminal.pid, before)
  t.match(await barrier(w), { ok: true })
})

t.test('F347 a barrier that the session does not answer keeps no order waiting', async (t) => {
  const { rig, w, terminal } = await open(t.testdir())
  t.teardown(() => rig.close())
  terminal.fault = (method) => (method === 'asset' ? 'hang' : undefined)
  const asked = w.send({ kind: 'barrier' })
  const { outcome } = await w.answerTo(
    'submitAnswered',
    w.send({ kind: 'submit', order: purchase() }),
  )
  t.match(outcome, { kind: 'accepted' })
  const { result } = await w.answerTo('barrierAnswered', asked)
  t.match(result, { ok: false, error: { message: /not answered in time/ } })
})

t.test('a barrier that the session does not answer proves nothing', async (t) => {
  const { rig, w, terminal } = await open(t.testdir())
  t.teardown(() => rig.close())
  terminal.fault = (method) => (method === 'asset' ? 'hang' : undefined)
  t.match(await barrier(w), { ok: false, error: { message: /has not answered in time/ } })
  terminal.fault = () => undefined
  t.match(await barrier(w), { ok: true })
})

t.test('an order that never left its queue is refused, not in doubt', async (t) => {
  const rig = await XtRig.open({ folder: t.testdir(), callTimeoutMs: 5_000 })
  t.teardown(() => rig.close())
  const { terminal } = rig
  const patient = new Witness(rig.driver())
  await patient.connect()
  const gate = Promise.withResolvers<void>()
  terminal.fault = (method) => (method === 'order' ? { until: gate.promise } : undefined)
  patient.send({ kind: 'submit', order: purchase() })
  const hasty = new Witness(rig.driver({ callTimeoutMs: 300 }))
  await hasty.connect()
  const second = hasty.send({ kind: 'submit', order: purchase() })
  const { outcome } = await hasty.answerTo('submitAnswered', second)
  t.match(outcome, { kind: 'rejected', message: /calls before it have taken too long/ })
  gate.resolve()
  await cleared(hasty)
  t.equal(terminal.orders, 1)
})
