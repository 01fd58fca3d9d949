import t from 'tap'
import { formOf, suggestedFor } from '../../web/console/grid-form.ts'

const SUGGESTED = { price_interval: 0.03, stop_loss: -0.08, max_investment: 20_000 }

t.test('a suggestion that comes late takes nothing that was typed meanwhile', async (t) => {
  const asked = formOf('600036')
  t.strictSame(suggestedFor({ ...asked }, asked, SUGGESTED), {
    price_interval: 3,
    stop_loss: 8,
    max_investment: 20_000,
  })
  const typed = { ...asked, price_interval: 4 }
  t.strictSame(suggestedFor(typed, asked, SUGGESTED), { stop_loss: 8, max_investment: 20_000 })
})

t.test('a suggestion is for the stock, and the level, that it was asked for', async (t) => {
  const asked = formOf('600036')
  t.strictSame(suggestedFor(formOf('601318'), asked, SUGGESTED), {})
  t.strictSame(suggestedFor({ ...asked, risk_level: 'aggressive' }, asked, SUGGESTED), {})
})
