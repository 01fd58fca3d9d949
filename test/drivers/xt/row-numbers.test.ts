import t, { type Test } from 'tap'
import type { BrokerOrder } from '../../../src/domain/order.ts'
import { Witness } from '../../contract/driver.ts'
import { price, SH, shares } from '../fixtures/paper.ts'
import { BOOK, ids, KEY, KEY_2, open, patient } from './quoted-rig.ts'
import type { Fields } from './terminal-rows.ts'

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
