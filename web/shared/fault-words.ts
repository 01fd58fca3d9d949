import type { Fault } from './fault.ts'
import { said } from './said.ts'
import { t } from './texts.ts'

/** What happened, in a sentence: the service's own where it has said one. */
export function faultText({ kind, code, message, status }: Fault): string {
  if (code === 'NOT_JSON') return t('fault.notJson')
  if (kind === 'connection' || kind === 'token' || kind === 'late') return t(`fault.${kind}`)
  if (kind === 'unheard' && status === 0) return t('fault.unheard')
  return said(message)
}
