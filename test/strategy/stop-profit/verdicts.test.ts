import t from 'tap'
import type { StockCode } from '../../../src/domain/instrument.ts'
import { kindOf, sentenceOf, verdict } from '../../../src/strategy/stop-profit/verdicts.ts'
import { NOW_MS, price } from './fixture.ts'

const BANK = '600036.SH' as StockCode
const FUND = '510300.SH' as StockCode

t.test('a verdict has a stable code and one sentence, Chinese first', async (t) => {
  const small = verdict('pullback_small', { price: price(10.76), threshold: price(10.746) })
  t.equal(
    sentenceOf(small, BANK),
    '回撤不足：现价 10.76，界限 10.75 (the pullback is too small: price 10.76, line 10.75)',
  )
  t.equal(
    sentenceOf(small, FUND),
    '回撤不足：现价 10.760，界限 10.746 (the pullback is too small: price 10.760, line 10.746)',
  )
  t.equal(sentenceOf(verdict('no_signal'), BANK), '没有待执行信号 (no signal waits)')
  const almost = verdict('no_breakout', { price: price(10.6), threshold: price(10.604) })
  const told =
    '未达首次止盈突破价：现价 10.60，界限 10.604 (no breakout yet: price 10.60, line 10.604)'
  t.equal(sentenceOf(almost, BANK), told, 'a line that is not reached never looks as if it were')
  t.equal(kindOf('pullback_small'), 'nothing')
})

t.test('a closed gate tells since when', async (t) => {
  t.equal(
    sentenceOf(verdict('trading_off'), BANK, NOW_MS),
    '自动交易开关关闭 (tier 2, automatic trading, is off)，自 2026-08-11 10:00:00 起',
  )
})
