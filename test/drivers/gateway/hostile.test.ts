import { randomBytes } from 'node:crypto'
import t, { type Test } from 'tap'
import { clientOrderId } from '../../../src/domain/ids.ts'
import type { NewOrder } from '../../../src/domain/order.ts'
import { ok } from '../../../src/domain/result.ts'
import { GatewayDriver } from '../../../src/drivers/gateway/driver.ts'
import { dealOf } from '../../../src/drivers/gateway/rows.ts'
import { Witness } from '../../contract/driver.ts'
import { endingIn } from '../../contract/ends.ts'
import { orderOf, price, shares } from '../fixtures/paper.ts'
import { isOrder, type Mischief } from './proxy.ts'
import { type GatewayRig, openGateway } from './rig.ts'

/** At the market: it would be filled at once. */
const purchase = (parts: Partial<NewOrder> = {}): NewOrder =>
  orderOf({
    clientOrderId: clientOrderId(Date.now(), randomBytes(10)),
    quantity: shares(100),
    price: price(10),
    ...parts,
  })

async function scene(
  t: Test,
  options: Parameters<typeof openGateway>[1] = {},
): Promise<{ rig: GatewayRig; w: Witness }> {
  const rig = await openGateway(t.testdir(), options)
  t.teardown(() => rig.close())
  const w = new Witness(rig.driver)
  await w.connect()
  return { rig, w }
}

/** The next order meets this on its way, and no other. */
function once(rig: GatewayRig, mischief: Mischief): void {
  rig.proxy.mischief = (request) => {
    if (!isOrder(request)) return undefined
    rig.proxy.mischief = () => undefined
    return mischief
  }
}

/** The last word about an order. */
async function fateOf(w: Witness, { clientOrderId: id }: NewOrder): Promise<string> {
  const { outcome } = await w.until(
    'submitAnswered',
    (event) => event.clientOrderId === id && event.outcome.kind !== 'unknown',
  )
  return outcome.kind
}

async function untilClear(w: Witness): Promise<void> {
  for (;;) {
    const { result } = await w.answerTo('barrierAnswered', w.send({ kind: 'barrier' }))
    if (result.ok) return
  }
}

const listed = async (w: Witness): Promise<number> => (await w.rows('orders')).rows.length
const ordersPassed = ({ proxy }: GatewayRig): number =>
  proxy.passed.filter((line) => line.startsWith('POST') && line.endsWith('/orders')).length

t.test('an answer that is lost is asked for by key: the order is there', async (t) => {
  const { rig, w } = await scene(t)
  once(rig, { kind: 'lose' })
  const order = purchase()
  w.send({ kind: 'submit', order })
  t.equal(await fateOf(w, order), 'accepted')
  await untilClear(w)
  t.match((await w.rows('orders')).rows, [{ clientOrderId: order.clientOrderId }])
  t.equal(ordersPassed(rig), 1, 'sent once')
})

t.test('a request that never arrived is definitely not taken', async (t) => {
  const { rig, w } = await scene(t)
  once(rig, { kind: 'drop' })
  const order = purchase()
  w.send({ kind: 'submit', order })
  t.equal(await fateOf(w, order), 'rejected')
  await untilClear(w)
  t.equal(await listed(w), 0)
  t.equal(ordersPassed(rig), 0)
})

t.test('F103 a request that arrives after it was given up places nothing', async (t) => {
  const { rig, w } = await scene(t)
  const { promise, resolve } = Promise.withResolvers<void>()
  once(rig, { kind: 'late', until: promise })
  const order = purchase()
  w.send({ kind: 'submit', order })
  t.equal(await fateOf(w, order), 'rejected', 'its key was withdrawn')
  await untilClear(w)
  resolve()
  await rig.proxy.settled()
  t.equal(ordersPassed(rig), 1, 'it did arrive')
  t.equal(await listed(w), 0)
  t.match((await w.rows('positions')).rows, [{ quantity: 1_000 }], 'nothing was bought')
})

t.test('a request that gets through twice is one order', async (t) => {
  const { rig, w } = await scene(t)
  once(rig, { kind: 'twice' })
  const order = purchase()
  await w.submit(order)
  t.equal(ordersPassed(rig), 2)
  t.equal(await listed(w), 1)
})

t.test('the page of a proxy says nothing of the order behind it', async (t) => {
  const { rig, w } = await scene(t)
  for (const [status, isPassed] of [
    [502, true],
    [504, true],
    [503, false],
    [200, true],
    [404, false],
  ] as const) {
    once(rig, { kind: 'instead', status, body: '<html>proxy</html>', isPassed })
    const order = purchase({ price: price(9.5) })
    w.send({ kind: 'submit', order })
    t.equal(await fateOf(w, order), isPassed ? 'accepted' : 'rejected', `${status}`)
    const { rows } = await w.rows('orders')
    const isListed = rows.some(
      (row) => 'status' in row && row.clientOrderId === order.clientOrderId,
    )
    t.equal(isListed, isPassed, `${status}`)
  }
})

