import type { Fault } from './fault.ts'
import { said } from './said.ts'
import { t, tMaybe } from './texts.ts'

/** What happened, in a sentence: the service's own where it has said one. */
export function faultText({ kind, code, message, status }: Fault): string {
  if (code === 'NOT_JSON') return t('fault.notJson')
  if (kind === 'connection' || kind === 'token' || kind === 'late') return t(`fault.${kind}`)
  if (kind === 'unheard' && status === 0) return t('fault.unheard')
  const ours = tMaybe(`code.${code}`, '')
  return ours === '' ? said(message) : `${ours}：${said(message)}`
}
