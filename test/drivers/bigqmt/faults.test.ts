import { randomBytes } from 'node:crypto'
import t, { type Test } from 'tap'
import { clientOrderId } from '../../../src/domain/ids.ts'
import type { NewOrder } from '../../../src/domain/order.ts'
import type { DriverEvent } from '../../../src/protocol/driver.ts'
import { Witness } from '../../contract/driver.ts'
import { endingIn } from '../../contract/ends.ts'
import { orderOf, price, SH, shares } from '../fixtures/paper.ts'
import { BigqmtRig, type BigqmtRigOptions } from './rig.ts'

const BOOK = { last: 36, lastClose: 35.5, bid: [[35.99, 9_000]], ask: [[36, 9_000]] } as const
const newId = () => clientOrderId(Date.now(), randomBytes(10))
const purchase = (parts: Partial<NewOrder> = {}) =>
  orderOf({ clientOrderId: newId(), quantity: shares(200), price: price(36), ...parts })

async function open(t: Test, parts: Partial<BigqmtRigOptions> = {}) {
  const rig = await BigqmtRig.open({ folder: t.testdir(), ...parts })
  t.teardown(() => rig.close())
  rig.terminal.tick(SH, BOOK)
  const w = new Witness(rig.driver())
  await w.connect()
  return { rig, w }
}
const dealIds = (events: readonly DriverEvent[]) =>
  new Set(events.flatMap((event) => (event.kind === 'dealPushed' ? [event.deal.dealId] : [])))
const barrier = async (w: Witness) =>
  (await w.answerTo('barrierAnswered', w.send({ kind: 'barrier' }))).result
/** Asked again and again, as an account does. */
async function cleared(w: Witness): Promise<void> {
  while (!(await barrier(w)).ok);
}
/** After whatever happened to the script. */
async function again(w: Witness): Promise<void> {
  w.events.length = 0
  await w.connect()
}

t.test(
  'F97 a refusal that only a pop-up shows is decided by absence, after the settle time',
  async (t) => {
    const { rig, w } = await open(t, {
      manners: { passorder: 'popup' },
      limits: { settle_ms: 400 },
    })
    const order = purchase()
    w.send({ kind: 'submit', order })
    t.match(await barrier(w), {
      ok: false,
      error: { code: 'FAILED', message: /nothing, or no number/ },
    })
    t.strictSame((await w.rows('orders')).rows, [])
    await cleared(w)
    t.strictSame((await w.rows('orders')).rows, [])
    t.equal(rig.terminal.orders, 0)
  },
)

t.test('an order whose end lay before it was even sent is not placed by the script', async (t) => {
  const rig = await BigqmtRig.open({ folder: t.testdir() })
  t.teardown(() => rig.close())
  rig.terminal.tick(SH, BOOK)
  let leftMs = 60_000
  const w = new Witness(endingIn(rig.driver(), () => leftMs))
  await w.connect()
  leftMs = -1_000
  const late = w.send({ kind: 'submit', order: purchase() })
  t.match((await w.answerTo('submitAnswered', late)).outcome, { kind: 'rejected' })
  t.equal(rig.terminal.orders, 0)
  leftMs = 60_000
  t.ok(await w.submit(purchase()), 'one in time is')
  t.equal(rig.terminal.orders, 1)
})

for (const manner of ['error', 'error_inside']) {
  t.test(`a terminal that calls an order wrong refuses it (${manner})`, async (t) => {
    const { w } = await open(t, { manners: { passorder: manner } })
    const callId = w.send({ kind: 'submit', order: purchase() })
    const { outcome } = await w.until('submitAnswered')
    t.match(outcome, { kind: 'rejected', message: /指定价 无效/ })
    t.ok(callId > 0)
    t.match(await barrier(w), { ok: true })
  })
}

