import fc from 'fast-check'
import t from 'tap'
import { afterwards, type Shown } from '../../actors/account/outgoing.ts'
import { Whys, whyOf } from '../../src/account/answers/why.ts'
import { type AccountInput, step } from '../../src/account/step.ts'
import type { StrategyManifest } from '../../src/account/strategies/manifest.ts'
import { STRATEGIES } from '../../src/account/strategies/registry.ts'
import { soldToday } from '../../src/account/strategies/standing.ts'
import { BANK, type Bench, quote } from '../account/fixture.ts'
import { Holder } from '../account/strategies/stop-profit/holder.ts'

const QUOTES: AccountInput = { kind: 'quotes', crossed: [BANK] }
const LOOK_MS = 3_000

/** The lines of an account as its shell keeps them, and how often the strategies were asked for one. */
class Reader {
  asked = 0
  readonly #bench: Bench
  readonly #whys: Whys
  #version = 0

  constructor(bench: Bench) {
    this.#bench = bench
    const counted = STRATEGIES.map(
      (strategy): StrategyManifest => ({
        ...strategy,
        ...(strategy.standing && {
          standing: (...given) => {
            this.asked += 1
            return strategy.standing?.(...given)
          },
        }),
      }),
    )
    this.#whys = new Whys(bench.state, () => {}, counted)
  }

  /** What has been published of one input. */
  hears(shown: Shown): void {
    if (shown === 'any') this.#version += 1
  }

  line() {
    const { state } = this.#bench
    const held = state.positions.get(BANK)
    if (held === undefined) throw new Error('it is held')
    this.#whys.begin(this.#sight(), { version: this.#version })
    return this.#whys.of(held, this.#bench.quotes.get(BANK))
  }

  /** As somebody tells it who has kept nothing. */
  anew() {
    const { state, nowMs } = this.#bench
    return whyOf(state, BANK, { ...this.#sight(), soldToday: soldToday(state, nowMs) })
  }

  #sight() {
    const { nowMs, quotes } = this.#bench
    return { nowMs, quote: (code: typeof BANK) => quotes.get(code) }
  }
}

function look(bench: Bench, price: number): Shown {
  bench.nowMs += LOOK_MS
  bench.wallMs += LOOK_MS
  bench.quotes.set(BANK, quote(price, bench.nowMs))
  const turn = bench.turn()
  step(turn, QUOTES)
  const decided = { monotonicMs: bench.nowMs, wallMs: bench.wallMs }
  return afterwards(turn, { input: QUOTES, correlationId: '', decided, done: () => {} }).shown
}

t.test(
  'a new high before the breakout asks no strategy again; after it the line moves',
  async (t) => {
    const { bench } = new Holder()
    const reader = new Reader(bench)
    reader.hears(look(bench, 10))
    const first = reader.line()
    const { asked } = reader
    for (const price of [10.1, 10.2, 10.3]) {
      const shown = look(bench, price)
      t.equal(shown, 'marks')
      reader.hears(shown)
      t.equal(reader.line(), first)
    }
    t.equal(look(bench, 10.2), 'none', 'a price between')
    t.equal(reader.asked, asked)
    const broken = look(bench, 10.7)
    t.equal(broken, 'any', 'a breakout')
    reader.hears(broken)
    t.match(reader.line().why_zh, /^等待回落：最高 10\.70/)
    reader.hears(look(bench, 10.8))
    t.match(reader.line().why_zh, /^等待回落：最高 10\.80/)
  },
)

t.test(
  'a reason that passes by itself is looked at once a second, whichever way a clock is set',
  async (t) => {
    const { bench } = new Holder()
    const { policy } = bench.state
    Object.assign(bench.state, {
      policy: { ...policy, limits: { ...policy.limits, ordersMax: 0 } },
    })
    const reader = new Reader(bench)
    reader.hears(look(bench, 9.2))
    t.match(reader.line().why, { reasons: ['refused'] })
    const { asked } = reader
    bench.nowMs += 999
    reader.line()
    t.equal(reader.asked, asked)
    bench.nowMs += 1
    reader.line()
    t.equal(reader.asked, asked + 1)
    bench.nowMs -= 60_000
    reader.line()
    t.equal(reader.asked, asked + 2)
  },
)

/** Percent of the cost of 10 yuan, something else that happens to the account, or nothing but time. */
const CHANGE = fc.oneof(
  { arbitrary: fc.integer({ min: 88, max: 125 }), weight: 8 },
  { arbitrary: fc.constantFrom('sell', 'doubt', 'list', 'off', 'on', 'night'), weight: 1 },
)

function change(
  holder: Holder,
  what: 'sell' | 'doubt' | 'list' | 'off' | 'on' | 'night',
  n: number,
) {
  const { bench } = holder
  const switched = (isOn: boolean) => {
    bench.state.settings = { ...bench.state.settings, ENABLE_AUTO_OPERATION: isOn }
  }
  if (what === 'sell') holder.sell(n, 100)
  else if (what === 'doubt') holder.doubt()
  else if (what === 'list') holder.list()
  else if (what === 'night') holder.later(4 * 3_600_000)
  else switched(what === 'on')
}

t.test('whatever happens, a kept line says what one would say that is made anew', async (t) => {
  fc.assert(
    fc.property(fc.array(CHANGE, { minLength: 1, maxLength: 30 }), (changes) => {
      const holder = new Holder()
      const reader = new Reader(holder.bench)
      changes.forEach((each, n) => {
        if (typeof each === 'number') reader.hears(look(holder.bench, each / 10))
        else {
          change(holder, each as Parameters<typeof change>[1], n)
          reader.hears('any')
        }
        t.strictSame(reader.line(), reader.anew())
      })
    }),
    { numRuns: 300 },
  )
})
