import t from 'tap'
import { sessionMinutes } from '../../../src/domain/bar-time.ts'
import { exchangeDay } from '../../../src/domain/exchange-time.ts'
import type { StockCode } from '../../../src/domain/instrument.ts'
import { isTradingDay } from '../../../src/domain/session.ts'
import { dailyPast, minutePast } from '../../../src/market/bars/past.ts'

const ANCHOR = { code: '600036.SH' as StockCode, seed: 7, day: '2026-08-11', close: 361_000 }

t.test('the past meets the first quote and is the same every time', async (t) => {
  const bars = dailyPast(ANCHOR, '2024-01-01')
  t.strictSame(bars, dailyPast(ANCHOR, '2024-01-01'))
  t.equal(bars.at(-1)?.close, ANCHOR.close)
  t.equal(exchangeDay(bars.at(-1)?.timeMs ?? 0), '2026-08-10')
  t.ok(bars.every(({ timeMs }) => isTradingDay(exchangeDay(timeMs))))
  t.strictSame(bars.slice(-20), dailyPast(ANCHOR, '2026-06-01').slice(-20), 'however far one looks')
  t.notSame(bars, dailyPast({ ...ANCHOR, seed: 8 }, '2024-01-01'))
})

t.test('every day is a possible day', async (t) => {
  for (const bar of dailyPast(ANCHOR, '2020-01-01')) {
    const { open, high, low, close } = bar
    if (low <= Math.min(open, close) && high >= Math.max(open, close) && low > 0) continue
    t.fail(JSON.stringify(bar))
  }
  const cheap = dailyPast({ ...ANCHOR, close: 200 }, '2016-01-01')
  t.ok(
    cheap.every(({ low }) => low >= 100),
    'a price never falls below one tick',
  )
})

t.test('the minutes of a day add up to it', async (t) => {
  for (const day of dailyPast(ANCHOR, '2026-06-01')) {
    const minutes = minutePast(ANCHOR, day)
    t.strictSame(
      minutes.map(({ timeMs }) => timeMs),
      sessionMinutes(day.timeMs),
    )
    t.strictSame(
      {
        open: minutes[0]?.open,
        high: Math.max(...minutes.map(({ high }) => high)),
        low: Math.min(...minutes.map(({ low }) => low)),
        close: minutes.at(-1)?.close,
        volumeTo: minutes.at(-1)?.volumeTo,
        amountTo: minutes.at(-1)?.amountTo,
      },
      {
        open: day.open,
        high: day.high,
        low: day.low,
        close: day.close,
        volumeTo: day.volumeTo,
        amountTo: day.amountTo,
      },
    )
    t.ok(
      minutes.every(({ volumeFrom, volumeTo }) => volumeTo >= volumeFrom && volumeTo % 100 === 0),
    )
  }
})
