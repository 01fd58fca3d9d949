import type { Schemas } from '../shared/api.ts'

export type SettingRow = Schemas['DescribedSetting']
export type Language = 'zh-CN' | 'en'

/** Settings under one heading. */
export interface SettingSection {
  readonly name: string
  readonly rows: readonly SettingRow[]
}

interface Wanted {
  /** Words of which each has to be found, in either language, the name, the value or the heading. */
  readonly text: string
  readonly onlySet: boolean
  /** The account of the page: sections of others are left out. */
  readonly accountId: string
  /** A heading in the reader's language. */
  readonly heading: (section: string) => string
}

/** Without the place in the list: `accounts[1]` is the section `account`. */
export const sectionName = (section: string): string =>
  section.replace(/^accounts\[\d+\]$/, 'account').replace(/\[\d+\]$/, '')

/** What of all settings is to be shown, by heading, in the order of the file. */
export function sectionsOf(
  rows: readonly SettingRow[],
  { text, onlySet, accountId, heading }: Wanted,
): readonly SettingSection[] {
  const own = ownSection(rows, accountId)
  const words = text.toLowerCase().split(/\s+/).filter(Boolean)
  const isFound = (row: SettingRow): boolean => {
    if (words.length === 0) return true
    const said = saidOf(row, heading(sectionName(row.section)))
    return words.every((word) => said.includes(word))
  }
  const shown = rows.filter(
    (row) =>
      (!isOfAccount(row) || row.section === own) &&
      !(onlySet && row.source === 'default') &&
      isFound(row),
  )
  return Array.from(
    Map.groupBy(shown, ({ section }) => section),
    ([name, inside]) => ({
      name,
      rows: inside,
    }),
  )
}

const isOfAccount = ({ section }: SettingRow): boolean => /^accounts\[\d+\]$/.test(section)

const ownSection = (rows: readonly SettingRow[], accountId: string): string | undefined =>
  rows.find(({ path, value }) => path.endsWith('].account_id') && value === accountId)?.section

const saidOf = (row: SettingRow, heading: string): string =>
  [row.path, row.text_zh, row.text_en, JSON.stringify(row.value), row.source, heading]
    .join(' ')
    .toLowerCase()

/** The words of a row in one language. */
export const inLanguage = (row: SettingRow, language: Language) =>
  language === 'en'
    ? { text: row.text_en, unit: row.unit_en }
    : { text: row.text_zh, unit: row.unit_zh }

/** A space before Latin letters, none before Chinese characters. */
export const withUnit = (figure: string, unit: string | null): string =>
  unit === null ? figure : /^[A-Za-z]/.test(unit) ? `${figure} ${unit}` : `${figure}${unit}`

/** Of decimals that stand for a part of a whole. */
export const isRatio = ({ unit_en }: Pick<SettingRow, 'unit_en'>): boolean => unit_en === 'ratio'

interface Words {
  readonly on: string
  readonly off: string
  readonly empty: string
}

/** As many decimals as a setting can have. */
const DECIMALS_MAX = 8
export const figure = (value: number): string =>
  value.toLocaleString('en-US', { maximumFractionDigits: DECIMALS_MAX })

interface Looks {
  readonly unit: string | null
  readonly words: Words
  /** Numbers that name something, like ports, are not grouped. */
  readonly isName?: boolean
  /** Of a ratio the percent number stands beside it. */
  readonly isPart?: boolean
}

function numberText(value: number, { unit, isName, isPart }: Omit<Looks, 'words'>): string {
  if (isName) return String(value)
  return isPart ? `${figure(value)} (${figure(value * 100)}%)` : withUnit(figure(value), unit)
}

/** A value as people read it. */
export function valueText(
  value: unknown,
  { unit, words, isName = false, isPart = false }: Looks,
): string {
  if (value === true) return words.on
  if (value === false) return words.off
  if (typeof value === 'number') return numberText(value, { unit, isName, isPart })
  if (value === '' || value === null || value === undefined) return words.empty
  if (Array.isArray(value)) return value.length === 0 ? words.empty : listText(value)
  return typeof value === 'string' ? value : JSON.stringify(value)
}

const listText = (values: readonly unknown[]): string =>
  values.map((one) => (Array.isArray(one) ? one.join(' → ') : String(one))).join(', ')

/** Ports and seeds name something: nobody groups their digits. */
export const isNameOf = (path: string): boolean =>
  /(?:^|[._])(?:port|base_port|seed|XTQUANT_MANAGER_PORT)$/.test(path)

/** Where a value comes from, as the service says it, taken apart. */
export type SourceWord = { readonly key: string; readonly name?: string }
export function sourceWord(source: string): SourceWord {
  const [, kind, name] = /^(\.env|env|file, as) (.+)$/.exec(source) ?? []
  if (kind === undefined || name === undefined) return { key: source }
  return { key: kind === '.env' ? 'dotenv' : kind === 'env' ? 'env' : 'as', name }
}
