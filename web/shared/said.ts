import { type InBoth, inBoth, withoutCodes } from '../../src/domain/in-both.ts'
import { spanInBoth } from '../../src/domain/span.ts'
import { prefs } from './prefs.ts'

const read = ({ zh, en }: InBoth): string => (prefs.language === 'en' ? en : zh)

/** A text in the reader's language alone, whole but for that: words of the trading client have codes of its own. */
export const told = (text: string): string => read(inBoth(text))

/** A text of the service in the reader's language alone, without codes: whoever wants one finds it beside it. */
export const said = (text: string | null | undefined): string => withoutCodes(told(text ?? ''))

/** The same, where a text that exists in the other language only is better not said at all. */
export function saidOr(text: string, otherwise: string): string {
  const mine = said(text)
  const isForeign = prefs.language === 'en' && /^[\u3400-\u9fff]/.test(mine)
  return mine === '' || isForeign ? otherwise : mine
}

/** A length of time in the reader's words: `41 秒`, `19 h`. */
export const spanText = (ms: number): string => read(spanInBoth(ms))

interface Reasoned {
  readonly reason?: string
  readonly reason_zh?: string
  readonly reason_en?: string
  readonly reason_in_force?: string
  readonly reason_in_force_zh?: string
  readonly reason_in_force_en?: string
}

/** Why orders are stopped. Somebody's own words are whole: only the service knows whose they are. */
export function killReason(kill: Reasoned | undefined): string {
  const {
    reason_in_force: both = '',
    reason_in_force_zh: zh = both,
    reason_in_force_en: en = both,
  } = kill ?? {}
  return read({ zh, en })
}

/** The same of what somebody or something has set, whether it is in force or not. */
export function setReason({
  reason: both = '',
  reason_zh: zh = both,
  reason_en: en = both,
}: Reasoned): string {
  return read({ zh, en })
}
