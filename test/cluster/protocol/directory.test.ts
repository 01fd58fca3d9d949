import t from 'tap'
import {
  type RouteEffect,
  type RouteInput,
  type RouteStart,
  type RouteState,
  startRoute,
  stepRoute,
} from '../../../src/cluster/protocol/directory.ts'
import type { ControlEntry } from '../../../src/cluster/protocol/effects.ts'
import type { PlacementRecord } from '../../../src/cluster/protocol/records.ts'
import { DEFAULT_TIMING } from '../../../src/cluster/protocol/timing.ts'
import { at, uuid } from './fixtures/values.ts'

const entryOf = (
  revision: number,
  fields: Partial<PlacementRecord> = {},
): ControlEntry<PlacementRecord> => ({
  revision,
  value: { node: 'n1', inc: uuid(1), e: 3, seq: 9, state: 'active', ...fields },
})
const LATER = entryOf(8, { node: 'n2', inc: uuid(2), e: 4 })

class Route {
  state: RouteState
  effects: readonly RouteEffect[]

  constructor(fields: Partial<RouteStart> = {}) {
    const usual = { isWrite: true, entry: entryOf(5), epochSeen: 3, budgetMs: 5_000 }
    const start: RouteStart = { acct: 'acct-1', ...usual, ...fields }
    const { state, effects } = startRoute(start, DEFAULT_TIMING, at(0))
    this.state = state
    this.effects = effects
  }
  feed(input: RouteInput, monoMs: number): this {
    const { state, effects } = stepRoute(this.state, input, at(monoMs))
    this.state = state
    this.effects = effects
    return this
  }
  hears(is: 'noResponders' | 'notOwner' | 'timeout', monoMs: number): this {
    return this.feed({ is, call: this.state.call }, monoMs)
  }
  replied(e: number, monoMs: number): this {
    return this.feed({ is: 'reply', call: this.state.call, e }, monoMs)
  }
  reads(entry: ControlEntry<PlacementRecord> | undefined, monoMs: number): this {
    const revision = entry?.revision ?? 0
    return this.feed({ is: 'entry', call: this.state.call, entry, revision }, monoMs)
  }
}

t.test('a request goes where the directory says, and its answer back', async (t) => {
  const route = new Route()
  t.strictSame(route.effects, [
    { do: 'request', call: 1, node: 'n1', inc: uuid(1), timeoutMs: 5_000 },
  ])
  t.strictSame(route.replied(3, 10).effects, [{ do: 'answer', e: 3 }])
  t.strictSame(route.feed({ is: 'tick' }, 99_000).effects, [])
})

t.test('where nothing was done it is tried again, at a later place only', async (t) => {
  for (const is of ['noResponders', 'notOwner'] as const) {
    const route = new Route().hears(is, 10)
    t.match(route.effects, [{ do: 'kvReadLeader', key: 'a.acct-1' }], is)
    t.strictSame(route.reads(entryOf(5), 20).effects, [], 'the place that has refused')
    t.strictSame(route.feed({ is: 'tick' }, 1_000).effects, [])
    t.match(route.feed({ is: 'shown', entry: LATER }, 1_500).effects, [
      { do: 'request', node: 'n2', inc: uuid(2), timeoutMs: 3_500 },
    ])
    t.strictSame(route.replied(4, 1_600).effects, [{ do: 'answer', e: 4 }])
  }
})

t.test('nobody has it for as long as the caller waits: nothing was done', async (t) => {
  for (const entry of [undefined, entryOf(5, { state: 'released' }), entryOf(5, { e: 2 })]) {
    const route = new Route({ entry })
    t.match(route.effects, [{ do: 'kvReadLeader' }])
    route.reads(entry, 10).feed({ is: 'tick' }, 2_100)
    t.match(route.effects, [{ do: 'kvReadLeader' }], 'looked up again')
    route.feed({ is: 'failed', call: route.state.call, why: 'unavailable' }, 3_000)
    t.strictSame(route.feed({ is: 'tick' }, 5_001).effects, [{ do: 'noOwner' }])
  }
})

t.test('F162 a write without an answer is never sent again', async (t) => {
  const route = new Route().hears('timeout', 5_000)
  t.strictSame(route.effects, [{ do: 'outcomeUnknown' }])
  t.strictSame(route.feed({ is: 'shown', entry: LATER }, 5_001).effects, [])
  t.strictSame(new Route().feed({ is: 'tick' }, 5_001).effects, [{ do: 'outcomeUnknown' }])
})

t.test('a read without an answer is late, and has an owner all the same', async (t) => {
  const read = () => new Route({ isWrite: false })
  t.strictSame(read().hears('timeout', 5_000).effects, [{ do: 'notAnswered' }])
  t.strictSame(read().feed({ is: 'tick' }, 5_001).effects, [{ do: 'notAnswered' }])
  const refused = read().hears('notOwner', 10)
  t.strictSame(refused.feed({ is: 'tick' }, 5_001).effects, [{ do: 'noOwner' }])
})

t.test('a reply of an epoch that is over is dropped', async (t) => {
  const read = new Route({ isWrite: false, epochSeen: 3 })
  t.match(read.replied(2, 10).effects, [{ do: 'kvReadLeader' }], 'a read is asked anew')
  t.strictSame(new Route().replied(2, 10).effects, [{ do: 'outcomeUnknown' }], 'a write may stand')
  const late = new Route().hears('notOwner', 10)
  t.strictSame(late.feed({ is: 'reply', call: 1, e: 3 }, 20).effects, [], 'to an earlier try')
})