t.test('what the other gateway refuses has its words', async (t) => {
  const { w } = await scene(t)
  const order = purchase({ side: 'sell', quantity: shares(5_000) })
  const { outcome } = await w.answerTo('submitAnswered', w.send({ kind: 'submit', order }))
  t.match(outcome, { kind: 'rejected', message: /./ })
})

t.test('an order in doubt there stays in doubt here', async (t) => {
  let isHanging = true
  const faults = { command: () => (isHanging ? ({ kind: 'hang' } as const) : undefined) }
  const { rig, w } = await scene(t, {
    faults: { command: (command) => (command.kind === 'submit' ? faults.command() : undefined) },
    limits: { callTimeoutMs: 50, doubtSettleMs: 100_000 },
  })
  const order = purchase()
  const { outcome } = await w.answerTo('submitAnswered', w.send({ kind: 'submit', order }))
  t.equal(outcome.kind, 'unknown')
  const { result } = await w.answerTo('barrierAnswered', w.send({ kind: 'barrier' }))
  t.match(result, { ok: false, error: { message: /./ } }, 'no list counts before it is decided')
  isHanging = false
  t.equal(ordersPassed(rig), 1)
})

t.test('F104 the other gateway ends in the middle of an order, and comes back', async (t) => {
  const { rig, w } = await scene(t)
  const { promise, resolve } = Promise.withResolvers<void>()
  once(rig, { kind: 'hold', until: promise })
  const order = purchase()
  w.send({ kind: 'submit', order })
  await rig.peer.stopFront()
  await rig.peer.stopAccount()
  resolve()
  await w.until('disconnected')
  await rig.again()
  w.events.length = 0
  await w.connect()
  t.equal(await fateOf(w, order), 'rejected', 'it found nobody, and its key is withdrawn')
  await untilClear(w)
  t.equal(await listed(w), 0)
})

t.test('F105 the desk ends before the answer: its next life knows the key', async (t) => {
  const { rig, w } = await scene(t)
  once(rig, { kind: 'lose' })
  const order = purchase()
  w.send({ kind: 'submit', order })
  rig.driver.close()
  const life = new Witness(rig.life(2))
  await life.connect()
  await untilClear(life)
  const { rows } = await life.rows('orders')
  t.match(rows, [{ clientOrderId: order.clientOrderId }])
  t.equal(ordersPassed(rig), 1)
})

t.test('an owner of before the last one is told so', async (t) => {
  const { rig } = await scene(t)
  const later = new Witness(rig.life(7))
  await later.connect()
  const earlier = new Witness(rig.life(3))
  const { result } = await earlier.answerTo('connectAnswered', earlier.send({ kind: 'connect' }))
  t.match(result, { ok: false, error: { clientEpoch: 7 } })
})

t.test('F86 orders of another desk at the same account are of somebody else', async (t) => {
  const { rig, w } = await scene(t)
  const theirs = purchase({ price: price(9.5) })
  await rig.peer.ask({
    kind: 'placeOrder',
    key: theirs.clientOrderId,
    requestHash: 'theirs',
    code: theirs.code,
    side: 'buy',
    quantity: 100,
    priceType: 11,
    price: theirs.price,
    strategy: 'M_real',
    source: 'another desk',
  })
  const { order } = await w.until('orderPushed')
  t.match(order, { clientOrderId: theirs.clientOrderId, isOthers: true })
  const deal = {
    trade_id: '1',
    stock_code: theirs.code,
    volume: 100,
    price: 9.5,
    trade_type: 'BUY',
  }
  t.match(
    dealOf(deal, 0, () => order),
    { clientOrderId: theirs.clientOrderId, isOthers: true },
  )
})

t.test('F212 an order whose time was over before it could leave is not sent', async (t) => {
  const rig = await openGateway(t.testdir())
  t.teardown(() => rig.close())
  let leftMs = 60_000
  const w = new Witness(endingIn(rig.driver, () => leftMs))
  await w.connect()
  leftMs = -1
  const late = purchase()
  const { outcome } = await w.answerTo('submitAnswered', w.send({ kind: 'submit', order: late }))
  t.match(outcome, { kind: 'rejected', message: /waited too long/ })
  t.equal(ordersPassed(rig), 0)
  leftMs = 60_000
  t.ok(await w.submit(purchase()), 'one in time is')
  await untilClear(w)
  t.equal(ordersPassed(rig), 1, 'and the late one is not asked for')
})

t.test('an account in simulation mode there is not traded on', async (t) => {
  const { rig, w } = await scene(t)
  await rig.peer.ask({
    kind: 'saveConfig',
    changes: { simulationMode: true },
    source: 'test',
  })
  await w.until('disconnected', ({ reason }) => /模拟/.test(reason))
  const { result } = await w.answerTo('connectAnswered', w.send({ kind: 'connect' }))
  t.match(result, { ok: false, error: { message: /allow_simulation/ } })
})

