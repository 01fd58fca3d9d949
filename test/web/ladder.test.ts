import t from 'tap'
import { type Plans, plansOf, rungsOf } from '../../web/console/ladder.ts'

const LEVELS = { lower: 281.82, center: 290.0, upper: 298.71, now: 291.5 }
const plan = (price: number | null, phase = 'level') =>
  ({ price, phase, volume: 100 }) as NonNullable<Plans['buy']>
const shown = (plans: Plans) =>
  rungsOf(LEVELS, plans).map(({ name, at, level }) => [name, at, level ?? null])

t.test('a ladder shows the price that trades, and keeps the level behind it', async (t) => {
  t.strictSame(shown({ buy: plan(281.83), sell: plan(298.71) }), [
    ['upper', 298.71, null],
    ['now', 291.5, null],
    ['center', 290, null],
    ['lower', 281.83, 281.82],
  ])
})

t.test('the level stands where nobody says what would trade', async (t) => {
  const levels = [
    ['upper', 298.71, null],
    ['now', 291.5, null],
    ['center', 290, null],
    ['lower', 281.82, null],
  ]
  t.strictSame(shown({}), levels, 'an older service')
  t.strictSame(shown({ buy: plan(null), sell: null }), levels)
})

t.test('while a turn is waited for it comes next, and its level is behind', async (t) => {
  const rungs = rungsOf(LEVELS, { buy: plan(280.4, 'callback'), sell: plan(298.72) })
  t.match(rungs.at(-1), { name: 'turn', at: 280.4, side: 'buy', isNext: true })
  t.match(
    rungs.filter(({ name }) => name === 'lower' || name === 'upper'),
    [
      { name: 'upper', at: 298.71, isNext: false },
      { name: 'lower', at: 281.82, isNext: false },
    ],
  )
  t.match(rungsOf(LEVELS, { sell: plan(301, 'callback') })[0], { name: 'turn', side: 'sell' })
})

t.test('F858 before the start a ladder shows the prices of the first steps', async (t) => {
  const levels = { lower: 11.286, center: 11.88, upper: 12.474, now: 11.54 }
  const steps = { buys: [{ price: 11.28 }, { price: 10.71 }], sells: [{ price: 12.48 }] }
  const rungs = rungsOf(levels, plansOf(steps))
  t.match(rungs[0], { name: 'upper', at: 12.48, level: 12.474, side: 'sell', isNext: true })
  t.match(rungs.at(-1), { name: 'lower', at: 11.28, level: 11.286, side: 'buy', isNext: true })
  t.equal(rungsOf(levels, plansOf({ buys: [], sells: [] })).at(-1)?.at, 11.286)
})
