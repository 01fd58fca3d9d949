import t from 'tap'
import type { KvEffect } from '../../../src/cluster/protocol/effects.ts'
import {
  isPlaced,
  type PlacementInput,
  startPlacement,
  stepPlacement,
} from '../../../src/cluster/protocol/placement.ts'
import type { PlacementRecord } from '../../../src/cluster/protocol/records.ts'
import { DEFAULT_TIMING } from '../../../src/cluster/protocol/timing.ts'
import { at, uuid } from './fixtures/values.ts'

const WANTED: PlacementRecord = { node: 'n1', inc: uuid(1), e: 4, seq: 30, state: 'active' }
const BEFORE: PlacementRecord = { node: 'n2', inc: uuid(2), e: 3, seq: 20, state: 'active' }

class Placed {
  state = startPlacement('acct-1', WANTED, DEFAULT_TIMING)
  effects: readonly KvEffect[] = []

  feed(input: PlacementInput, monoMs: number): this {
    const { state, effects } = stepPlacement(this.state, input, at(monoMs))
    this.state = state
    this.effects = effects
    return this
  }
  reads(value: PlacementRecord | undefined, revision: number, monoMs: number): this {
    const entry = value === undefined ? undefined : { value, revision }
    return this.feed({ is: 'entry', call: this.state.call, entry, revision }, monoMs)
  }
}

t.test('it is read, written over what is older, and left alone when it stands', async (t) => {
  for (const [before, revision, what] of [
    [undefined, 0, { do: 'kvUpdate', value: WANTED, revision: 0 }],
    [undefined, 8, { do: 'kvUpdate', value: WANTED, revision: 8 }],
    [BEFORE, 7, { do: 'kvUpdate', value: WANTED, revision: 7 }],
  ] as const) {
    const placed = new Placed().feed({ is: 'tick' }, 0)
    t.match(placed.effects, [{ do: 'kvReadLeader', key: 'a.acct-1' }])
    t.match(placed.reads(before, revision, 10).effects, [what])
    placed.feed({ is: 'written', call: placed.state.call, revision: 9 }, 20)
    t.ok(isPlaced(placed.state))
    t.strictSame(placed.feed({ is: 'tick' }, 90_000).effects, [])
  }
})

t.test('a failed write is read again; a later owner is not overwritten', async (t) => {
  const placed = new Placed().feed({ is: 'tick' }, 0).reads(BEFORE, 7, 10)
  placed.feed({ is: 'failed', call: placed.state.call, why: 'conflict' }, 20)
  t.strictSame(placed.feed({ is: 'tick' }, 100).effects, [])
  t.match(placed.feed({ is: 'tick' }, 2_020).effects, [{ do: 'kvReadLeader' }])
  t.strictSame(placed.reads({ ...BEFORE, e: 5 }, 8, 2_030).effects, [])
  t.ok(isPlaced(placed.state), 'by somebody who knows better')
})

t.test('F729 a placement that somebody has deleted is written over its removal', async (t) => {
  const placed = new Placed().feed({ is: 'shown', entry: { value: BEFORE, revision: 7 } }, 0)
  placed.reads(BEFORE, 7, 10).feed({ is: 'failed', call: placed.state.call, why: 'conflict' }, 20)
  placed.feed({ is: 'tick' }, 2_020).reads(undefined, 8, 2_030)
  t.match(placed.effects, [{ do: 'kvUpdate', value: WANTED, revision: 8 }])
})

t.test(
  'F752 a placement that is deleted while it stands is written over the removal',
  async (t) => {
    const placed = new Placed().feed({ is: 'shown', entry: { value: WANTED, revision: 9 } }, 0)
    t.strictSame(placed.feed({ is: 'removed', revision: 8 }, 10).effects, [], 'one of before')
    placed.feed({ is: 'removed', revision: 12 }, 20).reads(undefined, 12, 30)
    t.match(placed.effects, [{ do: 'kvUpdate', value: WANTED, revision: 12 }])
  },
)

t.test('a release is written over our own placement', async (t) => {
  const placed = new Placed().feed({ is: 'shown', entry: { value: WANTED, revision: 9 } }, 0)
  t.ok(isPlaced(placed.state))
  const wanted: PlacementRecord = { ...WANTED, seq: 44, state: 'released' }
  placed.feed({ is: 'want', wanted }, 100).reads(WANTED, 9, 110)
  t.match(placed.effects, [{ do: 'kvUpdate', value: wanted, revision: 9 }])
})
