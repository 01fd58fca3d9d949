import { randomUUID } from 'node:crypto'
import t, { type Test } from 'tap'
import { readClocks } from '../../src/cluster/node/clocks.ts'
import type { ClusterEngine, EngineEffect } from '../../src/cluster/node/engine.ts'
import { Seat } from '../../src/cluster/node/seat.ts'
import { DEFAULT_APPEND_LIMITS } from '../../src/cluster/protocol/append.ts'
import type { EngineAnswer, Tail } from '../../src/cluster/protocol/effects.ts'
import { startPeers, stepPeers } from '../../src/cluster/protocol/peers.ts'
import type { PlacementRecord } from '../../src/cluster/protocol/records.ts'
import { inTime, turnsUntil } from '../in-time.ts'
import { QUICK } from './fixtures/nats-node.ts'
import { nodeOf } from './protocol/fixtures/values.ts'

const ACCOUNT = '10000001'
const SELF = { node: 'node-a', inc: randomUUID(), host: 'here', v: '1' }

t.test(
  'F186 servers that lack what they have confirmed: nobody orders, and it is said',
  async (t) => {
    let isPutBack = false
    const answerTo = (effect: EngineEffect): EngineAnswer => {
      const { call } = effect
      if (effect.do === 'readTail') return { is: 'tail', call, tail: undefined }
      if (effect.do !== 'append' || isPutBack) return { is: 'failed', call, why: 'conflict' }
      return { is: 'appended', call, seq: 1, hash: 'of the first' }
    }
    const engine = { perform: (effect: EngineEffect) => Promise.resolve(answerTo(effect)) }
    const told: string[] = []
    const seat = new Seat({
      acct: ACCOUNT,
      eligible: [SELF.node],
      epochFloor: 0,
      opensAt: 0,
      isReal: false,
      self: SELF,
      timing: QUICK,
      append: { ...DEFAULT_APPEND_LIMITS, staleReadsMax: 2 },
      engine: engine as ClusterEngine,
      now: readClocks,
      newId: randomUUID,
      view: () => ({
        self: { ...SELF, since: 1 },
        mayClaim: !isPutBack,
        lacksRoom: false,
        isShown: true,
        peers: startPeers(SELF.node, QUICK),
      }),
      events: {
        owned: (epoch) => told.push(`owned ${epoch}`),
        lost: () => told.push('lost'),
        regressed: (text) => told.push(text),
        stalled: () => undefined,
        otherClient: () => undefined,
      },
    })
    t.teardown(() => seat.close())
    seat.look()
    await turnsUntil(() => told.includes('owned 1'), 'the account')
    isPutBack = true
    await t.rejects(seat.append(1, 1, new Uint8Array(1)), { code: 'NOT_OWNER' })
    t.match(told, ['owned 1', 'lost', /^JOURNAL_REGRESSED/])
  },
)

/** A node whose disk may be full, beside one that has room; its clocks stand still until they are told to go on. */
class Roomless {
  readonly told: string[] = []
  /** What stands in the journal, in its order. */
  readonly written: string[] = []
  /** What was written to say where the account is, and over which revision. */
  readonly placed: string[] = []
  wasReal: boolean | undefined
  isFull = false
  /** Whether the journal takes anything. */
  isOpen = true
  ticks = 0
  #nowMs = 0
  #tail: Tail | undefined
  readonly seat: Seat

