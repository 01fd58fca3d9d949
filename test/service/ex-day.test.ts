import t from 'tap'
import type { StockCode } from '../../src/domain/instrument.ts'
import type { CorporateAction } from '../../src/drivers/paper/corporate-action.ts'
import type { Json } from './fixture.ts'
import { at } from './fixtures/days.ts'
import {
  HELD,
  linesOf,
  MONDAY,
  ON,
  type Scene,
  STOCK,
  Stage,
  TUESDAY,
  tickMs,
} from './fixtures/ticks.ts'

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

t.test('cost and shares that come late in the day are no news', async (t) => {
  const LATE = at(TUESDAY, '14:30:00')
  const both = action({ shares: 1.1, cost: 1 / 1.1, sharesFromMs: LATE, costFromMs: LATE })
  const stage = await Stage.open(t, {
    strategy,
    lines: [
      ...linesOf({ day: MONDAY, open: 10.9, lastClose: 10.8, prices: [11, 11] }),
      ...linesOf({ day: TUESDAY, open: 10, lastClose: 10, prices: [9.98, 10] }),
      ...linesOf({ day: TUESDAY, from: '14:30:00', open: 9.99, lastClose: 10, prices: [9.93] }),
    ],
    positions: [{ ...HELD, cost_price: 10.9 }],
    corporateActions: [both],
  })
  await stage.to(tickMs(TUESDAY, 1))
  t.match(await stage.holding(), { volume: 1_000, cost_price: 10.9, highest_price: 10 })
  const { decisions } = await stage.data(`/api/decisions?stock_code=${STOCK}`)
  t.match((decisions as unknown as readonly Json[])[0], {
    inputs: {
      cost_price: 10.9,
      effective_cost_price: 9.9091,
      ex_day: { source: 'market', factor: 0.909_091, highest_price_before: 11 },
    },
  })
  await stage.to()
  t.match(await stage.holding(), { volume: 1_100, cost_price: 9.9091, highest_price: 10 })
  t.strictSame(await stage.fills(), [])
  const { entries } = await stage.data('/api/audit?kind=exDayFollowed&limit=10')
  t.match(entries, [
    {
      source: 'market',
      summary:
        /除权除息日 2026-09-15：前收盘 11\.00，昨收价 10\.00，最高价 11\.00 → 10\.00，止损按成本 9\.91 \(ex day of 600036\.SH/,
    },
  ])
})

t.test('a feed that was away for a day knows no close, and the broker alone counts', async (t) => {
  const stage = await Stage.open(t, {
    strategy,
    lines: [
      ...linesOf({ day: MONDAY, lastClose: 9.8, prices: [10] }),
      ...linesOf({ day: '2026-09-16', open: 9.3, lastClose: 9.5, prices: [9.25] }),
    ],
  })
  await stage.to()
  t.strictSame(await stage.fills(), ['stop_loss 1000@9.25'])
})
