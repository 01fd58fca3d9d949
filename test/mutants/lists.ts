import type { Mutant } from './mutant.ts'

/** What the rows and lists of a trading client say of an order, and what they do not. */
export const LISTS_MUTANTS: readonly Mutant[] = [
  {
    id: 'empty-list-is-the-truth',
    cost: 'after a login of the terminal all holdings are begun anew: a first take-profit is sold once more',
    file: 'src/account/client/position-reports.ts',
    text: 'isDenied(turn) ? DENIED_PATIENCE : 1',
    becomes: '1',
    test: [
      'test/account/client/zeros.test.ts',
      'F407 an empty list beside a market value of what is held takes nothing away',
    ],
  },
  {
    id: 'missing-once-is-missing',
    cost: 'one list that lags puts every open order in doubt, and purchases of its stock are held',
    file: 'src/account/client/listed.ts',
    text: 'askedMs - fullMs >= settleMs',
    becomes: 'askedMs >= fullMs',
    test: [
      'test/account/client/vanished.test.ts',
      'an open order that one list does not show stays as it is',
    ],
  },
  {
    id: 'short-list-is-the-truth',
    cost: 'the short list right after a reconnect puts open orders in doubt',
    file: 'src/account/client/listed.ts',
    text: '  rows.length === 0 || rows.length < due.length * SHORT_LIST\n',
    becomes: '  rows.length < 0 && due.length > SHORT_LIST\n',
    test: [
      'test/account/client/vanished.test.ts',
      'a list that is empty, or much shorter than it was, proves nothing until it lasts',
    ],
  },
  {
    id: 'vanished-though-frozen',
    cost: 'an order that lives unlisted counts as ended, and a grid buys its level again',
    file: 'src/account/orders/vanished.ts',
    text: "  if (isFrozenFor(rest, reports, terms)) return 'frozen'\n",
    becomes: '',
    test: [
      'test/account/client/vanished.test.ts',
      'with its shares still frozen a person decides, at once, and what is free may be sold',
    ],
  },
  {
    id: 'vanished-keeps-its-shares',
    cost: 'a stop waits for ever for an order that the client lists no more',
    file: 'src/account/orders/available.ts',
    text: "  if (orderId !== '') return (unseen.get(clientOrderId)?.numberedAt ?? at) <= at\n",
    becomes: "  if (orderId !== '') return false\n",
    test: [
      'test/account/strategies/stop-profit/vanished.test.ts',
      'a stop takes all that the client lets go while a lost sale is still looked for',
    ],
  },
  {
    id: 'copy-is-ours',
    cost: 'what a person bought with a copied remark is booked to our order',
    file: 'src/account/client/renumbered.ts',
    text: "  if (isListed(listed, order)) return 'stranger'\n",
    becomes: "  if (isListed(listed, order)) return 'renumbered'\n",
    test: [
      'test/account/client/renumbered.test.ts',
      'one list does not decide it, and the row is nobody’s meanwhile',
    ],
  },
  {
    id: 'lost-order-is-a-strangers',
    cost: 'after a backup was put back, a key that comes again is sent again',
    file: 'src/account/client/reports.ts',
    text: '  if (order === undefined && bearsLostId(state, report)) {\n',
    becomes: '  if (order !== undefined && bearsLostId(state, report)) {\n',
    test: [
      'test/account/client/restore.test.ts',
      'the same key means that order, and nothing is sent',
    ],
  },
  {
    id: 'bound-with-two-candidates',
    cost: "somebody else's order is taken for ours, and ours goes on unseen",
    file: 'src/account/client/doubt.ts',
    text: 'else if (second === undefined && isOnlyOrderOf(',
    becomes: 'else if (isOnlyOrderOf(',
    test: [
      'test/account/client/doubt.test.ts',
      'several candidates, or a late one, are for the operator',
    ],
  },
  {
    id: 'deal-under-our-day',
    cost: 'a deal that the client still lists after midnight is booked twice',
    file: 'src/account/client/same-number.ts',
    text: 'deals.get(dealKey(deals, exchangeDay(deal.timeMs), deal))',
    becomes: "deals.get(dealKey(deals, '2026-08-12', deal))",
    test: [
      'test/account/client/late-deals.test.ts',
      'a deal that the client still lists after our day has opened is booked once',
    ],
  },
  {
    id: 'deal-of-another-order-is-known',
    cost: 'where a counter numbers the deals of each order by themselves, those of the second are lost, and it stays open',
    file: 'src/account/client/same-number.ts',
    text: 'isOfAnotherOrder(booked, deal, order) ?',
    becomes: 'false ?',
    test: [
      'test/account/client/same-numbers.test.ts',
      'F872 a counter that numbers the deals of each order by themselves',
    ],
  },
  {
    id: 'deal-told-again-is-another',
    cost: 'a deal that is told again under a later number of its order is booked twice',
    file: 'src/account/client/same-number.ts',
    text: '  if (isAlike(booked.deal, deal)) return false\n',
    becomes: '',
    test: [
      'test/account/client/same-numbers.test.ts',
      'F872 one that is told again under a later number of its order is that one',
    ],
  },
  {
    id: 'deal-key-without-side',
    cost: 'of two deals that bear one number only the first is booked',
    file: 'src/account/model/deal-key.ts',
    text: '{deal.side}|$',
    becomes: '{""}|$',
    test: [
      'test/account/client/late-deals.test.ts',
      'deals of one number on two sides, two stocks or two days are two deals',
    ],
  },
  {
    id: 'deal-key-with-zeros',
    cost: 'a deal whose number a push and a list write with and without zeros is booked twice',
    file: 'src/account/model/deal-key.ts',
    text: "deal.dealId.replace(/^0+(?=.)/, '')",
    becomes: 'deal.dealId',
    test: [
      'test/account/client/late-deals.test.ts',
      'F867 a deal whose number is told with zeros before it and without is one',
    ],
  },
  {
    id: 'empty-report-is-believed',
    cost: 'a client that is not ready yet sends an empty list, and the comparison calls it equal',
    file: 'src/account/client/compare.ts',
    text: '  return ownOfToday(turn, report.what).some(\n',
    becomes: '  return [].some(\n',
    test: [
      'test/account/client/reconcile.test.ts',
      'an empty report where our books have rows is unavailable, and unbooks nothing',
    ],
  },
  {
    id: 'absent-beside-a-row-left-out',
    cost: 'the one row that nobody can read is the order, which counts as never taken and is sent again',
    file: 'src/account/client/doubt.ts',
    text: '  if (isWhole) decideAll(',
    becomes: '  decideAll(',
    test: [
      'test/account/client/left-out.test.ts',
      'an order in doubt is not absent while any row of a look could not be read',
    ],
  },
  {
    id: 'unseen-sale-is-forgotten-with-its-stock',
    cost: 'with two sales of one stock under way the second is not taken off, and its shares are sold again',
    file: 'src/account/model/unseen-orders.ts',
    text: '    else ids.add(clientOrderId)\n',
    becomes: '',
    test: [
      'test/account/model/unseen-orders.test.ts',
      'those of a stock are what a look at all of them finds',
    ],
  },
  {
    id: 'older-by-its-clock-is-a-copy',
    cost: 'where the computer’s clock is ahead, an order with a new number is a stranger’s, and its fills are nobody’s',
    file: 'src/account/client/renumbered.ts',
    text: '(isFromIt || row.timeMs',
    becomes: '(row.timeMs',
    test: [
      'test/account/client/renumbered.test.ts',
      'by a clock ahead of the client’s a row that bears our id is ours all the same',
    ],
  },
  {
    id: 'fills-of-a-copy-are-ours',
    cost: 'what a person bought with a copied remark counts as filled of an order of ours that was found again',
    file: 'src/account/client/earlier-fills.ts',
    text: ' && !isShown\n',
    becomes: ' && (listed === undefined || !isShown || isShown)\n',
    test: [
      'test/account/client/restore.test.ts',
      'fills of somebody’s copy of an order that is found again are not its fills',
    ],
  },
  {
    id: 'zeros-are-cash',
    cost: 'a terminal without a login closes all holdings, and a first take-profit is sold again after the login',
    file: 'src/account/client/on-driver.ts',
    text: '  if (hasTurnedZero(turn.state, result.value)) return',
    becomes: '  if (hasTurnedZero(turn.state, result.value) && turn.state.isLaneEmpty) return',
    test: [
      'test/account/client/zeros.test.ts',
      'F384 zeros and empty lists of a client without a login take nothing away',
    ],
  },
  {
    id: 'empty-account-after-a-connect',
    cost: 'a terminal that lets us in before its login has orders given up that are open at the broker',
    file: 'src/account/client/zeros.ts',
    text: '  return isListEmpty && isZeros(asset.rows[0]) && hasBooks(state)\n',
    becomes: '  return isListEmpty && isZeros(asset.rows[0]) && state.calls.size < 0\n',
    test: [
      'test/account/client/zeros.test.ts',
      'F384 nor is an order gone that such a client does not list',
    ],
  },
  {
    id: 'a-cancel-in-hand-is-never-undone',
    cost: 'a stop whose cancel the exchange has refused is neither canceled again nor sent anew',
    file: 'src/account/client/cancel-undone.ts',
    text: 'asked.wallMs - sinceMs < state.policy.limits.doubtSettleMs',
    becomes: 'asked.wallMs - sinceMs >= 0',
    test: [
      'test/account/client/cancel-undone.test.ts',
      'F646 a stop whose cancel the exchange refuses is canceled again, and sent anew',
    ],
  },
  {
    id: 'one-list-undoes-a-cancel',
    cost: 'by a list that is behind an order works on, and is canceled a second time, while it is being canceled',
    file: 'src/account/client/cancel-undone.ts',
    text: 'asked.wallMs - sinceMs < state.policy.limits.doubtSettleMs',
    becomes: 'asked.wallMs < sinceMs',
    test: [
      'test/account/client/cancel-undone.test.ts',
      'F646 a push or a list that is late says nothing',
    ],
  },
  {
    id: 'lists-of-two-connections-undo-a-cancel',
    cost: 'a client that was just started makes an order work on that is being canceled',
    file: 'src/account/client/link.ts',
    text: '  state.undoneSinceMs.clear()\n',
    becomes: '',
    test: [
      'test/account/client/cancel-undone.test.ts',
      'F662 lists of two connections prove no refusal of a cancel together',
    ],
  },
  {
    id: 'rows-behind-undo-a-cancel',
    cost: 'by lists that are half a minute behind the tries of a cancel are used up that went through',
    file: 'src/account/client/cancel-undone.ts',
    text: ' && !lacksFills(row, order)',
    becomes:
      ' && !lacksFills(row, { ...order, filledQuantity: 0 as never, venueFilledQuantity: 0 as never })',
    test: [
      'test/account/client/cancel-undone.test.ts',
      'F663 a list that lacks fills which are known proves no refusal of a cancel',
    ],
  },
  {
    id: 'a-change-forgets-its-cancel',
    cost: 'after a start an order that was to be changed works on, although its cancel was to go on',
    file: 'src/account/client/cancel-undone.ts',
    text: 'isReplaced === true && ',
    becomes: 'isReplaced === false && ',
    test: [
      'test/account/client/cancel-undone.test.ts',
      'F665 the cancel of a changed order goes on after a start, as was said',
    ],
  },
  {
    id: 'in-hand-though-it-came-back',
    cost: 'an order that was missing for a while is neither canceled again nor replaced for the rest of the day',
    file: 'src/account/fold/order-fold.ts',
    text: 'return isUndone || RANK[status]',
    becomes: 'return (isUndone && false) || RANK[status]',
    test: [
      'test/account/client/cancel-undone.test.ts',
      'F666 nor is it forgotten by lists that do not show the order for a while',
    ],
  },
  {
    id: 'lost-holding-forgotten-at-a-start',
    cost: 'a stock that nobody was to sell is sold after a restart beside a client that has left it out of three lists',
    file: 'actors/account/rows.ts',
    text: '  for (const each of lost ?? []) state.lost.set(each.held.code, each)\n',
    becomes: '',
    test: [
      'test/account/client/lost-restart.test.ts',
      'F791 it is the same holding behind a restart, too, or behind two',
    ],
  },
]
