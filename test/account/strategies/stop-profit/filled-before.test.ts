import t from 'tap'
import { apply } from '../../../../src/account/fold/apply.ts'
import type { AccountState } from '../../../../src/account/model/state.ts'
import { emptyState } from '../../../../src/account/model/state.ts'
import type { SignalOrder } from '../../../../src/account/strategies/stop-profit/follow-up.ts'
import type { Quantity } from '../../../../src/domain/money.ts'
import { BANK, Bench, brokerPosition, commands, quote } from '../../fixture.ts'
import { acting, Chain, SALE } from './chain.ts'

const DAY_MS = 86_400_000
const FIRST_PROFIT = { ...SALE, signalType: 'take_profit_half', quantity: 600 as Quantity } as const

/** An order of a signal of which a part is filled as the day ends. */
function filledInPart(signal: SignalOrder, bench = acting().ready([brokerPosition()])): Chain {
  bench.quotes.set(BANK, quote(40, bench.nowMs))
  const chain = new Chain(signal, bench)
  chain.fill(200)
  return chain
}

/** The next morning the service is started anew, in simulation mode, as an account of real money is by itself. */
function nextMorning({ bench }: Chain): Bench {
  const { policy } = bench.state
  const settings = { ...policy.settings, ENABLE_SIMULATION_MODE: true }
  const state: AccountState = emptyState({ ...policy, settings })
  for (const event of bench.journal) apply(state, event)
  const next = new Bench(state)
  next.nowMs = bench.nowMs + DAY_MS
  next.wallMs = bench.wallMs + DAY_MS
  next.quotes.set(BANK, quote(40, next.nowMs))
  next.input({ kind: 'started', incarnation: 1, day: '2026-08-12' })
  return next
}

t.test(
  'F760 what a first take-profit has filled counts although its day ends in simulation mode',
  async (t) => {
    const chain = filledInPart(FIRST_PROFIT)
    t.equal(
      chain.bench.state.positions.get(BANK)?.profitTriggered,
      false,
      'more of it may be filled',
    )
    const bench = nextMorning(chain)
    t.not(bench.state.simulation, undefined)
    t.equal(chain.last.status, 'partiallyFilled')
    t.equal(bench.state.orders.get(chain.last.clientOrderId)?.status, 'expired')
    t.equal(bench.state.positions.get(BANK)?.profitTriggered, true)
    // Once a person has let it trade, its profit is not taken a second time.
    const changes = { simulationMode: false }
    const effects = bench.input({
      kind: 'request',
      ref: 9,
      request: { kind: 'saveConfig', changes, source: 'test' },
    })
    t.match(commands(effects), [{ kind: 'connect' }])
    t.equal(bench.state.positions.get(BANK)?.profitTriggered, true)
  },
)

t.test('F760 nor does a grid go on that what a stop has filled was to pause', async (t) => {
  const bench = acting().ready([brokerPosition()])
  bench.quotes.set(BANK, quote(36, bench.nowMs))
  const config = { max_investment: 10_000, center_price: 36, max_deviation: 0.5 }
  const start = { kind: 'gridStart', code: '600036', top: {}, config, source: 'test' } as const
  bench.input({ kind: 'request', ref: 9, request: start })
  const later = nextMorning(filledInPart(SALE, bench))
  t.match([...later.state.grid.sessions.values()], [{ isEnabled: false, isSimulated: false }])
})
