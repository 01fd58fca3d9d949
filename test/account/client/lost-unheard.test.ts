import t from 'tap'
import { BANK, quote } from '../fixture.ts'
import { gone, started } from '../play.ts'
import { acting, Chain } from '../strategies/stop-profit/chain.ts'
import { FRESH, HALF, held, lists, lose, nextDay, other, row } from './lost.ts'

/** A first take-profit of 600 rests as the day ends; the lists of the next one lack its holding, and show so many shares then. */
function shownAgain(left: number) {
  const bench = acting().ready([row(1_000, 10), other])
  bench.quotes.set(BANK, quote(11, bench.nowMs))
  new Chain(HALF, bench)
  bench.input(gone)
  nextDay(bench, '2026-08-12')
  started(bench, { positions: [other] }, '2026-08-12')
  lose(bench)
  lists(bench, row(left, 10), other)
  return held(bench)
}

t.test(
  'F822 a first profit that nobody saw filled is known in what lists lack first',
  async (t) => {
    t.match(shownAgain(400), { quantity: 400, profitTriggered: true })
    t.match(shownAgain(700), { quantity: 700, profitTriggered: true }, 'a part of it')
    t.match(shownAgain(300), FRESH, 'somebody has sold besides')
  },
)
