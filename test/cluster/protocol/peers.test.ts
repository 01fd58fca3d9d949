import t from 'tap'
import {
  liveNodes,
  type PeersEffect,
  type PeersInput,
  type PeersState,
  standingOf,
  startPeers,
  stepPeers,
} from '../../../src/cluster/protocol/peers.ts'
import type { NodeRecord } from '../../../src/cluster/protocol/records.ts'
import { DEFAULT_TIMING } from '../../../src/cluster/protocol/timing.ts'
import { at, nodeOf, uuid } from './fixtures/values.ts'

/** Node n1 looks at the others. */
class Seen {
  state: PeersState = startPeers('n1', DEFAULT_TIMING)
  effects: readonly PeersEffect[] = []

  feed(input: PeersInput, monoMs: number): this {
    const { state, effects } = stepPeers(this.state, input, at(monoMs))
    this.state = state
    this.effects = effects
    return this
  }
  sees(record: NodeRecord, revision: number, monoMs: number): this {
    return this.feed({ is: 'sighting', record, revision }, monoMs)
  }
  /** Its own renewals, echoed at once, every two seconds. */
  renews(fromMs: number, untilMs: number): this {
    for (let monoMs = fromMs; monoMs <= untilMs; monoMs += 2_000) {
      this.feed({ is: 'renewed' }, monoMs).sees(nodeOf(), 100 + monoMs, monoMs)
    }
    return this
  }
  tick(monoMs: number): this {
    return this.feed({ is: 'tick' }, monoMs)
  }
  reads(record: NodeRecord, revision: number, monoMs: number): this {
    const { calls: call } = this.state
    return this.feed({ is: 'entry', call, entry: { value: record, revision }, revision }, monoMs)
  }
  /** The leader has no record, but a removal of this revision. */
  misses(revision: number, monoMs: number): this {
    const { calls: call } = this.state
    return this.feed({ is: 'entry', call, entry: undefined, revision }, monoMs)
  }
}

const PEER = nodeOf({ node: 'n2', inc: uuid(2), host: 'computer-2' })
const MARK = { node: 'n2', inc: uuid(2), since: 5 }

t.test('who is silent for the lease and a margin is fenced, by the leader’s word', async (t) => {
  const seen = new Seen().sees(PEER, 5, 0).renews(0, 16_000)
  t.strictSame(seen.tick(16_000).effects, [], 'not a moment too early')
  const [read] = seen.tick(16_001).effects
  t.strictSame(read, { do: 'kvReadLeader', call: 1, key: 'n.n2', timeoutMs: 1_000 })
  t.strictSame(seen.tick(16_100).effects, [], 'one call at a time')
  const fenced = { ...PEER, state: 'fenced', by: 'n1' }
  seen.reads(PEER, 5, 16_200)
  t.strictSame(seen.effects, [
    { do: 'kvUpdate', call: 2, key: 'n.n2', value: fenced, revision: 5, timeoutMs: 1_000 },
  ])
  seen.feed({ is: 'written', call: 2, revision: 6 }, 16_300)
  t.strictSame(seen.effects, [{ do: 'peerFenced', node: 'n2', inc: uuid(2) }])
  t.equal(standingOf(seen.state, MARK), 'over')
  t.strictSame(liveNodes(seen.state), [])
  t.strictSame(seen.renews(18_000, 60_000).tick(60_000).effects, [])
})

t.test('its own time to live counts, not ours', async (t) => {
  const slow = { ...PEER, ttlMs: 60_000 }
  const seen = new Seen().sees(slow, 5, 0).renews(0, 61_000)
  t.strictSame(seen.tick(61_000).effects, [])
  t.equal(seen.tick(61_001).effects.length, 1)
})

t.test('the leader knows a renewal that the watch has not shown', async (t) => {
  const seen = new Seen().sees(PEER, 5, 0).renews(0, 16_000).tick(16_001)
  t.strictSame(seen.reads(PEER, 9, 16_100).effects, [])
  t.strictSame(seen.renews(18_000, 32_000).tick(32_000).effects, [], 'seen just then')
})

t.test('an old answer fences nobody, and a fence that loses is none', async (t) => {
  const seen = new Seen().sees(PEER, 5, 0).renews(0, 16_000).tick(16_001)
  t.strictSame(seen.reads(PEER, 4, 16_100).effects, [])
  t.strictSame(seen.tick(16_200).effects, [], 'not again at once')
  seen.renews(18_000, 18_000).tick(18_200).reads(PEER, 5, 18_300)
  t.match(seen.effects, [{ do: 'kvUpdate' }])
  const { calls: call } = seen.state
  seen.feed({ is: 'failed', call, why: 'conflict' }, 18_400)
  t.strictSame(seen.effects, [])
  t.equal(standingOf(seen.state, MARK), 'alive')
})

