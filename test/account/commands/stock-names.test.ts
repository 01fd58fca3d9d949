import t from 'tap'
import { emptyState } from '../../../src/account/model/state.ts'
import type { StockCode } from '../../../src/domain/instrument.ts'
import {
  BANK,
  Bench,
  brokerPosition,
  commands,
  KEY,
  ORDER,
  policy,
  quote,
  replies,
} from '../fixture.ts'

t.test(
  'an account tells what it holds, has ordered today and knows by name, each once',
  async (t) => {
    const bench = new Bench(emptyState(policy)).ready([brokerPosition()])
    const ordered = '000001.SZ' as StockCode
    bench.quotes.set(ordered, quote(36))
    const request = { ...ORDER, key: KEY, code: ordered }
    t.equal(commands(bench.input({ kind: 'request', ref: 1, request })).length, 1)
    bench.input({ kind: 'named', names: { '688981.SH': '中芯国际', [BANK]: '另名' } })
    const asked = { kind: 'request', ref: 2, request: { kind: 'stockNames' } } as const
    const { seq } = bench.state
    const [told] = replies(bench.input(asked))
    t.strictSame(told, {
      stocks: [
        { code: BANK, name: '招商银行', isHeld: true },
        { code: ordered, name: '000001', isHeld: false },
        { code: '688981.SH', name: '中芯国际', isHeld: false },
      ],
    })
    t.equal(bench.state.seq, seq, 'and changes nothing')
  },
)
