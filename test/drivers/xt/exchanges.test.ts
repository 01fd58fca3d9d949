import t, { type Test } from 'tap'
import type { StockCode } from '../../../src/domain/instrument.ts'
import type { BrokerPosition } from '../../../src/domain/order.ts'
import { Witness } from '../../contract/driver.ts'
import { price, SETTINGS, SH, shares } from '../fixtures/paper.ts'
import { BOOK, KEY, open, patient } from './quoted-rig.ts'
import { ACCOUNT } from './rig.ts'
import { type Fields, positionFields } from './terminal-rows.ts'

/** A convertible bond of Shanghai, whose digits are those of bonds of Shenzhen. */
const BOND = '111010.SH' as StockCode
const HELD = { stock_code: BOND, stock_name: '立昂转债', volume: 1_000, cost_price: 35.1 }
const SALE = { ...patient(KEY), code: BOND, side: 'sell', price: price(36) } as const

const holding = async (t: Test) => {
  const held = { ...HELD, available: HELD.volume, open_date: '2026-08-03' }
  const settings = { ...SETTINGS, positions: [...SETTINGS.positions, held] }
  const rig = await open(t.testdir(), { settings })
  rig.terminal.tick(BOND, { ...BOOK, bid: [[36, 9_000]] })
  t.teardown(() => rig.close())
  return rig
}

t.test(
  'F931 pushes without the exchange of a bond are of the one that was ordered or listed',
  async (t) => {
    const rig = await holding(t)
    const w = new Witness(rig.driver())
    await w.connect()
    const orderId = await w.submit(SALE)
    t.match((await w.until('orderPushed')).order, { orderId, code: BOND, clientOrderId: KEY })
    t.match((await w.until('dealPushed')).deal, { orderId, code: BOND, clientOrderId: KEY })
    t.match((await w.rows('deals')).rows, [{ orderId, code: BOND, clientOrderId: KEY }])
  },
)

t.test(
  'F931 so are those of somebody else’s order of a bond that is held, and of its holding',
  async (t) => {
    const rig = await holding(t)
    const w = new Witness(rig.driver())
    await w.connect()
    t.match((await w.rows('positions')).rows, [{ code: SH }, { code: BOND }])
    const orderId = rig.terminal.placeElsewhere({ ...SALE, quantity: shares(300) })
    t.match((await w.until('orderPushed')).order, { orderId, code: BOND, clientOrderId: '' })
    const costPrice = price(35.1)
    const left = { code: BOND, name: '', quantity: shares(700), sellable: shares(700), costPrice }
    const told: Fields = { ...positionFields(ACCOUNT, left), stock_code: '111010' }
    rig.terminal.push('on_stock_position', told)
    t.match((await w.until('positionPushed')).position, { code: BOND, quantity: 700 })
    rig.terminal.push('on_stock_position', { ...told, volume: 0, can_use_volume: 0 })
    const isSold = ({ position }: { position: BrokerPosition }) => position.quantity === 0
    t.match((await w.until('positionPushed', isSold)).position, { code: BOND }, 'all is sold')
  },
)

t.test(
  'F931 and by its number alone, where the terminal keeps no remark, also for the next sidecar',
  async (t) => {
    const rig = await holding(t)
    rig.terminal.onRow = (_, fields) => ({ ...fields, order_remark: '' })
    const w = new Witness(rig.driver())
    await w.connect()
    const orderId = await w.submit({ ...SALE, price: price(37) })
    t.match((await w.until('orderPushed')).order, { orderId, code: BOND, clientOrderId: KEY })
    process.kill(rig.terminal.pid, 'SIGKILL')
    await w.until('disconnected')
    await w.connect()
    w.events.length = 0
    t.match((await w.rows('orders')).rows, [{ orderId, code: BOND, clientOrderId: KEY }])
    rig.terminal.tick(BOND, { ...BOOK, bid: [[37, 9_000]], ask: [[37.1, 9_000]] })
    t.match((await w.until('dealPushed')).deal, { orderId, code: BOND, clientOrderId: KEY })
  },
)
