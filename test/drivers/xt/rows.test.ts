import t from 'tap'
import { Witness } from '../../contract/driver.ts'
import { price, SH, shares } from '../fixtures/paper.ts'
import { BOOK, ids, KEY, KEY_2, open, patient } from './quoted-rig.ts'
import { type Fields, UNREADABLE } from './terminal-rows.ts'

t.test('a field that a row can do without is empty where it cannot be read', async (t) => {
  const rig = await open(t.testdir())
  t.teardown(() => rig.close())
  const w = new Witness(rig.driver())
  await w.connect()
  const broken = ['status_msg', 'strategy_name', 'order_remark', 'instrument_name', 'order_time']
  rig.terminal.onRow = (_, fields) =>
    Object.fromEntries(
      Object.entries(fields).map(([name, value]) => [
        name,
        broken.includes(name) ? UNREADABLE : value,
      ]),
    )
  const orderId = await w.submit(patient(KEY))
  t.match(await w.rows('positions'), { rows: [{ quantity: 1_000, name: '' }], leftOut: undefined })
  const orders = await w.rows('orders')
  t.match(orders, { rows: [{ orderId, clientOrderId: KEY, statusMessage: '', strategy: '' }] })
  t.notOk(orders.leftOut)
  t.match((await w.until('orderPushed')).order, { clientOrderId: KEY, quantity: 200 })
})

t.test('a row that cannot be read is left out and named; the rest is told as ever', async (t) => {
  const rig = await open(t.testdir())
  t.teardown(() => rig.close())
  const w = new Witness(rig.driver())
  await w.connect()
  const first = await w.submit(patient(KEY))
  const second = rig.terminal.placeElsewhere({ ...patient(''), quantity: shares(300) })
  const essential: Readonly<Record<string, string>> = {
    orders: 'order_volume',
    positions: 'volume',
  }
  rig.terminal.onRow = (what, fields) => {
    const isOther = what === 'orders' && fields['order_id'] !== second
    return isOther ? fields : { ...fields, [essential[what] ?? '']: UNREADABLE }
  }
  const orders = await w.rows('orders')
  t.same(ids(orders), [first])
  t.match(orders.leftOut, [new RegExp(`^委托 600036.SH ${second}: order_volume .UnicodeDecode`)])
  const positions = await w.rows('positions')
  t.match(positions, { rows: [], leftOut: [/^持仓 600036.SH: volume/] })
  rig.terminal.onRow = (what, fields) =>
    what === 'positions' ? { ...fields, volume: null } : fields
  t.match(await w.rows('positions'), { rows: [], leftOut: [/volume/] }, 'nothing is no number')
  t.ok(rig.log.all.some((line) => /left out, cannot be read: 持仓 600036.SH/.test(line)))
})

t.test(
  'F315 a deal of more shares than can be reckoned is left out, and its thread lives',
  async (t) => {
    const rig = await open(t.testdir())
    t.teardown(() => rig.close())
    const w = new Witness(rig.driver())
    await w.connect()
    await w.submit({ ...patient(KEY), price: price(36) })
    await w.until('dealPushed')
    t.match((await w.rows('deals')).rows, [{ quantity: 200 }])
    const odd = { traded_volume: 2 ** 50, traded_amount: 0 }
    rig.terminal.onRow = (what, fields) => (what === 'deals' ? { ...fields, ...odd } : fields)
    const deals = await w.rows('deals')
    t.match(deals, { rows: [], leftOut: [/^成交 600036.SH \S+: 1125899906842624 @ 36$/] })
    rig.terminal.onRow = (_, fields) => fields
    t.match((await w.rows('deals')).rows, [{ quantity: 200 }], 'asked again, it is told as ever')
  },
)

t.test('a push that cannot be read is said, and the connection stands', async (t) => {
  const rig = await open(t.testdir())
  t.teardown(() => rig.close())
  const w = new Witness(rig.driver())
  await w.connect()
  rig.terminal.onRow = (what, fields) =>
    what === 'orders' ? { ...fields, stock_code: UNREADABLE } : fields
  rig.terminal.placeElsewhere(patient(''))
  t.match(await w.until('pushLeftOut'), { text: /^委托 \d+: stock_code/ })
  rig.terminal.onRow = (_, fields) => fields
  const orderId = await w.submit(patient(KEY))
  await w.order(orderId, ({ status }) => status === 50)
  t.notOk(w.events.some(({ kind }) => kind === 'disconnected'))
})

t.test('an asset that cannot be read fails the connect, and not those after it', async (t) => {
  const rig = await open(t.testdir())
  t.teardown(() => rig.close())
  const w = new Witness(rig.driver())
  const odd: readonly unknown[] = [
    { account_id: '10000001', cash: UNREADABLE, frozen_cash: 0 },
    { account_id: UNREADABLE, cash: 5 },
    7,
  ]
  for (const answer of odd) {
    rig.terminal.fault = (method) => (method === 'asset' ? { answer } : undefined)
    await t.rejects(w.connect(), { message: /./ })
    w.events.length = 0
  }
  rig.terminal.fault = () => undefined
  await w.connect()
  t.equal(rig.terminal.sessions.length, odd.length + 1, 'each with a session of its own')
  t.match(await w.rows('positions'), { rows: [{ quantity: 1_000 }] })
})

