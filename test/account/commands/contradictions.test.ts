import t from 'tap'
import { emptyState } from '../../../src/account/model/state.ts'
import { Bench, policy, replies } from '../fixture.ts'

/** What is answered to a save of these, in an account whose file has this pullback of the first take-profit. */
function saved(changes: Readonly<Record<string, number | boolean>>, pullbackRatio = 0.005) {
  const stopProfit = { ...policy.stopProfit, pullbackRatio }
  const bench = new Bench(emptyState({ ...policy, stopProfit })).ready()
  const save = (wire: typeof changes) => {
    const request = { kind: 'saveConfig', changes: wire, source: 'user' } as const
    const [reply] = replies(bench.input({ kind: 'request', ref: 1, request }))
    return (reply as { readonly warnings: readonly string[] }).warnings
  }
  return { save, warnings: save(changes) }
}

t.test('F532 exits that contradict each other are saved, and that is said', async (t) => {
  t.strictSame(saved({ stockStopLoss: 7.5, stopLossBuy: 5 }).warnings, [])
  t.match(saved({ stockStopLoss: 5, stopLossBuy: 6 }).warnings, [
    /要跌 6 % 才补仓，而 STOP_LOSS_RATIO 在亏损 5 % 时已全部卖出.*nothing is ever bought/,
  ])
  t.match(saved({ stockStopLoss: 1 }).warnings, [/亏损不到 2% 时不会卖出/])
  t.match(saved({ firstProfitSell: 2 }, 0.03).warnings, [/PULLBACK_RATIO 是 3 %.*nothing is sold/])
  t.strictSame(saved({ stopLossBuy: 9, stopLossBuyEnabled: false }).warnings, [])
})

t.test('F532 who saves something else is not told again', async (t) => {
  const { save, warnings } = saved({ stopLossBuy: 9 })
  t.equal(warnings.length, 1)
  t.strictSame(save({ globalAllowBuySell: true, singleBuyAmount: 20_000 }), [])
  t.equal(save({ stopLossBuy: 9 }).length, 1, 'who saves the same again is')
  t.strictSame(save({ stopLossBuyEnabled: false }), [])
  t.equal(save({ stopLossBuyEnabled: true }).length, 1)
})