t.test(
  'F97 passorder that fails after it has sent: in doubt, then found, and sent once',
  async (t) => {
    const { rig, w } = await open(t, { manners: { passorder: 'raise' } })
    const order = purchase()
    const callId = w.send({ kind: 'submit', order })
    t.match((await w.answerTo('submitAnswered', callId)).outcome, { kind: 'unknown' })
    const later = await w.until('submitAnswered', (event) => event.callId !== callId)
    t.match(later.outcome, { kind: 'accepted' })
    await cleared(w)
    const { clientOrderId } = order
    t.match((await w.rows('orders')).rows, [{ clientOrderId }])
    t.equal(rig.terminal.orders, 1)
  },
)

t.test('F97 passorder that fails before it has sent: in doubt, then absent', async (t) => {
  const { rig, w } = await open(t, {
    manners: { passorder: 'raise_before' },
    limits: { settle_ms: 300 },
  })
  const { outcome } = await w.answerTo(
    'submitAnswered',
    w.send({ kind: 'submit', order: purchase() }),
  )
  t.match(outcome, { kind: 'unknown' })
  t.match(await barrier(w), { ok: false })
  await cleared(w)
  t.equal(rig.terminal.orders, 0)
})

t.test(
  'F97 a row without a number is on its way: not listed, and no barrier passes it',
  async (t) => {
    const { rig, w } = await open(t, { manners: { early_row: true, number_ms: 60_000 } })
    const order = purchase()
    w.send({ kind: 'submit', order })
    while (rig.terminal.orders === 0) await barrier(w)
    t.match(await barrier(w), { ok: false })
    t.strictSame((await w.rows('orders')).rows, [])
    t.strictSame((await w.rows('deals')).rows, [])
  },
)

t.test('callbacks that a terminal does not make are made up for by looks', async (t) => {
  const { w } = await open(t, { manners: { callbacks: false } })
  const orderId = await w.submit(purchase())
  t.match((await w.rows('orders')).rows, [{ orderId, status: 56 }])
})

t.test(
  'F99 init runs again, in place and as a new copy, and the client stays or comes back',
  async (t) => {
    const { rig, w } = await open(t)
    const first = await w.submit(purchase())
    await rig.tell('init')
    const second = await w.submit(purchase())
    t.not(first, second, 'the connection stood')
    t.notOk(w.events.some(({ kind }) => kind === 'disconnected'))
    await w.ended(second)
    await rig.tell('copy')
    await w.until('disconnected')
    await again(w)
    const third = await w.submit(purchase())
    await w.ended(third)
    t.equal((await w.rows('orders')).rows.length, 3)
    t.equal(rig.terminal.orders, 3)
  },
)

t.test('F99 timers that the terminal forgets to forget do not serve twice', async (t) => {
  const { rig, w } = await open(t, { manners: { forgets_timers: false } })
  for (let i = 0; i < 5; i++) await rig.tell(i % 2 === 0 ? 'init' : 'repeat')
  await w.ended(await w.submit(purchase()))
  t.equal(rig.terminal.orders, 1)
})

t.test('a strategy that is stopped and begun again serves again', async (t) => {
  const { rig, w } = await open(t)
  await rig.tell('stop')
  await w.until('disconnected')
  await rig.tell('init')
  await again(w)
  t.ok(await w.submit(purchase()))
})

t.test(
  'deals told again after a reconnect are the same deals, with the same numbers',
  async (t) => {
    const { rig, w } = await open(t)
    await w.ended(await w.submit(purchase()))
    await w.until('dealPushed')
    await rig.tell('repeat')
    const pushes = () => w.events.filter(({ kind }) => kind === 'dealPushed').length
    while (pushes() < 2) await w.next('deal')
    t.equal(dealIds(w.events).size, 1)
    rig.host.close()
    const later = rig.anotherHost()
    t.teardown(() => later.close())
    const next = new Witness(rig.driver({ host: later, epoch: 2 }))
    await next.connect()
    await next.until('dealPushed')
    t.equal(next.events.filter(({ kind }) => kind === 'dealPushed').length, 1, 'written down once')
  },
)

