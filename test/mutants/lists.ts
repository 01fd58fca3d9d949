import type { Mutant } from './mutant.ts'

/** What the rows and lists of a trading client say of an order, and what they do not. */
export const LISTS_MUTANTS: readonly Mutant[] = [
  {
    id: 'number-is-proof',
    cost: 'an order of somebody ends a sale of ours that is still at the broker, and its rest is sold twice',
    file: 'src/account/client/bearer.ts',
    text: 'row.side !== numbered.side || row.quantity !== numbered.quantity',
    becomes: 'row.side !== numbered.side && row.quantity !== numbered.quantity',
    test: [
      'test/account/client/exchanged.test.ts',
      'F318 somebody’s order under the number of ours is not ours, by its terms',
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
    file: 'src/account/client/reports.ts',
    text: '  const key = dealKey(exchangeDay(deal.timeMs), deal)\n  if (',
    becomes: '  const key = dealKey(state.day, deal)\n  if (',
    test: [
      'test/account/client/late-deals.test.ts',
      'a deal that the client still lists after our day has opened is booked once',
    ],
  },
  {
    id: 'deal-key-without-side',
    cost: 'of two deals that bear one number only the first is booked',
    file: 'src/account/model/events.ts',
    text: '{deal.side}|$',
    becomes: '{""}|$',
    test: [
      'test/account/client/late-deals.test.ts',
      'deals of one number on two sides, two stocks or two days are two deals',
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
    text: '  if ([...reports.values()].some(({ leftOut }) => leftOut !== undefined)) return\n',
    becomes: '',
    test: [
      'test/account/client/left-out.test.ts',
      'an order in doubt is not absent while any row of a look could not be read',
    ],
  },
  {
    id: 'new-number-is-another-order',
    cost: 'somebody’s order stands twice in the books, and its deals count for one of the two',
    file: 'src/account/client/renumbered.ts',
    text: 'listed === undefined ? !isHeard(state, order) : !isListed(listed, order)',
    becomes: 'listed !== undefined && !isListed(listed, order)',
    test: [
      'test/account/client/renumbered.test.ts',
      'somebody else’s order that is pushed under its new number before any list',
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
    id: 'fills-stay-with-the-old-number',
    cost: 'an order that was found again after a restore never gets the fills that came before it, and stays open',
    file: 'src/account/client/earlier-fills.ts',
    text: 'isOurs ? nobodys : []',
    becomes: 'isOurs ? [] : nobodys.slice(0, 0)',
    test: [
      'test/account/client/restore.test.ts',
      'fills that were told under the number it had before are its fills',
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
    id: 'number-before-id',
    cost: 'a terminal that exchanges numbers ends one order of ours with the cancel of another, and books its fills there',
    file: 'src/account/client/reports.ts',
    text: 'isBearer(numbered, row) && !isAnothers)',
    becomes: 'isBearer(numbered, row))',
    test: [
      'test/account/client/exchanged.test.ts',
      'two orders of ours whose numbers are exchanged are known by their ids',
    ],
  },
  {
    id: 'number-of-two',
    cost: 'an order keeps a number that another one has by now, and its cancel ends that one',
    file: 'src/account/fold/order-fold.ts',
    text: '  if (former === undefined) return [row]\n',
    becomes: '  if (former === undefined || row) return [row]\n',
    test: [
      'test/account/client/exchanged.test.ts',
      'its number is gone at once when a new order is given it, without any list',
    ],
  },
  {
    id: 'number-of-two-exchanges',
    cost: 'a cancel of an order that is missing goes to one of another exchange, which has its number now',
    file: 'src/account/client/renumbered.ts',
    text: '    if (order?.orderId !== orderId || isListed(listed, order)) continue\n',
    becomes: '    if (order?.orderId !== orderId || order) continue\n',
    test: [
      'test/account/client/exchanged.test.ts',
      'F324 one of two exchanges that is not listed leaves its number to the other',
    ],
  },
  {
    id: 'former-number-wins',
    cost: 'news of an order goes to the one that had its number before',
    file: 'src/account/fold/order-numbers.ts',
    text: '    if (!isAnothers(state, number, order)) indexNumber(state, number, order)\n',
    becomes:
      '    if (isAnothers(state, number, order) || true) indexNumber(state, number, order)\n',
    test: [
      'test/account/client/exchanged.test.ts',
      'two orders of ours whose numbers are exchanged are known by their ids',
    ],
  },
  {
    id: 'record-of-a-number',
    cost: 'the record of one order of a grid is overwritten by that of another, which has its number now',
    file: 'src/account/orders/deal-record.ts',
    text: '    clientOrderId === undefined\n      ? [record',
    becomes: '    clientOrderId !== undefined\n      ? [record',
    test: [
      'test/account/strategies/grid/records.test.ts',
      'F327 so has a sale with the number that another sale had',
    ],
  },
  {
    id: 'fills-of-a-number',
    cost: 'an order that is found again is taken for filled by the deals of another',
    file: 'src/account/client/earlier-fills.ts',
    text: '!state.orders.has(clientOrderId)',
    becomes: "clientOrderId !== 'none'",
    test: [
      'test/account/client/restore.test.ts',
      'F327 fills of an order of ours that had its number are not its fills',
    ],
  },
  {
    id: 'lost-by-its-number',
    cost: 'an order that the books have lost is taken for the one that had its number, and is never seen',
    file: 'src/account/client/bearer.ts',
    text: '    bearsLostId(state, row) || row.side',
    becomes: '    row.side',
    test: [
      'test/account/client/restore.test.ts',
      'F327 fills of an order of ours that had its number are not its fills',
    ],
  },
  {
    id: 'deal-by-its-number',
    cost: 'a deal of an order that the books have lost is booked to the one that had its number',
    file: 'src/account/client/reports.ts',
    text: "  const isOfLost = numbered?.strategy !== 'external' && bearsLostId(state, row)\n",
    becomes: '  const isOfLost = false\n',
    test: [
      'test/account/client/restore.test.ts',
      'F327 nor is what is told of it first news of the one that had its number',
    ],
  },
  {
    id: 'tries-of-another-number',
    cost: 'an order that is to be canceled works on, because it was not known by the number before',
    file: 'src/account/client/renumbered.ts',
    text: '  countTriesAnew(turn, clientOrderId)\n',
    becomes: '  void countTriesAnew\n',
    test: [
      'test/account/client/renumbered.test.ts',
      'F328 an order that is to be canceled is canceled under its new number',
    ],
  },
  {
    id: 'fills-of-who-had-the-number',
    cost: 'an order is taken for filled by the deals of somebody else',
    file: 'src/account/fold/renumber-fold.ts',
    text: '      !orders.has(clientOrderId) &&\n',
    becomes: '      orders.size > 0 &&\n',
    test: [
      'test/account/client/renumbered.test.ts',
      'F328 fills of somebody’s order that had the number are not its fills',
    ],
  },
  {
    id: 'fills-under-no-number',
    cost: 'a rest is sent again although it is filled, because no order was listed by the number of the deal',
    file: 'src/account/client/renumbered.ts',
    text: '  const isIts = isGone(state, named) || !isWaitedFor(turn, deal)\n',
    becomes: '  const isIts = isGone(state, named)\n',
    test: [
      'test/account/client/renumbered.test.ts',
      'F328 fills that bear its id under a number that was never listed are its fills',
    ],
  },
]
