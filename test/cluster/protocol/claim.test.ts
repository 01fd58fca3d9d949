import t from 'tap'
import type { ClaimView } from '../../../src/cluster/protocol/claim.ts'
import { startClaim } from '../../../src/cluster/protocol/claim-state.ts'
import type { PlacementRecord } from '../../../src/cluster/protocol/records.ts'
import { rankOf } from '../../../src/cluster/protocol/rendezvous.ts'
import { DEFAULT_TIMING } from '../../../src/cluster/protocol/timing.ts'
import {
  ACCT,
  EPOCH,
  Held,
  OPEN,
  OWNED,
  OWNER,
  peersOf,
  RID,
  SELF,
  viewOf,
} from './fixtures/claiming.ts'
import { hash, nodeOf, recordOf, tailOf, uuid } from './fixtures/values.ts'

t.test('a journal without a record: the first epoch, then the gate, then ours', async (t) => {
  const held = new Held().tick(1_000)
  t.strictSame(held.effects, [{ do: 'readTail', call: 1, acct: ACCT, timeoutMs: 1_000 }])
  held.tail(undefined, 1_010)
  t.strictSame(held.effects, [
    { do: 'append', call: 2, acct: ACCT, record: EPOCH, expectedSeq: 0, timeoutMs: 1_000 },
  ])
  held.appended(9, 1_020)
  t.strictSame(held.effects, [{ do: 'fenceGate', acct: ACCT, e: 1, former: undefined }])
  t.strictSame(held.tick(3_019).effects, [])
  t.strictSame(held.tick(3_020).does, ['fenceGate'], 'a gate that did not answer is told again')
  t.strictSame(held.feed({ is: 'gateHolds', e: 2 }, 3_030).effects, [], 'not for another epoch')
  held.feed({ is: 'gateHolds', e: 1 }, 3_040)
  const owned = { acct: ACCT, e: 1, n: 1, seq: 9, hash: hash(9), since: 50, open: [] }
  t.strictSame(held.effects, [{ do: 'becameOwner', owned: { ...owned, former: undefined } }])
  t.strictSame(held.tick(90_000).effects, [])
  t.strictSame(held.feed({ is: 'ended' }, 90_010).tick(90_100).does, ['readTail'])
})

t.test('behind an owner that is over: its open intents and the chain go on', async (t) => {
  const peers = peersOf([{ ...OWNER, state: 'fenced' }, 60])
  const held = new Held({ peers }).tick(1_000).tail(tailOf(30, { ...OWNED, open: OPEN }), 1_010)
  const record = recordOf({ rid: RID, since: 50, e: 5, n: 21, prev: hash(30), open: OPEN })
  t.match(held.effects, [{ do: 'append', expectedSeq: 30 }])
  t.strictSame(held.state.taking?.record, record)
  held.appended(31, 1_020)
  t.strictSame(held.effects, [{ do: 'fenceGate', acct: ACCT, e: 5, former: 'n2' }])
  t.strictSame(held.feed({ is: 'gateHolds', e: 5 }, 1_030).state.owned?.open, OPEN)
})

t.test('an owner that may still act is left alone', async (t) => {
  for (const [name, peers] of [
    ['up', peersOf([OWNER, 40])],
    ['draining', peersOf([{ ...OWNER, state: 'draining' }, 60])],
  ] as const) {
    const held = new Held({ peers }).tick(1_000).tail(tailOf(30, OWNED), 1_010)
    t.strictSame(held.effects, [], name)
    t.strictSame(held.tick(3_009).effects, [], 'looked at again in a while')
    t.strictSame(held.tick(3_010).does, ['readTail'])
  }
})

