import t from 'tap'
import { HELD, MONDAY, ON, Stage, TUESDAY, tickMs, together } from './fixtures/ticks.ts'

t.setTimeout(60_000)

const KEPT = '600036.SH'
/** A breakout, a pullback that takes the first profit, and a rest whose high is 10.80. */
const PROFIT = [10.61, 10.7, 10.64, 10.8, 10.7]
/** Between the exit of a high of 10.80, 10.368, and that of one of 10.95, 10.512. */
const REST = [10.7, 10.65, 10.5, 10.4]
/** From the second of them on the quote has been at 10.95, between two ticks. */
const fields = (index: number, price: number) => ({
  high: index >= 1 ? 10.95 : Math.max(price, 10.75),
})

t.test('a high that came and went between two ticks counts at once', async (t) => {
  const lines = together(
    { day: MONDAY, code: KEPT, prices: PROFIT },
    { day: TUESDAY, code: KEPT, open: 10.7, lastClose: 10.7, prices: REST, fields },
  )
  const positions = [{ ...HELD, stock_code: KEPT }]
  const stage = await Stage.open(t, { lines, strategy: ON, positions })
  await stage.to(tickMs(TUESDAY, 0))
  t.strictSame(await stage.fills(KEPT), ['auto_partial 600@10.64'])
  t.match(await stage.holding(KEPT), { highest_price: 10.8, stop_loss_price: 10.37 })
  await stage.to(tickMs(TUESDAY, 1))
  t.match(await stage.holding(KEPT), { highest_price: 10.95, stop_loss_price: 10.51 })
  await stage.to(tickMs(TUESDAY, 2))
  t.strictSame(await stage.fills(KEPT), ['auto_partial 600@10.64', 'auto_full 400@10.5'])
})
