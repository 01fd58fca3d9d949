import t from 'tap'
import type { StockCode } from '../../src/domain/instrument.ts'
import type { CorporateAction } from '../../src/drivers/paper/corporate-action.ts'
import { at } from './fixtures/days.ts'
import { linesOf, MONDAY, ON, type Scene, STOCK, Stage, TUESDAY, tickMs } from './fixtures/ticks.ts'

t.setTimeout(120_000) // several starts of the whole service; a busy computer needs its time

const OPEN = at(TUESDAY, '09:00:00')
const action = (parts: Partial<CorporateAction>): CorporateAction => ({
  code: STOCK as StockCode,
  shares: 1,
  cost: 1,
  sharesFromMs: null,
  costFromMs: null,
  ...parts,
})
const strategy = { ...ON, ENABLE_STOP_LOSS_BUY: false }

/** A first profit is taken at 11.90 after a high of 12.00; the day ends at `close`. */
const profitable = (close: number): readonly string[] =>
  linesOf({ day: MONDAY, open: 10.9, lastClose: 11, prices: [12, 11.9, close] })
const TAKEN = 'auto_partial 600@11.9'

const bonus: Scene = {
  strategy,
  lines: [
    ...profitable(11),
    ...linesOf({ day: TUESDAY, open: 10, lastClose: 10, prices: [9.6, 9.5, 9.49] }),
  ],
  corporateActions: [action({ shares: 1.1, cost: 1 / 1.1, sharesFromMs: OPEN, costFromMs: OPEN })],
}

for (const isRestarted of [false, true]) {
  const when = isRestarted ? ', the process down over night' : ''
  t.test(`ten for one, cost and shares adjusted: the high moves too${when}`, async (t) => {
    const stage = await Stage.open(t, bonus)
    await stage.to(tickMs(MONDAY, 2))
    t.strictSame(await stage.fills(), [TAKEN])
    if (isRestarted) await stage.restart()
    await stage.to(tickMs(TUESDAY, 1))
    t.strictSame(await stage.fills(), [TAKEN], 'nothing is sold at the open, nor above 9.49')
    t.match(await stage.holding(), {
      volume: 440,
      cost_price: 9.0909,
      highest_price: 10.9091,
      stop_loss_price: 9.49,
      stop_profit_enabled: true,
    })
    await stage.to()
    t.strictSame(await stage.fills(), [TAKEN, 'auto_full 440@9.49'], '0.87 × 12.00 / 1.1')
  })
}

t.test('a cost that the broker has not adjusted stops nothing out', async (t) => {
  const stage = await Stage.open(t, {
    strategy,
    lines: [
      ...linesOf({ day: MONDAY, prices: [10.1, 10] }),
      ...linesOf({ day: TUESDAY, open: 9.09, lastClose: 9.09, prices: [9.2, 8.41, 8.4] }),
    ],
  })
  await stage.to(tickMs(TUESDAY, 1))
  t.strictSame(await stage.fills(), [], 'there is no loss')
  t.match(await stage.holding(), { volume: 1_000, cost_price: 10 }, 'shown is what the broker says')
  await stage.to()
  t.strictSame(await stage.fills(), ['stop_loss 1000@8.4'], 'the loss that counts is one of prices')
})

t.test('a dividend inside the price limit moves the high', async (t) => {
  const stage = await Stage.open(t, {
    strategy,
    lines: [
      ...profitable(11.4),
      ...linesOf({ day: TUESDAY, open: 10.9, lastClose: 10.9, prices: [10.4, 9.99, 9.98] }),
    ],
    corporateActions: [action({ cost: 0.95, costFromMs: OPEN })],
  })
  await stage.to(tickMs(TUESDAY, 1))
  t.strictSame(await stage.fills(), [TAKEN])
  await stage.to()
  t.strictSame(await stage.fills(), [TAKEN, 'auto_full 400@9.98'])
})
