import t from 'tap'
import { Witness } from '../../contract/driver.ts'
import { shares } from '../fixtures/paper.ts'
import { KEY, open, patient } from './quoted-rig.ts'
import type { Fields } from './terminal-rows.ts'

t.test('F541 an order that this service does not follow has its number all the same', async (t) => {
  const rig = await open(t.testdir())
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
