import t from 'tap'
import { isQuoteRefused } from '../../../../src/account/orders/quote-rules.ts'
import { DAY_MS } from '../../../../src/domain/exchange-time.ts'
import { BANK, type Bench, MORNING_MS, quote } from '../../fixture.ts'
import { acting } from './chain.ts'
import { holding } from './holder.ts'

const STALE_MS = 60_000

/** 1,000 shares at a cost of 10 yuan: the stop is at 9.25. Quotes of more than a minute sell nothing. */
class Watching {
  readonly bench: Bench = acting({}, { staleQuoteMs: STALE_MS }).ready([holding(1_000)])

  quoted(price: number): this {
    this.bench.quotes.set(BANK, quote(price, this.bench.nowMs))
    return this
  }
  later(ms: number): this {
    this.bench.nowMs += ms
    this.bench.wallMs += ms
    return this
  }
  look(): this {
    this.bench.input({ kind: 'quotes', crossed: [BANK] })
    return this
  }
  ticks(...prices: readonly number[]): this {
    for (const price of prices) this.later(3_000).quoted(price).look()
    return this
  }
  get sent(): readonly (string | undefined)[] {
    return [...this.bench.state.orders.values()].map(({ signalType }) => signalType)
  }
}

t.test('F717 a stop of a quote that is too old does not wait for the next one', async (t) => {
  const held = new Watching().ticks(9.6, 9.6, 9.6)
  held
    .quoted(9.2)
    .later(2 * STALE_MS)
    .look()
  t.strictSame(held.sent, [], 'what the price is by now nobody knows')
  held.ticks(9.6)
  t.strictSame(held.sent, [], 'it has recovered')
  held.ticks(9.2)
  t.strictSame(held.sent, ['stop_loss'])
})

t.test('F717 the next one below it sells at once', async (t) => {
  const held = new Watching().ticks(9.6, 9.6, 9.6)
  held
    .quoted(9.2)
    .later(2 * STALE_MS)
    .look()
    .ticks(9.1)
  t.strictSame(held.sent, ['stop_loss'])
})

t.test('F826 nor of one of the future: the clock was set back over it', async (t) => {
  const held = new Watching().ticks(9.6, 9.6, 9.6)
  held.quoted(9.2).bench.nowMs -= DAY_MS
  held.look()
  t.strictSame(held.sent, [], 'it is as old as the day before, or as now')
  held.later(3_000).quoted(9.2).look()
  t.strictSame(held.sent, ['stop_loss'])
})

t.test('F826 a rest of a stop finds no price in a quote of the future', async (t) => {
  const { state } = new Watching().bench
  const { quoteAheadMs } = state.policy.limits
  const aheadBy = (ms: number) => isQuoteRefused(state, quote(9.2, MORNING_MS + ms), MORNING_MS)
  t.notOk(aheadBy(quoteAheadMs), 'as far ahead as a feed lets in')
  t.ok(aheadBy(quoteAheadMs + 1))
})
