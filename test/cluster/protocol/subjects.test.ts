import t from 'tap'
import { rankOf, weightOf } from '../../../src/cluster/protocol/rendezvous.ts'
import {
  CONTROL_BUCKET,
  callSubject,
  callSubjects,
  fnv1a,
  inboxPrefix,
  journalEventSubject,
  journalStream,
  journalSubject,
  nodeKey,
  parseControlKey,
  placementKey,
  registrationKey,
  SHARDS,
  SNAPSHOT_BUCKET,
  shardOf,
  shardSubjects,
} from '../../../src/cluster/protocol/subjects.ts'
import { uuid } from './fixtures/values.ts'

t.test('the hash is FNV-1a, and an account stays in its shard for ever', async (t) => {
  t.equal(fnv1a(''), 0x811c9dc5)
  t.equal(fnv1a('a'), 0xe40c292c)
  t.equal(fnv1a('foobar'), 0xbf9cf968)
  t.strictSame(['88001234', '88001235', 'acct-1', 'A_b'].map(shardOf), [1, 2, 0, 1])
  const shards = new Set(Array.from({ length: 100 }, (_, i) => shardOf(`${88_000_000 + i}`)))
  t.equal(shards.size, SHARDS)
})

t.test('subjects and keys', async (t) => {
  t.equal(journalSubject('88001234'), 'j.1.88001234')
  t.equal(journalEventSubject('88001234'), 'ev.j.1.88001234')
  t.equal(journalStream(1), 'J1')
  t.equal(shardSubjects(1), 'j.1.>')
  t.equal(callSubject('n1', uuid(1), 'a'), `n.n1.${uuid(1)}.a.a`)
  t.equal(callSubjects('n1', uuid(1)), `n.n1.${uuid(1)}.a.*`)
  t.strictSame([CONTROL_BUCKET, SNAPSHOT_BUCKET], ['CTL', 'SNAP'])
  t.equal(inboxPrefix('n1'), '_INBOX_n1')
  t.strictSame(parseControlKey(nodeKey('n1')), { kind: 'node', node: 'n1' })
  t.strictSame(parseControlKey(placementKey('a')), { kind: 'placement', acct: 'a' })
  t.strictSame(parseControlKey(registrationKey('a')), { kind: 'registration', acct: 'a' })
  t.strictSame(parseControlKey('cfg.min_fmt'), { kind: 'setting', name: 'min_fmt' })
  for (const key of ['', 'n', 'n.', 'n.a.b', 'a.*', 'x.y', 'cfg.'])
    t.equal(parseControlKey(key), undefined)
})

t.test('a name that would reach elsewhere is a bug', async (t) => {
  t.throws(() => nodeKey('n1.>'))
  t.throws(() => placementKey('*'))
  t.throws(() => journalSubject('a.b'))
  t.throws(() => callSubject('n1', '*', 'a'))
})

t.test(
  'each account has its own order of nodes, and only accounts of a lost node move',
  async (t) => {
    const nodes = ['n1', 'n2', 'n3', 'n4']
    const accounts = Array.from({ length: 400 }, (_, i) => `${88_000_000 + i}`)
    const firstOf = (acct: string, among: readonly string[]) =>
      among.find((node) => rankOf(acct, node, among) === 0)
    const counts = nodes.map(
      (node) => accounts.filter((acct) => firstOf(acct, nodes) === node).length,
    )
    t.ok(
      counts.every((count) => count > 60 && count < 140),
      counts.join(),
    )
    const left = nodes.filter((node) => node !== 'n2')
    for (const acct of accounts) {
      t.strictSame(nodes.map((node) => rankOf(acct, node, nodes)).sort(), [0, 1, 2, 3])
      const first = firstOf(acct, nodes)
      if (first !== 'n2') t.equal(firstOf(acct, left), first)
    }
    t.equal(weightOf('a', 'n1'), weightOf('a', 'n1'))
    t.equal(rankOf('a', 'n9', []), 0)
  },
)