t.test('F99 what waited while the terminal stood still is not carried out', async (t) => {
  const { rig, w } = await open(t, { callTimeoutMs: 600 })
  await barrier(w) // so that both know each other's clock
  await rig.tell('freeze', { ms: 1_500 })
  const { outcome } = await w.answerTo(
    'submitAnswered',
    w.send({ kind: 'submit', order: purchase() }),
  )
  t.match(outcome, { kind: 'rejected', message: /stood still/ })
  t.equal(rig.terminal.orders, 0)
  t.ok(await w.submit(purchase()), 'and later orders are')
})

t.test('a callback on a thread of the terminal is heard at the next tick', async (t) => {
  const { rig, w } = await open(t)
  const orderId = await w.submit(purchase({ price: price(35) }))
  await w.order(orderId, ({ status }) => status === 50)
  const row = rig.terminal.counter.books.orders.values().next().value
  t.ok(row)
  await rig.tell('elsewhere', {
    name: 'order_callback',
    fields: {
      stock_code: '600036',
      order_type: 23,
      order_volume: 200,
      price_type: 11,
      price: 35,
      traded_volume: 0,
      traded_price: 0,
      order_status: 51,
      status_msg: '',
      order_remark: '',
      order_time: 1_786_415_405,
      order_id: orderId,
    },
  })
  t.match(await w.order(orderId, ({ status }) => status === 51), { orderId })
})

t.test('a login that is lost is told, and nothing is handed over without one', async (t) => {
  const { rig, w } = await open(t)
  await rig.tell('manners', { logged_in: false })
  t.match(await w.until('disconnected'), { reason: /gave no asset/ })
  await t.rejects(w.connect(), { message: /gave no asset/ })
  await rig.tell('manners', { logged_in: true })
  await again(w)
  t.ok(await w.submit(purchase()))
})

t.test('a margin account has its own operations', async (t) => {
  const { rig, w } = await open(t, { accountType: 'CREDIT' })
  await w.ended(await w.submit(purchase()))
  t.equal(rig.terminal.orders, 1)
})

t.test('after five the counter takes no cancel, whatever the terminal says', async (t) => {
  const { rig, w } = await open(t, { manners: { cancel_lies: true } })
  const orderId = await w.submit(purchase({ price: price(35) }))
  await rig.tell('clock', { offset_ms: 7 * 3_600_000 })
  const { result } = await w.answerTo('cancelAnswered', w.send({ kind: 'cancel', orderId }))
  t.match(result, { ok: false, error: { message: /17:00/ } })
})

t.test('only one client of a role is in charge, and never an earlier owner', async (t) => {
  const { rig, w } = await open(t)
  const second = rig.anotherHost()
  t.teardown(() => second.close())
  const later = new Witness(rig.driver({ host: second, epoch: 5 }))
  await later.connect()
  await w.until('disconnected')
  w.events.length = 0
  await t.rejects(w.connect(), { message: /FENCED/ })
  t.ok(await later.submit(purchase()))
})

for (const end of ['stop', 'copy', 'kill'] as const) {
  t.test(
    `F96 an order without a number survives a ${end} of the script, and is sent once`,
    async (t) => {
      const { rig, w } = await open(t, {
        manners: { number_ms: 500 },
        limits: { settle_ms: 2_000 },
      })
      const order = purchase()
      w.send({ kind: 'submit', order })
      while (rig.terminal.orders === 0) await barrier(w)
      if (end === 'kill') await rig.kill().then(() => rig.start())
      else await rig.tell(end)
      if (end === 'stop') await rig.tell('init')
      await w.until('disconnected')
      await again(w)
      await cleared(w)
      const { clientOrderId } = order
      t.match((await w.rows('orders')).rows, [{ clientOrderId, status: 56 }])
      t.match((await w.rows('deals')).rows, [{ clientOrderId }])
      const callId = w.send({ kind: 'submit', order })
      t.match((await w.answerTo('submitAnswered', callId)).outcome, { kind: 'accepted' })
      t.equal(rig.terminal.orders, 1)
    },
  )
}
