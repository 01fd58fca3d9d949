import type { Mutant } from './mutant.ts'

const DAYS = [
  'test/days/days.test.ts',
  'whatever the market does: what protects is sold in time, and nothing else is; orders are bounded, caps hold',
] as const
const REAL_DAYS = [
  'test/days/real-days.test.ts',
  'over real ex-days nothing is sold that one scale would not sell, whenever the broker adjusts, and nothing is missed',
] as const

/** What goes wrong at the edges of the market, found by days that nobody has thought of. */
export const DAYS_MUTANTS: readonly Mutant[] = [
  {
    id: 'one-bad-quote-stops-all',
    cost: 'a stock that is halted keeps every other one from its stop',
    file: 'src/account/model/quote-trust.ts',
    text: '    const score = this.#tracker.signalScoreOf(this.#keyOf(code), nowMs)\n',
    becomes:
      '    const isBad = [...this.#watched.values()].some(({ wasGood }) => !wasGood)\n    const score = isBad ? 0 : this.#tracker.signalScoreOf(this.#keyOf(code), nowMs)\n',
    test: DAYS,
  },
  {
    id: 'locked-sale-is-canceled',
    cost: 'locked at limit-down, a stop gives up its place in the queue every 30 seconds',
    file: 'src/account/orders/follow-up.ts',
    text: ' ||\n    policy.keepsPlace?.(turn, order) === true',
    becomes: '',
    test: DAYS,
  },
  {
    id: 'high-keeps-its-scale',
    cost: 'a bonus issue leaves the high where it was, and everything is sold at the open',
    file: 'src/domain/ex-day.ts',
    text: '  return Math.max(scaled(was, factor), now > then ? now : 0) as Price\n',
    becomes: '  return now\n',
    test: DAYS,
  },
  {
    id: 'stop-keeps-its-scale',
    cost: 'a dividend that the broker has not put into the cost stops a holding out without a loss',
    file: 'src/account/orders/ex-day.ts',
    text: '  const effective = scaledCost(before, factor ?? SAME)\n',
    becomes: '  const effective = scaledCost(before, factor === null ? SAME : SAME)\n',
    test: REAL_DAYS,
  },
  {
    id: 'cancel-in-the-auction',
    cost: 'from 14:57 on a stop is canceled in vain until a person is asked to do what nobody can',
    file: 'src/account/orders/follow-up.ts',
    text: '    isBarred(state, order, inputs.nowMs) ||\n',
    becomes: '',
    test: [
      'test/account/strategies/stop-profit/keep-place.test.ts',
      'F283 in the closing auction, which takes no cancels, nothing is canceled for its age',
    ],
  },
  {
    id: 'cancel-while-closed',
    cost: 'an order of a grid that is sent before noon gives its place in the queue up for nothing, or works on without a time limit',
    file: 'src/account/orders/follow-up.ts',
    text: '    isMarketClosed(state, inputs.nowMs) ||\n',
    becomes: '',
    test: [
      'test/account/strategies/grid/orders.test.ts',
      'in the break at noon, and after the close, no order is canceled for its age',
    ],
  },
  {
    id: 'total-is-forgotten-with-a-wrong-day',
    cost: 'what a day had lost before a clock jumped is not in its loss any more, and purchases go on',
    file: 'src/account/fold/fold-safety.ts',
    text: 'if (state.dayTotal.day <= day) return []',
    becomes: 'if (state.dayTotal.day < day) return []',
    test: [
      'test/account/turn/wrong-day.test.ts',
      'F17 also where nobody has measured the day that came too early',
    ],
  },
]
