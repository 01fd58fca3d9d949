import t from 'tap'
import type { Json } from './fixture.ts'
import { at } from './fixtures/days.ts'
import { HELD, MONDAY, nobodyBuys, ON, Stage, TUESDAY, tickMs, together } from './fixtures/ticks.ts'

const [GONE, PAUSED] = ['600036.SH', '600000.SH']
const CLOSING = '14:59:48'
/** A stop at the last moment of the day, filled by what the exchange reports after it. */
const FALL = [9.2, 9.2]
const fields = (index: number, price: number) => (index === 1 ? nobodyBuys(price) : {})
/** Below the lower level of the center and back, after the fall of Monday. */
const DIP = [9.49, 9.4, 9.45, 9.46, 9.47]

for (const isObserved of [false, true]) {
  const health = isObserved ? 'observed only' : 'in force'
  t.test(
    `a grid does not outlive a holding that was sold at the close; health ${health}`,
    async (t) => {
      const codes = [GONE, PAUSED]
      const lines = together(
        ...codes.map((code) => ({
          day: MONDAY,
          code,
          from: CLOSING,
          prices: [10, ...FALL],
          fields,
        })),
        ...codes.map((code) => ({ day: TUESDAY, code, open: 9.9, prices: DIP, lastClose: 9.9 })),
      )
      const positions = codes.map((stock_code) => ({ ...HELD, stock_code }))
      const stage = await Stage.open(t, {
        lines,
        strategy: { ...ON, ENABLE_STOP_LOSS_BUY: false, MARKET_HEALTH_OBSERVE_ONLY: isObserved },
        positions,
      })
      await stage.post('/api/config/save', { pauseGridAfterTakeProfitFull: false })
      await stage.to(at(MONDAY, '14:59:57'))
      for (const stock_code of codes) {
        const body = { stock_code, max_investment: 10_000, center_price: 10, max_deviation: 0.5 }
        t.match(await stage.post('/api/grid/start', body), { success: true })
      }
      const rows = async () => {
        const { sessions } = await stage.data('/api/grid/sessions')
        return (code: string) =>
          (sessions as unknown as Json[]).find((row) => String(row['stock_code']) === code)
      }
      const id = (await rows())(PAUSED)?.['session_id']
      await stage.post(`/api/grid/session/${id}/enabled`, { enabled: false })
      await stage.to(at(MONDAY, '15:00:03'))
      t.strictSame(await stage.fills(GONE), ['stop_loss 1000@9.2'], 'after the close')
      await stage.to(tickMs(TUESDAY, DIP.length - 1))
      t.strictSame(await stage.fills(GONE), ['stop_loss 1000@9.2'], 'and nothing is bought again')
      const row = await rows()
      t.match(row(GONE), { status: 'stopped', stop_reason: 'position_cleared' })
      t.match(row(PAUSED), { status: 'active', enabled: false }, 'a pause suspends this exit too')
    },
  )
}
