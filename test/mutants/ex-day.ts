import type { Mutant } from './mutant.ts'

const ACCOUNT = 'test/account/orders/ex-day.test.ts'

/** Days on which prices are on another scale. */
export const EX_DAY_MUTANTS: readonly Mutant[] = [
  {
    id: 'ex-day-of-a-lost-holding',
    cost: 'a holding that lists lacked for a minute on its ex-day has its stop a second split too low',
    file: 'src/account/client/position-reports.ts',
    text: 'closePosition(turn, code, leftWhenLost(state, code))',
    becomes: 'closePosition(turn, code)',
    test: [
      'test/account/client/lost-holding.test.ts',
      'F568 what lists lack for a while on its ex-day is not adjusted twice',
    ],
  },
  {
    id: 'high-of-a-found-holding',
    cost: 'a holding that lists lacked on its ex-day has a high that it never had, and is sold too early after its first take-profit',
    file: 'src/account/client/position-reports.ts',
    text: 'thresholdCost({ costPrice, ...scale }) || costPrice',
    becomes: 'costPrice',
    test: [
      'test/account/client/lost-holding.test.ts',
      'F571 its high begins at what its cost is worth today, not at the old prices',
    ],
  },
  {
    id: 'deals-before-their-ex-day',
    cost: 'a sale on the morning of an ex-day is booked with a loss that nobody has made',
    file: 'src/account/client/reports.ts',
    text: '  followExDay(turn, deal.code) // what it has cost, or earned, is of the scale of its day\n',
    becomes: '',
    test: [
      'test/account/orders/costs.test.ts',
      'F489 deals of the morning of an ex-day are on its scale, whatever is told first',
    ],
  },
  {
    id: 'unheard-purchase-before-an-ex-day',
    cost: 'a stop sells everything on an ex-day, because a cost of the old scale that a purchase has moved counts as adjusted',
    file: 'src/account/orders/ex-day-cost.ts',
    text: '  if (adjusted !== undefined && adjusted > 0) return { effectiveCost: adjusted }\n',
    becomes: '',
    test: [
      'test/account/orders/ex-day-broker.test.ts',
      'F916 a purchase that nobody heard, before an ex-day that the broker follows late, leaves the cost adjusted',
    ],
  },
  {
    id: 'ex-day-hold-ends-at-night',
    cost: 'shares of a bonus that are shown the evening before are believed by the open, and all of them stopped out at half the price',
    file: 'src/account/orders/ex-day.ts',
    text: 'policy.isAlwaysOpen ? nowMs - sinceMs : tradedMs(sinceMs, nowMs)',
    becomes: 'nowMs - exDay.sinceMs',
    test: [
      'test/account/orders/ex-day.test.ts',
      'F488 what came on the evening before an ex-day is not sold at its open',
    ],
  },
  {
    id: 'unadjusted-cost',
    cost: 'a dividend stops a holding out without a loss',
    file: 'src/domain/position.ts',
    text: 'effectiveCost > 0 ? effectiveCost : costPrice',
    becomes: 'effectiveCost > 1e15 ? effectiveCost : costPrice',
    test: [
      ACCOUNT,
      'a cost that the broker never adjusts counts for less as long as the holding lives',
    ],
  },
  {
    id: 'factor-on-factor',
    cost: 'a lastClose that is corrected moves the high twice, and the rest is sold too early or too late',
    file: 'src/account/orders/ex-day.ts',
    text: '  const before = known?.before ?? {',
    becomes: '  const before = {',
    test: [ACCOUNT, 'a lastClose that is corrected in the day is reckoned from the old scale'],
  },
  {
    id: 'silent-quote-takes-close-back',
    cost: 'a stock that is halted on its ex-day goes ex twice, and its stop stands too low',
    file: 'src/market/closes.ts',
    text: '    if (lastClose > 0 || !isSameDay) values',
    becomes: '    values',
    test: [
      'test/market/closes.test.ts',
      'F744 a quote that says nothing of the close takes nothing back',
    ],
  },
  {
    id: 'auction-price-is-close',
    cost: 'a feed that broke off before the close makes an ex-day of an ordinary one',
    file: 'src/market/closes.ts',
    text: "    const isClose = this.#rule === 'lastTick' || isAfterClose(timeMs)\n",
    becomes: '    const isClose = true\n',
    test: [
      'test/market/closes.test.ts',
      'the close of the day before: a price that is gone at the close is none either',
    ],
  },
  {
    id: 'quotes-of-another-process',
    cost: 'where each account has a process, one of them stops a holding out on an ex-day after a night without power',
    file: 'actors/market/market.thread.ts',
    text: "place === '' ? key : [key, place].join('/')",
    becomes: 'key',
    test: [
      'test/market/market.thread.test.ts',
      'F404 processes that share a data folder each keep the last quotes of what they hold',
    ],
  },
  {
    id: 'quotes-of-before-left-out',
    cost: 'an account that another process takes over is stopped out on an ex-day that its broker shows late',
    file: 'actors/market/market.actor.ts',
    text: 'if (isLive) this.#quotes.lay(tick.stock_code)',
    becomes: 'if (!isLive) this.#quotes.lay(tick.stock_code)',
    test: [
      'test/market/kept-quotes.test.ts',
      'and so does one whose stock somebody has looked at here before',
    ],
  },
  {
    id: 'test-price-is-close',
    cost: 'prices of a Saturday on which the exchange tests its systems make an ex-day of the Monday',
    file: 'src/market/closes.ts',
    text: "    if (this.#rule !== 'lastTick' && isTest) return this.#compareNothing(row)\n",
    becomes: '',
    test: [
      'test/market/closes.test.ts',
      'F278 quotes of a day without trading are no closes, and hide none',
    ],
  },
]
