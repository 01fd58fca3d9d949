import t from 'tap'
import type { EngineAnswer, Now } from '../../../src/cluster/protocol/effects.ts'
import {
  type LeaseEffect,
  type LeaseInput,
  type LeaseState,
  mayClaim,
  startLease,
  stepLease,
} from '../../../src/cluster/protocol/lease.ts'
import {
  type NodeRecord,
  OTHER_CLIENT_MAX,
  parseNodeRecord,
} from '../../../src/cluster/protocol/records.ts'
import { DEFAULT_TIMING } from '../../../src/cluster/protocol/timing.ts'
import { at, nodeOf, uuid } from './fixtures/values.ts'

const SELF = { node: 'n1', inc: uuid(1), host: 'computer-1', v: '1.0.0' }
/** As a later record, or one of somebody else. */
const OTHER = uuid(2)

/** A lease in the hands of a test. */
class Held {
  state: LeaseState
  effects: readonly LeaseEffect[] = []

  constructor(before?: readonly string[]) {
    this.state = startLease({ ...SELF, before }, DEFAULT_TIMING)
  }

  feed(input: LeaseInput, now: Now): this {
    const { state, effects } = stepLease(this.state, input, now)
    this.state = state
    this.effects = effects
    return this
  }
  tick(now: Now): this {
    return this.feed({ is: 'tick' }, now)
  }
  written(revision: number, now: Now): this {
    return this.feed({ is: 'written', call: this.state.calls, revision }, now)
  }
  failed(now: Now, why: 'conflict' | 'ambiguous' = 'ambiguous'): this {
    return this.feed({ is: 'failed', call: this.state.calls, why }, now)
  }
  reads(record: NodeRecord | undefined, revision: number, now: Now): this {
    const entry = record === undefined ? undefined : { value: record, revision }
    const answer: EngineAnswer = { is: 'entry', call: this.state.calls, entry, revision }
    return this.feed(answer, now)
  }
  get does(): readonly string[] {
    return this.effects.map((effect) => effect.do)
  }
}

/** Up by a renewal that was sent at 1,000 and acknowledged at 1,010. */
function up(): Held {
  const held = new Held().tick(at(990)).reads(undefined, 0, at(1_000))
  return held.written(5, at(1_010))
}

t.test(
  'a first life writes its record and is up until the lease, counted from before it sent',
  async (t) => {
    const held = new Held().tick(at(990))
    t.strictSame(held.effects, [{ do: 'kvReadLeader', call: 1, key: 'n.n1', timeoutMs: 1_000 }])
    held.reads(undefined, 0, at(1_000))
    t.strictSame(held.effects, [
      {
        do: 'kvUpdate',
        call: 2,
        key: 'n.n1',
        value: { ...nodeOf(), otherClient: [] },
        revision: 0,
        timeoutMs: 1_000,
      },
    ])
    held.written(5, at(1_900))
    const sent = at(1_000)
    const deadline = { monoMs: 15_000, wallMs: sent.wallMs + 14_000 }
    t.strictSame(held.effects, [
      { do: 'renewed', revision: 5 },
      { do: 'leaseUntil', deadline },
      { do: 'becameUp' },
    ])
    t.ok(mayClaim(held.state))
    t.strictSame(held.tick(at(2_999)).effects, [], 'not before it is due')
    const [renewal] = held.tick(at(3_000)).effects
    t.match(renewal, { do: 'kvUpdate', revision: 5 })
    t.strictSame(held.tick(at(8_000)).effects, [], 'one call at a time')
  },
)

t.test('F983 what is told of the calendar means nothing to the release before', async (t) => {
  const state = startLease({ ...SELF, days: '2030:d1' }, DEFAULT_TIMING)
  const read = { is: 'entry', call: 1, entry: undefined, revision: 0 } as const
  const { effects } = stepLease(stepLease(state, { is: 'tick' }, at(990)).state, read, at(1_000))
  t.strictSame(effects, [
    {
      do: 'kvUpdate',
      call: 2,
      key: 'n.n1',
      value: { ...nodeOf(), years: '2030:d1', otherClient: [] },
      revision: 0,
      timeoutMs: 1_000,
    },
  ])
})

