import t from 'tap'
import { apply } from '../../../src/account/fold/apply.ts'
import { lostRow } from '../../../src/account/fold/fold-lost.ts'
import { emptyState } from '../../../src/account/model/state.ts'
import type { Quantity } from '../../../src/domain/money.ts'
import { BANK, type Bench, policy, quote, yuan } from '../fixture.ts'
import { dealt, said, started } from '../play.ts'
import { nextLife } from '../reloaded.ts'
import { acting, Chain } from '../strategies/stop-profit/chain.ts'
import {
  costOf,
  exDay,
  FRESH,
  HALF,
  held,
  lists,
  lose,
  nextDay,
  other,
  quoted,
  REMEMBERED,
  remembered,
  row,
  undated,
} from './lost.ts'

/** The service starts again, beside a client that lists everything but the stock. */
async function restarted(bench: Bench): Promise<Bench> {
  const next = await nextLife(bench)
  started(next, { positions: [other] })
  t.equal(held(next), undefined)
  return next
}

const sold = (shares: number, dealId = 'd1') => {
  const quantity = shares as Quantity
  return dealt({ clientOrderId: '', dealId, side: 'sell', quantity, price: yuan(10) })
}

t.test('F791 it is the same holding behind a restart, too, or behind two', async (t) => {
  const bench = remembered()
  lose(bench)
  let next = bench
  for (const lives of [1, 2]) {
    next = await restarted(next)
    lists(next, other)
    t.equal(held(next), undefined, `${lives} restarts`)
  }
  lists(next, row(1_000, 10), other)
  t.match(held(next), REMEMBERED)
  t.equal(costOf(next), yuan(10))
  t.notOk((await nextLife(next)).state.lost.size, 'found, it is lost no more')
})

t.test('F791 with what deals have told of it before the restart, and after it', async (t) => {
  for (const isBefore of [true, false]) {
    const bench = remembered()
    lose(bench)
    if (isBefore) bench.input(sold(600))
    const next = await restarted(bench)
    if (!isBefore) next.input(sold(600))
    lists(next, row(400, 10), other)
    t.match(held(next), REMEMBERED, isBefore ? 'before' : 'after')

    const gone = await restarted(bench)
    gone.input(sold(isBefore ? 400 : 1_000, 'rest'))
    lists(gone, row(400, 10), other)
    t.match(held(gone), FRESH, 'all of it was sold')
  }
})

t.test(
  'F791 a first profit that is taken while it is lost is known behind a restart',
  async (t) => {
    const bench = acting().ready([row(1_000, 10), other])
    bench.quotes.set(BANK, quote(11, bench.nowMs))
    const chain = new Chain(HALF, bench)
    lose(bench)
    chain.fill(600)
    const next = await restarted(bench)
    lists(next, row(400, 10), other)
    t.match(held(next), { quantity: 400, profitTriggered: true })
  },
)

t.test('F791 what the client says to be none, or shows too late, stays forgotten', async (t) => {
  const none = remembered()
  lose(none)
  lists(none, row(0, 0), other)
  const after = await restarted(none)
  lists(after, row(1_000, 10), other)
  t.match(held(after), FRESH, 'none')

  const late = remembered()
  lose(late)
  for (const day of ['2026-08-12', '2026-08-13']) nextDay(late, day)
  const next = await nextLife(late)
  next.input(said({ kind: 'positionPushed', position: undated(1_000, 10) }))
  t.match(held(next), FRESH, 'late')
})

t.test('F791 its row is the one that the journal tells', async (t) => {
  const bench = remembered()
  lose(bench)
  const next = await restarted(bench)
  next.input(sold(600))
  const told = emptyState(policy)
  for (const event of next.journal) apply(told, event)
  t.equal(lostRow(told)?.length, 1)
  t.strictSame(lostRow(next.state), lostRow(told))
})

t.test('F791 nor is the scale of its cost forgotten with a restart', async (t) => {
  const bench = exDay()
  quoted(bench, 10, [11, 10])
  lose(bench)
  const next = await restarted(bench)
  // Of somebody who has sold some of it, and whose deal nobody tells.
  lists(next, row(900, 10), other)
  quoted(next, 10.01, [11, 10])
  t.equal(costOf(next), yuan(9.0909))
})

t.test(
  'F794 a first profit that was told just before a crash is known in what is left',
  async (t) => {
    const bench = acting().ready([row(1_000, 10), other])
    bench.quotes.set(BANK, quote(11, bench.nowMs))
    new Chain(HALF, bench).fill(600)
    const next = await nextLife(bench)
    started(next, { positions: [other] })
    lose(next)
    t.equal(held(next), undefined)
    lists(next, row(400, 10), other)
    t.match(held(next), { quantity: 400, profitTriggered: true })
  },
)

t.test('F794 costs that lack the holding itself are not asked', async (t) => {
  const bench = remembered()
  for (let n = 0; n < 8; n++) lists(bench, other)
  const bought = dealt({ clientOrderId: '', side: 'buy', quantity: 500 as Quantity })
  bench.input(bought)
  lists(bench, row(1_500, 10.2), other)
  t.match(held(bench), REMEMBERED)
  t.equal(bench.state.costs.books.get(BANK)?.quantity, 500)
  const next = await nextLife(bench)
  started(next, { positions: [other] })
  lose(next)
  t.equal(held(next), undefined)
  lists(next, row(1_500, 10.2), other)
  t.match(held(next), REMEMBERED)
})

t.test('F816 what was sold out just before a crash and is bought again starts fresh', async (t) => {
  const bench = remembered()
  bench.input(sold(600))
  bench.input(sold(400, 'd2'))
  const next = await nextLife(bench)
  started(next, { positions: [other] })
  lose(next)
  t.equal(held(next), undefined)
  // Bought by hand; neither its cost nor its deal is told at first.
  lists(next, undated(1_000, 0), other)
  t.match(held(next), FRESH)
})
