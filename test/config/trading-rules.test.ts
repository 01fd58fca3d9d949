import t from 'tap'
import { configSchema } from '../../src/config/schema.ts'
import { tradingRules } from '../../src/config/trading-rules.ts'

const told = (file: object) => tradingRules(configSchema.parse(file) as never)
const names = (file: object) =>
  told(file)
    .split(' ')
    .map((entry) => entry.split(':')[0])
const real = { market: { source: 'xt' } }

t.test(
  'F963 what a file decides of how a node trades is told by its names, and nothing by its value',
  async (t) => {
    t.equal(told(real), '', 'what is as by default')
    t.equal(told({ ...real, risk: { max_orders_per_day: 500 } }), '', 'nor when it is written down')
    const file = {
      ...real,
      risk: { max_order_value: 123_456, refuse_duplicates: true },
      strategy: { STOP_LOSS_RATIO: -0.0612, DYNAMIC_TAKE_PROFIT: [[0.05, 0.9]] },
    }
    t.strictSame(names(file), [
      'risk.max_order_value',
      'risk.refuse_duplicates',
      'strategy.DYNAMIC_TAKE_PROFIT',
      'strategy.STOP_LOSS_RATIO',
    ])
    t.notMatch(told(file), /123456|0612/)
    const other = { ...file, strategy: { ...file.strategy, STOP_LOSS_RATIO: -0.0613 } }
    t.not(told(other), told(file))
    t.strictSame(names({}), ['market.source'], 'invented prices')
    const replay = { market: { source: 'replay', file: '/day.ndjson' } }
    t.strictSame(names(replay), ['market.source'], 'of another day')
    t.not(told(replay), told({}))
    t.equal(told({ market: { source: 'cluster' } }), '', 'real ones, of another node')
  },
)

t.test(
  'F963 settings of the computer, and constants that nothing reads, make no node another',
  async (t) => {
    t.equal(told({ ...real, gateway: { port: 8_889, api_token: 'a-secret-of-this-node' } }), '')
    t.equal(told({ ...real, strategy: { XTQUANT_MANAGER_PORT: 8_889, MACD_FAST: 9 } }), '')
  },
)
