import t from 'tap'
import { assetsNow } from '../../../../src/account/orders/assets.ts'
import type { StockCode } from '../../../../src/domain/instrument.ts'
import { brokerPosition, commands, quote, yuan } from '../../fixture.ts'
import { timer } from '../../play.ts'
import { acting } from './chain.ts'

const LENT = ['204001.SH' as StockCode, '131810.SZ' as StockCode]

/** A reverse repo as some terminals list it: bonds at 100 yuan; quoted is a rate, per cent a year. */
function lending(code: StockCode) {
  const bench = acting().ready([brokerPosition({ code, name: 'GC001', costPrice: yuan(100) })])
  const ticks = [1.85, 1.8, 1.75, 1.7, 1.9].flatMap((rate) => {
    bench.nowMs += 3_000
    bench.wallMs += 3_000
    bench.quotes.set(code, { ...quote(rate, bench.nowMs), lastClose: yuan(1.8) })
    return commands(bench.input({ kind: 'quotes', crossed: [code] }))
  })
  return { bench, ticks }
}

t.test('F502 money that is lent by a reverse repo is never sold', async (t) => {
  for (const code of LENT) {
    const { ticks } = lending(code)
    t.strictSame(
      ticks.filter(({ kind }) => kind === 'submit'),
      [],
      'to sell one is to lend once more',
    )
  }
})

t.test(
  'F502 nor is it a holding, whatever a terminal lists, and nothing differs by it',
  async (t) => {
    for (const code of LENT) {
      const { bench } = lending(code)
      for (let i = 0; i < 2; i++) {
        bench.wallMs += 60_000
        bench.answerQueries(commands(bench.input(timer('reconcile'))), {
          positions: [brokerPosition({ code, costPrice: yuan(100) })],
        })
      }
      t.strictSame([...bench.state.positions.keys()], [])
      t.equal(assetsNow(bench.state, bench.turn().inputs)?.holdings, 0)
      t.equal(bench.state.differences.size, 0)
      t.match(bench.state.lastRun, { cause: 'periodic' })
    }
  },
)
