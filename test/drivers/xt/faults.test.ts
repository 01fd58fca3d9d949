import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { clientOrderId } from '../../../src/domain/ids.ts'
import type { Price, Quantity } from '../../../src/domain/money.ts'
import type { NewOrder } from '../../../src/domain/order.ts'
import type { DriverEvent } from '../../../src/protocol/driver.ts'
import { Witness } from '../../contract/driver.ts'
import { orderOf, price, SH, shares } from '../fixtures/paper.ts'
import { ACCOUNT, XtRig } from './rig.ts'
import { HONG_KONG } from './terminal.ts'

const BOOK = { last: 36, lastClose: 35.5, bid: [[35.99, 9_000]], ask: [[36, 9_000]] } as const
const newId = () => clientOrderId(Date.now(), randomBytes(10))
const purchase = (parts: Partial<NewOrder> = {}) =>
  orderOf({ clientOrderId: newId(), quantity: shares(200), price: price(36), ...parts })

async function open(folder: string, parts: Partial<Parameters<typeof XtRig.open>[0]> = {}) {
  const rig = await XtRig.open({ folder, ...parts })
  rig.terminal.tick(SH, BOOK)
  return rig
}
const dealIds = (events: readonly DriverEvent[]) =>
  new Set(events.flatMap((event) => (event.kind === 'dealPushed' ? [event.deal.dealId] : [])))
const submitOf = (w: Witness, order: NewOrder) =>
  w.answerTo('submitAnswered', w.send({ kind: 'submit', order }))

/** Everything that a sidecar does for an order, in its order; `deal` and `order` are pushes. */
const STEPS = [
  'intent:before',
  'intent:after',
  'call:before',
  'call:after',
  'sent:before',
  'sent:after',
  'placed:before',
  'placed:after',
  'order:before',
  'order:after',
  'deal:before',
  'deal:after',
]
/** Up to here nothing was sent, so the caller may. */
const UNTOUCHED = new Set(['intent:before'])

/** Sends an order to a sidecar that is killed at this step, and asks the next one for it. */
async function killedAt(t: Test, rig: XtRig, step: string): Promise<void> {
  const w = new Witness(rig.driver())
  await w.connect()
  const order = purchase()
  w.send({ kind: 'submit', order })
  await w.until('disconnected')
  w.events.length = 0
  await w.connect()
  const { outcome } = await submitOf(w, order)
  t.ok(rig.terminal.orders <= 1, `${step}: sent once at most`)
  if (UNTOUCHED.has(step)) t.equal(outcome.kind, 'accepted', `${step}: it was never sent`)
  const isThere = rig.terminal.orders === 1
  const rows = await w.rows('orders')
  t.equal(rows.rows.length, isThere ? 1 : 0, step)
  if (!isThere) return
  t.match(rows.rows, [{ clientOrderId: order.clientOrderId, status: 56 }], `${step}: known`)
  const held = rig.terminal.counter.books.deals.map(({ row }) => row.dealId)
  await w.until('dealPushed')
  t.strictSame([...dealIds(w.events)], held, `${step}: its deal is told`)
}

t.test('a sidecar killed at any step of an order loses nothing and doubles nothing', async (t) => {
  const folder = t.testdir(Object.fromEntries(STEPS.map((step) => [step.replace(':', '-'), {}])))
  t.teardown(() => delete process.env['FAKE_XT_CRASH'])
  for (const step of STEPS) {
    const place = join(folder, step.replace(':', '-'))
    process.env['FAKE_XT_CRASH'] = step
    process.env['FAKE_XT_CRASH_ONCE'] = join(place, 'crashed')
    const rig = await open(place)
    // Closed also when something fails: a sidecar that is left would keep the tests from ending.
    await killedAt(t, rig, step).finally(() => rig.close())
  }
})

/** Kills the sidecar at a step, and connects to the next one. */
async function playKilled(
  folder: string,
  step: string,
  play: (rig: XtRig, w: Witness) => Promise<void>,
): Promise<void> {
  process.env['FAKE_XT_CRASH'] = step
  process.env['FAKE_XT_CRASH_ONCE'] = join(folder, 'crashed')
  const rig = await open(folder, { own: { refusal_text_ms: 0 } })
  try {
    const w = new Witness(rig.driver())
    await w.connect()
    await play(rig, w)
  } finally {
    delete process.env['FAKE_XT_CRASH']
    await rig.close()
  }
}

t.test('a sidecar killed at any step of a refusal sends nothing again', async (t) => {
  const steps = ['refused:before', 'refused:after']
  const folder = t.testdir(Object.fromEntries(steps.map((step) => [step.replace(':', '-'), {}])))
  for (const step of steps) {
    await playKilled(join(folder, step.replace(':', '-')), step, async (rig, w) => {
      let requests = 0
      rig.terminal.fault = (method, fields) => {
        if (method !== 'order') return undefined
        requests += 1
        const response = { order_remark: fields['order_remark'], seq: 5, order_id: '-1' }
        setImmediate(() => rig.terminal.push('on_order_stock_async_response', response))
        return { answer: 5 }
      }
      const order = purchase()
      w.send({ kind: 'submit', order })
      await w.until('disconnected')
      w.events.length = 0
      await w.connect()
      const { outcome } = await submitOf(w, order)
      t.equal(outcome.kind, step === 'refused:after' ? 'rejected' : 'unknown', step)
      t.equal(requests, 1, `${step}: sent once`)
    })
  }
})

