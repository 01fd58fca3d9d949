import type { Mutant } from './mutant.ts'

/** What price an order leaves with, and of which kind; in which money, and in which lots. */
export const PRICE_MUTANTS: readonly Mutant[] = [
  {
    id: 'step-of-a-cent',
    cost: 'an order of a grid is refused for a price between two steps',
    file: 'src/domain/price-cage.ts',
    text: 'const step = tickSizeOf(code)',
    becomes: 'const step = 1 + 0 * tickSizeOf(code)',
    test: [
      'test/account/strategies/grid/orders.test.ts',
      'F836 a grid order lies on a step of its stock though the price that set it off does not',
    ],
  },
  {
    id: 'dollars-are-yuan',
    cost: 'a supplementary purchase of B shares is of 35,000 dollars instead of yuan',
    file: 'src/domain/risk.ts',
    text: '  return isInYuan(order.code) ? pass() : refused(OTHER_CURRENCY_TEXT)\n',
    becomes: '  return pass()\n',
    test: [
      'test/account/orders/b-shares.test.ts',
      'F561 no strategy buys B shares: its amounts are yuan, and they are not',
    ],
  },
  {
    id: 'amount-of-dollars',
    cost: 'a purchase by hand of 35,000 yuan is one of 35,000 dollars',
    file: 'src/account/orders/manual.ts',
    text: "  if (!isInYuan(code)) return new ServiceError('OTHER_CURRENCY', OTHER_CURRENCY_TEXT)\n",
    becomes: '',
    test: [
      'test/account/orders/b-shares.test.ts',
      'F561 nor is an amount of yuan spent on them by hand; so many shares may be',
    ],
  },
  {
    id: 'half-of-the-bonds-is-all',
    cost: 'who sells half of his convertible bonds has sold them all',
    file: 'src/account/orders/manual.ts',
    text: 'lot: lotStep > 1 ? lotStep : LOT',
    becomes: 'lot: lotStep > 1 ? LOT : LOT',
    test: [
      'test/account/orders/ratio-in-lots.test.ts',
      'F565 a part of convertible bonds is sold in their lots of ten, and is not all of them',
    ],
  },
  {
    id: 'price-type-of-another-exchange',
    cost: 'the counter voids the order, or reads the number as something else',
    file: 'src/domain/price-type.ts',
    text: "  [PRICE_TYPE.shConvert5Cancel, ['SH', 'BJ']],\n",
    becomes: "  [PRICE_TYPE.shConvert5Cancel, ['SH', 'SZ', 'BJ']],\n",
    test: [
      'test/http/features/price-types.test.ts',
      'F91 a price type of another exchange is refused on every way in, with the mend',
    ],
  },
  {
    id: 'worst-price-is-dropped',
    cost: 'a market order trades as far as the limit of the day, whatever its caller allowed',
    file: 'http/desk/orders.ts',
    text: 'return takesProtection(code, priceType) ? price : (0 as Price)',
    becomes: 'return (price * 0) as Price',
    test: [
      'test/http/features/price-types.test.ts',
      'F91 the worst price of a market order reaches the account where the board asks for one',
    ],
  },
  {
    id: 'worst-price-of-the-other-side',
    cost: 'a sale without a worst price gets the upper limit as one and never trades',
    file: 'src/domain/price-type.ts',
    text: "  return side === 'buy' ? limits.high : limits.low\n",
    becomes: "  return side === 'sell' ? limits.high : limits.low\n",
    test: [
      'test/account/orders/protection.test.ts',
      'F91 a market order without a worst price gets the limit of the day as one',
    ],
  },
  {
    id: 'high-of-before-again',
    cost: 'a high that a person has set lower is raised again by yesterday, and its exit sells',
    file: 'src/account/orders/quote-rules.ts',
    text: 'if (!isHeldAllDay || isSeen || exDay',
    becomes: 'if (!isHeldAllDay || exDay',
    test: [
      'test/account/strategies/stop-profit/quote-high.test.ts',
      'F812 but one that a person sets on the evening before stands',
    ],
  },
  {
    id: 'high-of-another-scale',
    cost: 'the high of the day before an ex-day sells a holding at the open',
    file: 'src/account/orders/quote-rules.ts',
    text: ' || !isCloseKept(code, quote)) return NONE',
    becomes: ') return NONE',
    test: [
      'test/account/strategies/stop-profit/quote-high.test.ts',
      'F812 nor one of a day on which it was bought, or of another scale',
    ],
  },
  {
    id: 'limits-of-yesterday',
    cost: 'a stop rests at a price that cannot trade today, or is refused as beyond a limit',
    file: 'src/market/quote-board.ts',
    text: '  row[AT.limitDay] === exchangeDayNumber(row[AT.time] as number) &&\n',
    becomes: '  (row[AT.limitDay] as number) > 0 &&\n',
    test: [
      'test/market/instrument-desk.test.ts',
      'F93 a limit that was told is used on its day alone, beside the close it follows from',
    ],
  },
  {
    id: 'limits-told-are-of-any-day',
    cost: 'an order of the morning is judged by the limits of the day before',
    file: 'src/domain/rules.ts',
    text: '  return isTold && isOfDay ? {',
    becomes: '  return isTold && timeMs !== undefined ? {',
    test: [
      'test/account/turn/names.test.ts',
      'F93 an order is judged by the limits that the terminal tells',
    ],
  },
  {
    id: 'quotes-of-any-kind',
    cost: 'stops of a real account fall by prices that another computer has made up',
    file: 'actors/market/quote-taker.ts',
    text: 'if (quote.kind !== kind) {',
    becomes: 'if (quote.kind !== quote.kind) {',
    test: [
      'test/market/sharing.test.ts',
      'F197 invented quotes never reach a market of real ones, nor what nobody can read',
    ],
  },
  {
    id: 'quotes-of-two-feeds-mixed',
    cost: 'a stop falls by a price of another feed, between two prices of the one that is followed',
    file: 'src/cluster/protocol/quote-choice.ts',
    text: 'if (followed !== undefined && !this.#isLeft(followed, timeMs, nowMs)) return false',
    becomes: 'if (followed !== undefined && timeMs < followed.timeMs) return false',
    test: [
      'test/cluster/protocol/quotes.test.ts',
      'one node is followed, whatever others tell at the same time',
    ],
  },
  {
    id: 'quotes-followed-for-ever',
    cost: 'stops sleep although another computer has the quotes',
    file: 'src/cluster/protocol/quote-choice.ts',
    text: 'return this.#isSilent(followed, nowMs) || timeMs',
    becomes: 'return timeMs',
    test: [
      'test/cluster/protocol/quotes.test.ts',
      'F196 a node that is silent is left for another',
    ],
  },
  {
    id: 'line-of-an-earlier-high',
    cost: 'a page shows for hours at which price it would have sold below an earlier high',
    file: 'src/account/strategies/stop-profit/standing.ts',
    text: 'return isSameLines(linesOf(state, before), linesOf(state, after))',
    becomes: 'return before.code === after.code && state !== undefined',
    test: [
      'test/actors/kept-lines.test.ts',
      'whatever happens, a kept line says what one would say that is made anew',
    ],
  },
  {
    id: 'market-is-never-stale',
    cost: 'purchases go on while no quote has moved for minutes',
    file: 'src/account/orders/triggers.ts',
    text: '    if (timeMs !== undefined && timeMs >= sinceMs && timeMs <= untilMs) return true\n',
    becomes: '    if (timeMs !== undefined && timeMs <= untilMs) return true\n',
    test: [
      'test/account/orders/triggers.test.ts',
      'a stale market holds purchases back by itself and lets go by itself',
    ],
  },
  {
    id: 'quotes-of-before-for-ever',
    cost: 'after a restart of the node that gives quotes no stop of the others sees a price again',
    file: 'actors/market/quote-desk.ts',
    text: 'if (this.#fed.has(code) || ',
    becomes: 'if (known !== undefined || this.#fed.has(code) || ',
    test: [
      'test/market/sharing.test.ts',
      'F388 a node that gives quotes, started anew, has fed again what only others hold',
    ],
  },
  {
    id: 'comma-for-a-point',
    cost: 'a stop of one and a half percent, written with a comma, becomes one of fifteen',
    file: 'web/console/limit-draft.ts',
    text: '(?:[,\\s]\\d{3})+',
    becomes: '(?:[,\\s]\\d+)+',
    test: ['test/web/limit-draft.test.ts', 'a number may be grouped, and nothing else is one'],
  },
  {
    id: 'market-order-in-the-closing-auction',
    cost: 'market orders after 14:57 are refused by the exchange one after the other, until the refusals in a row stop all trading',
    file: 'src/domain/exchange-checks.ts',
    text: 'isAlwaysOpen ? undefined : auctionFault(code, priceType, nowMs)',
    becomes: 'isAlwaysOpen ? undefined : undefined',
    test: [
      'test/domain/risk.test.ts',
      'a price type of another exchange, or a worst price that nobody knows, is refused',
    ],
  },
  {
    id: 'instruments-at-midnight',
    cost: 'a stock on its first day has the limits of a table that does not know first days, and its sale is refused',
    file: 'actors/market/desks.ts',
    text: 'clock.nowMs() : serviceDayMs(clock.nowMs())',
    becomes: 'clock.nowMs() : lastTradingDayMs(clock.nowMs())',
    test: [
      'test/market/instruments.test.ts',
      'F997 a new stock that the terminal does not know in the night is asked about in the morning',
    ],
  },
]
