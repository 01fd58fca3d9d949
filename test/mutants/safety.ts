import type { Mutant } from './mutant.ts'

/** Kill switch, what raises it, and the limits of orders. */
export const SAFETY_MUTANTS: readonly Mutant[] = [
  {
    id: 'refusals-of-one-stock-count-anew-each-day',
    cost: 'a stock that is suspended for a week raises the kill switch, and the stops of all others are not sent',
    file: 'src/account/model/order-book.ts',
    text: 'if (isRefused(other)) refused.push(other)',
    becomes: 'if (isRefused(other) && other.day === order.day) refused.push(other)',
    test: [
      'test/account/orders/triggers.test.ts',
      'F579 nor does one whose stop is refused day after day',
    ],
  },
  {
    id: 'refusals-of-a-grid-all-count',
    cost: 'a grid of a stock that the account may not buy raises the kill switch, and no stop is sent',
    file: 'src/account/fold/fold-safety.ts',
    text: 'orders.refusedInRowWith(order) > REPEATS_COUNTED',
    becomes: 'order.signalType !== undefined && orders.refusedInRowWith(order) > REPEATS_COUNTED',
    test: [
      'test/account/strategies/grid/refused.test.ts',
      'F582 a grid whose purchases are refused again and again stops no sale',
    ],
  },
  {
    id: 'refusals-before-a-taken-order-count-on',
    cost: 'a counter that refuses all is not noticed where it was sick before: every strategy sends on and on',
    file: 'src/account/model/order-book.ts',
    text: 'refused.filter(({ createdMs }) => createdMs > takenMs).length',
    becomes: 'refused.length',
    test: [
      'test/account/strategies/grid/refused.test.ts',
      'F606 what was refused before one that was taken counts no more',
    ],
  },
  {
    id: 'loss-is-measured-from-midnight',
    cost: 'a repo that is repaid in the morning has to be lost as well before purchases stop',
    file: 'src/account/orders/day-total.ts',
    text: '  return isBeforeAuction(nowMs) && exchangeDay(nowMs) === day\n',
    becomes: '  return false && isBeforeAuction(nowMs) && exchangeDay(nowMs) === day\n',
    test: [
      'test/account/orders/day-loss.test.ts',
      'money that comes before anything trades hides no loss of the day',
    ],
  },
  {
    id: 'market-order-however-far',
    cost: 'an order at what the book offers buys far above the last price, past the rule against it',
    file: 'src/domain/risk.ts',
    text: 'if (order.priceType === PRICE_TYPE.latest) return notForThis()',
    becomes: 'if (order.priceType !== PRICE_TYPE.limit) return notForThis()',
    test: ['test/domain/risk.test.ts', 'a limit stays near the last price, the limit included'],
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
    id: 'changed-limit-is-not-asked',
    cost: 'a limit that was lowered in the page stops nothing',
    file: 'src/account/orders/approval.ts',
    text: '    limits: state.risk,\n',
    becomes: '    limits: policy.risk,\n',
    test: [
      'test/account/commands/risk-limits.test.ts',
      'a limit holds from the next order on, over a restart, until it is put back',
    ],
  },
  {
    id: 'changed-limit-is-forgotten',
    cost: 'a limit that was lowered is the wide one of the file again after a restart',
    file: 'src/account/fold/apply.ts',
    text: '  state.risk = riskInForce(state.policy.risk, state.changedLimits)\n',
    becomes: '  state.risk = riskInForce(state.policy.risk, {})\n',
    test: [
      'test/account/commands/risk-limits.test.ts',
      'a limit holds from the next order on, over a restart, until it is put back',
    ],
  },
  {
    id: 'overtaken-limit-is-written',
    cost: 'a page that was opened before a limit was lowered widens it again',
    file: 'src/account/commands/set-risk-limits.ts',
    text: '  mustBeAsSeen(state, limits)\n',
    becomes: '\n',
    test: [
      'test/account/commands/risk-limits.test.ts',
      'of several either all are changed or none, and one that was seen otherwise is none',
    ],
  },
  {
    id: 'limit-that-is-off-is-the-tightest',
    cost: 'a limit of a live account is switched off without a question',
    file: 'src/domain/settings/risk.ts',
    text: 'return value === 0 ? Number.POSITIVE_INFINITY : value',
    becomes: 'return value',
    test: [
      'test/domain/settings/risk.test.ts',
      'more gets through a higher limit, and through one that is off',
    ],
  },
  {
    id: 'loss-of-the-day-from-costs',
    cost: 'a gain of earlier days hides a loss of the day, up to any limit',
    file: 'src/account/orders/day-total.ts',
    text: 'return priceTotal(turn)\n',
    becomes: 'return false\n',
    test: [
      'test/account/orders/day-loss.test.ts',
      'F375 the loss of the day begins at the first price of a holding, not at its cost',
    ],
  },
  {
    id: 'day-begins-off-scale',
    cost: 'a bonus issue counts as a loss of the day, and nothing is bought',
    file: 'src/account/orders/day-total.ts',
    text: '  if (isOffScale(state, inputs)) return false\n',
    becomes: '',
    test: [
      'test/account/orders/day-loss.test.ts',
      'shares of an ex-day that come before its prices are no loss of the day',
    ],
  },
  {
    id: 'stops-share-the-count',
    cost: 'the orders of a busy day refuse the stop of the afternoon',
    file: 'src/domain/risk.ts',
    text: '  if (isProtective) return notForThis()\n',
    becomes: '',
    test: [
      'test/account/orders/protective-limit.test.ts',
      'protective sales and all other orders are counted for themselves',
    ],
  },
  {
    id: 'repo-is-a-loss-of-the-day',
    cost: 'a reverse repo of the afternoon stops all purchases as a loss, and money that comes hides a real one',
    file: 'src/account/orders/triggers.ts',
    text: 'const result = brokerResult(state, sight)',
    becomes: 'const result = undefined as Money | undefined',
    test: [
      'test/account/orders/day-loss.test.ts',
      'F397 cash that is lent for a night, or moved, is no loss of the day, and hides none',
    ],
  },
  {
    id: 'repo-is-a-loss-at-midnight',
    cost: 'what was lent by a reverse repo stops all purchases of the next day, as a loss, at midnight',
    file: 'src/account/orders/triggers.ts',
    text: ' || exchangeDay(sight.nowMs) !== day',
    becomes: '',
    test: [
      'test/account/orders/day-loss.test.ts',
      'F397 nor is it one in the moment before the next day opens',
    ],
  },
  {
    id: 'bought-shares-have-fallen-all-day',
    cost: 'what was bought in a fallen market stops purchases as a loss, until its deal is told',
    file: 'src/account/orders/day-result.ts',
    text: 'const came = untoldShares(state, code)',
    becomes: 'const came = untoldShares(state, code) * 0',
    test: [
      'test/account/orders/untold-shares.test.ts',
      'shares that are shown before their deal is told have lost nothing yet',
    ],
  },
  {
    id: 'found-shares-were-there-all-day',
    cost: 'shares that came without a deal stop purchases as a loss once they are taken, or hide one',
    file: 'src/account/orders/day-result.ts',
    text: 'found.day === exchangeDay(nowMs) ? found.gained : 0',
    becomes: 'found.day === exchangeDay(nowMs) ? 0 : 0',
    test: [
      'test/account/orders/untold-shares.test.ts',
      'nor do shares that no deal explains begin the day anew',
    ],
  },
  {
    id: 'first-price-of-unexplained-shares',
    cost: 'shares bought while nobody looked stop purchases as a loss at their first price, or hide one',
    file: 'src/account/orders/day-result.ts',
    text: ' - untoldShares(state, code)\n',
    becomes: '\n',
    test: [
      'test/account/orders/untold-shares.test.ts',
      'nor have those lost or gained anything before their first price',
    ],
  },
  {
    id: 'unexplained-shares-are-forgotten-by-a-start',
    cost: 'shares that no deal explains are in no loss of any day any more, and their sales have no known cost',
    file: 'src/account/orders/costs.ts',
    text: "    if (event.kind === 'connected' && isBegun) doubtAll(state)\n",
    becomes: '',
    test: [
      'test/account/orders/costs.test.ts',
      'F960 a start, or a push before the first lists, forgets no shares that no deal explains',
    ],
  },
]
