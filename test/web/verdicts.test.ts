import t from 'tap'
import type { GridVerdict } from '../../src/account/strategies/grid/trace.ts'
import { judge } from '../../src/domain/risk.ts'
import type { VerdictCode } from '../../src/strategy/stop-profit/verdicts.ts'
import { screens } from '../../web/console/texts/screens.ts'
import { verdicts } from '../../web/console/texts/verdicts.ts'
import { GOOD } from '../domain/fixtures/risk.ts'

type Key = `verdict.${VerdictCode | GridVerdict}`
/** The compiler refuses this where a verdict of the service has no words, or words no verdict. */
const WORDS: Readonly<Record<Key, readonly [string, string]>> = verdicts
const NONE: Exclude<keyof typeof verdicts, Key> extends never ? true : false = true

t.test('every verdict is named in both languages, in few words', async (t) => {
  t.ok(NONE)
  for (const [code, [zh, en]] of Object.entries(WORDS)) {
    t.match(zh, /^[\u3400-\u9fff]{2,9}$/, code)
    t.match(en, /^[A-Z][A-Za-z -]{2,24}$/, code)
  }
})

t.test('every rule before an order is named', async (t) => {
  for (const { name } of judge(GOOD)) t.ok(Object.hasOwn(screens, `rule.${name}`), name)
})
