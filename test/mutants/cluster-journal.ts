import type { Mutant } from './mutant.ts'

const FOLDER = 'src/cluster/protocol'
const TESTS = 'test/cluster/protocol'

const PLAYED: Mutant['test'] = [
  `${TESTS}/simulation.test.ts`,
  'whatever breaks: one node at a time may order, each call stands in the journal before, and accounts come back',
]

/** What a quorum keeps of an account, and what who takes it over finds there. */
export const CLUSTER_JOURNAL_MUTANTS: readonly Mutant[] = [
  {
    id: 'cluster-commit-behind-a-refused-one',
    cost: 'the journal lacks what its next records were decided upon: nobody can take the account over',
    file: `${FOLDER}/append.ts`,
    text: ' || commit.number !== next ?',
    becomes: ' ?',
    test: PLAYED,
  },
  {
    id: 'cluster-commit-behind-one-that-was-not-sent',
    cost: 'the journal lacks what its next records were decided upon: nobody can take the account over',
    file: 'actors/store/replication.ts',
    text: '    if (this.#refusal !== undefined) return Promise.reject(this.#refusal)\n',
    becomes: '',
    test: [
      'test/storage/replication.test.ts',
      'F422 what was decided upon a commit that no quorum was asked for is not kept',
    ],
  },
  {
    id: 'cluster-refused-before-what-is-kept',
    cost: 'an account goes on without its last decisions, which its journal has: who takes over follows these',
    file: 'actors/store/account-desk.ts',
    text: '    if (this.#waiting.length === 0) settle(one, refusal)\n',
    becomes: '    if (this.#waiting.length >= 0) settle(one, refusal)\n',
    test: [
      'test/storage/replication.test.ts',
      'F422 what was decided upon a commit that no quorum was asked for is not kept',
    ],
  },
  {
    id: 'cluster-commit-behind-one-that-waits-refused',
    cost: 'a decision that others confirm is lost at the next take-over, or the account can write no more',
    file: 'actors/store/account-desk.ts',
    text: '      if (refusal !== undefined) return this.#refuse(one, refusal)\n',
    becomes: '',
    test: [
      'test/storage/replication.test.ts',
      'F422 nor while what a quorum has waits here for room on the disk',
    ],
  },
  {
    id: 'cluster-own-journal-forgotten',
    cost: 'the audit of months is deleted when an account comes back to its computer',
    file: 'src/storage/snapshot.ts',
    text: '  if (after.seq > kept.seq && after.seq < upTo.seq) {\n',
    becomes: '  if (after.seq > kept.seq && after.seq < kept.seq) {\n',
    test: [
      'test/storage/archive/gaps.test.ts',
      'F423 an account that comes back from another computer finds its own journal',
    ],
  },
  {
    id: 'cluster-tail-not-read',
    cost: 'a record whose acknowledgment was lost is sent again for ever: the account stands still',
    file: `${FOLDER}/append.ts`,
    text: '    return state.sends > 1 ? later(state, now) : readTail(state)\n',
    becomes: '    return send(state)\n',
    test: PLAYED,
  },
  {
    id: 'cluster-full-journal-without-a-pause',
    cost: 'servers without room are written to as fast as they refuse, by every account',
    file: `${FOLDER}/append.ts`,
    text: 'state.sends > 1 ?',
    becomes: 'state.sends > 1_000 ?',
    test: [
      `${TESTS}/append.test.ts`,
      'F387 a journal without room is tried ever more seldom, never as fast as it refuses',
    ],
  },
  {
    id: 'cluster-answered-before-quorum',
    cost: 'an account acts upon what no other computer will ever find',
    file: 'actors/store/account-desk.ts',
    text: '      if (this.#replication === undefined) this.#wait(one)\n      else this.#replication.add(one)\n',
    becomes:
      '      this.#wait(one)\n      this.#replication?.add({ ...one, resolve: () => undefined, reject: () => undefined })\n',
    test: [
      'test/storage/replication.test.ts',
      'nothing is answered or written here before a quorum keeps it',
    ],
  },
  {
    id: 'cluster-journal-regressed',
    cost: 'an account trades on books that have lost what was acknowledged',
    file: 'src/storage/take-over.ts',
    text: '      if (kept < ours) throw',
    becomes: '      if (kept < 0) throw',
    test: [
      'test/storage/replication.test.ts',
      'a journal that has less than a computer, or something else, is not traded on',
    ],
  },
  {
    id: 'cluster-held-for-a-lost-log',
    cost: 'stops of all accounts of a computer wait for a person, though the servers have everything',
    file: 'src/storage/take-over.ts',
    text: '      if (!isReplicated) return this.#takeIn(',
    becomes: '      if (isReplicated || !isReplicated) return this.#takeIn(',
    test: [
      'test/storage/replication.test.ts',
      'F426 a log that is lost holds nothing back where a quorum has what was in it',
    ],
  },
  {
    id: 'cluster-client-ahead-of-its-journal',
    cost: 'a computer whose client has seen a later owner never runs the account that it has taken over',
    file: 'src/cluster/cluster-ownership.ts',
    text: '    const isAhead = (found?.clientEpoch ?? 0) > epoch\n',
    becomes: '    const isAhead = (found?.clientEpoch ?? 0) < 0\n',
    test: [
      'test/cluster/cluster-ownership.test.ts',
      'F425 a client that has seen a later owner is given one beyond it',
    ],
  },
  {
    id: 'cluster-gap-in-a-journal',
    cost: 'an account goes on without some of what it had decided',
    file: 'src/cluster/nats/nats-engine.ts',
    text: '      if (!isNext) throw new BrokenChain(acct, seq)\n',
    becomes: "      if (!isNext && acct === '') throw new BrokenChain(acct, seq)\n",
    test: [
      'test/cluster/nats/nats-engine.test.ts',
      'F204 a record that is missing in a journal is noticed',
    ],
  },
  {
    id: 'claim-goes-again-without-a-lease',
    cost: 'a node that has lost its lease takes an account over all the same, and its stops stand until it has one again',
    file: 'src/cluster/protocol/claim.ts',
    text: 'isUnmoved && view.mayClaim && taking.sends < SENDS_MAX',
    becomes: 'isUnmoved && taking.sends < SENDS_MAX',
    test: [
      'test/cluster/protocol/claim.test.ts',
      'a take-over that failed goes again as the same record, and not for ever',
    ],
  },
  {
    id: 'lease-by-the-answer-to-an-earlier-renewal',
    cost: 'a lease counts from a renewal that the servers have not: this computer acts while another one takes over',
    file: 'src/cluster/protocol/lease.ts',
    text: 'if (pending === undefined || answer.call !== pending.call) return',
    becomes: 'if (pending === undefined) return',
    test: [
      'test/cluster/protocol/lease.test.ts',
      'a late answer to an earlier call counts for nothing',
    ],
  },
]
