import type { Mutant } from './mutant.ts'

/** The servers of a cluster: which are taken, and what is believed of them. */
export const SERVERS_MUTANTS: readonly Mutant[] = [
  {
    id: 'books-of-a-cluster-run-alone',
    cost: 'a data folder of a cluster is started without it, and two computers trade on one account',
    file: 'src/storage/take-over.ts',
    text: '    if (isIn === isReplicated) return\n',
    becomes: '    if (isIn || isIn === isReplicated) return\n',
    test: [
      'test/storage/replication.test.ts',
      'F199 books of a cluster are claimed under its journal only, and others never',
    ],
  },
  {
    id: 'closed-journal-taken-over',
    cost: 'an account that has left the cluster is run by another node beside the computer that runs it alone',
    file: 'src/cluster/protocol/claim.ts',
    text: 'view.opensAt === (tail?.seq ?? 0)',
    becomes: 'tail !== undefined || view.opensAt === 0',
    test: [
      'test/cluster/protocol/claim.test.ts',
      'F200 a journal that nobody has opened is opened by whoever may',
    ],
  },
  {
    id: 'another-client-taken-over',
    cost: 'the account of a real trading client is run on the embedded one after a take-over, and no loss is stopped',
    file: 'src/cluster/protocol/claim.ts',
    text: 'placement?.isReal !== undefined && placement.isReal !== isReal',
    becomes: 'placement?.isReal === undefined && placement?.isReal !== undefined && isReal',
    test: [
      'test/cluster/protocol/claim.test.ts',
      'F982 an account that has lived with the other kind of trading client is not taken over',
    ],
  },
  {
    id: 'taken-over-unseen',
    cost: 'a node that has just started runs the account of a real trading client on the embedded one, and no loss is stopped',
    file: 'src/cluster/protocol/claim.ts',
    text: 'if (placement === undefined) return isShown',
    becomes: 'if (placement === undefined) return isShown || !isShown',
    test: [
      'test/cluster/protocol/claim.test.ts',
      'F982 an account that has lived with the other kind of trading client is not taken over',
    ],
  },
  {
    id: 'first-of-all-nodes',
    cost: 'a standby that knows nothing begins the journal, and the history of the account is not in it',
    file: 'src/cluster/membership.ts',
    text: 'isFirst && (isKept || eligible[0] !== node)',
    becomes: 'isFirst && isKept',
    test: [
      'test/cluster/membership.test.ts',
      'F200 why a node that starts leaves an account alone',
    ],
  },
  {
    id: 'purge-beyond-the-snapshot',
    cost: 'records that a take-over needs are gone from the servers',
    file: 'src/cluster/nats/purge.ts',
    text: 'let [low, high] = [0, Math.max(0, beforeSeq)]',
    becomes: 'let [low, high] = [0, Math.max(0, 2 * beforeSeq)]',
    test: [
      'test/cluster/nats/purge.test.ts',
      'F203 what a snapshot covers is removed, and nothing else',
    ],
  },
  {
    id: 'line-of-servers-never-mended',
    cost: 'on servers of the line 2.13 two nodes can both append an order at the same place',
    file: 'src/cluster/nats/server-floor.ts',
    text: 'minor === 12 ? OLD_LINE_FLOOR',
    becomes: 'minor <= 13 ? OLD_LINE_FLOOR',
    test: [
      'test/cluster/nats/server-floor.test.ts',
      'a server is taken from 2.14.5 on, of the line 2.12 from 2.12.15 on',
    ],
  },
  {
    id: 'older-server-at-reconnect',
    cost: 'a node goes on trading on a server that was put back to a version in which two writers win',
    file: 'src/cluster/nats/connect.ts',
    text: '    refusal ??= refusalOf(open)\n',
    becomes: '',
    test: [
      'test/cluster/nats/connect.test.ts',
      'a server that is older at a reconnect hears nothing of ours',
    ],
  },
  {
    id: 'unseen-fsync-passes',
    cost: 'nobody has seen whether the servers flush, the check is green, and a power cut takes acknowledged orders along',
    file: 'src/cluster/nats/examine/judge.ts',
    text: 'if (inner === undefined) return [unknownSync()]',
    becomes: 'if (inner === undefined) return []',
    test: [
      'test/cluster/nats/examine/judge.test.ts',
      'what only the servers know is right only when they have said so',
    ],
  },
  {
    id: 'silent-server-passes',
    cost: 'a server that is down passes the check before the open, and the next failure stops all trading',
    file: 'src/cluster/nats/examine/judge.ts',
    text: 'if (inner.length < bounds.serversWanted) {',
    becomes: 'if (inner.length < 1) {',
    test: [
      'test/cluster/nats/examine/judge.test.ts',
      'what only the servers know is right only when they have said so',
    ],
  },
  {
    id: 'parts-without-note-stay',
    cost: 'attempts at snapshots fill the servers, no journal can be purged, and the full ones refuse the orders of all',
    file: 'src/cluster/nats/nats-engine.ts',
    text: '      await this.#giveBack(acct, note)\n      throw error\n    }\n  }\n\n  /** The room',
    becomes: '      throw error\n    }\n  }\n\n  /** The room',
    test: [
      'test/cluster/nats/nats-engine.test.ts',
      'F994 what was kept of a snapshot without room is given back',
    ],
  },
  {
    id: 'records-deletable',
    cost: 'one call of a tool takes a record out of a journal, and the account can be taken over by nobody',
    file: 'src/cluster/nats/provision.ts',
    text: 'deny_delete: true',
    becomes: 'deny_delete: false',
    test: [
      'test/cluster/nats/provision.test.ts',
      'no single record is deleted, whatever a user may: a journal has no hole, a snapshot all its parts',
    ],
  },
  {
    id: 'named-parts-purged',
    cost: 'the daily purge takes the parts of the newest snapshot, and no computer can take the account over',
    file: 'src/cluster/nats/purge.ts',
    text: 'if (kept.has(name)) continue',
    becomes: '',
    test: [
      'test/cluster/nats/purge.test.ts',
      'F996 what somebody who was stopped has kept of a snapshot is removed, and nothing that is named',
    ],
  },
]