t.test('what lets us take over', async (t) => {
  const over = [
    ['fenced', peersOf([{ ...OWNER, state: 'fenced' }, 41]), tailOf(30, OWNED)],
    ['gone', peersOf([{ ...OWNER, state: 'gone' }, 41]), tailOf(30, OWNED)],
    ['released', peersOf([OWNER, 41]), tailOf(30, { ...OWNED, body: { t: 'release' } })],
    ['ourselves, by a record that came late', peersOf(), tailOf(30, { ...OWNED, ...SELF })],
    ['our former life', peersOf(), tailOf(30, { ...OWNED, node: 'n1', inc: uuid(9) })],
  ] as const
  for (const [name, peers, tail] of over) {
    t.strictSame(new Held({ peers }).tick(1_000).tail(tail, 1_010).does, ['append'], name)
  }
  const later = tailOf(30, { ...OWNED, node: 'n1', inc: uuid(9), since: 51 })
  t.strictSame(new Held().tick(1_000).tail(later, 1_010).effects, [], 'our next life, as we sleep')
})

t.test(
  'each node waits for its turn, the next one takes over from one that is blind',
  async (t) => {
    const eligible = ['n1', 'n2', 'n3']
    const others = eligible.filter((node) => node !== 'n1')
    const peers = peersOf(...others.map((node) => [nodeOf({ node, inc: uuid(5) }), 1] as const))
    const acctOfRank = (rank: number) =>
      Array.from({ length: 99 }, (_, i) => `a${i}`).find(
        (acct) => rankOf(acct, 'n1', eligible) === rank,
      )
    for (const rank of [0, 1, 2]) {
      const held = new Held({ eligible, peers })
      held.state = startClaim(acctOfRank(rank) ?? '', DEFAULT_TIMING)
      held.tick(1_000)
      if (rank > 0) {
        t.strictSame(held.tick(1_000 + rank * 2_000 - 1).effects, [], `rank ${rank}`)
        held.tick(1_000 + rank * 2_000)
      }
      t.strictSame(held.does, ['readTail'], `rank ${rank}`)
    }
    const alone = new Held({ eligible })
    alone.state = startClaim(acctOfRank(2) ?? '', DEFAULT_TIMING)
    t.strictSame(alone.tick(1_000).does, ['readTail'], 'nodes that are down are not waited for')
  },
)

t.test(
  'F463 a node without room comes behind all that have some, and first where none has',
  async (t) => {
    const eligible = ['n1', 'n2', 'n3']
    const roomy = nodeOf({ node: 'n2', inc: uuid(5) })
    const full = nodeOf({ node: 'n3', inc: uuid(6), isFull: true })
    const acct = Array.from({ length: 99 }, (_, i) => `a${i}`).find(
      (name) => rankOf(name, 'n1', eligible) === 0,
    )
    const claimOf = (view: Partial<ClaimView>) => {
      const held = new Held({ eligible, ...view })
      held.state = startClaim(acct ?? '', DEFAULT_TIMING)
      return held.tick(1_000)
    }
    const peers = peersOf([roomy, 1], [full, 1])
    const behind = claimOf({ peers, lacksRoom: true })
    t.strictSame(behind.effects, [], 'the node with room is waited for')
    t.strictSame(behind.tick(2_999).effects, [])
    t.strictSame(behind.tick(3_000).does, ['readTail'], 'one that does not come is not waited for')
    const allFull = peersOf([{ ...roomy, isFull: true }, 1], [full, 1])
    t.strictSame(claimOf({ peers: allFull, lacksRoom: true }).does, ['readTail'])
    const last = Array.from({ length: 99 }, (_, i) => `a${i}`).find(
      (name) => rankOf(name, 'n1', eligible) === 2,
    )
    const only = new Held({ eligible, peers: allFull })
    only.state = startClaim(last ?? '', DEFAULT_TIMING)
    t.strictSame(only.tick(1_000).does, ['readTail'], 'who alone has room waits for nobody')
  },
)