t.test('F1000 accounts that a node takes not over are told with its renewals', async (t) => {
  const held = up()
  const told = (accounts: readonly string[], monoMs: number) => {
    held.feed({ is: 'otherClient', accounts }, at(monoMs))
    const [renewal] = held.tick(at(monoMs)).effects
    held.written(monoMs, at(monoMs))
    return renewal?.do === 'kvUpdate' ? renewal.value : undefined
  }
  t.match(told(['A', 'B'], 3_000), { otherClient: ['A', 'B'] })
  t.match(told([], 6_000), { otherClient: [] }, 'the file is mended')
  const many = Array.from({ length: OTHER_CLIENT_MAX + 1 }, (_, n) => `${n}`)
  t.ok(parseNodeRecord(told(many, 9_000)).ok, 'no more than everybody can read')
})

t.test('an owner is suspended by either clock, goes on renewing, and is up again', async (t) => {
  const ends: readonly (readonly [string, Now])[] = [
    ['monotonic', at(15_001, at(2_000).wallMs)],
    ['the computer slept', at(2_000, at(15_001).wallMs)],
    ['the wall clock was set back', at(2_000, at(1_499).wallMs)],
  ]
  for (const [name, now] of ends) {
    const held = up().tick(now)
    t.ok(held.does.includes('suspended'), name)
    t.notOk(mayClaim(held.state), name)
    const later = at(now.monoMs + 3_000, now.wallMs + 3_000)
    held.failed(later).tick(later)
    held.tick(at(later.monoMs + 100, later.wallMs + 100)).reads(nodeOf(), 5, later)
    t.strictSame(held.does, ['kvUpdate'], 'renewed at once')
    t.strictSame(held.written(6, later).does, ['renewed', 'leaseUntil', 'becameUp'], name)
  }
  t.strictSame(up().tick(at(15_000)).does.includes('suspended'), false, 'the last moment counts')
})

t.test('F756 who was suspended looks at its record before it renews', async (t) => {
  const held = up().tick(at(20_000))
  t.strictSame(
    held.does,
    ['suspended', 'kvReadLeader'],
    'its revision may be that of another by now',
  )
  t.strictSame(held.reads(nodeOf({ inc: OTHER }), 5, at(20_010)).effects, [
    { do: 'dead', why: 'replaced' },
  ])
  const own = up().tick(at(20_000)).reads(nodeOf(), 5, at(20_010))
  t.match(own.effects, [{ do: 'kvUpdate', revision: 5 }])
  t.ok(own.written(6, at(20_020)).does.includes('becameUp'))
})

t.test('a renewal whose answer took the whole lease makes nobody up', async (t) => {
  const held = up().tick(at(3_000))
  held.written(6, at(17_001))
  t.strictSame(held.does, ['suspended', 'renewed'])
  t.strictSame(held.tick(at(17_002)).does, ['kvUpdate'], 'it is sent again at once')
  t.equal(held.state.revision, 6)
})

t.test('a renewal without an answer is looked up, and never prolongs the lease', async (t) => {
  const held = up().tick(at(3_000)).failed(at(4_000))
  const { deadline } = held.state
  t.strictSame(held.tick(at(4_049)).does, [])
  t.strictSame(held.tick(at(4_050)).does, ['kvReadLeader'])
  held.reads(nodeOf(), 6, at(4_060))
  t.match(held.effects, [{ do: 'kvUpdate', revision: 6 }])
  t.equal(held.state.deadline, deadline)
})

t.test('who reads a fence or another life is dead, whatever else comes', async (t) => {
  const cases: readonly (readonly [string, NodeRecord])[] = [
    ['fenced', nodeOf({ state: 'fenced', by: 'n2' })],
    ['replaced', nodeOf({ inc: OTHER })],
  ]
  for (const [why, record] of cases) {
    const held = up().tick(at(3_000)).failed(at(3_100), 'conflict').tick(at(3_200))
    held.reads(record, 9, at(3_210))
    t.strictSame(held.effects, [{ do: 'dead', why }])
    t.strictSame(held.tick(at(9_000)).effects, [], 'it says nothing more')
  }
})

