import t from 'tap'
import { BOARD_OF } from '../../src/domain/data/board-rules.ts'
import { normalizeCode, type StockCode, shownCode } from '../../src/domain/instrument.ts'

/** Shown by six digits; the others by the whole code, for their digits name another exchange, or none. */
const SHOWN: readonly (readonly [code: string, shown: string])[] = [
  ['600036.SH', '600036'],
  ['000001.SZ', '000001'],
  ['920118.BJ', '920118'],
  ['113050.SH', '113050'],
  ['900901.SH', '900901'],
  ['111010.SH', '111010.SH'],
  ['111010.SZ', '111010'],
  ['112345.SZ', '112345.SZ'],
  ['000001.SH', '000001.SH'],
  ['019547.SH', '019547.SH'],
  ['830799.BJ', '830799.BJ'],
]

t.test('F506 a code is shown by its digits only where these name this very stock', async (t) => {
  for (const [code, shown] of SHOWN) t.equal(shownCode(code as StockCode), shown)
})

t.test('F506 what is shown of a code of any board names it again', async (t) => {
  for (const prefix of BOARD_OF.keys()) {
    const code = `${prefix.slice(2).padEnd(6, '1')}.${prefix.slice(0, 2)}` as StockCode
    t.match(normalizeCode(shownCode(code)), { ok: true, value: code })
  }
})
