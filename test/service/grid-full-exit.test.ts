import t, { type Test } from 'tap'
import type { Json } from './fixture.ts'
import { verified } from './fixtures/disk.ts'
import { HELD, MONDAY, ON, Stage, tickMs, together } from './fixtures/ticks.ts'

const LATER = '10:00:00'
/** A holding that takes its first profit and then the rest, and one that takes its loss. */
const PAUSED = { rise: '600000.SH', fall: '600009.SH' }
const KEPT = { rise: '600010.SH', fall: '600011.SH' }
const ALL = [...Object.values(PAUSED), ...Object.values(KEPT)]
/** The simulation spreads the first profit over the rest, whose exit then lies lower. */
const RISE = [10.61, 10.7, 10.64, 10.27, 9.5, 9.5, 9.5, 9.5]
const FALL = [9.6, 9.31, 9.25, 9.2, 9.2, 9.2, 9.2, 9.2]

const lines = together(
  { day: MONDAY, code: PAUSED.rise, prices: RISE },
  { day: MONDAY, code: PAUSED.fall, prices: FALL },
  { day: MONDAY, code: KEPT.rise, prices: RISE, from: LATER },
  { day: MONDAY, code: KEPT.fall, prices: FALL, from: LATER },
)

const rows = async (stage: Stage, codes: Record<string, string>) => {
  const { sessions } = await stage.data('/api/grid/sessions')
  return (sessions as unknown as Json[]).filter((row) =>
    Object.values(codes).includes(String(row['stock_code'])),
  )
}
const soldOut = async (t: Test, stage: Stage, codes: Record<string, string>) => {
  for (const code of Object.values(codes)) {
    const held = await stage.holding(code)
    t.notOk(Number(held?.['volume'] ?? 0), `${code} is sold out`)
  }
}

for (const simulationMode of [false, true]) {
  t.test(
    `a full exit pauses the grid, if that is wanted; simulated: ${simulationMode}`,
    async (t) => {
      const positions = ALL.map((stock_code) => ({ ...HELD, stock_code }))
      const stage = await Stage.open(t, { lines, strategy: ON, positions })
      await stage.post('/api/config/save', { simulationMode })
      await stage.to(tickMs(MONDAY, -1))
      for (const stock_code of ALL) {
        // Levels that no price of the day reaches: the grid itself leaves the holding alone.
        const wide = { price_interval: 0.2, max_deviation: 0.5, center_price: 10 }
        const body = { stock_code, max_investment: 10_000, ...wide }
        t.match(await stage.post('/api/grid/start', body), { success: true })
      }
      await stage.to(tickMs(MONDAY, 2))
      t.match(await rows(stage, { rise: PAUSED.rise }), [{ enabled: true }], 'half is not all')
      await stage.to(tickMs(MONDAY, 7))
      await soldOut(t, stage, PAUSED)
      const paused = { status: 'active', enabled: false, simulated: simulationMode, trade_count: 0 }
      t.match(await rows(stage, PAUSED), [paused, paused])

      await stage.post('/api/config/save', { pauseGridAfterTakeProfitFull: false })
      await stage.to()
      await soldOut(t, stage, KEPT)
      const cleared = { status: 'stopped', enabled: true, stop_reason: 'position_cleared' }
      t.match(await rows(stage, KEPT), [cleared, cleared], 'ended by the holding that is gone')
      t.match(await rows(stage, PAUSED), [paused, paused], 'a pause stays')
      await stage.stop()
      t.match(
        await verified(stage.folder),
        [/chain ok, tables agree\)$/],
        'the journal tells it all',
      )
    },
  )
}