t.test('an old answer deposes nobody', async (t) => {
  const held = up().tick(at(3_000)).failed(at(3_100)).tick(at(3_200))
  t.strictSame(held.reads(nodeOf({ inc: OTHER }), 4, at(3_210)).effects, [])
  t.strictSame(held.tick(at(3_300)).does, ['kvReadLeader'])
  t.strictSame(held.reads(undefined, 0, at(3_310)).effects, [], 'it may be an old one')
  held.tick(at(19_100)).reads(undefined, 0, at(19_210))
  t.strictSame(held.effects, [], 'suspended, and waits')
  t.equal(held.state.phase, 'suspended')
  held.tick(at(19_300)).reads(undefined, 0, at(19_310))
  t.strictSame(held.effects, [{ do: 'dead', why: 'missing' }], 'it was deleted')
})

t.test('F186 a record that stays older than what was acknowledged ends this life', async (t) => {
  const held = up().tick(at(3_000)).failed(at(3_100)).tick(at(3_200)).reads(nodeOf(), 4, at(3_210))
  t.strictSame(held.effects, [], 'a leader that was deposed may answer')
  held.tick(at(18_000)).reads(nodeOf(), 4, at(19_210))
  t.equal(held.state.phase, 'suspended', 'and waits')
  held.tick(at(19_400)).reads(nodeOf(), 4, at(19_410))
  t.strictSame(held.effects, [{ do: 'dead', why: 'older' }], 'the servers were put back')
})

t.test('a record that is seen again was never deleted', async (t) => {
  const held = up().tick(at(3_000)).failed(at(3_100)).tick(at(3_200))
  held.reads(undefined, 0, at(3_210)).tick(at(3_300)).reads(nodeOf(), 5, at(3_310))
  held.failed(at(20_000)).tick(at(20_100)).reads(undefined, 0, at(20_110))
  t.strictSame(held.effects, [])
})

t.test('a late answer to an earlier call counts for nothing', async (t) => {
  const held = up().tick(at(3_000))
  const { call } = held.state.pending ?? { call: 0 }
  held.failed(at(4_000)).feed({ is: 'written', call, revision: 6 }, at(4_010))
  t.strictSame(held.effects, [])
  t.equal(held.state.revision, 5)
  held.tick(at(4_050)).reads(nodeOf(), 5, at(4_060))
  t.strictSame(held.does, ['kvUpdate'], 'another renewal is on its way')
  const { deadline } = held.state
  held.feed({ is: 'written', call, revision: 6 }, at(4_070))
  t.strictSame(held.effects, [], 'and the lease does not count from when that was sent')
  t.match(held.state, { revision: 5, deadline, pending: { writes: 'up' } })
})

t.test('the record of a former life on this computer is replaced at once', async (t) => {
  for (const former of [
    nodeOf({ inc: OTHER }),
    nodeOf({ inc: OTHER, host: 'elsewhere', state: 'fenced' }),
    nodeOf({ inc: OTHER, host: 'elsewhere', state: 'gone' }),
  ]) {
    const held = new Held().tick(at(1_000)).reads(former, 7, at(1_010))
    t.match(held.effects, [{ do: 'kvUpdate', revision: 7, value: nodeOf() }])
    t.strictSame(held.written(8, at(1_020)).does, ['renewed', 'leaseUntil', 'becameUp'])
  }
})

t.test(
  'F449 a computer that was copied with its disk does not take the place of the one that lives',
  async (t) => {
    const living = nodeOf({ inc: OTHER })
    const own = new Held([uuid(7), OTHER]).tick(at(1_000)).reads(living, 7, at(1_010))
    t.strictSame(own.does, ['kvUpdate'], 'a life of its own, whose lock it holds')
    const copy = new Held([uuid(7)]).tick(at(1_000)).reads(living, 7, at(1_010))
    t.strictSame(copy.effects, [{ do: 'foreign', host: 'computer-1' }])
    copy.tick(at(3_100)).reads(living, 8, at(3_110))
    t.strictSame(copy.does, ['foreign'], 'it lives')
    copy.tick(at(19_200)).reads(living, 8, at(19_210))
    t.match(copy.effects, [{ do: 'kvUpdate', revision: 8 }], 'it is silent')
  },
)

