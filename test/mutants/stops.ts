import type { Mutant } from './mutant.ts'

const BESIDE_GRID = 'test/account/strategies/stop-profit/beside-grid.test.ts'

/** What keeps a stop back, and what it does about it. */
export const STOPS_MUTANTS: readonly Mutant[] = [
  {
    id: 'limit-of-an-order-keeps-the-stop-back',
    cost: 'a holding that is worth more than one order may be is never sold, however far it falls',
    file: 'src/strategy/stop-profit/stop-profit-pass.ts',
    text: 'Math.min(wanted, input.largestSale(sellable))',
    becomes: 'Math.min(wanted, sellable)',
    test: [
      'test/account/strategies/stop-profit/order-value.test.ts',
      'a stop of more than one order may be worth is sold in parts',
    ],
  },
  {
    id: 'limit-below-a-lot-keeps-the-stop-back',
    cost: 'a limit below what the fewest shares of a dear stock are worth leaves it without a stop',
    file: 'src/account/orders/largest-protective.ts',
    text: 'Math.max(most, rule.lotMin)',
    becomes: 'most',
    test: [
      'test/account/strategies/stop-profit/order-value.test.ts',
      'where not even the fewest shares fit, these are sold, one order after the other',
    ],
  },
  {
    id: 'grid-keeps-the-stop-back',
    cost: 'a stop waits for minutes for a sale of a grid that nobody will buy from while the price falls',
    file: 'src/account/strategies/stop-profit/held-stop.ts',
    text: '  for (const order of inTheWay) withdraw(turn, order)\n',
    becomes: '',
    test: [
      BESIDE_GRID,
      'a stop has the sale of a grid withdrawn, and sells the whole holding at once',
    ],
  },
  {
    id: 'grid-sells-again-before-the-stop',
    cost: 'the rest of a grid’s canceled sale is sent before the stop, and keeps it back once more',
    file: 'src/account/strategies/stop-profit/held-stop.ts',
    text: ' || one.isReorderWanted === true)',
    becomes: ')',
    test: [BESIDE_GRID, 'a grid’s sale that is canceled for its age is not sent again then'],
  },
  {
    id: 'grid-stays-at-the-stop-itself',
    cost: 'a stop at exactly its price waits for a cent more, behind the sale of a grid',
    file: 'src/account/strategies/stop-profit/held-stop.ts',
    text: 'quote.lastPrice > stopPrice(policy, position.costPrice)',
    becomes: 'quote.lastPrice >= stopPrice(policy, position.costPrice)',
    test: [BESIDE_GRID, 'the price of the stop itself is low enough'],
  },
  {
    id: 'persons-order-is-withdrawn-with-it',
    cost: 'a grid’s sale is given up for a stop that a person’s order keeps back anyway',
    file: 'src/account/strategies/stop-profit/held-stop.ts',
    text: ' || !open.every(isOfGrid)) return undefined',
    becomes: ' || !open.some(isOfGrid)) return undefined',
    test: [BESIDE_GRID, 'it stays where the stop could not be sent all the same'],
  },
  {
    id: 'freed-sale-splits-the-stop',
    cost: 'a stop sells what an old list shows as free, and the shares of the ended sale later and lower',
    file: 'src/account/strategies/stop-profit/give-way.ts',
    text: '!(isTakeProfit(order) || isAnothers)',
    becomes: '!(isTakeProfit(order) || (isAnothers && order.isReplaced !== true && isOver))',
    test: [BESIDE_GRID, 'nor do two of grids, of which one had a session that has ended'],
  },
  {
    id: 'stuck-grid-keeps-the-stop-back',
    cost: 'a stop of the last minutes, or of a day on which no cancel succeeds, waits until the close for an order of a grid',
    file: 'src/account/strategies/stop-profit/follow-up.ts',
    text: "(isOverlooked && exit === 'stop_loss') || ",
    becomes: '',
    test: [
      'test/account/strategies/stop-profit/stuck-grid.test.ts',
      'F322 in the closing auction a stop goes beside the orders of a grid',
    ],
  },
  {
    id: 'grid-buys-what-is-sold-out',
    cost: 'a grid buys while the stop of its stock is sent, and its purchase keeps the stop back once more',
    file: 'src/strategy/grid/plan.ts',
    text: "  if (isSellingOut && signal.side === 'buy') return 'selling_out'\n",
    becomes: '',
    test: [BESIDE_GRID, 'F323 a grid buys nothing while a stop waits for the end of its own sale'],
  },
  {
    id: 'first-cost-for-none',
    cost: 'one report without a cost, and a stop-loss measured by the first cost sells everything',
    file: 'src/account/client/position-reports.ts',
    text: 'row.costPrice > UNKNOWN_COST ? row.costPrice : before.costPrice',
    becomes: 'row.costPrice > UNKNOWN_COST ? row.costPrice : before.baseCostPrice',
    test: [
      'test/account/strategies/stop-profit/cost.test.ts',
      'a report without a cost sells nothing that the cost of before would not',
    ],
  },
  {
    id: 'unknown-cost-is-a-cent',
    cost: 'a holding whose cost nobody has told is sold as if it had cost nothing',
    file: 'src/domain/position.ts',
    text: '  return cost > UNKNOWN_COST ? cost : (0 as Price)\n',
    becomes: '  return cost\n',
    test: [
      'test/account/strategies/stop-profit/cost.test.ts',
      'a holding whose cost nobody has told is not sold for its profit',
    ],
  },
  {
    id: 'rest-with-another-odd-part',
    cost: 'after a fill that was no whole lot the rest of a first take-profit is given up',
    file: 'src/account/strategies/stop-profit/follow-up.ts',
    text: '  if (free >= rest.quantity) return inLots(turn.state, order, { rest, free })\n',
    becomes: '  if (free >= rest.quantity) return rest\n',
    test: [
      'test/account/strategies/stop-profit/rest-in-lots.test.ts',
      'the rest of a first take-profit is sent again: in whole lots beside another odd remainder',
    ],
  },
  {
    id: 'rest-though-switched-off',
    cost: 'with the master switch off an order is sent again at another price',
    file: 'src/account/strategies/stop-profit/follow-up.ts',
    text: "  if (!areSwitchesOn(state, order.code)) return 'it is switched off'\n",
    becomes: '',
    test: [
      'test/account/strategies/stop-profit/switched-off.test.ts',
      'nothing is sent in the place of an order while the master switch is off',
    ],
  },
  {
    id: 'canceled-though-switched-off',
    cost: 'with the master switch off a stop that rests is canceled, and nothing is sent instead',
    file: 'src/account/strategies/stop-profit/keep-place.ts',
    text: "  if (!areSwitchesOn(state, order.code)) return 'switched_off'\n",
    becomes: '',
    test: [
      'test/account/strategies/stop-profit/switched-off.test.ts',
      'nothing is sent in the place of an order while the master switch is off',
    ],
  },
  {
    id: 'rest-bought-below-the-stop',
    cost: 'the rest of a supplementary purchase is bought at the very price at which the stop sells',
    file: 'src/strategy/stop-profit/add-position.ts',
    text: 'whyNever(policy, state, seen) ?? whyGivenUp(policy, seen)\n',
    becomes: 'whyNever(policy, state, seen)\n',
    test: [
      'test/account/strategies/stop-profit/add-cap.test.ts',
      'what the stop would give up is not bought once more',
    ],
  },
  {
    id: 'rest-beyond-the-cage',
    cost: 'in a thin book the rest of a stop is refused by the exchange',
    file: 'src/account/strategies/stop-profit/keep-place.ts',
    text: '  return price > 0 ? withinCage({ code, side, price }, quote) : price\n',
    becomes: '  return price\n',
    test: [
      'test/account/strategies/stop-profit/follow-up.test.ts',
      'the price of a resubmission follows its chain',
    ],
  },
  {
    id: 'toggle-takes-off-for-on',
    cost: 'whoever switches the stop-profit of the gateway off in a body switches it on, and it sells',
    file: 'http/features/stop-profit.ts',
    text: 'const wanted = inQuery ?? body.enabled',
    becomes: 'const wanted = inQuery ?? true',
    test: [
      'test/http/stop-profit.test.ts',
      'what switches the module on or off, and what does neither',
    ],
  },
  {
    id: 'void-breakout-sells-late',
    cost: 'a first take-profit that had to wait sells when the price is far below it, at a loss',
    file: 'src/strategy/stop-profit/signal-slot.ts',
    text: ' || isVoid(slot.waiting, judgment)',
    becomes: '',
    test: [
      'test/account/strategies/stop-profit/stop-profit.test.ts',
      'F440 a first take-profit that had to wait is not sold late and cheap',
    ],
  },
  {
    id: 'parts-share-three-tries',
    cost: 'a large holding that is sold in parts loses its stop after three cancels, however many parts are left',
    file: 'src/account/model/order-book.ts',
    text: 'return unmet.filter(({ createdMs }) => createdMs > lastMs)',
    becomes: 'return lastMs > 0 ? unmet : unmet',
    test: [
      'test/account/strategies/stop-profit/follow-up.test.ts',
      'F443 each part of a holding that is sold in parts has three tries of its own',
    ],
  },
  {
    id: 'bought-again-with-the-high-of-before',
    cost: 'what was bought anew while the service was away is sold by the high of what was sold before',
    file: 'src/account/client/position-reports.ts',
    text: '  if (isBoughtAgain(turn, row)) closePosition(turn, row.code)\n',
    becomes: '',
    test: [
      'test/account/client/holdings.test.ts',
      'F446 what was sold and bought again while nobody looked starts fresh too',
    ],
  },
]
