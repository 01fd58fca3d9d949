import type { Mutant } from './mutant.ts'

/** What another gateway is asked to trade, and what its answers prove. */
export const GATEWAY_MUTANTS: readonly Mutant[] = [
  {
    id: 'doubt-busy-gateway-is-foreign',
    cost: 'a gateway that was busy for a moment is traded with as if it knew no keys: an order in doubt stays so for ever',
    file: 'src/drivers/gateway/peer-api.ts',
    text: "if (answer.kind === 'lost' || isForLater(answer)) return true",
    becomes: "if (answer.kind === 'lost') return true",
    test: [
      'test/drivers/gateway/peer-api.test.ts',
      'F245 a gateway that has no time to say how it takes keys is not taken for another',
    ],
  },
  {
    id: 'doubt-untrusted-gateway-has-it',
    cost: 'an order that met an ended certificate stays in doubt for a person although nothing was sent, and its stop stands still',
    file: 'src/drivers/gateway/peer-client.ts',
    text: "isTls ? 'secureConnect' : 'connect'",
    becomes: "isTls ? 'connect' : 'connect'",
    test: [
      'test/drivers/gateway/peer-api.test.ts',
      'F467 what meets a certificate that counts for nothing was not sent',
    ],
  },
  {
    id: 'doubt-queued-request-was-not-sent',
    cost: 'an order that waited for a free connection and lost its answer counts as not sent, and is sold a second time',
    file: 'src/drivers/gateway/peer-client.ts',
    text: 'if (socket.connecting) socket.once(',
    becomes: 'if (!request.reusedSocket) socket.once(',
    test: [
      'test/drivers/gateway/peer-api.test.ts',
      'F467 what waited for a connection that is kept may have been sent',
    ],
  },
  {
    id: 'lost-answer-is-a-refusal',
    cost: 'an order that another gateway has taken counts as refused, and is sent again',
    file: 'src/drivers/gateway/answers.ts',
    text: '    if (answer.mayHaveArrived) return undefined\n',
    becomes: '',
    test: [
      'test/drivers/gateway/hostile.test.ts',
      'an answer that is lost is asked for by key: the order is there',
    ],
  },
]