t.test('a token that is not good is said so, and never shown', async (t) => {
  const rig = await openGateway(t.testdir(), { token: 'the-secret-of-this-test' })
  t.teardown(() => rig.close())
  const w = new Witness(rig.driver as GatewayDriver)
  const { result } = await w.answerTo('connectAnswered', w.send({ kind: 'connect' }))
  t.equal(result.ok, false)
  t.notMatch(JSON.stringify(w.events), /the-secret-of-this-test/)
})

t.test(
  'F217 rows that cannot be read are named: the list shows not all that there is',
  async (t) => {
    const { rig, w } = await scene(t)
    const lists = {
      positions: [
        { stock_code: '600036', volume: '1000', available: 1_000 },
        { stock_code: '000001', volume: 300, available: 300 },
        { stock_code: '00700.HK', volume: '100' },
      ],
      orders: [
        { stock_code: '600036', order_id: '7', order_type: 24, volume: 100, traded_volume: null },
        { stock_code: '600036', order_id: '8', order_type: 27, volume: null },
      ],
      trades: [
        { stock_code: '600036', trade_id: 'D1', trade_type: 'SELL', volume: '100', price: 10 },
        { stock_code: '600036', trade_id: 'D2', trade_type: 'SELL', volume: -100, price: 10 },
        { stock_code: '600036', trade_id: 'D3', trade_type: 'SELL', volume: 100, price: -10 },
      ],
    }
    rig.proxy.mischief = ({ method, path }) => {
      const what = path.split('/').at(-1) as keyof typeof lists
      if (method !== 'GET' || !(what in lists)) return undefined
      const body = JSON.stringify({ success: true, data: { [what]: lists[what] } })
      return { kind: 'instead', status: 200, body }
    }
    const positions = await w.rows('positions')
    t.match(positions.rows, [{ code: '000001.SZ', quantity: 300 }])
    t.strictSame(positions.leftOut, ['600036'])
    t.match(await w.rows('orders'), { leftOut: ['600036 7'], otherNumbers: ['7'] })
    t.strictSame((await w.rows('deals')).leftOut, ['600036 D1', '600036 D2', '600036 D3'])
  },
)

t.test('F246 a row that is none is named, and the account goes on', async (t) => {
  const { rig, w } = await scene(t)
  const absurd = [null, 7, 'text', [], { stock_code: '000001', volume: 300, available: 300 }]
  rig.proxy.mischief = ({ method, path }) => {
    const what = path.split('/').at(-1) ?? ''
    if (method !== 'GET' || !['positions', 'orders', 'trades'].includes(what)) return undefined
    const body = JSON.stringify({ success: true, data: { [what]: absurd } })
    return { kind: 'instead', status: 200, body }
  }
  const positions = await w.rows('positions')
  t.match(positions.rows, [{ code: '000001.SZ', quantity: 300 }])
  t.strictSame(positions.leftOut, ['?', '?', '?', '?'])
  t.strictSame((await w.rows('orders')).leftOut?.slice(0, 4), ['?', '?', '?', '?'])
  t.strictSame((await w.rows('deals')).leftOut?.slice(0, 4), ['?', '?', '?', '?'])
  rig.proxy.mischief = () => undefined
  t.ok(await w.submit(purchase()))
  t.notOk(w.events.some(({ kind }) => kind === 'disconnected'))
})

t.test('F247 what nobody foresaw is the end of a call, and not of the process', async (t) => {
  const fails = () => Promise.reject(new TypeError('nobody foresaw this'))
  let isFailing = false
  const peer = { api: { status: fails, cancel: fails }, manner: 'withdraws' }
  const account = {
    listen: () => undefined,
    begin: () => undefined,
    nudge: () => undefined,
    peer,
    connect: async () => (isFailing ? fails() : ok(null)),
    query: fails,
    open: { submit: fails },
  }
  const w = new Witness(new GatewayDriver(account as never, 1))
  await w.connect()
  const failed = { ok: false, error: { code: 'FAILED', message: /nobody foresaw this/ } }
  const query = w.send({ kind: 'query', what: 'orders' })
  t.match((await w.answerTo('queryAnswered', query)).result, failed)
  const barrier = w.send({ kind: 'barrier' })
  t.match((await w.answerTo('barrierAnswered', barrier)).result, failed)
  w.send({ kind: 'cancel', orderId: '1' })
  w.send({ kind: 'submit', order: purchase() })
  isFailing = true
  const connect = w.send({ kind: 'connect' })
  t.match((await w.answerTo('connectAnswered', connect)).result, failed)
  const unsure = w.events.filter(({ kind }) => /^(cancel|submit)Answered$/.test(kind))
  t.strictSame(unsure, [], 'nothing is said of what may have left')
})
