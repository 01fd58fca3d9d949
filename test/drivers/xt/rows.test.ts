import t, { type Test } from 'tap'
import type { BrokerOrder } from '../../../src/domain/order.ts'
import type { QueryRows } from '../../../src/protocol/driver.ts'
import { Witness } from '../../contract/driver.ts'
import { oneThousandShares, orderOf, price, SH, shares } from '../fixtures/paper.ts'
import { type RigOptions, XtRig } from './rig.ts'
import { type Fields, UNREADABLE } from './terminal-rows.ts'

const BOOK = { last: 36, lastClose: 35.5, bid: [[35.99, 9_000]], ask: [[36, 9_000]] } as const
const patient = (id: string) =>
  orderOf({ clientOrderId: id, quantity: shares(200), price: price(35) })
const KEY = 'R0W5000000000000000000000A'
const KEY_2 = 'R0W5000000000000000000000B'

async function open(folder: string, parts: Partial<RigOptions> = {}) {
  const rig = await XtRig.open({ folder, settings: oneThousandShares(), ...parts })
  rig.terminal.tick(SH, BOOK)
  return rig
}
const ids = (report: QueryRows) =>
  report.what === 'orders' ? report.rows.map(({ orderId }) => orderId) : []

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
const unnumbered = (fields: Fields): Fields => ({ ...fields, order_id: '0', order_remark: '' })

t.test('an order without a number has a name, and keeps it for the day', async (t) => {
  const rig = await open(t.testdir())
  t.teardown(() => rig.close())
  const w = new Witness(rig.driver())
  await w.connect()
  rig.terminal.onRow = (what, fields) => (what === 'orders' ? unnumbered(fields) : fields)
  const orderId = rig.terminal.placeElsewhere(patient(''))
  const name = `sysid:S${orderId}`
  t.match((await w.until('orderPushed')).order, { orderId: name, clientOrderId: '' })
  t.same(ids(await w.rows('orders')), [name])
  rig.terminal.onRow = (_, fields) => fields
  t.same(ids(await w.rows('orders')), [name], 'its number has come')
  const ended = rig.log.until(/a sidecar has ended/)
  rig.host.close()
  await ended
  const again = rig.anotherHost()
  t.teardown(() => again.close())
  const next = new Witness(rig.driver({ host: again, epoch: 2 }))
  await next.connect()
  t.same(ids(await next.rows('orders')), [name], 'another sidecar knows it, too')
  const { result } = await next.answerTo(
    'cancelAnswered',
    next.send({ kind: 'cancel', orderId: name }),
  )
  t.ok(result.ok, 'canceled by the number that it has by now')
  t.match((await next.rows('orders')).rows, [{ orderId: name, status: 54 }])
})

t.test('an order is canceled by the counter’s number, where the release can', async (t) => {
  const folder = t.testdir({ newest: {}, oldest: {} })
  for (const [place, release] of [['newest', '250516'] as const, ['oldest', '2022-09'] as const]) {
    const rig = await open(`${folder}/${place}`, { release })
    const w = new Witness(rig.driver())
    const cancel = async (orderId: string) =>
      (await w.answerTo('cancelAnswered', w.send({ kind: 'cancel', orderId }))).result
    try {
      await w.connect()
      rig.terminal.onRow = (what, fields) => (what === 'orders' ? unnumbered(fields) : fields)
      rig.terminal.placeElsewhere(patient(''))
      const [name = ''] = ids(await w.rows('orders'))
      const result = await cancel(name)
      if (release === '250516') t.ok(result.ok)
      else t.match(result, { error: { message: /不能按合同编号撤单/ } })
      rig.terminal.onRow = (what, fields) =>
        what === 'orders' ? { ...unnumbered(fields), order_sysid: '' } : fields
      rig.terminal.placeElsewhere({ ...patient(''), quantity: shares(500) })
      const row = ids(await w.rows('orders')).at(-1) ?? ''
      t.match(row, /^row:600036\.SH:buy:\d{13}:500:35$/)
      t.same(ids(await w.rows('orders')).at(-1), row, 'the same from list to list')
      t.match(await cancel(row), { error: { message: /没有编号/ } })
    } finally {
      await rig.close()
    }
  }
})

t.test('an order that was numbered anew is still ours, also without its remark', async (t) => {
  const rig = await open(t.testdir())
  t.teardown(() => rig.close())
  const w = new Witness(rig.driver())
  await w.connect()
  const orderId = await w.submit(patient(KEY))
  await w.order(orderId, ({ status }) => status === 50)
  rig.terminal.onRow = (what, fields) =>
    what === 'orders' ? { ...fields, order_id: '7000001', order_remark: '' } : fields
  t.match(await w.rows('orders'), { rows: [{ orderId: '7000001', clientOrderId: KEY }] })
  const elsewhere = rig.terminal.placeElsewhere(patient(''))
  rig.terminal.onRow = (what, fields) =>
    what === 'orders' ? { ...fields, order_sysid: '0', order_remark: '' } : fields
  t.match(
    await w.rows('orders'),
    { rows: [{ clientOrderId: KEY }, { orderId: elsewhere, clientOrderId: '' }] },
    'what the counter has not numbered yet is not all the same order',
  )
  rig.terminal.onRow = (what, fields) => (what === 'orders' ? undefined : fields)
  t.same((await w.rows('orders')).rows, [], 'and one that has left the list is not made up')
})

