import t from 'tap'
import { orderCheck } from '../../actors/account/order-check.ts'
import {
  accountWord,
  allowEpoch,
  clearLease,
  writeLease,
} from '../../src/cluster/protocol/order-check.ts'
import { steadyMs } from '../../src/runtime/steady.ts'
import { atBroker, ORDER } from '../simulation/fixtures/at-broker.ts'
import { pass } from '../simulation/fixtures/calm.ts'

const TTL_MS = 60_000
/** Words count so long. */
const UNIT_MS = 50

/** A node that has the account of slot 0 under epoch 3, and a lease for so long. */
function node(leaseMs: number) {
  const origin = { monoMs: Math.floor(steadyMs()), wallMs: Date.now() }
  const words = new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT * accountWord(1))
  const memory = new Int32Array(words)
  const { monoMs, wallMs } = origin
  writeLease(memory, { monoMs: monoMs + leaseMs, wallMs: wallMs + leaseMs }, origin)
  allowEpoch(memory, 0, 3)
  return { memory, monoMs, callBy: orderCheck({ words, origin, intentTtlMs: TTL_MS }, 0) }
}

t.test('a call may begin until the lease or its age ends it, whichever is first', async (t) => {
  const short = node(20_000)
  const byLease = short.callBy(3, 0) ?? 0
  t.ok(byLease <= short.monoMs + 20_000, 'never beyond the lease')
  t.ok(byLease > short.monoMs + 20_000 - 2 * UNIT_MS)
  const long = node(10 * TTL_MS)
  const fresh = long.callBy(3, 0) ?? 0
  t.ok(fresh >= long.monoMs + TTL_MS, 'from now on')
  t.ok((long.callBy(3, TTL_MS - 1) ?? 0) < fresh - TTL_MS / 2, 'less what it has waited')
})

t.test('without the lease, the epoch or in time nothing may begin', async (t) => {
  const { memory, callBy } = node(20_000)
  t.equal(callBy(2, 0), undefined, 'of an earlier owner')
  t.equal(callBy(3, TTL_MS + 1), undefined, 'decided too long ago')
  clearLease(memory)
  t.equal(callBy(3, 0), undefined)
})

t.test('an account that may not act sends nothing, says so, and sends again when it may', (t) =>
  atBroker(async (world) => {
    const answers: string[] = []
    const place = async (key: string) => {
      world.life?.ask({ ...ORDER, key }, (answer) =>
        answers.push(String(Reflect.get(Object(answer), 'state'))),
      )
      await pass(world, 1_000)
    }
    world.callBy = () => undefined
    await place('01ARZ3NDEKTSV4RRFFQ6000001')
    t.equal(world.called.size, 0, 'the broker hears of nothing')
    t.strictSame(answers, ['rejected'])
    world.callBy = () => Number.POSITIVE_INFINITY
    await place('01ARZ3NDEKTSV4RRFFQ6000002')
    t.equal(world.called.size, 1)
  }),
)

/** Commits of a while in which an order that was not sent is asked for again so often, and what is answered. */
async function repeated(repeats: number) {
  const answers: string[] = []
  let written = 0
  await atBroker(async (world) => {
    const place = () =>
      world.life?.ask(ORDER, (answer) => answers.push(String(Reflect.get(Object(answer), 'state'))))
    world.callBy = () => undefined
    place()
    await pass(world, 1_000)
    for (let second = 0; second < 20; second++) {
      if (second < repeats) place()
      await pass(world, 1_000)
    }
    written = world.disk.writtenCount
  })
  return { answers, written }
}

t.test(
  'F208 who repeats an order that was not sent is told the same, and nothing is written',
  async (t) => {
    const [once, often] = [await repeated(0), await repeated(20)]
    t.strictSame(often.answers, Array(21).fill('rejected'))
    t.equal(often.written, once.written, 'the journal of the cluster does not grow by it')
  },
)
