import { inBoth } from '../../src/domain/in-both.ts'
import { prefs } from './prefs.ts'

/** A text of the service in the reader's language alone. */
export const said = (text: string | null | undefined): string => {
  const { zh, en } = inBoth(text ?? '')
  return prefs.language === 'en' ? en : zh
}
