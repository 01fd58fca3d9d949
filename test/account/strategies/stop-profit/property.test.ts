import fc from 'fast-check'
import t from 'tap'
import type { AccountPolicy } from '../../../../src/account/model/policy.ts'
import type { NewOrder } from '../../../../src/domain/order.ts'
import { isOpen } from '../../../../src/domain/order-state.ts'
import { type Bench, policy } from '../../fixture.ts'
import { Player } from './venue.ts'

const ON: AccountPolicy = {
  ...policy,
  settings: { ...policy.settings, ENABLE_AUTO_OPERATION: true, ENABLE_AUTO_TRADING: true },
  // The broker of these tests answers from its books, and what was bought may be sold at once.
  limits: { ...policy.limits, holdingsLagMs: 0 },
}
/** A stop-loss takes the place of a take-profit that rests. */
const REPLACING: AccountPolicy = {
  ...ON,
  stopProfit: { ...ON.stopProfit, isTakeProfitReplaced: true },
}
const RUNS = 400

type Move =
  | { readonly kind: 'tick'; readonly price: number; readonly isTrading: boolean }
  | { readonly kind: 'switch'; readonly name: Switch; readonly isOn: boolean }
  | { readonly kind: 'restart' }
type Switch = 'globalAutoOperation' | 'globalAllowBuySell' | 'stock'

/** Cents: stop, purchase, breakout, and one beside each. */
const THRESHOLDS = [924, 925, 926, 929, 930, 931, 1_059, 1_060, 1_061]

/** Around every threshold of a holding that cost 10 yuan. */
const tick = fc.record({
  kind: fc.constant('tick' as const),
  price: fc
    .oneof(fc.integer({ min: 890, max: 1_130 }), fc.constantFrom(...THRESHOLDS))
    .map((cents) => cents / 100),
  isTrading: fc.boolean(),
})
const turn = fc.record({
  kind: fc.constant('switch' as const),
  name: fc.constantFrom<Switch>('globalAutoOperation', 'globalAllowBuySell', 'stock'),
  isOn: fc.boolean(),
})
const restart = fc.constant({ kind: 'restart' as const })
const history = (...moves: fc.WeightedArbitrary<Move>[]) =>
  fc.array(fc.oneof(...moves), { minLength: 5, maxLength: 60 })

/** No order while a switch is off, and never two of one stock. */
function checkOrder({ state }: Bench, { clientOrderId, code }: NewOrder): void {
  const { settings } = state
  const isOn =
    settings.ENABLE_AUTO_OPERATION &&
    settings.ENABLE_AUTO_TRADING &&
    state.positions.get(code)?.stopProfitEnabled !== false
  // What was canceled for its time alone is sent again, whatever the switches say by then.
  const isFirst = (state.orders.get(clientOrderId)?.chain?.attempt ?? 0) === 0
  if (isFirst && !isOn) throw new Error('an order while a switch is off')
  const open = [...state.orders.values()].filter(({ status }) => isOpen(status))
  if (open.length > 1) throw new Error('two orders of one stock')
}

function played(moves: readonly Move[], isBanded = true, own = ON): Player {
  const player = new Player(own, isBanded, checkOrder)
  for (const move of moves) {
    if (move.kind === 'restart') player.restart()
    else if (move.kind === 'tick') {
      player.venue.isTrading = move.isTrading
      player.tick(move.price)
    } else if (move.name === 'stock') player.stock(move.isOn)
    else player.save({ [move.name]: move.isOn })
  }
  return player
}

/** What came of it: deals, and the holding with all that is remembered of it. */
const outcome = ({ venue, bench }: Player) => ({
  deals: venue.deals.map(({ side, quantity, price, timeMs }) => ({
    side,
    quantity,
    price,
    timeMs,
  })),
  shares: venue.quantity,
  held: [...bench.state.positions.values()].map(
    ({ updatedMs: _, actedTickMs: __, ...rest }) => rest,
  ),
})

t.test(
  'whatever the ticks: never more than may be sold, no order behind a closed switch, one at a time',
  async (t) => {
    let deals = 0
    fc.assert(
      fc.property(
        history({ arbitrary: tick, weight: 8 }, { arbitrary: turn, weight: 1 }),
        (moves) => {
          deals += played(moves).venue.deals.length
        },
      ),
      { numRuns: RUNS, seed: 20_260_914 },
    )
    t.ok(deals > RUNS / 4, `${deals} deals`)
  },
)

t.test('a tick inside the band would have changed nothing', async (t) => {
  fc.assert(
    fc.property(
      history({ arbitrary: tick, weight: 8 }, { arbitrary: turn, weight: 1 }),
      (moves) => {
        t.strictSame(outcome(played(moves, true)), outcome(played(moves, false)))
      },
    ),
    { numRuns: RUNS / 4, seed: 20_260_915 },
  )
})

t.test('a restart between any two ticks changes nothing', async (t) => {
  const moves = history(
    { arbitrary: tick, weight: 6 },
    { arbitrary: turn, weight: 1 },
    { arbitrary: restart, weight: 1 },
  )
  fc.assert(
    fc.property(moves, (list) => {
      // The master switch alone is back at its default after a start, as it must be.
      const steady = list.filter(
        (move) => move.kind !== 'switch' || move.name !== 'globalAutoOperation',
      )
      const calm = steady.filter(({ kind }) => kind !== 'restart')
      // What the breaker has counted is in memory only.
      const own = { ...ON, breaker: { ...ON.breaker, isEnabled: false } }
      t.strictSame(outcome(played(steady, true, own)), outcome(played(calm, true, own)))
    }),
    { numRuns: RUNS / 4, seed: 20_260_916 },
  )
})

t.test('the same where a stop-loss takes the place of a take-profit that rests', async (t) => {
  const moves = history(
    { arbitrary: tick, weight: 8 },
    { arbitrary: turn, weight: 1 },
    { arbitrary: restart, weight: 1 },
  )
  let replaced = 0
  fc.assert(
    fc.property(moves, (list) => {
      const steady = list.filter(
        (move) => move.kind !== 'switch' || move.name !== 'globalAutoOperation',
      )
      const calm = steady.filter(({ kind }) => kind !== 'restart')
      const own = { ...REPLACING, breaker: { ...ON.breaker, isEnabled: false } }
      const player = played(calm, true, own)
      const orders = [...player.bench.state.orders.values()]
      replaced += orders.filter(({ isReplaced }) => isReplaced === true).length
      t.strictSame(outcome(player), outcome(played(calm, false, own)), 'inside the band')
      t.strictSame(outcome(player), outcome(played(steady, true, own)), 'with restarts')
    }),
    { numRuns: RUNS / 2, seed: 20_260_917 },
  )
  t.ok(replaced > 0, `${replaced} replaced`)
})
