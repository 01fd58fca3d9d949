import type { LoadedConfig } from './load.ts'
import type { Setting } from './settings-list.ts'

/** Stars and the length: enough to see which of two tokens is in use, nothing of the token itself. */
export const maskSecret = (secret: string): string =>
  secret === '' ? '(none)' : `*** (${secret.length} characters)`

const shownValue = ({ value, isSecret }: Setting): string =>
  isSecret ? maskSecret(String(value)) : JSON.stringify(value)

/** Columns that a text takes in a terminal: Chinese characters are two wide. */
const columns = (text: string): number =>
  Array.from(text).reduce((sum, char) => sum + (char >= '\u2e80' ? 2 : 1), 0)
const pad = (text: string, width: number): string =>
  text + ' '.repeat(Math.max(0, width - columns(text)))

/** What `steward check` prints: each setting with value and source, the warnings, the verdict. */
export function formatEffective({ file, settings, warnings }: LoadedConfig): string {
  const rows = settings.map(
    (setting) => [setting.path, shownValue(setting), setting.source] as const,
  )
  const pathWidth = Math.max(...rows.map(([path]) => path.length))
  const valueWidth = Math.min(40, Math.max(...rows.map(([, value]) => columns(value))))
  return [
    `configuration: ${file ?? 'built-in demo'}`,
    '',
    ...rows.map(
      ([path, value, source]) => `${pad(path, pathWidth)}  ${pad(value, valueWidth)}  ${source}`,
    ),
    '',
    ...warnings.map((warning) => `warning: ${warning}`),
    '配置有效 (configuration is valid)',
    '',
  ].join('\n')
}
