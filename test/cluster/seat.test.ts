import { randomUUID } from 'node:crypto'
import t from 'tap'
import { readClocks } from '../../src/cluster/node/clocks.ts'
import type { ClusterEngine, EngineEffect } from '../../src/cluster/node/engine.ts'
import { Seat } from '../../src/cluster/node/seat.ts'
import { DEFAULT_APPEND_LIMITS } from '../../src/cluster/protocol/append.ts'
import type { EngineAnswer } from '../../src/cluster/protocol/effects.ts'
import { startPeers } from '../../src/cluster/protocol/peers.ts'
import { turnsUntil } from '../in-time.ts'
import { QUICK } from './fixtures/nats-node.ts'

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
        peers: startPeers(SELF.node, QUICK),
      }),
      events: {
        owned: (epoch) => told.push(`owned ${epoch}`),
        lost: () => told.push('lost'),
        regressed: (text) => told.push(text),
        stalled: () => undefined,
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
