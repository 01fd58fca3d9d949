import type { Mutant } from './mutant.ts'

const TESTS = 'test/account/orders/amend.test.ts'

/** Orders that are changed. */
export const AMEND_MUTANTS: readonly Mutant[] = [
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
    text: "    turn.emit({ kind: 'amendmentEnded', clientOrderId, outcome: 'sent', reason: '' })\n",
    becomes: '    void clientOrderId\n',
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
]
