import fc from 'fast-check'
import t from 'tap'
import type { Price } from '../../../src/domain/money.ts'
import { type NextStep, nextSteps } from '../../../src/strategy/grid/next-steps.ts'
import { levelsOf, type Tracker, track, trackerAt } from '../../../src/strategy/grid/tracker.ts'
import { price, session } from './fixture.ts'

const CENT = 100
const level = (yuan: number) => Math.round(yuan * 10_000) * 1_000_000

t.test('before a level is crossed the next order of a side is that of its level', async (t) => {
  const { buy, sell } = nextSteps(session(), CENT)
  t.match(buy, { phase: 'level', level: level(9.5), price: price(9.49), sendsAt: price(9.54) })
  t.match(sell, { phase: 'level', level: level(10.5), price: price(10.51), sendsAt: price(10.45) })
})

t.test(
  'while the turn is waited for it is the price of the turn, and the other side comes later',
  async (t) => {
    const falling = { ...trackerAt(price(9.4)), direction: 'falling', isWaiting: true } as const
    const tracker: Tracker = { ...falling, crossedLevel: level(9.5) }
    const { buy, sell } = nextSteps(session({ tracker }), CENT)
    t.match(buy, { phase: 'callback', level: level(9.5), from: price(9.4), price: price(9.45) })
    t.match(sell, { phase: 'other', level: level(10.5), price: price(10.51) })
  },
)

type Session = ReturnType<typeof session>
const at = (of: Session, tracker: Tracker, to: number) =>
  track(tracker, {
    price: to as Price,
    levels: levelsOf(of.currentCenter, of.intervalPpm),
    callbackPpm: of.callbackPpm,
    isQuotaFull: false,
    isCooling: () => false,
  })

/** Whether the tracker does at the price of a step what the step is told for, and not one tick before. */
function isTrue(of: Session, { side, phase, price: line }: NextStep): boolean {
  const beyond = (side === 'buy') === (phase === 'callback') ? CENT : -CENT
  const [there, signal] = at(of, of.tracker, line)
  const [before, early] = at(of, of.tracker, line - beyond)
  if (phase === 'callback') return signal?.side === side && early === undefined
  return there.isWaiting && !before.isWaiting
}

const sessions = fc
  .record({
    cents: fc.integer({ min: 200, max: 5_000 }),
    units: fc.integer({ min: -50, max: 50 }),
    intervalPpm: fc.integer({ min: 10_000, max: 200_000 }),
    callbackPpm: fc.integer({ min: 1_000, max: 9_000 }),
  })
  .map(({ cents, units, ...rates }) => {
    const currentCenter = (cents * CENT + units) as Price
    return session({ ...rates, currentCenter, tracker: trackerAt((cents * CENT) as Price) })
  })
const moves = fc.array(fc.integer({ min: -40, max: 40 }), { maxLength: 30 })

t.test(
  'the tracker does what is told at the price that is told, and not one tick before',
  async (t) => {
    const seen = new Set<string>()
    const walk = (start: Session, path: readonly number[]) => {
      let of = start
      for (const move of path) {
        const { buy, sell } = nextSteps(of, CENT)
        for (const step of [buy, sell].filter(({ phase }) => phase !== 'other')) {
          seen.add(`${step.side} ${step.phase}`)
          if (!isTrue(of, step)) return false
        }
        const last = Math.max(CENT, of.tracker.lastPrice + move * CENT)
        const [next, signal] = at(of, of.tracker, last)
        of = { ...of, tracker: signal === undefined ? next : trackerAt(last as Price) }
      }
      return true
    }
    fc.assert(fc.property(sessions, moves, walk), { numRuns: 500 })
    t.equal(seen.size, 4, 'both sides were met before and after a crossing')
  },
)
