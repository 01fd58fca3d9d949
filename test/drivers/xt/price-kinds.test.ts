import t from 'tap'
import { Witness } from '../../contract/driver.ts'
import { oneThousandShares, orderOf, price, shares } from '../fixtures/paper.ts'
import { XtRig } from './rig.ts'

/** What the terminal shows for a kind of price, and under what such an order is placed. */
const KINDS = [
  ['600036.SH', 50, 11],
  ['600036.SH', 49, 5],
  ['600036.SH', 88, 42],
  ['000001.SZ', 88, 47],
  ['600036.SH', 11, 11],
  ['600036.SH', 54, 54],
] as const

t.test('F647 kinds of prices are what an order would call them, as no counter does', async (t) => {
  const rig = await XtRig.open({ folder: t.testdir(), settings: oneThousandShares() })
  t.teardown(() => rig.close())
  rig.terminal.tick(orderOf().code, { last: 36, lastClose: 35.5, ask: [[36, 900]] })
  const w = new Witness(rig.driver())
  await w.connect()
  await w.submit(orderOf({ quantity: shares(200), price: price(35) }))
  for (const [code, shown, meant] of KINDS) {
    rig.terminal.onRow = (_, fields) => ({ ...fields, price_type: shown, stock_code: code })
    t.match(await w.rows('orders'), { rows: [{ code, priceType: meant }] }, String(shown))
  }
})
