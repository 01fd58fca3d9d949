import { prefs } from '../shared/prefs.ts'
import { tMaybe } from '../shared/texts.ts'
import {
  figure,
  inLanguage,
  isNameOf,
  isRatio,
  type SettingRow,
  sectionName,
  sourceWord,
  valueText,
  withUnit,
} from './setting-rows.ts'
import { t } from './texts.ts'

/** The heading of a section in the reader's language. */
export const headingOf = (section: string): string =>
  tMaybe(`settings.section.${sectionName(section)}`, section)

export const textOf = (row: SettingRow): string => inLanguage(row, prefs.language).text
export const unitOf = (row: SettingRow): string | null => inLanguage(row, prefs.language).unit

/** A value of a setting in the reader's words. */
export function shownValue(row: SettingRow, value: unknown): string {
  const words = { on: t('word.on'), off: t('word.off'), empty: t('settings.empty') }
  const isPart = isRatio(row)
  return valueText(value, { unit: unitOf(row), words, isName: isNameOf(row.path), isPart })
}

/** Where a value comes from, in the reader's words. */
export function settingSource(source: string): string {
  const { key, name } = sourceWord(source)
  if (name === undefined) return tMaybe(`settings.from.${key}`, key)
  return t(`settings.from.${key as 'env' | 'dotenv' | 'as'}`, { name })
}

/** `范围 0 – 100 秒 · 默认 3 秒`. */
export function boundsText(row: SettingRow): string {
  const unit = isRatio(row) ? '' : withUnit('', unitOf(row))
  const parts = [
    row.min !== null && row.max !== null
      ? t('settings.range', { min: figure(row.min), max: figure(row.max), unit })
      : '',
    row.options.length > 0 ? t('settings.options', { all: row.options.join(' / ') }) : '',
    row.default === null ? '' : t('settings.default', { value: shownValue(row, row.default) }),
  ]
  return parts.filter((part) => part !== '').join(' · ')
}
