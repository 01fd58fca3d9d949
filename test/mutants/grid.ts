import type { Mutant } from './mutant.ts'

/** What grids decide, and how their fills are booked. */
export const GRID_MUTANTS: readonly Mutant[] = [
  {
    id: 'grid-sends-again-at-a-price-of-the-morning',
    cost: 'what is sent again after the break goes at the last price before it',
    file: 'src/account/strategies/grid/follow-up.ts',
    text: '!isQuoteRefused(state, quote, nowMs)',
    becomes: 'nowMs > 0',
    test: [
      'test/account/strategies/grid/sent-again.test.ts',
      'F531 an order that ends in the break at noon is sent again in the afternoon',
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
    id: 'oldest-lot-first',
    cost: 'the profit of a grid is reckoned against the wrong purchases',
    file: 'src/strategy/grid/ledger.ts',
    text: '  for (let lot = work.open.at(-1); lot !== undefined && rest.quantity > 0; lot = work.open.at(-1)) {\n    work.open.pop()\n',
    becomes:
      '  for (let lot = work.open.at(0); lot !== undefined && rest.quantity > 0; lot = work.open.at(0)) {\n    work.open.shift()\n',
    test: ['test/strategy/grid/ledger.test.ts', 'the newest lot goes first: the worked example'],
  },
  {
    id: 'grid-loses-by-an-ex-day',
    cost: 'a bonus issue counts as a loss of a grid and ends it',
    file: 'src/strategy/grid/ledger.ts',
    text: 'withTakenOff(lot, takenOff(lot) + lot.remaining * off)',
    becomes: 'withTakenOff(lot, takenOff(lot))',
    test: [
      'test/account/strategies/grid/ex-day.test.ts',
      'F373 an ex-day is no loss of what a grid holds, and stops none',
    ],
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
    id: 'grid-reserves-what-has-ended',
    cost: 'the last purchase that the quota of a grid has room for is never sent again',
    file: 'src/account/strategies/grid/lookups.ts',
    text: '  return isOver ? 0 : requested - order.filledQuantity\n',
    becomes: '  return requested - (isOver ? 0 : order.filledQuantity)\n',
    test: [
      'test/account/strategies/grid/sent-again.test.ts',
      'what the canceled order had reserved of the quota is there for the next one',
    ],
  },
  {
    id: 'grid-sends-what-a-person-canceled',
    cost: 'a person cancels an order of a grid, and it is sent again at once',
    file: 'src/account/strategies/grid/follow-up.ts',
    text: ' && order.isReorderWanted === true',
    becomes: '',
    test: [
      'test/account/strategies/grid/sent-again.test.ts',
      'what a person cancels is not sent again, although its time is up',
    ],
  },
  {
    id: 'grid-fill-unheard',
    cost: 'what a grid sold while nobody was there is sold a second time',
    file: 'src/account/client/unheard-fills.ts',
    text: 'if (isPlain && least === greatest) take(turn, order, least)',
    becomes: 'if (isPlain && least === greatest) return false',
    test: [
      'test/account/strategies/grid/unheard.test.ts',
      'F828 a sale of a grid that is filled while nobody is there is not made twice',
    ],
  },
  {
    id: 'grid-unclear-fill-goes-on',
    cost: 'a grid that cannot know whether it has bought a level buys it again',
    file: 'src/account/client/unheard-fills.ts',
    text: "    turn.emit({ kind: 'gridSwitched', sessionId, isEnabled: false, tracker, source: SOURCE })\n",
    becomes:
      "    turn.emit({ kind: 'gridSwitched', sessionId, isEnabled: true, tracker, source: SOURCE })\n",
    test: [
      'test/account/strategies/grid/unheard.test.ts',
      'F828 where nobody can tell whose it was the grid is paused',
    ],
  },
  {
    id: 'grid-waits-for-ever',
    cost: 'fills that are counted and never told keep a grid from trading and from stopping, for good',
    file: 'src/account/strategies/grid/follow-up.ts',
    text: '    if (order.day < dayInForce(state, inputs.nowMs)) endUntold(turn, order)\n',
    becomes: '    if (order.day === inputs.nowMs.toString()) endUntold(turn, order)\n',
    test: [
      'test/account/strategies/grid/forgotten.test.ts',
      'the side of an order whose fills never come is free on the next day',
    ],
  },
  {
    id: 'grid-order-that-turned-up',
    cost: 'a grid buys a level twice, and nobody cancels or books an order that turned up after its end',
    file: 'src/account/fold/fold-grid.ts',
    text: '    return isDone ? [] : putOrder(state, { ...grid, isClosed: false })\n',
    becomes: '    return isDone ? [] : []\n',
    test: [
      'test/account/strategies/grid/turns-up.test.ts',
      'it is followed as before: its time, its side, and its part of the quota',
    ],
  },
  {
    id: 'grid-fee-of-each-part',
    cost: 'a grid order that fills in parts pays the least commission once for each, and the net is wrong',
    file: 'src/account/strategies/grid/booking.ts',
    text: '  return (until(after) - until(before)) as Money\n',
    becomes: '  return until((after - before) as Money) as Money\n',
    test: [
      'test/account/strategies/grid/fees.test.ts',
      'an order that is booked in parts pays the least commission once',
    ],
  },
  {
    id: 'second-look-at-a-missing-holding-rings-never',
    cost: 'a grid whose holding is gone goes on until a tick leaves its band, and buys there',
    file: 'src/account/strategies/grid/manifest.ts',
    text: 'missingSinceMs + state.policy.grid.checkEveryMs',
    becomes: 'missingSinceMs - state.policy.grid.checkEveryMs',
    test: [
      'test/account/strategies/grid/sessions.test.ts',
      'a holding that is gone ends it at the second look; a look without news is none',
    ],
  },
]
