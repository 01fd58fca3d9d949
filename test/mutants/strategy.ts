import type { Mutant } from './mutant.ts'

/** What stops, profits and grids decide, and how their fills are booked. */
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
    text: '        (newHigh > 0 && this.#table.isOutside(slot, actor, newHigh))\n',
    becomes: '        false\n',
    test: [
      'test/market/bands.test.ts',
      'a high of the day that a tick brings rings too, once, whatever the price is',
    ],
  },
  {
    id: 'grid-outlives-its-holding',
    cost: 'a grid whose holding was sold at the close buys it again the next morning',
    file: 'src/account/strategies/grid/evaluate.ts',
    text: '  if (quote !== undefined || isCleared) {\n',
    becomes: '  if (quote !== undefined) {\n',
    test: [
      'test/account/strategies/grid/missing-holding.test.ts',
      'a holding that was sold at the close ends its grid the same evening',
    ],
  },
  {
    id: 'grid-sent-again-without-a-holding',
    cost: 'a canceled purchase of a grid is sent again after its holding was sold',
    file: 'src/strategy/grid/plan.ts',
    text: "  if (!isHeld) return 'holding_missing'\n",
    becomes: '',
    test: [
      'test/account/strategies/grid/missing-holding.test.ts',
      'an order that was canceled for its age is not sent again meanwhile',
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
    id: 'oldest-lot-first',
    cost: 'the profit of a grid is reckoned against the wrong purchases',
    file: 'src/strategy/grid/ledger.ts',
    text: '  for (let lot = work.open.at(-1); lot !== undefined && rest.quantity > 0; lot = work.open.at(-1)) {\n    work.open.pop()\n',
    becomes:
      '  for (let lot = work.open.at(0); lot !== undefined && rest.quantity > 0; lot = work.open.at(0)) {\n    work.open.shift()\n',
    test: ['test/strategy/grid/ledger.test.ts', 'the newest lot goes first: the worked example'],
  },
  {
    id: 'grid-books-twice',
    cost: 'a late deal books all fills of a grid order again',
    file: 'src/account/strategies/grid/booking.ts',
    text: '  const quantity = (fills.quantity - order.bookedQuantity) as Quantity\n',
    becomes: '  const quantity = fills.quantity as Quantity\n',
    test: [
      'test/account/strategies/grid/orders.test.ts',
      'what was filled before a cancel is booked all the same',
    ],
  },
  {
    id: 'grid-quota-spent-twice',
    cost: 'a grid buys for more money than it was given',
    file: 'src/strategy/grid/plan.ts',
    text: 'openCostOf(session.ledger) - input.reserved\n',
    becomes: 'openCostOf(session.ledger)\n',
    test: [
      'test/strategy/grid/plan.test.ts',
      'a purchase is refused, each time for its own reason',
    ],
  },
  {
    id: 'grid-sends-the-whole-again',
    cost: 'a grid order that filled in part while it was canceled is sent again with all its shares',
    file: 'src/account/strategies/grid/follow-up.ts',
    text: '    order.filledQuantity === 0 &&\n',
    becomes: '',
    test: [
      'test/account/strategies/grid/orders.test.ts',
      'what fills while its cancel is on its way is not sent again whole',
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
    text: "  if (order.day < dayInForce(state, inputs.nowMs)) return { dropped: 'its day is over' }\n",
    becomes: '',
    test: [
      'test/account/strategies/stop-profit/follow-up.test.ts',
      'the rest of yesterday is not sent today',
    ],
  },
  {
    id: 'doubt-disarms-the-stop',
    cost: 'one order whose fate is unknown keeps the stop of its stock from selling what is free',
    file: 'src/account/strategies/stop-profit/follow-up.ts',
    text: '  return new Set(EXITS.filter((exit) => orders.every((order) => mayGoBeside(state, order, exit))))\n',
    becomes: '  return new Set(EXITS.filter((exit) => orders.every(() => exit === undefined)))\n',
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
]
