import t from 'tap'
import { orderCheck } from '../../actors/account/order-check.ts'
import { readClocks } from '../../src/cluster/node/clocks.ts'
import {
  accountWord,
  allowEpoch,
  clearLease,
  writeLease,
} from '../../src/cluster/protocol/order-check.ts'
import { atBroker, ORDER } from '../simulation/fixtures/at-broker.ts'
import { pass } from '../simulation/fixtures/calm.ts'

const SLOT = 3
const TTL_MS = 1_500

t.test(
  'a trading client is told something under the lease, the epoch and in time alone',
  async (t) => {
    const memory = new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT * accountWord(SLOT + 1))
    const words = new Int32Array(memory)
    const origin = readClocks()
    clearLease(words)
    const mayAct = orderCheck({ words: memory, origin, intentTtlMs: TTL_MS }, SLOT)
    const { monoMs, wallMs } = origin
    const until = (ms: number) =>
      writeLease(words, { monoMs: monoMs + ms, wallMs: wallMs + ms }, origin)
    allowEpoch(words, SLOT, 7)
    t.notOk(mayAct(7, 0), 'there is no lease')
    until(600_000)
    t.ok(mayAct(7, 0))
    t.ok(mayAct(7, TTL_MS))
    t.notOk(mayAct(7, TTL_MS + 1), 'it was decided too long ago')
    t.notOk(mayAct(6, 0), 'an epoch that is over')
    t.notOk(mayAct(8, 0), 'one that nobody has given')
    allowEpoch(words, SLOT, 0)
    t.notOk(mayAct(7, 0), 'the account is not ours any more')
    allowEpoch(words, SLOT, 7)
    clearLease(words)
    t.notOk(mayAct(7, 0))
  },
)

t.test('an account that may not act sends nothing, says so, and sends again when it may', (t) =>
  atBroker(async (world) => {
    const answers: string[] = []
    const place = async (key: string) => {
      world.life?.ask({ ...ORDER, key }, (answer) =>
        answers.push(String(Reflect.get(Object(answer), 'state'))),
      )
      await pass(world, 1_000)
    }
    world.mayAct = () => false
    await place('01ARZ3NDEKTSV4RRFFQ6000001')
    t.equal(world.called.size, 0, 'the broker hears of nothing')
    t.strictSame(answers, ['rejected'])
    world.mayAct = () => true
    await place('01ARZ3NDEKTSV4RRFFQ6000002')
    t.equal(world.called.size, 1)
  }),
)