t.test('a sidecar killed while it names an order gives it the same name again', async (t) => {
  const steps = ['name:before', 'name:after']
  const folder = t.testdir(Object.fromEntries(steps.map((step) => [step.replace(':', '-'), {}])))
  for (const step of steps) {
    await playKilled(join(folder, step.replace(':', '-')), step, async (rig, w) => {
      rig.terminal.onRow = (what, fields) =>
        what === 'orders' ? { ...fields, order_id: '0', order_remark: '' } : fields
      const number = rig.terminal.placeElsewhere({ quantity: shares(300), price: price(35) })
      await w.until('disconnected')
      w.events.length = 0
      await w.connect()
      t.match((await w.rows('orders')).rows, [{ orderId: `sysid:S${number}` }], step)
      rig.terminal.onRow = (_, fields) => fields
      t.match((await w.rows('orders')).rows, [{ orderId: `sysid:S${number}` }], step)
    })
  }
})

t.test('F346 a cancel that never comes back keeps no order waiting', async (t) => {
  const rig = await open(t.testdir(), { callTimeoutMs: 2_000 })
  t.teardown(() => rig.close())
  const w = new Witness(rig.driver())
  await w.connect()
  const orderId = await w.submit(purchase({ price: price(35) }))
  rig.terminal.fault = (method) => (method === 'cancel' ? 'hang' : undefined)
  const cancel = w.send({ kind: 'cancel', orderId })
  t.match((await submitOf(w, purchase())).outcome, { kind: 'accepted' })
  const answer = await w.answerTo('cancelAnswered', cancel)
  t.match(answer.result, { ok: false, error: { message: /not answered in time/ } })
})

t.test('a query that never comes back is a fault, and others are answered', async (t) => {
  const rig = await open(t.testdir(), { callTimeoutMs: 1_000 })
  t.teardown(() => rig.close())
  const w = new Witness(rig.driver())
  await w.connect()
  rig.terminal.fault = (method) => (method === 'orders' ? 'hang' : undefined)
  const asked = w.send({ kind: 'query', what: 'orders' })
  t.ok((await w.rows('positions')).rows.length > 0, 'another thread serves')
  const { result } = await w.answerTo('queryAnswered', asked)
  t.match(result, { ok: false, error: { code: 'FAILED', message: /has not answered in time/ } })
})

t.test('an order call that never comes back is in doubt, not failed', async (t) => {
  const rig = await open(t.testdir(), { callTimeoutMs: 1_000 })
  t.teardown(() => rig.close())
  const w = new Witness(rig.driver())
  await w.connect()
  rig.terminal.fault = (method) => (method === 'order' ? 'hang' : undefined)
  t.match(await submitOf(w, purchase()), { outcome: { kind: 'unknown' } })
  rig.terminal.fault = () => undefined
  const next = await submitOf(w, purchase())
  t.match(next, { outcome: { kind: 'accepted' } }, 'the lane has a new thread')
})

t.test('too many calls that never come back end the sidecar; the next one works', async (t) => {
  const rig = await open(t.testdir(), { callTimeoutMs: 1_000, own: { leaks_max: 1 } })
  t.teardown(() => rig.close())
  const w = new Witness(rig.driver())
  await w.connect()
  rig.terminal.fault = (method) => (method === 'deals' ? 'hang' : undefined)
  for (let i = 0; i < 2; i++) w.send({ kind: 'query', what: 'deals' })
  const { reason } = await w.until('disconnected')
  t.match(reason, /2 calls into the trading client never came back/)
  rig.terminal.fault = () => undefined
  await w.connect()
  t.strictSame((await w.rows('deals')).rows, [])
  t.equal(rig.terminal.sessions.length, 2)
  t.not(rig.terminal.sessions[0], rig.terminal.sessions[1])
})

t.test('a client that goes away is told, and found again with the same books', async (t) => {
  const rig = await open(t.testdir())
  t.teardown(() => rig.close())
  const w = new Witness(rig.driver())
  await w.connect()
  const first = await w.submit(purchase())
  await w.ended(first)
  rig.terminal.disconnect()
  t.match(await w.until('disconnected'), { reason: /断开/ })
  t.match(await submitOf(w, purchase()), { outcome: { kind: 'rejected' } }, 'nobody to send it to')
  await w.connect()
  await w.submit(purchase())
  await w.until('dealPushed', ({ deal }) => deal.orderId !== first)
  t.equal(rig.terminal.orders, 2)
  const deals = await w.rows('deals')
  t.strictSame(dealIds(w.events).size, deals.rows.length, 'deals told again are the same deals')
  t.equal(rig.terminal.sessions.length, 2, 'a session of its own, in the same sidecar')
  t.ok(rig.log.all.includes('xtquant: subscribe ****0001'), 'what the library prints is a log line')
  t.notOk(
    rig.log.all.some((line) => line.includes(ACCOUNT)),
    'without the number of the account',
  )
})

