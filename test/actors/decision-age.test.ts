import t from 'tap'
import { DECIDED_TOO_LONG_AGO } from '../../actors/account/client-calls.ts'
import { DecisionAge } from '../../actors/account/decision-age.ts'
import type { AccountPolicy } from '../../src/account/model/policy.ts'
import { atBroker } from '../simulation/fixtures/at-broker.ts'
import { pass } from '../simulation/fixtures/calm.ts'
import { CODES } from '../simulation/fixtures/market.ts'
import type { World } from '../simulation/fixtures/world.ts'

const LIMIT_MS = 10_000
const HOUR_MS = 3_600_000

t.test('the time since a decision counts by whichever clock says more', async (t) => {
  const clocks = { monotonicMs: 1_000, wallMs: 9_000_000 }
  const time = { monotonicMs: () => clocks.monotonicMs, wallMs: () => clocks.wallMs }
  const age = new DecisionAge(time, LIMIT_MS)
  const decided = age.now()
  t.equal(age.leftMs(decided), LIMIT_MS)
  clocks.monotonicMs += 400
  clocks.wallMs += 401
  t.equal(age.leftMs(decided), LIMIT_MS - 401)
  clocks.wallMs += HOUR_MS
  t.ok(age.leftMs(decided) < 0, 'asleep: the steady clock stood still')
  clocks.wallMs -= 2 * HOUR_MS
  clocks.monotonicMs += LIMIT_MS
  t.ok(age.leftMs(decided) < 0, 'a clock that is set back hides nothing')
})

const TRADING = { globalAutoOperation: true, globalAllowBuySell: true }

/** A stop-loss is decided, and something happens while it is on its way to the disk. */
async function stopped(
  world: World,
  meanwhile: (world: World) => void,
): Promise<ReturnType<typeof orders>> {
  world.life?.ask({ kind: 'saveConfig', changes: TRADING, source: 'user' }, () => undefined)
  for (const step of [1, 2, 3, 4]) {
    await world.tick(CODES[0], 36, step)
    await pass(world, 3_000)
  }
  await world.tick(CODES[0], 32.9, 4)
  t.equal(world.decided.size, 1, 'it is decided and not on disk')
  meanwhile(world)
  await pass(world, 1)
  return orders(world)
}
const orders = ({ disk, called }: World) =>
  [...disk.orders.values()].map(({ clientOrderId, status, statusMessage }) => ({
    status,
    statusMessage,
    isCalled: called.has(clientOrderId),
  }))

const play = (
  name: string,
  meanwhile: (world: World) => void,
  { isSent, ...other }: { readonly isSent: boolean } & Partial<AccountPolicy>,
) =>
  t.test(name, (t) =>
    atBroker(async (world) => {
      const all = await stopped(world, meanwhile)
      const statusMessage = DECIDED_TOO_LONG_AGO
      if (isSent) t.match(all, [{ isCalled: true }])
      else t.strictSame(all, [{ status: 'rejected', statusMessage, isCalled: false }])
    }, other),
  )

const sleep = ({ loop }: World) => {
  loop.skewMs += 2 * HOUR_MS
}
const standStill = ({ loop }: World) => {
  loop.nowMs += LIMIT_MS + 1
}

play('F528 a stop is sent when nothing has kept it', () => undefined, { isSent: true })
play('F528 a stop that the computer slept over is never sent', sleep, { isSent: false })
play('F528 nor one that the disk took too long for', standStill, { isSent: false })
play('F528 in an exact replay no order ends by the clock of the computer', standStill, {
  isSent: true,
  tempo: 'exact',
})

t.test('F528 the next quote decides anew, and no refusal has been counted', (t) =>
  atBroker(async (world) => {
    await stopped(world, sleep)
    await pass(world, 3_000)
    t.equal(world.called.size, 0, 'not on the quote of before')
    await world.tick(CODES[0], 32.88, 4)
    await pass(world, 3_000)
    t.match(orders(world), [{ status: 'rejected' }, { isCalled: true }])
    t.equal(world.called.size, 1, 'one order at the broker')
  }),
)
