import t from 'tap'
import { get, type Json, post } from './fixture.ts'
import { linesOf, MONDAY, Stage, tickMs } from './fixtures/ticks.ts'

const lines = linesOf({ day: MONDAY, prices: [9.24, 9.2, 9.19, 9.18, 9.17] })
const module = (stage: Stage, path: string, body: object = {}) =>
  post(`${stage.gateway}/api/v1/stop-profit/${path}`, body)
const status = async (stage: Stage): Promise<Json> =>
  (await get(`${stage.gateway}/api/v1/stop-profit/status`)).body['data'] as Json

t.test('the gateway sells only where the strategy of the account itself is off', async (t) => {
  const strategy = { ENABLE_AUTO_OPERATION: true, ENABLE_STOP_LOSS_BUY: false }
  const stage = await Stage.open(t, { lines, strategy })
  await stage.to(tickMs(MONDAY, 0))
  t.match(await status(stage), {
    running: false,
    reason: /switched off/,
    config: {
      enabled: false,
      stop_loss_ratio: -0.075,
      initial_take_profit_ratio: 0.06,
      initial_take_profit_pullback_ratio: 0.005,
      initial_take_profit_sell_ratio: 0.6,
      monitor_interval: 3,
      signal_dedup_seconds: 60,
    },
    positions: {
      '10000001': {
        '600036': {
          stock_code: '600036',
          highest_price: 10,
          profit_triggered: false,
          profit_breakout_triggered: false,
          breakout_highest_price: 0,
          last_price: 9.24,
        },
      },
    },
  })
  t.strictSame(await stage.orders(), [], 'it is off at the start')
  await wrongWords(t, stage)

  t.match(await module(stage, 'config', { stop_loss_ratio: -0.081 }), { status: 200 })
  t.match((await module(stage, 'toggle?enabled=true')).body['data'], { enabled: true })
  t.match(await status(stage), { running: true, config: { stop_loss_ratio: -0.081 } })
  await stage.to(tickMs(MONDAY, 1))
  t.strictSame(await stage.orders(), [], 'its own ratio counts: 9.19')
  await stage.post('/api/config/save', { globalAllowBuySell: true, stockStopLoss: 9 })
  await stage.to(tickMs(MONDAY, 2))
  t.strictSame(await stage.orders(), [], 'the strategy of the account is on, and waits for 9.10')
  await stage.post('/api/monitor/stop')
  await stage.post('/api/config/save', { globalAllowBuySell: false })
  await stage.to(tickMs(MONDAY, 3))
  t.strictSame(await stage.orders(), [], 'without the master switch nobody sells')
  await module(stage, 'toggle?enabled=false')
  await stage.post('/api/monitor/start')
  await stage.to()
  t.strictSame(await stage.orders(), [], 'nor when it is off again')
  await module(stage, 'toggle')
  await stage.quiet()
  t.strictSame(await stage.fills(), ['stop_loss 1000@9.17'], 'on: it sells at once')
  const { entries } = await stage.data('/api/audit?kind=gatewayModuleSet')
  t.equal(entries?.['length'], 3 as unknown as Json, 'who switched it is in the journal, once')
})

async function wrongWords(t: import('tap').Test, stage: Stage) {
  for (const body of [{ stop_loss_ratio: 0.1 }, { monitor_interval: 0 }, { enabled: 'yes' }]) {
    t.match(await module(stage, 'config', body), { status: 400, body: { code: 'VALIDATION' } })
  }
  t.match(await module(stage, 'toggle?enabled=maybe'), { status: 400 })
  t.match(await status(stage), { running: false, config: { stop_loss_ratio: -0.075 } })
}
