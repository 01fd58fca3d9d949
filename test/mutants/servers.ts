import type { Mutant } from './mutant.ts'

/** The servers of a cluster: which are taken, and what is believed of them. */
export const SERVERS_MUTANTS: readonly Mutant[] = [
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
]
