import t from 'tap'
import { Witness } from '../../contract/driver.ts'
import { oneThousandShares, orderOf, price, SH, shares } from '../fixtures/paper.ts'
import { XtRig } from './rig.ts'
import type { Fields } from './terminal-rows.ts'

const BOOK = { last: 36, lastClose: 35.5, bid: [[35.99, 9_000]], ask: [[36, 9_000]] } as const
const KEY = 'R0W5000000000000000000000A'
const patient = (id: string) =>
  orderOf({ clientOrderId: id, quantity: shares(200), price: price(35) })

t.test('F541 an order that this service does not follow has its number all the same', async (t) => {
  const rig = await XtRig.open({ folder: t.testdir(), settings: oneThousandShares() })
  rig.terminal.tick(SH, BOOK)
  t.teardown(() => rig.close())
  const w = new Witness(rig.driver())
  await w.connect()
  const first = await w.submit(patient(KEY))
  const ids = ['shares', 'code', 'business'].map((_, i) =>
    rig.terminal.placeElsewhere({ ...patient(''), quantity: shares(300 + 100 * i) }),
  )
  const instead: readonly Fields[] = [
    { order_volume: -1 },
    { stock_code: '00700.HK' },
    { order_type: 999 },
  ]
  rig.terminal.onRow = (what, fields) =>
    what === 'orders' ? { ...fields, ...instead[ids.indexOf(String(fields['order_id']))] } : fields
  t.match(await w.rows('orders'), { rows: [{ orderId: first }], otherNumbers: ids })
})
