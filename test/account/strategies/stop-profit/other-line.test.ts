import t from 'tap'
import type { AccountCommand } from '../../../../src/account/commands/on-request.ts'
import { BANK, type Bench, quote, set, yuan } from '../../fixture.ts'
import { acting } from './chain.ts'
import { holding } from './holder.ts'

/** 1,000 shares at a cost of 10 yuan, the stop at 9.25; the kill switch lets nothing leave. */
class Held {
  readonly bench: Bench

  constructor() {
    this.bench = acting().ready([holding(1_000)])
    this.ticks(10, 10, 10)
    set(this.bench, 'all')
  }
  ticks(...prices: readonly number[]): this {
    for (const price of prices) {
      this.bench.nowMs += 3_000
      this.bench.wallMs += 3_000
      this.bench.quotes.set(BANK, quote(price, this.bench.nowMs))
      this.bench.input({ kind: 'quotes', crossed: [BANK] })
    }
    return this
  }
  ask(request: AccountCommand): this {
    this.bench.input({ kind: 'request', ref: 9, request })
    return this
  }
  update(fields: { highestPrice?: number; profitTriggered?: boolean }): this {
    return this.ask({ kind: 'updateHolding', code: BANK, ...fields, source: 'test' })
  }
  /** What leaves once the kill switch is off. */
  get released(): readonly (string | undefined)[] {
    set(this.bench, 'off')
    return [...this.bench.state.orders.values()].map(({ signalType }) => signalType)
  }
}

const loosened: AccountCommand = {
  kind: 'saveConfig',
  changes: { stockStopLoss: 15 },
  source: 'test',
}

t.test('F741 a stop that a looser ratio has made void does not sell', async (t) => {
  t.strictSame(new Held().ticks(9.2).released, ['stop_loss'], 'it waits for the kill switch')
  t.strictSame(new Held().ticks(9.2).ask(loosened).released, [])
  t.strictSame(new Held().ticks(8.4).ask(loosened).released, ['stop_loss'], 'it is below both')
})

t.test('F741 nor does an exit of a high that somebody has set right', async (t) => {
  const taken = () => new Held().update({ profitTriggered: true }).ticks(11.8, 10.9)
  t.strictSame(taken().released, ['take_profit_full'])
  t.strictSame(taken().update({ highestPrice: yuan(11) }).released, [])
})

t.test('F741 nor one of a first profit that was taken, or was not, after all', async (t) => {
  const risen = () => new Held().ticks(10.6, 10.8, 10.74)
  t.strictSame(risen().released, ['take_profit_half'])
  t.strictSame(risen().update({ profitTriggered: true }).released, [])
  const taken = () => new Held().update({ profitTriggered: true }).ticks(11.8, 10.5)
  t.strictSame(taken().released, ['take_profit_full'])
  t.strictSame(taken().update({ profitTriggered: false }).released, [])
})
