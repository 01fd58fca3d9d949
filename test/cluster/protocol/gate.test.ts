import t from 'tap'
import {
  type GateCall,
  type GateEffect,
  type GateInput,
  type GateState,
  startGate,
  stepGate,
} from '../../../src/cluster/protocol/gate.ts'
import { at } from './fixtures/values.ts'

const ACCT = 'acct-1'

class Gate {
  state: GateState
  effects: readonly GateEffect[] = []
  constructor(epochs: Readonly<Record<string, number>> = { [ACCT]: 5 }) {
    this.state = startGate(new Map(Object.entries(epochs)))
  }
  feed(input: GateInput, now = at(1_000)): this {
    const { state, effects } = stepGate(this.state, input, now)
    this.state = state
    this.effects = effects
    return this
  }
  lease(fromMs = 0): this {
    const { monoMs, wallMs } = at(fromMs)
    const deadline = { monoMs: monoMs + 14_000, wallMs: wallMs + 14_000 }
    return this.feed({ is: 'lease', deadline })
  }
  place(fields: Partial<GateCall> = {}, now = at(1_000)): string {
    const call = { acct: ACCT, e: 5, id: 'a', deadline: at(2_000), ...fields }
    const [effect] = this.feed({ is: 'place', call }, now).effects
    return effect?.do === 'refuse' ? effect.why : (effect?.do ?? '')
  }
}

t.test('a call of the owner passes, once', async (t) => {
  const gate = new Gate().lease()
  t.equal(gate.place(), 'pass')
  t.equal(gate.place(), 'twice')
  t.equal(gate.place({ id: 'b' }), 'pass')
  t.equal(gate.place({}, at(2_001)), 'too_late', 'an id is forgotten when it can pass no more')
})

t.test('F160 a call that comes after its time never reaches the client', async (t) => {
  const gate = new Gate().lease()
  const { wallMs } = at(1_000)
  t.equal(gate.place({ e: 4 }), 'stale_epoch', 'somebody else has taken over')
  t.equal(gate.place({ e: 6 }), 'unknown_epoch', 'who owns it says so here first')
  t.equal(gate.place({ acct: 'acct-2' }), 'unknown_epoch')
  t.equal(gate.place({}, at(2_001, wallMs)), 'too_late', 'the process was stopped')
  t.equal(gate.place({}, at(1_000, at(2_001).wallMs)), 'too_late', 'the computer slept')
  const late = { deadline: at(99_000) }
  t.equal(gate.place(late, at(14_001, wallMs)), 'no_lease')
  t.equal(gate.place(late, at(1_000, at(14_001).wallMs)), 'no_lease')
  t.equal(gate.place(late, at(1_000, at(499).wallMs)), 'no_lease', 'the wall clock was set back')
  t.equal(new Gate().place(), 'no_lease', 'a gate that has just started knows of none')
  t.equal(gate.feed({ is: 'leaseOver' }).place(), 'no_lease')
})

t.test('an epoch holds when it is on disk, and never sinks', async (t) => {
  const gate = new Gate().lease().feed({ is: 'fence', acct: ACCT, e: 6 })
  t.strictSame(gate.effects, [{ do: 'keep', acct: ACCT, e: 6 }])
  t.equal(gate.place({ id: 'x' }), 'pass', 'not yet on disk')
  gate.feed({ is: 'kept', acct: ACCT, e: 6 })
  t.strictSame(gate.effects, [{ do: 'gateHolds', acct: ACCT, e: 6 }])
  t.equal(gate.place({ id: 'y' }), 'stale_epoch')
  t.equal(gate.place({ id: 'y', e: 6 }), 'pass')
  t.strictSame(gate.feed({ is: 'fence', acct: ACCT, e: 6 }).effects, [
    { do: 'gateHolds', acct: ACCT, e: 6 },
  ])
  t.strictSame(gate.feed({ is: 'fence', acct: ACCT, e: 5 }).effects, [])
  t.strictSame(gate.feed({ is: 'kept', acct: ACCT, e: 5 }).effects, [])
  t.equal(gate.place({ id: 'z', e: 5 }), 'stale_epoch')
})

t.test('so many calls are remembered, and none passes that could not be', async (t) => {
  const gate = new Gate().lease()
  for (let i = 0; i < 4_096; i++) gate.place({ id: `${i}` })
  t.equal(gate.place({ id: 'more' }), 'full')
})
