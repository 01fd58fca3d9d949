import { watchEffect } from 'vue'
import { createI18n } from 'vue-i18n'
import { prefs } from '../prefs.ts'
import { common } from './common.ts'

/** One text in both languages, Chinese first. */
export type Pair = readonly [zh: string, en: string]
export type Texts = Readonly<Record<string, Pair>>
export type CommonKey = keyof typeof common
/** What fills the `{name}` of a text. */
type Values = Record<string, unknown>

const pick = (texts: Texts, index: 0 | 1): Record<string, string> =>
  Object.fromEntries(Object.entries(texts).map(([key, pair]) => [key, pair[index]]))

/** To be installed in the app; holds the texts that both pages share. */
export const i18n = createI18n({
  legacy: false,
  // Keys are whole names: `gate.grid` and `gate.grid.on` live side by side.
  messageResolver: (texts, key) => (texts as Record<string, string>)[key] ?? null,
  locale: prefs.language,
  fallbackLocale: 'zh-CN',
  messages: { 'zh-CN': pick(common, 0), en: pick(common, 1) },
})
watchEffect(() => {
  i18n.global.locale.value = prefs.language
})

/** The text of a key in the reader's language. */
export const t = (key: CommonKey, values: Values = {}): string => i18n.global.t(key, values)

/** The text of a key that is put together at run time; `otherwise` when there is none. */
export const tMaybe = (key: string, otherwise: string): string =>
  i18n.global.te(key) ? i18n.global.t(key) : otherwise

/** Adds the texts of one page and returns its translator, which knows both. */
export function extendTexts<T extends Texts>(texts: T) {
  i18n.global.mergeLocaleMessage('zh-CN', pick(texts, 0))
  i18n.global.mergeLocaleMessage('en', pick(texts, 1))
  return (key: CommonKey | (keyof T & string), values: Values = {}): string =>
    i18n.global.t(key, values)
}
