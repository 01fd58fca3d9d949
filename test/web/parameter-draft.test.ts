import t from 'tap'
import {
  changesIn,
  isOvertaken,
  type ParameterDraft,
  withoutSent,
  withTyped,
} from '../../web/console/parameter-draft.ts'

const SAVED = { singleBuyAmount: 35_000, stockStopLoss: 7.5, allowBuy: true }
type Name = keyof typeof SAVED
type Draft = ParameterDraft<Name>
/** Each typed after the other. */
const typed = (
  texts: Partial<Record<Name, string | boolean>>,
  { saved = SAVED, before = {} }: { saved?: typeof SAVED; before?: Draft } = {},
): Draft =>
  (Object.entries(texts) as [Name, string | boolean][]).reduce(
    (draft, [name, to]) => withTyped(draft, saved, { name, to }),
    before,
  )

t.test('a text is a change once it is a number, and another than the saved one', async (t) => {
  const changes = (texts: Parameters<typeof typed>[0]) => changesIn(typed(texts), SAVED)
  t.strictSame(changes({ singleBuyAmount: '20,000' }), { singleBuyAmount: 20_000 })
  t.strictSame(changes({ stockStopLoss: '7.50' }), {}, 'the same, written otherwise')
  t.strictSame(changes({ singleBuyAmount: '' }), {}, 'an empty field is no 0')
  t.strictSame(changes({ allowBuy: false }), { allowBuy: false })
  t.strictSame(changes({ allowBuy: true }), {})
})

t.test('half of a number stays as it was typed', async (t) => {
  t.match(typed({ stockStopLoss: '7.50' }), { stockStopLoss: { to: '7.50' } })
})

t.test(
  'F458 what was put back as it was is no wish, whatever another tab makes of it',
  async (t) => {
    const before = typed({ allowBuy: false, stockStopLoss: '7' })
    const back = typed({ stockStopLoss: '7.5', allowBuy: true }, { before })
    t.strictSame(back, {})
    t.strictSame(changesIn(back, { ...SAVED, stockStopLoss: 9, allowBuy: false }), {})
  },
)

t.test('what another has changed since it was begun to be typed over is known', async (t) => {
  const before = typed({ stockStopLoss: '8' })
  const { stockStopLoss: over } = before
  t.equal(isOvertaken(over, 7.5), false)
  t.equal(isOvertaken(over, 9), true)
  t.equal(isOvertaken(over, 8), false, 'both want the same')
  t.equal(isOvertaken(undefined, 9), false)
  const saved = { ...SAVED, stockStopLoss: 9 }
  const since = typed({ stockStopLoss: '7.5' }, { saved, before })
  t.strictSame(changesIn(since, saved), { stockStopLoss: 7.5 }, 'typed in the face of it')
})

t.test('what was typed while a save was on its way stays', async (t) => {
  const sent = typed({ singleBuyAmount: '20000', stockStopLoss: '0.0' })
  const now = typed({ stockStopLoss: '0.05', allowBuy: false }, { before: sent })
  const left = withoutSent(now, sent)
  t.match(left, { stockStopLoss: { from: 0, to: '0.05' }, allowBuy: { to: false } })
  t.notOk('singleBuyAmount' in left)
  t.equal(isOvertaken(left.stockStopLoss, 0), false, 'by its own save')
  t.strictSame(withoutSent(sent, sent), {})
})
