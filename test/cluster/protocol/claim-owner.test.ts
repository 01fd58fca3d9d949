import t from 'tap'
import { Held, OWNED, OWNER, peersOf, REMOVAL, SELF, viewOf } from './fixtures/claiming.ts'
import { tailOf, uuid } from './fixtures/values.ts'

t.test('F754 an owner of which only an older sight is shown is asked for', async (t) => {
  const before = { ...OWNER, inc: uuid(3) }
  const tail = tailOf(30, OWNED)
  const asking = () => {
    const held = new Held({ peers: peersOf([before, 39]) }).tick(1_000).tail(tail, 1_010)
    t.match(held.effects, [{ do: 'kvReadLeader', key: 'n.n2' }])
    return held
  }
  const late = asking().entry({ value: OWNER, revision: 40 }, 1_020)
  t.strictSame(late.tick(3_019).effects, [], 'our watch is late')
  t.strictSame(late.tick(3_020).does, ['readTail'])
  const lost = asking().entry({ value: before, revision: 39 }, 1_020)
  t.strictSame(lost.readsFrom(3_020, 17_020, tail).effects, [], 'put back: it may act for so long')
  const fence = { do: 'kvUpdate', value: { inc: OWNER.inc, state: 'fenced' }, revision: 39 }
  t.match(lost.readsFrom(19_020, 19_020, tail).effects, [fence])
})

t.test('F753 that an owner had a later life is asked before anybody takes over', async (t) => {
  const next = { ...OWNER, inc: uuid(3) }
  const asking = () => {
    const held = new Held({ peers: peersOf([next, 41]) }).tick(1_000).tail(tailOf(30, OWNED), 1_010)
    t.match(held.effects, [{ do: 'kvReadLeader', key: 'n.n2' }])
    return held
  }
  for (const value of [next, { ...OWNER, state: 'fenced' }, { ...OWNER, state: 'gone' }] as const) {
    t.strictSame(asking().entry({ value, revision: 41 }, 1_020).does, ['append'], value.state)
  }
  for (const state of ['up', 'draining'] as const) {
    const held = asking().entry({ value: { ...OWNER, state }, revision: 7 }, 1_020)
    t.strictSame(held.effects, [], 'revisions have gone back, and it is the later one')
    t.strictSame(held.tick(3_019).effects, [])
    t.strictSame(held.tick(3_020).does, ['readTail'])
  }
  t.strictSame(asking().failed(1_020).effects, [])
  const late = asking()
  late.view = { ...late.view, mayClaim: false }
  t.strictSame(late.entry({ value: next, revision: 41 }, 1_020).effects, [], 'not any more')
})

t.test('F755 an owner whose later life was shown, and is deleted, is waited for', async (t) => {
  const tail = tailOf(30, OWNED)
  const peers = peersOf([{ ...OWNER, inc: uuid(3) }, 41])
  const held = new Held({ peers }).tick(1_000).tail(tail, 1_010).entry(undefined, 1_020)
  t.strictSame(held.effects, [], 'in a bucket that was put back it may have been that of the owner')
  for (let monoMs = 3_020; monoMs <= 17_020; monoMs += 2_000) {
    held.tick(monoMs).tail(tail, monoMs).entry(undefined, monoMs)
    t.strictSame(held.effects, [], `${monoMs}`)
  }
  held.tick(19_020).tail(tail, 19_020).entry(undefined, 19_020)
  const fence = { do: 'kvUpdate', value: { inc: OWNER.inc, state: 'fenced' }, revision: REMOVAL }
  t.match(held.effects, [fence])
  const back = held.failed(19_030).tick(21_030).tail(tail, 21_030)
  t.strictSame(back.entry({ value: OWNER, revision: 44 }, 21_040).effects, [], 'it came back')
})

t.test(
  'an owner without a record is waited for, then fenced by a record of our making',
  async (t) => {
    const held = new Held()
    const tail = tailOf(30, OWNED)
    t.match(held.tick(0).tail(tail, 0).effects, [{ do: 'kvReadLeader', key: 'n.n2' }])
    held.entry(undefined, 0)
    for (let monoMs = 2_000; monoMs <= 16_000; monoMs += 2_000) {
      t.strictSame(held.tick(monoMs).tail(tail, monoMs).effects, [], `${monoMs}`)
    }
    held.tick(18_000).tail(tail, 18_000)
    t.match(held.effects, [
      {
        do: 'kvUpdate',
        key: 'n.n2',
        value: { inc: uuid(2), state: 'fenced', by: 'n1' },
        revision: REMOVAL,
      },
    ])
    t.strictSame(held.failed(18_010).effects, [], 'it came back')
    held.view = viewOf({ peers: peersOf([{ ...OWNER, state: 'fenced' }, 70]) })
    t.strictSame(held.tick(20_010).tail(tail, 20_020).does, ['append'])
  },
)