t.test('nobody claims what is not his to claim', async (t) => {
  const placed: PlacementRecord = { node: 'n2', inc: uuid(2), e: 4, seq: 9, state: 'active' }
  const placement = { value: placed, revision: 3 }
  const peers = peersOf([OWNER, 40])
  for (const [name, view] of [
    ['suspended or draining', { mayClaim: false }],
    ['not eligible', { eligible: ['n2'] }],
    ['placed with a node that is up', { placement, peers }],
  ] as const) {
    const held = new Held(view).tick(1_000)
    t.strictSame(held.tick(90_000).effects, [], name)
  }
  const released = { value: { ...placed, state: 'released' as const }, revision: 4 }
  t.strictSame(new Held({ placement: released, peers }).tick(1_000).does, ['readTail'])
  const slept = new Held().tick(1_000)
  slept.view = viewOf({ mayClaim: false })
  t.strictSame(slept.tail(undefined, 1_010).effects, [], 'the lease ran out meanwhile')
})

t.test('who has just read of an owner reads again when it is shown to be free', async (t) => {
  const peers = peersOf([OWNER, 41])
  const held = new Held({ peers }).tick(1_000).tail(tailOf(30, OWNED), 1_001)
  t.strictSame(held.tick(1_002).does, [], 'there is an owner')
  const value = { node: 'n2', inc: uuid(2), e: 4, seq: 31, state: 'released' as const }
  held.view = { ...held.view, placement: { value, revision: 9 } }
  t.strictSame(held.tick(1_003).does, ['readTail'])
  held.tail(tailOf(30, OWNED), 1_004)
  t.strictSame(held.tick(1_005).does, [], 'once for each word')
})

t.test(
  'F157 a take-over whose answer was lost is found by its id, and by nothing else',
  async (t) => {
    const held = new Held().tick(1_000).tail(undefined, 1_010).failed(2_010, 'ambiguous')
    t.strictSame(held.does, ['readTail'])
    held.tail({ seq: 9, hash: hash(9), record: EPOCH }, 2_020)
    t.strictSame(held.does, ['fenceGate'])
    const other = new Held().tick(1_000).tail(undefined, 1_010).failed(2_010)
    const foreign = tailOf(9, { node: 'n2', inc: uuid(2), since: 40 })
    t.strictSame(other.tail(foreign, 2_020).effects, [], 'the same place, another record')
    t.equal(other.state.phase, 'free')
  },
)

t.test('a take-over that failed goes again as the same record, and not for ever', async (t) => {
  const held = new Held().tick(1_000).tail(undefined, 1_010)
  for (let sends = 1; sends < 5; sends++) {
    held.failed(1_020).tail(undefined, 1_030)
    t.strictSame(held.does, ['append'])
    t.strictSame(held.state.taking?.record, EPOCH)
  }
  t.strictSame(held.failed(1_040).tail(undefined, 1_050).effects, [])
  t.equal(held.state.phase, 'free')
  const slept = new Held().tick(1_000).tail(undefined, 1_010).failed(1_020)
  slept.view = viewOf({ mayClaim: false })
  t.strictSame(slept.tail(undefined, 1_030).effects, [], 'nor without a lease')
  t.equal(slept.state.phase, 'free')
  const unread = new Held().tick(1_000).tail(undefined, 1_010).failed(1_020).failed(1_030)
  t.strictSame(unread.effects, [])
  t.strictSame(unread.tick(3_030).does, ['readTail'], 'a read that failed is made again')
})

t.test('F158 who is overtaken while the answer sleeps finds no journal regressed', async (t) => {
  const held = new Held().tick(1_000).tail(tailOf(30, { ...OWNED, body: { t: 'release' } }), 1_010)
  const value = { node: 'n2', inc: uuid(2), e: 6, seq: 40, state: 'active' as const }
  held.view = viewOf({ placement: { value, revision: 9 }, mayClaim: false })
  t.strictSame(held.appended(31, 60_000).does, ['fenceGate'])
})