  constructor() {
    this.seat = new Seat({
      acct: ACCOUNT,
      eligible: [SELF.node, 'node-b'],
      epochFloor: 0,
      opensAt: 0,
      isReal: false,
      self: SELF,
      timing: QUICK,
      append: DEFAULT_APPEND_LIMITS,
      engine: { perform: async (effect: EngineEffect) => this.#answer(effect) } as ClusterEngine,
      now: () => this.#now(),
      newId: randomUUID,
      view: () => this.#view(),
      events: {
        owned: (epoch) => this.told.push(`owned ${epoch}`),
        lost: () => this.told.push('lost'),
        regressed: (text) => this.told.push(text),
        stalled: (isStalled) => this.told.push(isStalled ? 'stalled' : 'flowing'),
        otherClient: (node) => this.told.push(`other client at ${node}`),
      },
    })
  }

  async pass(ms: number): Promise<void> {
    this.#nowMs += ms
    const { ticks } = this
    await turnsUntil(() => this.ticks > ticks + 5, 'some ticks')
  }

  #now() {
    return { monoMs: this.#nowMs, wallMs: this.#nowMs }
  }

  #view() {
    this.ticks += 1
    const record = nodeOf({ node: 'node-b', inc: randomUUID() })
    const sighting = { is: 'sighting', record, revision: 2 } as const
    const { state: peers } = stepPeers(startPeers(SELF.node, QUICK), sighting, this.#now())
    const self = { ...SELF, since: 1 }
    return { self, mayClaim: true, lacksRoom: this.isFull, isShown: true, peers }
  }

  #answer(effect: EngineEffect): EngineAnswer {
    const { call } = effect
    if (effect.do === 'readTail') return { is: 'tail', call, tail: this.#tail }
    if (effect.do === 'kvReadLeader') return { is: 'entry', call, entry: undefined, revision: 0 }
    if (effect.do === 'kvUpdate') {
      const { state, isReal } = effect.value as PlacementRecord
      this.placed.push(`${state} over ${effect.revision}`)
      this.wasReal = isReal
      return { is: 'written', call, revision: 10 * this.placed.length }
    }
    if (!this.isOpen) return { is: 'failed', call, why: 'unavailable' }
    const seq = (this.#tail?.seq ?? 0) + 1
    this.#tail = { seq, hash: `of ${seq}`, record: effect.record }
    this.written.push(effect.record.body.t)
    return { is: 'appended', call, seq, hash: this.#tail.hash }
  }
}

async function roomless(t: Test): Promise<Roomless> {
  const node = new Roomless()
  t.teardown(() => node.seat.close())
  node.seat.look()
  await turnsUntil(() => node.told.includes('owned 1'), 'the account')
  return node
}

t.test(
  'F463 an account that is given up slowly leaves no word behind that it stalls',
  async (t) => {
    const node = await roomless(t)
    node.isFull = true
    await node.pass(0)
    node.isOpen = false
    await node.pass(QUICK.roomMs)
    t.strictSame(node.told, ['owned 1', 'lost'])
    await node.pass(DEFAULT_APPEND_LIMITS.stalledMs + 1)
    node.isOpen = true
    await node.pass(QUICK.renewMs)
    t.strictSame(node.written, ['epoch', 'release'])
    t.strictSame(node.told, ['owned 1', 'lost'], 'orders go to the other node by this one, too')
  },
)

t.test(
  'F982 a node by another kind of trading client is told once, and ours is noted',
  async (t) => {
    const node = await roomless(t)
    node.seat.activate(1)
    await turnsUntil(() => node.placed.length > 0, 'its place')
    t.equal(node.wasReal, false)
    const shown = (revision: number, more: Partial<PlacementRecord>) =>
      node.seat.shown({
        value: { node: 'node-b', inc: randomUUID(), e: 2, seq: 9, state: 'active', ...more },
        revision,
      })
    const toldOf = () => node.told.filter((text) => text.startsWith('other'))
    shown(20, {}) // of an earlier release
    shown(21, { isReal: false })
    t.strictSame(toldOf(), [])
    shown(22, { isReal: true })
    shown(23, { isReal: true, seq: 10 })
    t.strictSame(toldOf(), ['other client at node-b'])
    shown(24, { isReal: false })
    shown(25, { isReal: true })
    t.equal(toldOf().length, 2, 'it has come back')
  },
)

t.test('F463 an account is not given up to a journal that takes no word of it', async (t) => {
  const node = await roomless(t)
  node.isOpen = false
  const commit = node.seat.append(1, 1, new Uint8Array(1))
  await node.pass(DEFAULT_APPEND_LIMITS.stalledMs + 1)
  node.isFull = true
  await node.pass(0)
  await node.pass(QUICK.roomMs)
  t.strictSame(node.told, ['owned 1', 'stalled'], 'it is read here, as long as nobody else can be')
  node.isOpen = true
  await node.pass(QUICK.renewMs)
  await inTime(commit, 'the commit')
  await node.pass(QUICK.roomMs)
  t.strictSame(node.told, ['owned 1', 'stalled', 'flowing', 'lost'])
})

t.test('F463 an account that leaves the cluster is not given up to another node', async (t) => {
  const node = await roomless(t)
  node.isOpen = false
  const commit = node.seat.append(1, 1, new Uint8Array(1))
  node.isFull = true
  await node.pass(0)
  const left = node.seat.release('left')
  await node.pass(QUICK.roomMs - 1)
  await node.pass(1)
  node.isOpen = true
  await node.pass(QUICK.renewMs)
  await inTime(commit, 'the commit')
  t.equal(await inTime(left, 'the end'), 3)
  t.strictSame(node.written, ['epoch', 'commits', 'left'])
})

t.test('F752 an entry that is deleted is written again by nobody but the owner', async (t) => {
  const node = await roomless(t)
  node.seat.removed(7)
  node.seat.activate(1)
  await node.pass(0)
  node.seat.removed(8)
  await node.pass(QUICK.retryMs)
  t.strictSame(node.placed, ['active over 0'], 'of the removal of before')
  node.seat.removed(12)
  await node.pass(QUICK.retryMs)
  t.strictSame(node.placed, ['active over 0', 'active over 12'])
  node.isFull = true
  await node.pass(0)
  await node.pass(QUICK.roomMs)
  t.strictSame(node.told, ['owned 1', 'lost'])
  const given = [...node.placed]
  node.seat.removed(40)
  await node.pass(QUICK.retryMs)
  t.strictSame(node.placed, given, 'whoever takes it over says so')
})
