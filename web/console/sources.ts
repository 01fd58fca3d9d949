import { tMaybe } from '../shared/texts.ts'
import { t } from './texts.ts'

const CALL = /^http\/(direct|gateway)\/[^/]*(?:\/(.+))?$/
const TRIGGER = /^trigger:(.+)$/

/** Who caused something, in the reader's words: a call of a page or a program with the name of its token. */
export function sourceText(source: string): string {
  const [, way, token] = CALL.exec(source) ?? []
  if (way !== undefined)
    return [t(`source.${way as 'direct' | 'gateway'}`), token].filter(Boolean).join(' · ')
  const [, trigger] = TRIGGER.exec(source) ?? []
  if (trigger !== undefined) return tMaybe(`risk.trigger.${trigger}`, trigger)
  return tMaybe(`source.${source}`, tMaybe(`label.${source}`, source))
}
