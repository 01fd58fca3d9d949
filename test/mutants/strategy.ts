import type { Mutant } from './mutant.ts'

/** What stops and profits decide. */
export const STRATEGY_MUTANTS: readonly Mutant[] = [
  {
    id: 'stop-one-cent-late',
    cost: 'a stop at its exact price does not sell',
    file: 'src/strategy/stop-profit/stop-profit.ts',
    text: '  if (price <= stop) return [state, stopLoss(',
    becomes: '  if (price < stop) return [state, stopLoss(',
    test: [
      'test/strategy/stop-profit/stop-profit.test.ts',
      'the exact threshold price fires, one unit beside it does not',
    ],
  },
  {
    id: 'pullback-one-cent-late',
    cost: 'the first profit is not taken at its exact price',
    file: 'src/strategy/stop-profit/stop-profit.ts',
    text: '  if (price > threshold) {\n',
    becomes: '  if (price >= threshold) {\n',
    test: [
      'test/strategy/stop-profit/stop-profit.test.ts',
      'the exact threshold price fires, one unit beside it does not',
    ],
  },
  {
    id: 'looks-without-a-price-refuse-the-next',
    cost: 'after a halt a stock stays unsold until five minutes of good quotes have come',
    file: 'src/account/model/quote-trust.ts',
    text: '    const score = this.#tracker.signalScoreOf(this.#keyOf(code), nowMs)\n',
    becomes: '    const { score } = this.#tracker.scoreOf(this.#keyOf(code), nowMs)\n',
    test: [
      'test/account/strategies/stop-profit/bad-quotes.test.ts',
      'a stock that was halted all morning is sold at the second look after it trades',
    ],
  },
  {
    id: 'looks-of-a-simulation-count-for-the-session',
    cost: 'a stop is sold at the first quote after the open, which nobody has confirmed',
    file: 'src/account/strategies/run.ts',
    text: '  if (turn.state.simulation === undefined) turn.state.quoteTrust.forgetLooks()\n',
    becomes: '',
    test: [
      'test/account/strategies/stop-profit/simulated-hours.test.ts',
      'F392 what a simulation has seen before the open is no look of the session',
    ],
  },
  {
    id: 'no-price-opens-the-breaker',
    cost: 'a halted stock keeps all others from being bought',
    file: 'src/account/model/quote-trust.ts',
    text: '    if (!this.#breakerPolicy.isEnabled || lastPrice <= 0) return\n',
    becomes: '    if (!this.#breakerPolicy.isEnabled) return\n',
    test: [
      'test/account/strategies/stop-profit/bad-quotes.test.ts',
      'a stock that is halted all day keeps no other one from its stop',
    ],
  },
  {
    id: 'high-between-ticks-wakes-nobody',
    cost: 'the exit follows a high that only the quote tells of when somebody happens to look',
    file: 'src/market/bands.ts',
    text: '    return highPlace > place ? highPlace : place\n',
    becomes: '    return highPlace > OUTSIDE ? highPlace : place\n',
    test: [
      'test/market/bands.test.ts',
      'a high of the day that a tick brings rings too, once, whatever the price is',
    ],
  },
  {
    id: 'high-falls',
    cost: 'the high follows the price down, and the exit with it: the profit is given back',
    file: 'src/strategy/stop-profit/stop-profit.ts',
    text: '  if (state.highestPrice >= high) return state\n',
    becomes: '',
    test: [
      'test/strategy/stop-profit/stop-profit.test.ts',
      'the peak never falls, closed gates and unsellable shares give no signal',
    ],
  },
  {
    id: 'lowest-tier',
    cost: 'a large profit is protected like a small one',
    file: 'src/strategy/stop-profit/protect.ts',
    text: 'return tiers.findLast(',
    becomes: 'return tiers.find(',
    test: [
      'test/strategy/stop-profit/protect.test.ts',
      'the protective price follows the table of tiers',
    ],
  },
  {
    id: 'band-beyond-the-stop',
    cost: 'a price that reaches the stop wakes nobody',
    file: 'src/strategy/stop-profit/stop-profit-band.ts',
    text: '  return band(lower, Math.min(highestPrice, breakoutPrice(policy, costPrice) - 1))',
    becomes: '  return band(0, Math.min(highestPrice, breakoutPrice(policy, costPrice) - 1))',
    test: [
      'test/strategy/stop-profit/stop-profit-band.test.ts',
      'a band ends at the nearest prices at which something happens',
    ],
  },
  {
    id: 'one-lot-above-the-cap',
    cost: 'a dear stock is bought far above the most that may be in one stock',
    file: 'src/strategy/stop-profit/add-position.ts',
    text: "  return notional(price, least) <= room ? least : verdict('add_room_below_lot', { price })\n",
    becomes: '  return least\n',
    test: [
      'test/strategy/stop-profit/add-position.test.ts',
      'never more than the room below the cap, also where one lot is more than that',
    ],
  },
  {
    id: 'rest-above-the-cap',
    cost: 'a purchase that is sent again at a higher price lifts a stock above its cap',
    file: 'src/account/strategies/stop-profit/follow-up.ts',
    text: 'Math.min(rest.quantity, most - there)',
    becomes: 'rest.quantity',
    test: [
      'test/account/strategies/stop-profit/add-cap.test.ts',
      'what is sent again at a higher price is what there is still room for',
    ],
  },
  {
    id: 'wrong-limits-hold',
    cost: 'a fund that may fall by 20 % is left unsold at 10 %',
    file: 'src/domain/rules.ts',
    text: 'return lastPrice < limits.low || lastPrice > limits.high ? undefined : limits',
    becomes: 'return limits',
    test: [
      'test/domain/rules.test.ts',
      'a market that trades beyond the limits of the table has others',
    ],
  },
  {
    id: 'strategies-spend-it-all',
    cost: 'strategies put more into stocks than their part of all assets',
    file: 'src/account/orders/approval.ts',
    text: "    ...(isOwn && order.side === 'buy' && { exposure: exposureOf(state, inputs) }),\n",
    becomes: '',
    test: [
      'test/account/strategies/total-position.test.ts',
      'a supplementary purchase keeps all holdings below their part of all assets',
    ],
  },
  {
    id: 'crossed-before-its-band',
    cost: 'a price that falls below the stop while the band is moved wakes nobody',
    file: 'actors/account/holdings.ts',
    text: '    if (crossed.length > 0) this.#crossed(crossed)\n',
    becomes: '',
    test: [
      'test/actors/holdings.test.ts',
      'a price that fell before its band was set is looked at all the same',
    ],
  },
  {
    id: 'rest-of-yesterday',
    cost: 'what was left of a sale of yesterday is sold today, at another price and beside today’s',
    file: 'src/account/strategies/stop-profit/follow-up.ts',
    text: '  day < dayInForce(state, nowMs) || (',
    becomes: '  (',
    test: [
      'test/account/strategies/stop-profit/follow-up.test.ts',
      'the rest of yesterday is not sent today',
    ],
  },
  {
    id: 'tries-used-up-at-noon',
    cost: 'what is left of a first take-profit at half past eleven is never sold, or with the full exit only',
    file: 'src/account/strategies/stop-profit/follow-up.ts',
    text: "  if (isMarketClosed(state, inputs.nowMs)) return 'later'\n  if (oldQuoteLeftMs(turn, order.code) > 0) return 'later'\n  const price = priceOfRest(turn, order, chain?",
    becomes:
      "  if (oldQuoteLeftMs(turn, order.code) > 0) return 'later'\n  const price = priceOfRest(turn, order, chain?",
    test: [
      'test/account/strategies/stop-profit/noon.test.ts',
      'F498 so does the next part of a first take-profit',
    ],
  },
  {
    id: 'doubt-disarms-the-stop',
    cost: 'one order whose fate is unknown keeps the stop of its stock from selling what is free',
    file: 'src/account/strategies/stop-profit/follow-up.ts',
    text: ' || mayGoBeside(state, order, exit),\n',
    becomes: ' || exit === order.signalType,\n',
    test: [
      'test/account/strategies/stop-profit/doubt.test.ts',
      'a stop sells what no order in doubt may have taken',
    ],
  },
  {
    id: 'stop-beside-itself',
    cost: 'a stop in doubt is sent a second time, and both sell',
    file: 'src/account/strategies/stop-profit/follow-up.ts',
    text: '  (order.signalType !== signalType || isTakenOff(state, order))\n',
    becomes: '  (order.signalType !== undefined || isTakenOff(state, order))\n',
    test: [
      'test/account/strategies/stop-profit/doubt.test.ts',
      'a stop in doubt is not wanted again',
    ],
  },
  {
    id: 'locked-stop-resent',
    cost: 'locked at the limit a stop is sent again every 30 seconds, and loses its place each time',
    file: 'src/account/strategies/stop-profit/keep-place.ts',
    text: "  if (restsAt === price) return 'same_price'\n",
    becomes: '',
    test: [
      'test/account/strategies/stop-profit/keep-place.test.ts',
      'an order whose time is up keeps its place where a cancel helps nothing',
    ],
  },
  {
    id: 'resubmissions-begin-anew',
    cost: 'each new detection of a stop begins with three resubmissions of its own, all day long',
    file: 'src/account/strategies/stop-profit/keep-place.ts',
    text: "  return isUsedUp && !isInTheWay ? 'used_up' : undefined\n",
    becomes: '  return undefined\n',
    test: [
      'test/account/strategies/stop-profit/keep-place.test.ts',
      'the limit of resubmissions holds for the day, over new detections and restarts',
    ],
  },
  {
    id: 'refused-stop-floods',
    cost: 'a stop that the counter refuses is sent every ten seconds, all day long',
    file: 'src/account/orders/pace.ts',
    text: '  if (beyond <= 0) return',
    becomes: '  if (beyond <= 99_999) return',
    test: [
      'test/account/strategies/stop-profit/keep-place.test.ts',
      'a signal whose orders end unfilled again and again is sent ever more seldom',
    ],
  },
  {
    id: 'stop-before-shares-are-free',
    cost: 'a stop that takes the place of a take-profit sells only what was beside it',
    file: 'src/account/strategies/stop-profit/give-way.ts',
    text: '  if (freed === undefined || nowMs >= freed.untilMs) return undefined\n',
    becomes: '  if (freed === undefined || nowMs > 0) return undefined\n',
    test: [
      'test/account/strategies/stop-profit/replace.test.ts',
      'on: the stop takes its place, after its end, with all that is left',
    ],
  },
  {
    id: 'quiet-after-the-first-profit',
    cost: 'a high above which nobody looks moves the exit of the rest, and the fall to it is slept through',
    file: 'src/strategy/stop-profit/stop-profit-band.ts',
    text: '  if (profitTriggered || breakoutTriggered) return NO_PRICE\n',
    becomes: '  if (breakoutTriggered) return NO_PRICE\n',
    test: [
      'test/strategy/stop-profit/stop-profit-band.test.ts',
      'up to the quiet price a new high changes nothing but itself',
    ],
  },
  {
    id: 'quiet-without-a-high-of-the-day',
    cost: 'a high that nothing keeps is never looked at, and what would follow from it comes lower',
    file: 'src/market/bands.ts',
    text: 'return isHighTold && price <= quiet ? NEW_HIGH : OUTSIDE',
    becomes: 'return price <= quiet ? NEW_HIGH : OUTSIDE',
    test: ['test/market/bands.test.ts', 'a new high that no high of the day keeps is not quiet'],
  },
]