t.test('a request refused at once, or later, is an answer', async (t) => {
  const rig = await open(t.testdir())
  t.teardown(() => rig.close())
  const w = new Witness(rig.driver())
  await w.connect()
  rig.terminal.fault = (method) => (method === 'order' ? { answer: -1 } : undefined)
  const atOnce = await submitOf(w, purchase())
  t.match(atOnce, { outcome: { kind: 'rejected', message: /returned -1/ } })
  rig.terminal.fault = (method, fields) => {
    if (method !== 'order') return undefined
    const response = { order_remark: fields['order_remark'], seq: 5, error_msg: '可用资金不足' }
    setImmediate(() => {
      rig.terminal.push('on_order_stock_async_response', { ...response, order_id: '-1' })
    })
    return { answer: 5 }
  }
  t.match(await submitOf(w, purchase()), {
    outcome: { kind: 'rejected', message: '可用资金不足' },
  })
})

t.test('a number that is learned late, from a row, still reaches the order', async (t) => {
  const rig = await open(t.testdir(), { callTimeoutMs: 5_000 })
  t.teardown(() => rig.close())
  const w = new Witness(rig.driver())
  await w.connect()
  rig.terminal.onPush = (name) => name !== 'on_order_stock_async_response'
  t.match(await submitOf(w, purchase()), { outcome: { kind: 'accepted' } })
  rig.terminal.remarkCharsMax = 14
  const cut = purchase()
  t.match(await submitOf(w, cut), { outcome: { kind: 'accepted' } }, 'a remark cut short')
  const { rows } = await w.rows('orders')
  t.match(rows.at(-1), { clientOrderId: cut.clientOrderId })
})

t.test('an empty list counts only while an asset is answered', async (t) => {
  const rig = await open(t.testdir())
  t.teardown(() => rig.close())
  const w = new Witness(rig.driver())
  await w.connect()
  t.strictSame((await w.rows('orders')).rows, [])
  rig.terminal.fault = (method) => (method === 'asset' ? { answer: null } : undefined)
  const id = w.send({ kind: 'query', what: 'orders' })
  t.match((await w.answerTo('queryAnswered', id)).result, { ok: false, error: { code: 'FAILED' } })
})

t.test(
  'what an account on another connection says is left out; a cut-off state is not',
  async (t) => {
    const rig = await open(t.testdir())
    t.teardown(() => rig.close())
    const w = new Witness(rig.driver())
    await w.connect()
    const row = { account_id: '99999999', stock_code: '600036', volume: 5, can_use_volume: 5 }
    rig.terminal.push('on_stock_position', { ...row, open_price: 1 })
    rig.terminal.push('on_stock_position', { ...row, account_id: '10000001', volume: 0 })
    const { position } = await w.until('positionPushed')
    t.match(position, { code: SH, quantity: 0 as Quantity, costPrice: 0 as Price })
    rig.terminal.push('on_account_status', { account_id: '10000001', account_type: 2, status: 1 })
    t.match(await w.until('disconnected'), { reason: /账号状态 1/ })
  },
)

t.test('F385 what is told of the accounts for Hong Kong is none of ours', async (t) => {
  const rig = await open(t.testdir())
  t.teardown(() => rig.close())
  const w = new Witness(rig.driver())
  await w.connect()
  for (const account_type of HONG_KONG) {
    const account = { account_id: ACCOUNT, account_type }
    rig.terminal.push('on_account_status', { ...account, status: -1 })
    rig.terminal.push('on_stock_asset', { ...account, cash: 0, frozen_cash: 0, total_asset: 0 })
    rig.terminal.push('on_stock_position', { ...account, stock_code: '600036', volume: 0 })
  }
  const own = { account_id: ACCOUNT, account_type: 2 }
  rig.terminal.push('on_stock_asset', { ...own, cash: 5, frozen_cash: 0, total_asset: 5 })
  t.match(await w.until('assetPushed'), { asset: { available: 50_000 } })
  const said = w.events.map(({ kind }) => kind)
  t.strictSame(said, ['connectAnswered', 'assetPushed'], 'nor is the connection gone')
})

t.test(
  'a wrong path, a wrong account or a login that is missing is said in one line',
  async (t) => {
    const rig = await open(t.testdir())
    t.teardown(() => rig.close())
    const w = new Witness(rig.driver())
    rig.terminal.fault = (method) => (method === 'subscribe' ? { answer: -1 } : undefined)
    await t.rejects(w.connect(), { message: /资金账号及账号类型/ })
    rig.terminal.fault = (method) => (method === 'connect' ? { answer: -1 } : undefined)
    await t.rejects(w.connect(), { message: /极简模式/ })
    rig.terminal.fault = () => undefined
    await w.connect()
  },
)
