import type { Mutant } from './mutant.ts'

/** What one node of a cluster asks of another. */
export const FORWARDED_MUTANTS: readonly Mutant[] = [
  {
    id: 'cluster-write-is-repeated',
    cost: 'an order whose answer was late is placed twice',
    file: 'src/cluster/protocol/directory.ts',
    text: "    case 'timeout':\n      return giveUp(state)\n",
    becomes: "    case 'timeout':\n      return goOn(refused(state, now), now)\n",
    test: [
      'test/cluster/protocol/directory.test.ts',
      'F162 a write without an answer is never sent again',
    ],
  },
  {
    id: 'cluster-gateway-dies-unnoticed',
    cost: 'the client of a gateway that died orders again at another, and has bought twice',
    file: 'src/service/lines/remote-callers.ts',
    text: '      keys.push(...orders.keys())\n',
    becomes: '',
    test: [
      'test/service/lines/remote-callers.test.ts',
      'F206 whose callers are gone with their answers',
    ],
  },
  {
    id: 'cluster-nobody-took-the-answer',
    cost: 'the client of a gateway that died orders again at another, and has bought twice',
    file: 'src/cluster/nats/line.ts',
    text: '      if (said?.code === NO_RESPONDERS) onNobody?.()\n',
    becomes: '      if (said?.code === 0) onNobody?.()\n',
    test: ['test/cluster/nats/calls.test.ts', 'F206 an answer that finds its caller gone is told'],
  },
  {
    id: 'cluster-order-delivered-late',
    cost: 'servers that stood still deliver an order minutes later, and it is bought at the price of then',
    file: 'src/service/lines/node-calls.ts',
    text: '    if (call.startByMs < heardMs) return { epoch, heardMs, error: tooLate().toWire() }\n',
    becomes: '',
    test: [
      'test/service/lines/far-clocks.test.ts',
      'a node begins nothing that was too long on its way, or of which it cannot tell',
    ],
  },
  {
    id: 'cluster-order-without-a-date',
    cost: 'the first order after a take-over may come as late as it likes',
    file: 'src/service/lines/node-calls.ts',
    text: 'if (wayMs === undefined && mayChange(request))',
    becomes: 'if (wayMs === undefined && epoch === 0)',
    test: [
      'test/service/lines/far-clocks.test.ts',
      'a node begins nothing that was too long on its way, or of which it cannot tell',
    ],
  },
  {
    id: 'list-of-tomorrow-ends-an-account',
    cost: 'a page of a later release ends the thread of an account again and again, and its stops with it',
    file: 'src/service/lines/known-requests.ts',
    text: "['read', (body) => READ.has(field(body, 'resource'))],",
    becomes: "['read', () => true],",
    test: [
      'test/service/foreign-calls.test.ts',
      'F493 what a later release asks of an account or a market is refused',
    ],
  },
  {
    id: 'level-of-tomorrow-stops-nothing',
    cost: 'a kill switch that a page of a later release sets to a level of its own stops nothing any more',
    file: 'src/service/lines/known-requests.ts',
    text: "['setKillSwitch', (body) => LEVELS.has(field(body, 'level'))],",
    becomes: '',
    test: [
      'test/service/foreign-calls.test.ts',
      'F493 what a later release asks of an account or a market is refused',
    ],
  },
  {
    id: 'suspended-is-healthy',
    cost: 'a monitor says that all is well while an account sends no stop',
    file: 'http/port/resting.ts',
    text: '  isReduced || isHeld || isOutOfRoom || isUnconfirmed',
    becomes: '  isHeld || isOutOfRoom || isUnconfirmed',
    test: [
      'test/http/gateway/gateway.test.ts',
      'F494 an account that sends no order and no stop is not healthy',
    ],
  },
]
