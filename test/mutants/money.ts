import type { Mutant } from './mutant.ts'

/** Cash, shares, prices, fees, and who may stop an order. */
export const MONEY_MUTANTS: readonly Mutant[] = [
  {
    id: 'cash-is-not-reserved',
    cost: 'two purchases at once spend the same money',
    file: 'src/account/orders/available.ts',
    text: "const orders = [...unseenOf(state, 'buy')].filter(counts)",
    becomes: "const orders = [...unseenOf(state, 'buy')].filter(() => false)",
    test: ['test/account/orders/available.test.ts', 'two purchases within a second share the cash'],
  },
  {
    id: 'shares-are-not-reserved',
    cost: 'what was sold a moment ago is sold again before the client has said so',
    file: 'src/account/orders/available.ts',
    text: '  const byList = listed.sellable - uncounted(state, listed, { orders: sales, amountOf: sharesOf })\n',
    becomes: '  const byList = listed.sellable as number\n',
    test: [
      'test/account/failures-news.test.ts',
      'F31 an open sale that is not in the reports yet counts against what may be sold',
    ],
  },
  {
    id: 'open-sale-is-free',
    cost: 'a client that never takes open sales off lets all of it be sold again',
    file: 'src/account/orders/available.ts',
    text: ' - askedFor(state, code, { listed, counts })\n',
    becomes: '\n',
    test: [
      'test/account/orders/available.test.ts',
      'a client that never shows a sale is believed in the end, but for what is there',
    ],
  },
  {
    id: 'doubt-is-not-reserved',
    cost: 'shares of an order that may still arrive are sold beside it',
    file: 'src/account/orders/approval.ts',
    text: '    sellableReserved: shares.inDoubt,\n',
    becomes: '    sellableReserved: 0 as Quantity,\n',
    test: [
      'test/account/client/clearance.test.ts',
      'an order whose call still stands is not sold a second time by lists',
    ],
  },
  {
    id: 'list-that-is-behind',
    cost: 'a list of the holdings that lags gives back what was just sold',
    file: 'src/account/client/shown.ts',
    text: '  return row.sellable <= sellable && row.quantity === quantity\n',
    becomes: '  return row.sellable <= sellable || row.quantity >= 0\n',
    test: [
      'test/account/orders/available.test.ts',
      'lists that are behind give nothing back before they could not be behind',
    ],
  },
  {
    id: 'bought-today-sold-today',
    cost: 'shares of today are offered; the exchange refuses, and the stop has sold nothing',
    file: 'src/drivers/paper/step.ts',
    text: '(held?.locked ?? 0) + (isLocked ? quantity : 0)',
    becomes: '(held?.locked ?? 0) + (isLocked ? 0 : 0)',
    test: [
      'test/drivers/paper-books.test.ts',
      'bought today is not sellable today (T+1), a convertible bond is',
    ],
  },
  {
    id: 'sellable-from-the-disk',
    cost: 'after a start yesterday’s sellable shares are offered before the client has spoken',
    file: 'actors/account/rows.ts',
    text: 'state.positions.set(position.code, { ...position, sellable: 0 as Quantity })',
    becomes:
      'state.positions.set(position.code, { ...position, sellable: position.sellable as Quantity })',
    test: [
      'test/actors/loaded-state.test.ts',
      'what may be sold is not restored: only the client knows it',
    ],
  },
  {
    id: 'half-is-rounded-up',
    cost: 'half of an odd number of lots sells a lot too many',
    file: 'src/strategy/stop-profit/order-size.ts',
    text: 'Math.floor((sellable * Math.round(ratio * PPM)) / (PPM * LOT)) * LOT',
    becomes: 'Math.ceil((sellable * Math.round(ratio * PPM)) / (PPM * LOT)) * LOT',
    test: [
      'test/strategy/stop-profit/order-size.test.ts',
      'a half sale is rounded to lots with a minimum of 100; less than that is sold whole',
    ],
  },
  {
    id: 'odd-remainder-is-split',
    cost: 'an odd remainder is offered in parts, which the exchange refuses',
    file: 'src/domain/rules.ts',
    text: '  return quantity % lotStep === sellable % lotStep\n',
    becomes: '  return quantity <= sellable\n',
    test: ['test/domain/rules.test.ts', 'quantities follow the lots of the board'],
  },
  {
    id: 'any-tick',
    cost: 'prices between two ticks leave and are refused one after the other',
    file: 'src/domain/rules.ts',
    text: 'price % tickSize === 0',
    becomes: 'price % 10 === 0 || tickSize === 0',
    test: ['test/domain/risk.test.ts', 'a limit is a whole number of ticks of the board'],
  },
  {
    id: 'price-limit-is-truncated',
    cost: 'the limit price of the day is a cent too low: a stop at the limit is refused',
    file: 'src/domain/rules.ts',
    text: 'Math.floor((2 * lastClose * bp + tickSize * BP) / (2 * tickSize * BP))',
    becomes: 'Math.floor((lastClose * bp) / (tickSize * BP))',
    test: [
      'test/domain/rules.test.ts',
      'price limits follow board and day, half up to the tick, at least one tick',
    ],
  },
  {
    id: 'commission-without-minimum',
    cost: 'small orders seem to cost nothing, and the cash runs short',
    file: 'src/domain/fees.ts',
    text: 'Math.max(rates.commissionMin, part(amount, rates.commissionPpm))',
    becomes: 'part(amount, rates.commissionPpm)',
    test: [
      'test/domain/fees.test.ts',
      'commission with its minimum, stamp duty on stock sales, transfer fee',
    ],
  },
  {
    id: 'entries-stop-nothing',
    cost: 'after a large loss of the day it goes on buying',
    file: 'src/domain/risk.ts',
    text: "killLevel === 'entries' ? order.side === 'buy' : killLevel !== 'off'",
    becomes: "killLevel !== 'entries' && killLevel !== 'off'",
    test: [
      'test/domain/risk.test.ts',
      'the kill switch stops purchases at entries and everything above it',
    ],
  },
  {
    id: 'kill-switch-not-written',
    cost: 'a restart lets through what a person had stopped',
    file: 'src/account/fold/fold-safety.ts',
    text: "  if (event.trigger === 'max_daily_loss') {\n    state.dayTotal = { ...state.dayTotal, firedAt: event.value as Money }\n  }\n  return SAFETY\n",
    becomes:
      "  if (event.trigger === 'max_daily_loss') {\n    state.dayTotal = { ...state.dayTotal, firedAt: event.value as Money }\n    return SAFETY\n  }\n  return []\n",
    test: ['test/actors/loaded-state.test.ts', 'an account begins with all that its tables hold'],
  },
  {
    id: 'trigger-lowers-the-switch',
    cost: 'a trigger takes a level back that a person has set',
    file: 'src/account/orders/triggers.ts',
    text: '  if (!isHigher(level, before)) return\n',
    becomes: '  if (level === before || isHigher(level, level)) return\n',
    test: ['test/account/orders/triggers.test.ts', 'a trigger only raises'],
  },
  {
    id: 'setting-out-of-range',
    cost: 'a stop of 750 % is saved where 7.5 was meant',
    file: 'src/domain/settings/parameters.ts',
    text: 'range: { min: Math.min(...ends), max: Math.max(...ends) },',
    becomes: 'range: { min: Math.min(...ends), max: Math.max(...ends) * 100 },',
    test: [
      'test/domain/settings/parameters.test.ts',
      'every range of the API is the one of the file in other units',
    ],
  },
  {
    id: 'funds-pay-a-transfer-fee',
    cost: 'the fees of funds and bonds are reckoned too high, and a purchase is refused for them',
    file: 'src/domain/fees.ts',
    text: 'law === 0 ? 0 : (set ?? law)',
    becomes: 'set ?? law',
    test: ['test/domain/fees.test.ts', 'every rate can be set'],
  },
  {
    id: 'most-leaves-no-room-for-fees',
    cost: '100 % of the cash is offered, and the order is refused for its fees',
    file: 'src/domain/largest-quantity.ts',
    text: 'amount + fees.total <= free',
    becomes: 'amount <= free',
    test: [
      'test/domain/largest-quantity.test.ts',
      'the most shares of an order leave room for fees, lots and limits',
    ],
  },
  {
    id: 'ticket-passes-without-a-quote',
    cost: 'an order that nobody could check is shown as good',
    file: 'web/console/ticket-state.ts',
    text: "  if ((facts?.answer.quote?.last_price ?? 0) <= 0) return 'noQuote'\n",
    becomes: '',
    test: [
      'test/web/ticket-state.test.ts',
      'a ticket is good only while all that it needs is known and new',
    ],
  },
]