t.test('F450 a record that somebody has deleted gives its name to no other computer', async (t) => {
  const copy = new Held([]).tick(at(1_000)).reads(undefined, 0, at(1_010))
  t.strictSame(copy.effects, [], 'whoever it was of may act for as long as its lease')
  copy.tick(at(17_000)).reads(undefined, 0, at(17_010))
  t.strictSame(copy.effects, [], 'not a moment too early')
  copy.tick(at(19_100)).reads(undefined, 0, at(19_110))
  t.match(copy.effects, [{ do: 'kvUpdate', revision: 0 }])
  const waiting = new Held()
    .tick(at(1_000))
    .reads(nodeOf({ host: 'elsewhere', inc: OTHER }), 7, at(1_010))
  waiting.tick(at(3_100)).reads(undefined, 0, at(3_110))
  t.strictSame(waiting.effects, [], 'it lived a moment ago')
})

t.test('F729 a name whose record was deleted again is waited for from the last time', async (t) => {
  for (const held of [new Held(), new Held([])]) {
    held.tick(at(1_000)).reads(undefined, 8, at(1_010))
    t.strictSame(held.effects, [], 'a computer without a past, too: another one may act')
    held.tick(at(17_100)).reads(undefined, 12, at(17_110))
    t.strictSame(held.effects, [], 'somebody came and went under it')
    held.tick(at(35_200)).reads(undefined, 12, at(35_210))
    t.match(held.effects, [{ do: 'kvUpdate', revision: 12 }], 'over this removal and no later one')
  }
})

t.test('F155 a copied configuration deposes nobody: another computer is waited for', async (t) => {
  const foreign = nodeOf({ inc: OTHER, host: 'elsewhere' })
  const held = new Held().tick(at(1_000)).reads(foreign, 7, at(1_000))
  t.strictSame(held.effects, [{ do: 'foreign', host: 'elsewhere' }])
  held.tick(at(3_000)).reads(foreign, 7, at(3_000))
  t.strictSame(held.effects, [], 'said once')
  held.tick(at(9_000)).reads(foreign, 8, at(9_000))
  t.strictSame(held.does, ['foreign'], 'it lives')
  held.tick(at(25_000)).reads(foreign, 8, at(25_000))
  t.strictSame(held.effects, [], 'not a moment too early')
  held.tick(at(27_000)).reads(foreign, 8, at(27_000))
  t.match(held.effects, [{ do: 'kvUpdate', revision: 8 }])
  held.failed(at(27_010), 'conflict').tick(at(27_100))
  t.strictSame(held.does, ['kvReadLeader'], 'it came back: everything is looked at anew')
})

t.test('a first writing without an answer is found again', async (t) => {
  const held = new Held().tick(at(1_000)).reads(undefined, 0, at(1_000)).failed(at(2_000))
  held.tick(at(2_050)).reads(nodeOf(), 5, at(2_060))
  t.match(held.effects, [{ do: 'kvUpdate', revision: 5 }])
  t.strictSame(held.written(6, at(2_070)).does, ['renewed', 'leaseUntil', 'becameUp'])
})

t.test('leaving: no more claims, then the record says gone', async (t) => {
  const held = up().feed({ is: 'drain' }, at(2_000))
  t.match(held.effects, [{ do: 'kvUpdate', value: nodeOf({ state: 'draining' }) }])
  t.notOk(mayClaim(held.state))
  held.written(6, at(2_010)).feed({ is: 'leave' }, at(2_500))
  t.match(held.effects, [{ do: 'kvUpdate', value: nodeOf({ state: 'gone' }) }])
  held
    .failed(at(3_500))
    .tick(at(3_600))
    .reads(nodeOf({ state: 'gone' }), 7, at(3_610))
  t.strictSame(held.effects, [{ do: 'gone' }], 'the answer was lost')
})