t.test('a fence that is acknowledged late hides no later life', async (t) => {
  const seen = new Seen().sees(PEER, 5, 0).renews(0, 16_000).tick(16_001).reads(PEER, 5, 16_200)
  const { calls: call } = seen.state
  seen.sees({ ...PEER, inc: uuid(3) }, 7, 16_300)
  seen.feed({ is: 'written', call, revision: 6 }, 16_400)
  t.strictSame(seen.effects, [{ do: 'peerFenced', node: 'n2', inc: uuid(2) }])
  t.strictSame(liveNodes(seen.state), ['n2'])
})

t.test(
  'F722 a node whose record was deleted is waited for as if it had just renewed',
  async (t) => {
    const seen = new Seen().sees(PEER, 5, 0).renews(0, 16_000).tick(16_001)
    t.strictSame(seen.misses(6, 16_100).effects, [], 'it may have renewed a moment before')
    t.strictSame(seen.renews(18_000, 32_000).tick(32_100).effects, [])
    t.match(seen.tick(32_101).effects, [{ do: 'kvReadLeader' }])
    t.match(seen.misses(6, 32_200).effects, [
      { do: 'kvUpdate', key: 'n.n2', value: { state: 'fenced', by: 'n1' }, revision: 6 },
    ])
  },
)

t.test('F722 that it was not there once says nothing of a later record', async (t) => {
  const seen = new Seen().sees(PEER, 5, 0).renews(0, 16_000).tick(16_001)
  seen.misses(6, 16_100).sees(PEER, 7, 17_000).renews(18_000, 34_000).tick(34_001)
  t.strictSame(seen.misses(8, 34_100).effects, [])
})

t.test(
  'F729 a node whose next record was deleted, too, is waited for from that time',
  async (t) => {
    const seen = new Seen().sees(PEER, 5, 0).renews(0, 16_000).tick(16_001).misses(6, 16_100)
    seen.renews(18_000, 32_000).tick(32_101)
    t.strictSame(seen.misses(9, 32_200).effects, [], 'a life that no watch has shown')
    t.strictSame(seen.renews(34_000, 48_000).tick(48_200).effects, [])
    t.match(seen.tick(48_201).misses(9, 48_300).effects, [{ do: 'kvUpdate', revision: 9 }])
  },
)

t.test('F156 after an outage of the servers everybody counts as just seen', async (t) => {
  const seen = new Seen().sees(PEER, 5, 0).renews(0, 2_000)
  t.strictSame(seen.tick(20_000).effects, [], 'who cannot renew fences nobody')
  seen.feed({ is: 'renewed' }, 20_100).sees(nodeOf(), 9_000, 20_110)
  t.strictSame(seen.tick(20_200).effects, [])
  t.strictSame(seen.renews(22_000, 36_000).tick(36_100).effects, [])
  t.match(seen.tick(36_101).effects, [{ do: 'kvReadLeader' }])
})

t.test('who goes blind while the leader answers fences nobody', async (t) => {
  const seen = new Seen().sees(PEER, 5, 0).renews(0, 16_000).tick(16_001)
  t.strictSame(seen.reads(PEER, 5, 22_001).effects, [])
})

t.test('a watch that shows nothing of ours is opened anew', async (t) => {
  const seen = new Seen().renews(0, 2_000)
  for (let monoMs = 4_000; monoMs <= 8_000; monoMs += 2_000) seen.feed({ is: 'renewed' }, monoMs)
  t.strictSame(seen.tick(8_000).effects, [])
  t.strictSame(seen.tick(8_001).effects, [{ do: 'reopenWatch' }])
  t.strictSame(seen.tick(8_100).effects, [], 'it is given time')
  seen.feed({ is: 'renewed' }, 10_000).feed({ is: 'renewed' }, 14_000)
  t.strictSame(seen.tick(14_100).effects, [{ do: 'reopenWatch' }])
})

t.test('what is known of an owner', async (t) => {
  const seen = new Seen()
  t.equal(standingOf(seen.state, MARK), 'missing')
  const cases: readonly (readonly [string, NodeRecord, number])[] = [
    ['alive', PEER, 5],
    ['alive', PEER, 9],
    ['alive', { ...PEER, state: 'draining' }, 9],
    ['over', { ...PEER, state: 'fenced' }, 9],
    ['over', { ...PEER, state: 'gone' }, 9],
    ['replaced', { ...PEER, inc: uuid(3) }, 9],
    ['alive', { ...PEER, inc: uuid(3) }, 4],
  ]
  for (const [standing, record, revision] of cases) {
    const { state } = new Seen().sees(record, revision, 0)
    t.equal(standingOf(state, MARK), standing, `${record.state} ${record.inc} ${revision}`)
  }
  const later = new Seen().sees(PEER, 9, 0).sees({ ...PEER, state: 'gone' }, 8, 10)
  t.strictSame(liveNodes(later.state), ['n2'], 'an older sight changes nothing')
})