/** As a terminal shows what was not ordered through the library. */
t.test('a credit account is one that every release knows; another type is refused', async (t) => {
  const folder = t.testdir({ '250516': {}, '2022-09': {} })
  for (const release of ['250516', '2022-09'] as const) {
    const place = `${folder}/${release}`
    const rig = await open(place, { release, accountType: 'CREDIT' })
    try {
      const w = new Witness(rig.driver())
      await w.connect()
      rig.terminal.onRow = (_, fields) => ({ ...fields, account_type: 3 })
      const orderId = await w.submit(patient(KEY))
      t.match(await w.rows('orders'), { rows: [{ orderId, side: 'buy' }] }, release)
    } finally {
      await rig.close()
    }
    const other = await open(place, { release, accountType: 'GOLD' })
    try {
      await t.rejects(new Witness(other.driver()).connect(), { message: /不认识账号类型 GOLD/ })
      t.equal(other.terminal.sessions.length, 0, 'and no session is spent on it')
    } finally {
      await other.close()
    }
  }
})

t.test('F233 a row whose numbers cannot be is no proof that anything is gone', async (t) => {
  const rig = await open(t.testdir())
  t.teardown(() => rig.close())
  const w = new Witness(rig.driver())
  await w.connect()
  const spoil = (kind: string, parts: Fields) => {
    rig.terminal.onRow = (what, fields) => (what === kind ? { ...fields, ...parts } : fields)
  }
  spoil('orders', { order_volume: -200 })
  rig.terminal.placeElsewhere(patient(''))
  t.match(await w.until('pushLeftOut'), { text: /^委托 600036(\.SH)? \d+: -200/ })
  t.match(await w.rows('orders'), { rows: [], leftOut: [/^委托 600036.SH \d+: -200/] })
  spoil('orders', { stock_code: '00700.HK', order_volume: -200 })
  t.match(await w.rows('orders'), { rows: [], leftOut: undefined }, 'of another market')
  spoil('orders', { order_type: 999 })
  t.match(await w.rows('orders'), { rows: [], leftOut: undefined }, 'of another business')
  rig.terminal.onRow = (_, fields) => fields
  await w.submit(patient(KEY))
  spoil('orders', { order_type: 999 })
  t.match(await w.rows('orders'), { rows: [], leftOut: [/ 999$/] }, 'ours all the same')
  spoil('positions', { volume: -100 })
  t.match(await w.rows('positions'), { rows: [], leftOut: [/^持仓 600036.SH: -100/] })

  rig.terminal.onRow = (_, fields) => fields
  await w.submit({ ...patient(KEY_2), price: price(36) })
  await w.until('dealPushed')
  spoil('deals', { traded_price: -36 })
  t.match(await w.rows('deals'), { rows: [], leftOut: [/^成交 600036.SH \S+: 200 @ -36/] })
  spoil('deals', { traded_price: 0 })
  t.match(await w.rows('deals'), { rows: [], leftOut: undefined }, 'a withdrawal')
})

/** As a build gives texts of fixed length whole, whatever stands behind their end. */
const filledUp = (fields: Fields): Fields =>
  Object.fromEntries(
    Object.entries(fields).map(([name, value]) => {
      const isText = typeof value === 'string' && name !== 'order_id'
      return [name, isText ? `${value}\0\0?` : value]
    }),
  )

t.test('F799 what stands behind the end of a text is no part of it', async (t) => {
  const rig = await open(t.testdir())
  t.teardown(() => rig.close())
  const w = new Witness(rig.driver())
  await w.connect()
  rig.terminal.onRow = (_, fields) => filledUp(fields)
  const orderId = await w.submit(patient(KEY))
  t.match((await w.until('orderPushed')).order, { orderId, clientOrderId: KEY })
  t.match(await w.rows('positions'), { rows: [{ code: SH, name: '招商银行', quantity: 1_000 }] })
  t.match(await w.rows('orders'), { rows: [{ orderId, code: SH, clientOrderId: KEY }] })
  rig.terminal.tick(SH, { ...BOOK, last: 35, bid: [[34.99, 9_000]], ask: [[35, 9_000]] })
  t.match((await w.until('dealPushed')).deal, { orderId, clientOrderId: KEY, quantity: 200 })
  t.match(await w.rows('deals'), { rows: [{ orderId, clientOrderId: KEY, quantity: 200 }] })
})

t.test('F799 a code in small letters is that code, also where a number alone tells', async (t) => {
  const rig = await open(t.testdir())
  t.teardown(() => rig.close())
  const w = new Witness(rig.driver())
  await w.connect()
  const orderId = await w.submit(patient(KEY))
  for (const spelled of ['600036.sh', 'SH.600036']) {
    rig.terminal.onRow = (_, fields) => ({ ...fields, stock_code: spelled, order_remark: '' })
    t.match(await w.rows('orders'), { rows: [{ orderId, code: SH, clientOrderId: KEY }] }, spelled)
  }
})
