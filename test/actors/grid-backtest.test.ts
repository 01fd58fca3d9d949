import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { work } from '../../actors/pool/grid-backtest.worker.ts'
import { Pool } from '../../actors/pool/pool.ts'
import { Progress } from '../../src/jobs/pool-work.ts'
import { giveClosedDays } from '../../src/market/closed-days.ts'
import { at, lines, tickOf } from '../market/fixtures/ticks.ts'
import { parameters, policy } from '../strategy/grid/fixture.ts'

const DAY = '2026-08-11'
const T0 = at(DAY, '10:00:00')
const CODE = parameters.code
const FEE_RATES = { commissionPpm: 0, commissionMin: 0, stampTaxPpm: null, transferPpm: null }

/** What is asked for: a backtest over a recording. */
function wantedOf(text: string, file: string, lastDay = DAY) {
  writeFileSync(file, text)
  const input = {
    source: 'replay',
    period: '1m',
    start_time: DAY,
    end_time: lastDay,
    stock_code: CODE,
    parameters: { ...parameters },
    policy: { ...policy },
    feeRates: FEE_RATES,
    baseQuantity: 1_000,
    isAlwaysOpen: false,
  }
  const limits = { lineBytesMax: 65_536, chunkBytes: 65_536 }
  return {
    input,
    bars: [],
    fromMs: at(DAY, '00:00:00'),
    endMs: at(lastDay, '23:59:59'),
    file,
    limits,
  }
}

async function over(...asked: Parameters<typeof wantedOf>) {
  const done = await work({ input: wantedOf(...asked), progress: new Progress().memory })
  if (!done.ok) throw new Error(done.error.message)
  return done.value as { points: number; last_price: number; warnings: readonly string[] }
}

t.test('F274 a backtest over a recording reads it as the replay does', async (t) => {
  const all = [0, 1, 2, 3, 4, 5].map((n) => tickOf(CODE, T0 + n * 1_000, 10 + n / 100))
  const ahead = tickOf('600000.SH', at('2050-01-04', '10:00:00'), 5)
  const text = `\uFEFF${lines(all.toSpliced(1, 0, ahead))}`
  t.match(await over(text, join(t.testdir(), 'day')), { points: 6, last_price: 10.05 })
})

t.test('F902 a backtest knows the days that the configuration calls closed', async (t) => {
  const text = lines([tickOf(CODE, T0, 10), tickOf(CODE, T0 + 1_000, 10.05)])
  const priceOf = async (closedDays: readonly string[]) => {
    giveClosedDays(closedDays)
    const limits = { threadsMax: 1, queueMax: 1, idleMs: 60_000, heapMb: 64, progressMs: 5 }
    const pool = new Pool(limits)
    t.teardown(() => pool.close())
    const wanted = wantedOf(text, join(t.testdir(), 'day'))
    const done = (await pool.run('actors/pool/grid-backtest.worker.ts', wanted)) as object
    return Reflect.get(done, 'last_price')
  }
  t.teardown(() => giveClosedDays([]))
  t.equal(await priceOf([]), 10.05)
  t.equal(await priceOf([DAY]), 0)
})

t.test('F281 the result names days with prices of another scale', async (t) => {
  const next = '2026-08-12'
  const split = [tickOf(CODE, T0, 10), tickOf(CODE, at(next, '10:00:00'), 5)]
  const { warnings } = await over(lines(split), join(t.testdir(), 'day'), next)
  t.match(warnings, [/2026-08-12.*除权.*not adjusted/])
  const usual = [tickOf(CODE, T0, 10), tickOf(CODE, at(next, '10:00:00'), 9.5)]
  t.strictSame((await over(lines(usual), join(t.testdir(), 'usual'), next)).warnings, [])
})