t.test('F319 numbers that a terminal has given to others do not make them ours', async (t) => {
  const rig = await open(t.testdir())
  t.teardown(() => rig.close())
  const w = new Witness(rig.driver())
  await w.connect()
  const first = await w.submit(patient(KEY))
  const second = await w.submit({ ...patient(KEY_2), quantity: shares(100) })
  await w.order(second, ({ status }) => status === 50)
  const renumbered = (numbers: Readonly<Record<string, string>>) => {
    rig.terminal.onRow = (_, fields) => {
      const number = String(fields['order_id'] ?? '')
      return { ...fields, ...(numbers[number] && { order_id: numbers[number] }) }
    }
  }
  renumbered({ [first]: second, [second]: first })
  t.match(await w.rows('orders'), {
    rows: [
      { orderId: second, clientOrderId: KEY, quantity: 200 },
      { orderId: first, clientOrderId: KEY_2, quantity: 100 },
    ],
  })
  const bought = { ...patient(''), quantity: shares(300), price: price(36) }
  const elsewhere = rig.terminal.placeElsewhere(bought)
  renumbered({ [first]: '7000001', [elsewhere]: first })
  t.match(await w.rows('orders'), {
    rows: [
      { orderId: '7000001', clientOrderId: KEY },
      { orderId: second, clientOrderId: KEY_2 },
      { orderId: first, clientOrderId: '', quantity: 300 },
    ],
  })
  t.match(await w.rows('deals'), { rows: [{ orderId: first, clientOrderId: '', quantity: 300 }] })
})

/** A terminal that was started anew, where the two have each other's numbers. */
async function swapped(t: Test) {
  const rig = await open(t.testdir())
  t.teardown(() => rig.close())
  const w = new Witness(rig.driver())
  await w.connect()
  const ours = await w.submit(patient(KEY))
  await w.order(ours, ({ status }) => status === 50)
  const theirs = rig.terminal.placeElsewhere(patient(''))
  await w.order(theirs, ({ status }) => status === 50)
  const show = (parts: Fields = {}) => {
    rig.terminal.onRow = (_, fields) => {
      const number = String(fields['order_id'])
      const shown = number === ours ? theirs : number === theirs ? ours : number
      return { ...fields, order_id: shown, ...parts }
    }
  }
  show()
  rig.terminal.disconnect()
  await w.until('disconnected')
  await w.connect()
  return { rig, w, ours, theirs, show }
}

t.test(
  'F469 a number of ours that another order like it has now makes it none of ours',
  async (t) => {
    const { rig, w, ours, theirs } = await swapped(t)
    rig.terminal.tick(SH, { ...BOOK, last: 35, bid: [[34.99, 900]], ask: [[35, 900]] })
    const isPushed = ({ filledQuantity }: BrokerOrder) => filledQuantity === 200
    t.match(await w.order(theirs, isPushed), { clientOrderId: KEY })
    t.match(await w.order(ours, isPushed), { clientOrderId: '' }, 'by its number it would be ours')
    t.match(await w.rows('orders'), {
      rows: [
        { orderId: theirs, clientOrderId: KEY, hasFormerNumber: undefined },
        { orderId: ours, clientOrderId: '', hasFormerNumber: true },
      ],
    })
    t.match(await w.rows('deals'), {
      rows: [
        { orderId: theirs, clientOrderId: KEY },
        { orderId: ours, clientOrderId: '' },
      ],
    })
  },
)

t.test('F469 the number at the counter tells them apart where no remark does', async (t) => {
  const { w, ours, theirs, show } = await swapped(t)
  show({ order_remark: '' })
  t.match(await w.rows('orders'), {
    rows: [
      { orderId: theirs, clientOrderId: KEY },
      { orderId: ours, clientOrderId: '', hasFormerNumber: true },
    ],
  })
})

t.test('F469 a number that no list has shown to be another’s is still that of ours', async (t) => {
  const rig = await open(t.testdir())
  t.teardown(() => rig.close())
  const w = new Witness(rig.driver())
  await w.connect()
  rig.terminal.onRow = (_, fields) => ({ ...fields, order_remark: '', order_sysid: '' })
  const ours = await w.submit(patient(KEY))
  t.match(await w.order(ours, ({ status }) => status === 50), { clientOrderId: KEY })
  rig.terminal.disconnect()
  await w.until('disconnected')
  await w.connect()
  t.match(await w.rows('orders'), { rows: [{ orderId: ours, clientOrderId: KEY }] })
  rig.terminal.tick(SH, { ...BOOK, last: 35, bid: [[34.99, 900]], ask: [[35, 900]] })
  const isFilled = ({ filledQuantity }: BrokerOrder) => filledQuantity === 200
  t.match(await w.order(ours, isFilled), { clientOrderId: KEY })
})

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

t.test('an order of ours that is listed without a number was taken, and is ours', async (t) => {
  const rig = await open(t.testdir())
  t.teardown(() => rig.close())
  const w = new Witness(rig.driver())
  await w.connect()
  rig.terminal.onPush = (name) => name !== 'on_order_stock_async_response'
  rig.terminal.onRow = (what, fields) => (what === 'orders' ? { ...fields, order_id: '0' } : fields)
  const callId = w.send({ kind: 'submit', order: patient(KEY) })
  while (rig.terminal.orders === 0) await w.rows('asset')
  t.match(await w.rows('orders'), { rows: [{ orderId: /^sysid:S/, clientOrderId: KEY }] })
  const { outcome } = await w.answerTo('submitAnswered', callId)
  t.match(outcome, { kind: 'accepted', orderId: /^sysid:S/ })
  rig.terminal.onRow = (_, fields) => ({ ...fields, order_remark: '' })
  t.match(await w.rows('orders'), { rows: [{ orderId: /^sysid:S/, clientOrderId: KEY }] })
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
