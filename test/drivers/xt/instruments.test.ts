import t from 'tap'
import { SH } from '../fixtures/paper.ts'
import { at, openQuotes } from './quotes-rig.ts'
import { instrumentFields } from './terminal-quotes.ts'

t.test(
  'the terminal tells names and limits of codes, and not before it is connected',
  async (t) => {
    const { rig, quotes, until, start } = await openQuotes(t)
    await t.rejects(quotes.instruments([SH]), { message: /行情未连接/ })
    rig.terminal.quotes.instrument = (code) => (code === SH ? instrumentFields : null)
    rig.terminal.tick(SH, { last: 36, lastClose: 36 })
    quotes.want(SH)
    start()
    await until(at(SH, 36))
    const [found, ...others] = await quotes.instruments([SH, '600001.SH'])
    const limits = { lastClose: 360_000, lowerLimit: 324_000, upperLimit: 396_000 }
    t.same(found, { code: SH, name: '招商银行', ...limits, tickSize: 100, lotMin: 100 })
    t.same(others, [], 'a code that it does not know')
  },
)

t.test('the terminal tells which codes there are, each once, and none is a failure', async (t) => {
  const { rig, quotes, until, start } = await openQuotes(t)
  await t.rejects(quotes.listed(), { message: /行情未连接/ })
  rig.terminal.tick(SH, { last: 36, lastClose: 36 })
  quotes.want(SH)
  start()
  await until(at(SH, 36))
  await t.rejects(quotes.listed(), { message: /终端没有板块数据/ })
  rig.terminal.quotes.sectors = {
    沪深A股: [SH, '000001.SZ'],
    沪深ETF: ['510300.SH', SH, 'IF00.IF'],
  }
  t.same(await quotes.listed(), [SH, '000001.SZ', '510300.SH'])
})
