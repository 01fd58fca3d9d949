import type { Mutant } from './mutant.ts'

/** The numbers that a trading client gives orders, and gives others when it was started anew. */
export const NUMBERS_MUTANTS: readonly Mutant[] = [
  {
    id: 'cancel-by-a-number-of-before',
    cost: 'a stop that is placed anew, or the kill switch, cancels an order of somebody else, and ours works on',
    file: 'src/account/model/order-numbers.ts',
    text: 'heard.has(clientOrderId) ||',
    becomes: "orderId !== '' ||",
    test: [
      'test/account/client/cancel-by-number.test.ts',
      'F535 it goes to no order that has the number by then, and to its own once found',
    ],
  },
  {
    id: 'short-lists-free-numbers',
    cost: 'a cancel takes the order of somebody else back that a short list did not show yet',
    file: 'src/account/model/order-numbers.ts',
    text: '(known.has(clientOrderId) && ',
    becomes: '(',
    test: [
      'test/account/client/cancel-by-number.test.ts',
      'F535 and where it has not, it may be in a list that was short',
    ],
  },
  {
    id: 'told-again-is-no-proof',
    cost: 'the kill switch goes by what a driver tells again of before a restart, and takes the order of somebody else back',
    file: 'src/account/model/order-numbers.ts',
    text: 'if (listed !== undefined) known.add',
    becomes: 'known.add',
    test: [
      'test/account/client/told-again.test.ts',
      'F569 a push that is told again says nothing of a number before the first list',
    ],
  },
  {
    id: 'late-answer-names-a-number',
    cost: 'a cancel goes by the number that an order got before the client was started anew, and takes that of somebody back',
    file: 'src/account/client/on-driver.ts',
    text: 'if (call !== undefined) noteAnswered',
    becomes: 'noteAnswered',
    test: [
      'test/account/client/told-again.test.ts',
      'F569 nor does the answer to an order that was sent before the connection',
    ],
  },
  {
    id: 'kill-switch-waits-in-silence',
    cost: 'an order works on under a kill switch that cancels all, and nobody hears that it has to be canceled at the terminal',
    file: 'src/account/orders/cancel-all.ts',
    text: 'own.length < open.length',
    becomes: 'own.length > open.length',
    test: [
      'test/account/client/held-cancel.test.ts',
      'F570 nor is a person left without a word when the kill switch waits for it',
    ],
  },
  {
    id: 'a-number-that-no-row-tells',
    cost: 'a cancel takes back an order of another market that has the number by now, and ours works on',
    file: 'src/account/model/order-numbers.ts',
    text: ', ...otherNumbers]',
    becomes: ', ...otherNumbers.slice(0, 0)]',
    test: [
      'test/account/client/held-cancel.test.ts',
      'F541 a number that a list bears for what no row tells is nobody’s of ours',
    ],
  },
  {
    id: 'cancel-lost-with-its-life',
    cost: 'an order that a person has canceled is filled: the account started anew while it was looked for',
    file: 'src/account/orders/cancels.ts',
    text: 'if (order.isCancelWanted === true) {',
    becomes: "if (order.isCancelWanted === true && order.orderId === '') {",
    test: [
      'test/account/client/held-cancel.test.ts',
      'F539 an order that is looked for when its account starts anew is canceled once found',
    ],
  },
  {
    id: 'one-of-two-under-a-number',
    cost: 'a person cancels the order of another terminal in place of his own',
    file: 'src/account/orders/named-order.ts',
    text: 'open.length > 1',
    becomes: 'open.length > 2',
    test: [
      'test/account/client/cancel-by-number.test.ts',
      'F535 a number that two open orders have names neither of them',
    ],
  },
  {
    id: 'a-number-tells-of-what-has-ended',
    cost: 'an order that is open is told as canceled, for one of another exchange with its number, and whoever asked orders again',
    file: 'src/account/orders/named-order.ts',
    text: 'open[0] ?? ',
    becomes: '',
    test: [
      'test/account/client/cancel-by-number.test.ts',
      'F577 a number tells of the open order that has it, not of one that has ended',
    ],
  },
  {
    id: 'fewer-shares-are-another-order',
    cost: 'a sale of a person of which a part was canceled is in doubt for the day, and keeps the stop of its stock back',
    file: 'src/account/client/bearer.ts',
    text: '(!isOfOthers || isMoved || !isOfItsMoment(numbered, row))',
    becomes: 'true',
    test: [
      'test/account/client/strangers.test.ts',
      'F503 one of which a client shows fewer shares, as after part of it was canceled, is followed',
    ],
  },
  {
    id: 'one-name-for-a-number-of-the-day',
    cost: 'a sale of a person under a number that one of his had before is in no books, and the kill switch cancels it never',
    file: 'src/account/client/reports.ts',
    text: 'if (!isLost && hasStranger(state, report)) return undefined',
    becomes: "if (report.orderId !== '') return undefined",
    test: [
      'test/account/client/strangers.test.ts',
      'F503 a new one under the number that an ended one had is in the books',
    ],
  },
  {
    id: 'another-stock-is-the-same-order',
    cost: 'a sale of a person is in no books, the kill switch cancels it never and a stop sells beside it',
    file: 'src/account/client/reports.ts',
    text: 'if (!isLost && hasStranger(state, report)) return undefined',
    becomes: 'if (!isLost) return undefined',
    test: [
      'test/account/client/strangers.test.ts',
      'F544 nor does the name of one of another stock, or without its number, keep it out',
    ],
  },
  {
    id: 'strangers-keep-their-numbers',
    cost: 'two orders of a person stay open in the books for the day, and keep the stop of their stock back',
    file: 'src/account/client/bearer.ts',
    text: '  if (numbered === undefined) return undefined\n  const isOfDay',
    becomes:
      "  if (numbered === undefined || numbered.strategy === 'external') return undefined\n  const isOfDay",
    test: [
      'test/account/client/strangers.test.ts',
      'F503 each of them is known by its terms, and ends when it ends',
    ],
  },
  {
    id: 'unanswered-under-a-strangers-number',
    cost: 'an order that is at the broker is taken for never arrived, and what it was to do is sent again',
    file: 'src/account/client/bearer.ts',
    text: 'named.orderId === row.orderId || isCopy',
    becomes: "named.orderId === row.orderId || isCopy || named.orderId === ''",
    test: [
      'test/account/client/exchanged.test.ts',
      'F490 an order without an answer that is listed under a number of somebody else is ours',
    ],
  },
  {
    id: 'number-is-proof',
    cost: 'an order of somebody ends a sale of ours that is still at the broker, and its rest is sold twice',
    file: 'src/account/client/bearer.ts',
    text: 'row.side !== numbered.side ||\n    (row.quantity',
    becomes: '(row.side !== numbered.side) &&\n    (row.quantity',
    test: [
      'test/account/client/exchanged.test.ts',
      'F318 ours that is listed no more beside it is looked for, and has not ended',
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
    id: 'unknown-id-is-a-strangers',
    cost: 'an order of ours that another node has sent is taken for somebody’s, and its stop waits for a person',
    file: 'src/account/client/bearer.ts',
    text: 'const isMoved = row.hasFormerNumber === true',
    becomes: 'const isMoved = row.hasFormerNumber === true || row.isOthers === true',
    test: [
      'test/account/client/exchanged.test.ts',
      'F469 but ours is ours under an id that nobody here knows, as after a move',
    ],
  },
  {
    id: 'our-number-is-our-order',
    cost: 'somebody’s order that has our former number is taken for ours: when it is canceled, ours is sold a second time',
    file: 'src/account/client/bearer.ts',
    text: 'isElsewhere(row) ? { ...row, hasFormerNumber: true } : row',
    becomes: 'row',
    test: [
      'test/account/client/exchanged.test.ts',
      'F469 an order of somebody else with our number and our terms is none of ours',
    ],
  },
  {
    id: 'a-push-proves-a-number',
    cost: 'what is pushed of somebody’s order, before any list, ends the order of ours that had its number',
    file: 'src/account/client/reports.ts',
    text: 'listed === undefined && isByNumberAlone(state, order, report)',
    becomes: 'false',
    test: [
      'test/account/client/exchanged.test.ts',
      'F469 nor when a push or a fill of it comes before any list',
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
    id: 'number-before-id',
    cost: 'a terminal that exchanges numbers ends one order of ours with the cancel of another, and books its fills there',
    file: 'src/account/client/reports.ts',
    text: 'if (isNumbered && !isAnothers)',
    becomes: 'if (isNumbered)',
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
    text: '(!isOfOthers && (isMoved || bearsLostId(state, row)))',
    becomes: '(!isOfOthers && isMoved)',
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
    cost: 'an order that is to be canceled works on, because it was missing when that was tried',
    file: 'src/account/orders/cancels.ts',
    text: '  const { cancelsGivenUp, cancelTries, orders, policy } = turn.state\n',
    becomes:
      "  const { cancelsGivenUp, cancelTries, orders, policy } = turn.state\n  if (clientOrderId !== '') return\n",
    test: [
      'test/account/client/held-cancel.test.ts',
      'F581 what was refused while an order was missing says nothing of it once found',
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
    id: 'early-fills-of-who-had-the-number',
    cost: 'an order passes for filled by what somebody’s had filled before it was known, and works on unseen',
    file: 'src/account/fold/renumber-fold.ts',
    text: "    if (clientOrderId === '' && early >= deal.quantity) {\n",
    becomes: "    if (clientOrderId === '' && early >= 1e9) {\n",
    test: [
      'test/account/client/early-deals.test.ts',
      'F742 what somebody’s order has filled under its number is not told of ours',
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
