import t from 'tap'
import { codeAt, costAt } from '../../bench/kit/service.ts'
import { codesThatWalk, stepOfFall, stopOf, WALK_SEED } from '../../bench/kit/walks.ts'
import { UNITS_PER_YUAN } from '../../src/domain/money.ts'
import { SimulatedSource } from '../../src/market/simulated.ts'
import type { Tick } from '../../src/protocol/market.ts'

const [FIRST_STEP, LAST_STEP, CALM_STEPS] = [200, 600, 50]

t.test('the market of a bench falls through its stops when it was said', async (t) => {
  const { staying, falling } = codesThatWalk({
    staying: 3,
    calmSteps: CALM_STEPS,
    falling: 3,
    firstStep: FIRST_STEP,
    lastStep: LAST_STEP,
  })
  t.same([staying.length, falling.length], [3, 3])
  const codes = [...staying, ...falling]
  const prices = new Map<string, number[]>(codes.map((at) => [`${codeAt(at)}.SH`, []]))
  const source = new SimulatedSource({
    seed: WALK_SEED,
    intervalMs: 1,
    speed: 1_000,
    nowMs: () => Date.now(),
    resume: [],
  })
  for (const at of codes) source.want(`${codeAt(at)}.SH`, costAt(at) * UNITS_PER_YUAN)
  await new Promise<void>((resolve) =>
    source.start(({ stock_code, lastPrice }: Tick) => {
      prices.get(stock_code)?.push(Math.round(lastPrice * UNITS_PER_YUAN))
      if ([...prices.values()].every(({ length }) => length > LAST_STEP + CALM_STEPS)) resolve()
    }),
  )
  await source.stop()
  const steps = codes.map((at) =>
    prices.get(`${codeAt(at)}.SH`)?.findIndex((price) => price <= stopOf(at)),
  )
  const [stays, falls] = [steps.slice(0, 3), steps.slice(3)]
  t.ok(stays.every((step = 0) => step === -1 || step > LAST_STEP + CALM_STEPS))
  t.same(
    falls,
    falling.map((at) => stepOfFall(at, LAST_STEP)),
  )
  t.ok(falls.every((step = 0) => step >= FIRST_STEP))
  t.same(
    falls,
    falls.toSorted((left = 0, right = 0) => left - right),
    'in their order',
  )
})
