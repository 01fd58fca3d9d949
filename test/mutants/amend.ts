import type { Mutant } from './mutant.ts'

const TESTS = 'test/account/orders/amend.test.ts'

/** Orders that are changed. */
export const AMEND_MUTANTS: readonly Mutant[] = [
  {
    id: 'change-outlives-the-kill-switch',
    cost: 'somebody stops everything, lowers the switch, and an order of before leaves',
    file: 'src/account/orders/amend.ts',
    text: '    else if (isStopped(state, order)) dropAmendment(turn, order, STOPPED)\n',
    becomes: '',
    test: [TESTS, 'a kill switch that is raised and lowered again lets nothing of before through'],
  },
  {
    id: 'change-forgets-the-fills',
    cost: 'what was filled before the cancel is bought again',
    file: 'src/domain/amendment.ts',
    text: '  const left = quantity - order.filledQuantity\n',
    becomes: '  const left = quantity - 0 * order.filledQuantity\n',
    test: [TESTS, 'an order is canceled first, and what is left of it is sent anew once'],
  },
  {
    id: 'change-is-sent-twice',
    cost: 'after a restart the order in its place leaves a second time',
    file: 'src/account/orders/amend.ts',
    text: "  turn.emit({ kind: 'amendmentEnded', clientOrderId, outcome: 'sent', reason: '' })\n",
    becomes: '  void [turn, clientOrderId]\n',
    test: [TESTS, 'a change is taken up again after a crash, and carried out once'],
  },
  {
    id: 'change-comes-late',
    cost: 'an order leaves long after its owner has given up and placed another',
    file: 'src/account/orders/amend.ts',
    text: '    isLate: isPassed(turn, amendment),\n',
    becomes: '    isLate: isPassed === undefined,\n',
    test: [TESTS, 'nobody waits for ever: too late, nothing takes its place'],
  },
  {
    id: 'change-keeps-no-key',
    cost: 'two orders leave under one key, and one cancel is all that reaches them',
    file: 'src/account/orders/orders.ts',
    text: '  if (order === undefined && amendedUnder(turn.state, key) !== undefined) throw mismatch()\n',
    becomes: '',
    test: [TESTS, 'F325 no other order has the key of one that is to come'],
  },
  {
    id: 'change-is-sent-again-by-older-books',
    cost: 'a copy of the data folder has an order sent that is at the trading client already',
    file: 'src/account/orders/amend.ts',
    text: '    if (successorOf(state, order) !== undefined) endSent(turn, order)\n',
    becomes: '    if (successorOf(state, order) === order) endSent(turn, order)\n',
    test: [TESTS, 'F325 books from before an order was sent anew do not send it again'],
  },
  {
    id: 'change-outlives-its-key',
    cost: 'a person is told that nothing comes of a key, and an order comes',
    file: 'src/account/orders/withdraw-key.ts',
    text: '  withdrawAmendment(turn, key) // and so is one that waits for the end of the order before it\n',
    becomes: '  void withdrawAmendment\n',
    test: [TESTS, 'F325 a key that is withdrawn before the order is sent sends none'],
  },
  {
    id: 'refused-by-older-books',
    cost: 'after a restore a person is told that an order was refused which works at the broker',
    file: 'src/account/orders/withdraw-key.ts',
    text: '  mustHaveCompared(state)\n',
    becomes: '  if (!state.denials.has(key)) mustHaveCompared(state)\n',
    test: [
      'test/account/orders/withdraw-key.test.ts',
      'F329 nor is a refusal proof, before they have been compared and confirmed',
    ],
  },
  {
    id: 'queue-sends-what-is-there',
    cost: 'an order that another process sent under the key while it waited is sent again',
    file: 'src/account/orders/manual.ts',
    text: '    const found = turn.state.orders.bearing(order.clientOrderId)\n',
    becomes: '    const found = turn.state.orders.get(order.asked.requestHash)\n',
    test: [
      'test/account/orders/order-queue.test.ts',
      'F325 what another process sent under the key meanwhile is not sent again',
    ],
  },
  {
    id: 'cancel-keeps-the-change',
    cost: 'who cancels an order gets another one',
    file: 'src/account/commands/on-request.ts',
    text: '      abandonAmendment(turn, request.orderId)\n',
    becomes: '      void abandonAmendment\n',
    test: [TESTS, 'who cancels it afterwards wants nothing in its place'],
  },
  {
    id: 'change-cancels-before-it-asks',
    cost: 'an order is gone, and no rule lets the one in its place pass',
    file: 'src/account/orders/amend.ts',
    text: '  if (refusal !== undefined) return turn.refuse(ref, refusal)\n',
    becomes: '',
    test: [TESTS, 'what no rule lets pass is refused at once, and the order stays'],
  },
  {
    id: 'sale-at-any-price',
    cost: 'a sale whose price is spelled wrong goes at the latest one',
    file: 'http/features/execute.ts',
    text: '  .strictObject({\n    stock_code: stockCode,\n    quantity: shares.optional(),',
    becomes: '  .object({\n    stock_code: stockCode,\n    quantity: shares.optional(),',
    test: [
      'test/http/direct/direct-orders.test.ts',
      'a sale whose price is spelled wrong does not go at the latest one',
    ],
  },
  {
    id: 'part-of-a-changed-order-not-sought',
    cost: 'what was filled of an order that ends without saying how much is bought twice',
    file: 'src/domain/amendment.ts',
    text: ' && !isPartSought',
    becomes: '',
    test: [
      'test/account/orders/amend-part.test.ts',
      'F621 what was filled of an order that ends without saying how much is not bought twice',
    ],
  },
  {
    id: 'a-kind-of-price-that-nobody-can-place',
    cost: 'somebody’s order is canceled for one of a kind that no terminal takes, so that nothing is left of it',
    file: 'src/account/orders/amend.ts',
    text: 'if (!isPriced && !PRICE_TYPES.has(order.priceType)) {',
    becomes: 'if (!isPriced && order.priceType < 0) {',
    test: [
      'test/account/orders/amend-kind.test.ts',
      'F647 an order of a kind that nobody could place here is changed with a price alone',
    ],
  },
]