t.test('F158 a journal that knows less than this computer is never traded on', async (t) => {
  const tail = tailOf(30, { ...OWNED, body: { t: 'release' } })
  const active = { node: 'n2', inc: uuid(2), seq: 9, state: 'active' as const }
  const less: readonly (readonly [string, Partial<ClaimView>])[] = [
    ['a later record is in the database', { memory: { seq: 31, hash: hash(31), e: 4 } }],
    ['another record is', { memory: { seq: 30, hash: hash(99), e: 4 } }],
    ['a later epoch is, or at the gate', { memory: { seq: 3, hash: hash(3), e: 5 } }],
    ['a later epoch was placed', { placement: { value: { ...active, e: 5 }, revision: 9 } }],
  ]
  for (const [name, view] of less) {
    const held = new Held(view).tick(1_000).tail(tail, 1_010).appended(32, 1_020)
    t.strictSame(held.does, ['regressed'], name)
    t.strictSame(held.feed({ is: 'ended' }, 2_000).tick(90_000).effects, [], 'for this life')
  }
  const same = { memory: { seq: 30, hash: hash(30), e: 4 } }
  t.strictSame(new Held(same).tick(1_000).tail(tail, 1_010).appended(32, 1_020).does, ['fenceGate'])
})

t.test(
  'F982 an account that has lived with the other kind of trading client is not taken over',
  async (t) => {
    const given = { node: 'n2', inc: uuid(2), e: 4, seq: 30, state: 'released' } as const
    const tail = tailOf(30, { ...OWNED, body: { t: 'release' } })
    const view = (was: boolean | undefined, isReal: boolean) => ({
      isReal,
      placement: {
        value: was === undefined ? given : { ...given, isReal: was },
        revision: 3,
      },
    })
    for (const [was, isReal, wanted] of [
      [true, true, ['append']],
      [false, false, ['append']],
      [undefined, true, ['append']],
      [undefined, false, ['append']],
      [true, false, []],
      [false, true, []],
    ] as const) {
      const held = new Held(view(was, isReal)).tick(1_000).tail(tail, 1_010)
      t.strictSame(held.does, wanted, `${was} ${isReal}`)
    }
    const held = new Held(view(true, false)).tick(1_000).tail(tail, 1_010)
    t.strictSame(held.tick(3_010).does, ['readTail'], 'looked at again')
    const over = new Held({
      ...view(true, false),
      peers: peersOf([{ ...OWNER, state: 'gone' }, 41]),
    })
    t.strictSame(
      over.tick(1_000).tail(tailOf(30, OWNED), 1_010).does,
      [],
      'nor of one that is over',
    )
    const isLeft = tailOf(30, { ...OWNED, body: { t: 'left' } })
    const begun = new Held({ ...view(true, false), opensAt: 30 }).tick(1_000).tail(isLeft, 1_010)
    t.strictSame(begun.does, ['append'], 'by command, whoever has its history')
    const early = new Held({ isShown: false })
    t.strictSame(early.tick(1_000).does, [], 'nobody knows yet whether it stands anywhere')
    early.view = { ...early.view, isShown: true }
    t.strictSame(early.tick(2_000).does, ['readTail'])
    const stalled = new Held({ ...view(true, true), isShown: false })
    t.strictSame(stalled.tick(1_000).does, ['readTail'], 'what was shown stands')
  },
)

t.test('F200 a journal that nobody has opened is opened by whoever may', async (t) => {
  const isLeft = tailOf(30, { ...OWNED, body: { t: 'left' } })
  for (const [name, tail, opensAt, wanted] of [
    ['an empty one, by us', undefined, 0, ['append']],
    ['an empty one, by others', undefined, undefined, []],
    ['one that was closed, by us', isLeft, 30, ['append']],
    ['one that was closed, by others', isLeft, undefined, []],
    ['one that was closed, where we knew it empty', isLeft, 0, []],
    ['one that was closed once more', isLeft, 29, []],
  ] as const) {
    const held = new Held({ opensAt }).tick(1_000).tail(tail, 1_010)
    t.strictSame(held.does, wanted, name)
    if (wanted.length === 0) t.strictSame(held.tick(3_010).does, ['readTail'], 'looked at again')
  }
})
