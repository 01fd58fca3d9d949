import t from 'tap'
import { apply } from '../../../src/account/fold/apply.ts'
import { emptyState } from '../../../src/account/model/state.ts'
import { dayResult } from '../../../src/account/orders/day-result.ts'
import { lossOfDay } from '../../../src/account/orders/triggers.ts'
import { DAY_MS } from '../../../src/domain/exchange-time.ts'
import type { Money, Quantity } from '../../../src/domain/money.ts'
import {
  BANK,
  brokerDeal,
  brokerPosition,
  driver,
  fall,
  loser,
  policy,
  quote,
  withRisk,
  yuan,
} from '../fixture.ts'
import { bought, early, sightOf, until } from './one-day.ts'

t.test('shares that are shown before their deal is told have lost nothing yet', async (t) => {
  const bench = loser()
  fall(bench, 33)
  const show = (quantity: number) => {
    const position = brokerPosition({ quantity: quantity as Quantity })
    driver(bench, { kind: 'positionPushed', position })
  }
  const loss = () => lossOfDay(bench.state, sightOf(bench))
  show(2_000)
  t.equal(loss(), yuan(3_000), 'what was bought at 33 was not held while it fell')
  t.equal(bench.state.killSwitch.level, 'off')
  bought(bench, 1_000, 33)
  t.equal(loss(), yuan(3_005), 'as its deal tells')
  const seller = loser()
  fall(seller, 33)
  driver(seller, {
    kind: 'positionPushed',
    position: brokerPosition({ quantity: 100 as Quantity }),
  })
  t.equal(lossOfDay(seller.state, sightOf(seller)), yuan(3_000), 'what was sold has lost as much')
  const gone = brokerPosition({ quantity: 0 as Quantity })
  driver(seller, { kind: 'positionPushed', position: gone })
  t.equal(lossOfDay(seller.state, sightOf(seller)), yuan(3_000))
  const moved = early('00:00:05')
  until(moved, '09:16:00')
  moved.quotes.set(BANK, { ...quote(0, moved.nowMs), lastClose: yuan(36) })
  driver(moved, { kind: 'positionPushed', position: gone })
  t.equal(lossOfDay(moved.state, sightOf(moved)), 0, 'no price of the auction yet')
})

t.test('nor have those lost or gained anything before their first price', async (t) => {
  for (const price of [50, 25]) {
    const bench = withRisk({ maxDailyLoss: 5_000 }).ready([])
    bench.nowMs += DAY_MS
    driver(bench, { kind: 'positionPushed', position: brokerPosition() })
    bench.input({ kind: 'dayOpened', day: '2026-08-12' })
    t.match(bench.state.dayTotal, { day: '2026-08-12', unpriced: [{ code: BANK }] })
    fall(bench, price)
    const loss = () => lossOfDay(bench.state, sightOf(bench))
    t.equal(loss(), 0, 'bought yesterday, while nobody looked')
    bench.input({ kind: 'alarm' })
    bench.nowMs += policy.limits.costSettleMs
    bench.input({ kind: 'alarm' })
    t.equal(bench.state.costs.books.get(BANK)?.quantity, 1_000, 'taken as they are')
    t.equal(loss(), 0)
    t.equal(bench.state.killSwitch.level, 'off')
  }
})

t.test('nor do shares that no deal explains begin the day anew', async (t) => {
  for (const quantity of [2_000, 400, 0]) {
    const bench = loser()
    fall(bench, 33)
    const position = brokerPosition({ quantity: quantity as Quantity })
    driver(bench, { kind: 'positionPushed', position })
    bench.input({ kind: 'alarm' })
    bench.nowMs += policy.limits.costSettleMs
    fall(bench, 32.5)
    bench.input({ kind: 'alarm' })
    t.equal(bench.state.costs.books.get(BANK)?.quantity ?? 0, quantity, 'taken as they are')
    const loss = () => lossOfDay(bench.state, sightOf(bench))
    t.equal(loss(), yuan(3_500))
    t.equal(bench.state.killSwitch.level, 'off')
    fall(bench, 32)
    t.equal(loss(), yuan(3_500 + quantity / 2), 'from then on')
    const state = emptyState(bench.state.policy)
    for (const event of bench.journal) apply(state, event)
    t.strictSame(state.dayTotal, bench.state.dayTotal)
  }
})

t.test(
  'F408 what the day has brought counts shares from when they came, told by a deal or not',
  async (t) => {
    for (const quantity of [2_000, 400, 0]) {
      const bench = loser()
      const brought = () => dayResult(bench.state, sightOf(bench))
      fall(bench, 33)
      const position = brokerPosition({ quantity: quantity as Quantity })
      driver(bench, { kind: 'positionPushed', position })
      t.equal(brought(), yuan(-3_000), 'what came, or went, has moved nothing yet')
      bench.input({ kind: 'alarm' })
      bench.nowMs += policy.limits.costSettleMs
      fall(bench, 32.5)
      bench.input({ kind: 'alarm' })
      t.equal(bench.state.costs.books.get(BANK)?.quantity ?? 0, quantity, 'taken as they are')
      t.equal(brought(), yuan(-3_500))
      fall(bench, 32)
      t.equal(brought(), yuan(-3_500 - quantity / 2), 'from then on')
      const state = emptyState(bench.state.policy)
      for (const event of bench.journal) apply(state, event)
      t.equal(dayResult(state, sightOf(bench)), brought(), 'a restart knows it too')
      bench.nowMs += DAY_MS
      fall(bench, 31)
      t.equal(brought(), yuan(-5 * quantity), 'of the next day all of it is a part')
    }
    const bench = loser()
    const bought = { quantity: 1_000 as Quantity, price: yuan(38), fee: 0 as Money }
    const amount = (yuan(38) * 1_000) as Money
    driver(bench, {
      kind: 'dealPushed',
      deal: brokerDeal({ clientOrderId: '', ...bought, amount }),
    })
    fall(bench, 35)
    t.equal(dayResult(bench.state, sightOf(bench)), yuan(-4_000), 'a deal before its shares too')
  },
)
