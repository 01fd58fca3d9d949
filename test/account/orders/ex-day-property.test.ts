import fc from 'fast-check'
import t from 'tap'
import type { Price } from '../../../src/domain/money.ts'
import { TwoDays } from './two-days.ts'

const RUNS = 800

/** Bonus of so many shares for ten: prices, costs and highs of both scales are whole numbers. */
const FACTORS = [
  { to: 10, of: 11 },
  { to: 10, of: 13 },
  { to: 19, of: 20 },
  { to: 1, of: 2 },
] as const
const UNIT = 11 * 13 * 20
/** 100 yuan and a bit, so that a unit is a small part of it. */
const COST = 350 * UNIT

/** When the broker shows it: before the market does, after it, only a part of it, or never. */
const BROKERS = ['never', 'night', 'open', 'late', 'shares', 'cost late', 'in two steps'] as const
type Broker = (typeof BROKERS)[number]

interface Plan {
  readonly first: readonly number[]
  readonly second: readonly number[]
  readonly factor: { readonly to: number; readonly of: number }
  readonly broker: Broker
  readonly isRestarted: boolean
  /** The first quote of the second day is the last one of the first. */
  readonly isStale: boolean
  /** Nobody has seen the close, so only the broker can tell. */
  readonly isMarketSilent: boolean
}

/** Where a price goes from where it begins, in thousandths, by steps of so many; a second day stays within its limits. */
const walk = (steps: { min: number; max: number; count: number }, limit: number) =>
  fc
    .array(fc.integer({ min: steps.min, max: steps.max }), { minLength: 4, maxLength: steps.count })
    .map((all) => {
      let at = 0
      return all.map((step) => {
        at = Math.min(limit, Math.max(-limit, at + step))
        return at
      })
    })

const plans: fc.Arbitrary<Plan> = fc.record({
  first: walk({ min: -14, max: 18, count: 12 }, 400),
  second: walk({ min: -24, max: 18, count: 30 }, 90),
  factor: fc.constantFrom(...FACTORS),
  broker: fc.constantFrom(...BROKERS),
  isRestarted: fc.boolean(),
  isStale: fc.boolean(),
  isMarketSilent: fc.boolean(),
})

const CLOSE_PARTS = 1_000
/** A whole number of units, so that it is one on both scales. */
const priceAt = (base: number, parts: number): number =>
  Math.round((base * (1 + parts / CLOSE_PARTS)) / UNIT) * UNIT

/** Only these tell of prices before anybody trades at them. */
const TELLING: readonly Broker[] = ['night', 'open']

function played(
  { first, second, broker, isRestarted, isStale, isMarketSilent }: Plan,
  factor: { readonly to: number; readonly of: number } | undefined,
): TwoDays {
  const story = new TwoDays({ cost: COST })
  const prices = first.map((parts) => priceAt(COST, parts))
  story.ticks(...prices)
  const close = prices.at(-1) ?? COST
  const { to, of } = factor ?? { to: 1, of: 1 }
  const scale = (price: number) => (price * to) / of
  const shows = (when: Broker, parts: { cost?: number; shares?: number }) => {
    if (factor !== undefined && broker === when) story.reports(parts)
  }
  const both = { cost: to / of, shares: of / to }
  story.at(9)
  shows('night', both) // on the first day, after the close
  if (isRestarted) story.restart()
  const lastCloseBefore = (close + UNIT) as Price
  const isSilent = isMarketSilent && TELLING.includes(broker)
  const closeBefore = (isSilent ? 0 : close) as Price
  story.nextDay({ lastClose: lastCloseBefore, closeBefore, lastCloseBefore })
  shows('open', both)
  shows('shares', { shares: of / to })
  shows('in two steps', { shares: of / to })
  if (isStale && !isSilent) story.repeats(close)
  story.says({ lastClose: scale(close) as Price, closeBefore, lastCloseBefore })
  const [early, late] = [second.slice(0, second.length / 2), second.slice(second.length / 2)]
  story.ticks(...early.map((parts) => scale(priceAt(close, parts))))
  shows('late', both)
  shows('cost late', { cost: to / of })
  shows('in two steps', { cost: to / of })
  return story.ticks(...late.map((parts) => scale(priceAt(close, parts))))
}

t.test('an ex-day alone neither causes nor prevents a sale', async (t) => {
  const seen = new Map<string, number>()
  fc.assert(
    fc.property(plans, (plan) => {
      const plain = played(plan, undefined).signals
      const scaled = played(plan, plan.factor).signals
      for (const each of plain) {
        const [at = '', type = ''] = each.split(' ')
        if (Number(at) > plan.first.length) seen.set(type, (seen.get(type) ?? 0) + 1)
      }
      return JSON.stringify(scaled) === JSON.stringify(plain)
    }),
    { numRuns: RUNS },
  )
  for (const type of ['stop_loss', 'take_profit_half', 'take_profit_full']) {
    t.ok((seen.get(type) ?? 0) >= 2, `${seen.get(type)} × ${type} on the ex-day`)
  }
})
