import type { Mutant } from './mutant.ts'

const FOLDER = 'src/cluster/nats'
const JOURNAL_TESTS = 'test/cluster/nats/journal-log.test.ts'

/** What speaks with the servers of a cluster. Their tests start a nats-server. */
export const CLUSTER_ENGINE_MUTANTS: readonly Mutant[] = [
  {
    id: 'cluster-append-without-condition',
    cost: 'two nodes write the journal of one account, and both send its orders',
    file: `${FOLDER}/stream-wire.ts`,
    text: "const EXPECTED_LAST = 'Nats-Expected-Last-Subject-Sequence'",
    becomes: "const EXPECTED_LAST = 'Nats-Expected-Last'",
    test: [JOURNAL_TESTS, 'F163 failures of an append are told apart'],
  },
  {
    id: 'cluster-purge-of-the-last',
    cost: 'who owns an account is forgotten: a former owner may write again',
    file: `${FOLDER}/journal-log.ts`,
    text: 'Math.min(beforeSeq, tail.seq)',
    becomes: 'Math.max(beforeSeq, tail.seq + 1)',
    test: [JOURNAL_TESTS, 'F168 a purge leaves the last record, whoever asks'],
  },
  {
    id: 'cluster-sent-later',
    cost: 'what nobody waits for any more is sent when the connection is back',
    file: `${FOLDER}/line.ts`,
    text: "if (!this.isOpen) throw new EngineError('unavailable', NOT_CONNECTED)",
    becomes: '',
    test: [JOURNAL_TESTS, 'F163 failures of an append are told apart'],
  },
  {
    id: 'cluster-silence-is-a-refusal',
    cost: 'a command whose answer was lost is sent to the next node: an order twice',
    file: `${FOLDER}/calls.ts`,
    text: "error instanceof EngineError && error.failure === 'unavailable'",
    becomes: 'error instanceof EngineError',
    test: [
      'test/cluster/nats/calls.test.ts',
      'F169 a call without an answer has an unknown outcome',
    ],
  },
  {
    id: 'cluster-broken-chain-is-read',
    cost: 'an account recovers from the journal of somebody else',
    file: 'src/cluster/nats/nats-engine.ts',
    text: '(n === last.n + 1 && prev === last.hash)',
    becomes: 'n === last.n + 1',
    test: [
      'test/cluster/nats/nats-engine.test.ts',
      'F204 a record that is missing in a journal is noticed',
    ],
  },
  {
    id: 'cluster-suspended-words-stay',
    cost: 'a node that is over goes on sending orders until its last renewal has run out',
    file: 'src/cluster/node/node-lease.ts',
    text: "      case 'dead':\n        this.stop()\n",
    becomes: "      case 'dead':\n",
    test: [
      'test/cluster/nats/node-lease.test.ts',
      'a node whose life is over clears its words at once',
    ],
  },
  {
    id: 'feed-that-goes-on-is-left',
    cost: 'a feed that goes on is taken for silent, so that prices and totals of two are mixed',
    file: 'src/cluster/protocol/quote-choice.ts',
    text: 'if (timeMs > followed.timeMs) this.#followed.set(code, { node, timeMs, heardMs: nowMs })',
    becomes: '',
    test: [
      'test/cluster/protocol/quotes.test.ts',
      'one that goes on is followed for as long as it does',
    ],
  },
]
