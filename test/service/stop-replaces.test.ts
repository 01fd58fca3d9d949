import t, { type Test } from 'tap'
import type { Json } from './fixture.ts'
import { linesOf, MONDAY, nobodyBuys, ON, Stage, tickMs } from './fixtures/ticks.ts'

/** A first take-profit for which nobody is there, and a fall below the stop at once. */
const PRICES = [10.55, 10.61, 10.59, 10.7, 10.64, 10.6, 9.2, 9.2, 9.1]
const lines = linesOf({
  day: MONDAY,
  prices: PRICES,
  fields: (index, price) => (index === 4 ? nobodyBuys(price) : {}),
})
const tick = (index: number) => tickMs(MONDAY, index)
const open = (t: Test, isReplacing: boolean) =>
  Stage.open(t, {
    lines,
    strategy: { ...ON, ENABLE_STOP_LOSS_BUY: false, STOP_LOSS_REPLACES_TAKE_PROFIT: isReplacing },
  })

t.test('a stop-loss takes the place of a take-profit that rests', async (t) => {
  const stage = await open(t, true)
  await stage.to(tick(5))
  t.match(await stage.orders(), [{ strategy: 'auto_partial', status: 50, volume: 600 }])
  await stage.to(tick(6))
  t.match(await stage.orders(), [
    { strategy: 'auto_partial', status: 54, traded_volume: 0 },
    { strategy: 'stop_loss', status: 56, volume: 1_000 },
  ])
  t.strictSame(await stage.fills(), ['stop_loss 1000@9.2'], 'all of it, and without another tick')
  await stage.to()
  t.equal((await stage.orders()).length, 2)
  t.ok((await stage.verdicts()).includes('take_profit_replaced'))
  const { entries } = await stage.data('/api/audit?kind=orderMoved&limit=100')
  const [cancel] = (entries as unknown as readonly Json[]).filter(
    ({ source }) => String(source) === 'stop_loss',
  )
  t.match(cancel, { body: { event: 'requestCancel', isReplaced: true } })
})

t.test('by default it waits, and the trace says for what', async (t) => {
  const stage = await open(t, false)
  await stage.to()
  t.match(await stage.orders(), [{ strategy: 'auto_partial', status: 50, volume: 600 }])
  t.equal((await stage.orders()).length, 1)
  const { decisions } = await stage.data('/api/decisions?stock_code=600036')
  const rows = decisions as unknown as readonly Json[]
  const held = rows.filter(({ held_by }) => held_by?.['stop_loss_waits'] === (true as unknown))
  t.ok(held.length > 0)
  t.match(held[0], {
    verdict: 'order_open',
    held_by: { strategy: 'auto_partial', until: `${MONDAY} 09:35:21` },
  })
})
