import { setImmediate as turnOver } from 'node:timers/promises'
import t from 'tap'
import { Rehearsal } from '../../actors/account/rehearsal.ts'
import { type WarmUpOptions, warmUp } from '../../actors/account/warm-up.ts'
import type { AccountPolicy } from '../../src/account/model/policy.ts'
import { Bench, policy } from '../account/fixture.ts'

/** Freezes all of it: whoever changes it throws. */
function frozen<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value
  for (const part of Object.values(Object.freeze(value))) frozen(part)
  return value
}

function played(of: AccountPolicy, sales: number) {
  const rehearsal = new Rehearsal(of, sales)
  const turns = [...rehearsal.play()].length
  return { ...rehearsal.rehearsed, turns }
}

/** Every switch is off, every limit is as narrow as it can be. */
const forbidding: AccountPolicy = {
  ...policy,
  accountType: 'CREDIT',
  isStopProfitModuleOn: false,
  isAlwaysOpen: false,
  tempo: 'exact',
  health: { ...policy.health, isObserveOnly: false, eventsMin: 100, tradingScoreMin: 100 },
  settings: {
    ...policy.settings,
    ENABLE_AUTO_OPERATION: false,
    ENABLE_AUTO_TRADING: false,
    ENABLE_ALLOW_SELL: false,
    ENABLE_SIMULATION_MODE: true,
    STOP_LOSS_RATIO: -0.2,
  },
  risk: {
    maxOrdersPerSecond: 1,
    maxOrdersPerDay: 1,
    maxProtectiveOrdersPerDay: 1,
    maxOrderValue: 1,
    priceDeviation: 0.001,
    staleQuoteMs: 1,
    refuseDuplicates: true,
    maxDailyLoss: 1,
    maxRejectsInRow: 1,
  },
}

t.test('a rehearsal goes the way of a sale: decided, taken, filled and booked', async (t) => {
  const { sales, intents, deals, bytes } = played(policy, 3)
  t.match({ sales, intents, deals }, { sales: 3, intents: 3, deals: 3 })
  t.ok(bytes > 0, 'and written as it would be')
  t.match(played(forbidding, 3), { sales: 3, intents: 3 }, 'whatever the account itself may do')
})

t.test('a rehearsal is the same each time, and leaves nothing behind', async (t) => {
  const own = new Bench().ready()
  const before = JSON.stringify([...Object.entries(own.state)])
  const first = played(frozen(structuredClone(policy)), 2)
  t.same(played(policy, 2), first, 'a second one begins where the first one did')
  t.equal(JSON.stringify([...Object.entries(own.state)]), before, 'an account beside it')
})

type Played = ReturnType<WarmUpOptions['rehearse']>

/** What is asked of a warm-up, and what comes of it. */
function warming(play: Played['play'], options: Partial<WarmUpOptions> = {}) {
  const seen = { asked: [] as number[], turns: 0, warnings: [] as string[] }
  const done = warmUp({
    limits: { warmUpSales: 2, warmUpMs: 1_000 },
    nowMs: () => 0,
    log: { warn: (_, text) => seen.warnings.push(text) },
    othersFirst: async () => {
      seen.turns += 1
    },
    ...options,
    rehearse: (sales) => {
      seen.asked.push(sales)
      return { play }
    },
  })
  return done.then(() => seen)
}
const turns = (count: number) =>
  function* () {
    for (let turn = 0; turn < count; turn++) yield
  }

t.test('F116 a rehearsal that fails keeps no account from its work', async (t) => {
  const broken = () => {
    throw new Error('planted')
  }
  const late = function* () {
    yield
    throw new Error('planted')
  }
  for (const play of [broken, late]) t.equal((await warming(play)).warnings.length, 1)
  const unborn = warmUp({
    limits: { warmUpSales: 1, warmUpMs: 1_000 },
    rehearse: broken,
    nowMs: () => 0,
    log: { warn: () => undefined },
  })
  await t.resolves(unborn)
})

t.test('others come first after each turn of a rehearsal', async (t) => {
  const { asked, turns: breaths, warnings } = await warming(turns(5))
  t.strictSame({ asked, breaths, warnings }, { asked: [2], breaths: 5, warnings: [] })
  const order: string[] = []
  const play = function* () {
    for (let turn = 0; turn < 3; turn++) {
      order.push('turn')
      setImmediate(() => order.push('other'))
      yield
    }
  }
  await warming(play, { othersFirst: turnOver })
  t.strictSame(order, ['turn', 'other', 'turn', 'other', 'turn', 'other'])
})

t.test(
  'a rehearsal ends when its time is up, and does not begin where none is wanted',
  async (t) => {
    let nowMs = 0
    const clock = () => nowMs
    const slow = function* () {
      for (;;) {
        nowMs += 400
        yield
      }
    }
    t.equal((await warming(slow, { nowMs: clock })).turns, 3)
    const none = { warmUpSales: 0, warmUpMs: 1_000 }
    t.strictSame((await warming(turns(5), { limits: none })).asked, [])
  },
)
