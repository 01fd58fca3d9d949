import t from 'tap'
import { accountTables } from './fixtures/disk.ts'
import { HELD, MONDAY, type Scene, Stage, TUESDAY, tickMs, together } from './fixtures/ticks.ts'

const KEPT = '600036.SH'
/** A breakout, a pullback that takes the first profit, and a rest whose high is 10.80. */
const PROFIT = [10.61, 10.7, 10.64, 10.8, 10.7]
/** Between the exit of a high of 10.80, 10.368, and that of one of 10.95, 10.512. */
const REST = [10.7, 10.65, 10.5, 10.4]
/** From the second of them on the quote has been at 10.95, between two ticks. */
const fields = (index: number, price: number) => ({
  high: index >= 1 ? 10.95 : Math.max(price, 10.75),
})

const scene: Scene = {
  lines: together(
    { day: MONDAY, code: KEPT, prices: PROFIT },
    { day: TUESDAY, code: KEPT, open: 10.7, lastClose: 10.7, prices: REST, fields },
  ),
  positions: [{ ...HELD, stock_code: KEPT }],
}
const SOLD = ['auto_partial 600@10.64', 'auto_full 400@10.5']

t.test('a high that came and went between two ticks counts at once', async (t) => {
  const stage = await Stage.open(t, scene)
  await stage.to(tickMs(TUESDAY, 0))
  t.strictSame(await stage.fills(KEPT), SOLD.slice(0, 1))
  t.match(await stage.holding(KEPT), { highest_price: 10.8, stop_loss_price: 10.37 })
  await stage.to(tickMs(TUESDAY, 1))
  t.match(await stage.holding(KEPT), { highest_price: 10.95, stop_loss_price: 10.51 })
  await stage.to(tickMs(TUESDAY, 2))
  t.strictSame(await stage.fills(KEPT), SOLD)
})

t.test('and two runs of it end the same, to the byte', async (t) => {
  const played = async (name: string) => {
    const folder = `${t.testdir({ [name]: {} })}/${name}`
    const stage = await Stage.open(t, scene, folder)
    await stage.to()
    t.strictSame(await stage.fills(KEPT), SOLD)
    await stage.stop()
    return accountTables(`${folder}/data`, '10000001')
  }
  const one = await played('one')
  t.strictSame(await played('two'), one)
})