t.test(
  'F722 an owner whose record stands, though it is not shown, is waited for anew',
  async (t) => {
    const held = new Held()
    const tail = tailOf(30, OWNED)
    held.tick(0).tail(tail, 0).entry(undefined, 0).readsFrom(2_000, 18_000, tail)
    t.strictSame(held.does, ['kvUpdate'])
    held.failed(18_010).tick(20_010).tail(tail, 20_010)
    t.strictSame(held.does, ['kvReadLeader'])
    held.entry(undefined, 20_010).readsFrom(22_010, 36_010, tail)
    t.strictSame(held.effects, [], 'it may have been deleted just before it was found missing')
    t.strictSame(held.readsFrom(38_010, 38_010, tail).does, ['kvUpdate'])
  },
)

t.test(
  'F726 an owner that was not shown yet is missing only once the leader has no record of it',
  async (t) => {
    const held = new Held()
    const tail = tailOf(30, OWNED)
    held.tick(0).tail(tail, 0).entry({ value: OWNER, revision: 40 }, 0)
    held.tick(2_000).tail(tail, 2_000).failed(2_010, 'ambiguous')
    held.tick(4_010).tail(tail, 4_010)
    t.strictSame(held.does, ['kvReadLeader'], 'nor is it while nobody says so')
    held.entry(undefined, 4_010).readsFrom(6_010, 20_010, tail)
    t.strictSame(held.effects, [], 'it may have renewed until it was deleted')
    t.strictSame(held.readsFrom(22_010, 22_010, tail).does, ['kvUpdate'])
    const other = tailOf(31, { ...OWNED, inc: uuid(3) })
    t.strictSame(held.failed(22_020).tick(24_020).tail(other, 24_020).does, ['kvReadLeader'])
    held.entry(undefined, 24_030).tick(26_030).tail(tail, 26_030)
    t.strictSame(held.does, ['kvReadLeader'], 'that of one life says nothing of another')
  },
)

t.test(
  'F727 an owner whose revision our renewals stay behind is over: the bucket was put back',
  async (t) => {
    for (const [name, owner, peers] of [
      ['a former life of this node', { node: 'n1', inc: uuid(9) }, peersOf()],
      ['another node, which is back', OWNED, peersOf([{ ...OWNER, inc: uuid(3) }, 51])],
      ['another node, which is down', OWNED, peersOf([{ ...OWNER, state: 'fenced' }, 51])],
    ] as const) {
      const tail = tailOf(30, { ...OWNED, ...owner, since: 4_000 })
      const held = new Held({ peers })
      const renewsAt = (since: number) => {
        held.view = { ...held.view, self: { ...SELF, since } }
      }
      t.strictSame(held.readsFrom(0, 40_000, tail).effects, [], `${name}: no renewal came after`)
      renewsAt(52)
      t.strictSame(held.readsFrom(42_000, 90_000, tail).effects, [], 'it was sent before, perhaps')
      renewsAt(54)
      t.strictSame(held.readsFrom(92_000, 108_000, tail).effects, [], 'it may have a lease')
      // What is proven stays so.
      renewsAt(4_001)
      t.strictSame(held.readsFrom(110_000, 110_000, tail).does, ['append'], name)
    }
  },
)

t.test('F727 an owner that took over behind our last renewal is left alone', async (t) => {
  const tail = tailOf(30, { ...OWNED, since: 55 })
  const peers = peersOf([{ ...OWNER, inc: uuid(3) }, 39])
  const held = new Held({ peers }).readsFrom(0, 2_000, tail)
  for (const since of [54, 56, 58]) {
    held.view = { ...held.view, self: { ...SELF, since } }
    const fromMs = since * 1_000
    const { does } = held.readsFrom(fromMs, fromMs + 60_000, tail)
    t.strictSame([...new Set(does)], since < 55 ? [] : ['kvReadLeader'], `${since}`)
  }
})
