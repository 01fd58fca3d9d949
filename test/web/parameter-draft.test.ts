import t from 'tap'
import { changesIn, withoutSent } from '../../web/console/parameter-draft.ts'

const SAVED = { singleBuyAmount: 35_000, stockStopLoss: 7.5, allowBuy: true }

t.test('a text is a change once it is a number, and another than the saved one', async (t) => {
  t.strictSame(changesIn({ singleBuyAmount: '20,000' }, SAVED), { singleBuyAmount: 20_000 })
  t.strictSame(changesIn({ stockStopLoss: '7.50' }, SAVED), {}, 'the same, written otherwise')
  t.strictSame(changesIn({ singleBuyAmount: '' }, SAVED), {}, 'an empty field is no 0')
  t.strictSame(changesIn({ allowBuy: false }, SAVED), { allowBuy: false })
  t.strictSame(changesIn({ allowBuy: true }, SAVED), {})
})

t.test('what was typed while a save was on its way stays', async (t) => {
  const sent = { singleBuyAmount: '20000', stockStopLoss: '0.0' }
  const now = { ...sent, stockStopLoss: '0.05', allowBuy: false }
  t.strictSame(withoutSent(now, sent), { stockStopLoss: '0.05', allowBuy: false })
  t.strictSame(withoutSent(sent, sent), {})
})
