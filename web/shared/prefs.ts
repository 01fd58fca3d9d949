import { reactive, watch, watchEffect } from 'vue'
import type { Severity, Way } from './alerts.ts'
import type { AmountUnit } from './format.ts'
import { onKept, store, stored } from './kept.ts'
import { fitting, merged } from './merged.ts'
import { isPrinted } from './printed.ts'
import type { TableView } from './table.ts'

/** What a reader has chosen; kept in this browser. */
export interface Prefs {
  language: 'zh-CN' | 'en'
  theme: 'auto' | 'light' | 'dark'
  /** Red is up in China, down elsewhere. Status colours do not follow this switch. */
  upIsRed: boolean
  unit: AmountUnit
  /** How each severity of alert is told; nothing until somebody asks for it. */
  alerts: Record<Severity, Way>
  /** Rows of tables close together. */
  isDense: boolean
  /** Of each table by its name. */
  tables: Record<string, TableView>
}

const KEY = 'steward.prefs'
const DEFAULTS: Prefs = {
  language: 'zh-CN',
  theme: 'auto',
  upIsRed: true,
  unit: 'yuan',
  alerts: { info: 'off', warn: 'off', critical: 'off' },
  isDense: false,
  tables: {},
}

const kept = (): Prefs => fitting(DEFAULTS, stored<unknown>(KEY))

export const prefs = reactive<Prefs>(kept())
/** The choices as they are kept, as far as this tab has kept or heard them: what differs was chosen here. */
let known = kept()

/** Another tab has chosen something: it counts here too, and what was chosen here stays. */
function hear(): void {
  const theirs = kept()
  Object.assign(prefs, merged(known, { ...prefs }, theirs))
  known = theirs
}

/** Keeps what was chosen here, and only that: another tab may have chosen something else meanwhile. */
function keep(): void {
  const all = merged(known, { ...prefs }, kept())
  if (!store(KEY, all)) return
  known = kept()
  Object.assign(prefs, all)
}

const LANGUAGES: readonly Prefs['language'][] = ['zh-CN', 'en']
const THEMES: readonly Prefs['theme'][] = ['auto', 'light', 'dark']
const UNITS: readonly AmountUnit[] = ['yuan', 'wan', 'yi']

/** The choices as they may stand in an address: what somebody likes to see, and nothing that opens a door. */
export const prefsText = (): string =>
  [prefs.language, prefs.theme, prefs.upIsRed ? 'red' : 'green', prefs.unit].join('.')

/** Takes over choices from such a text; what is none of them stays as it is. */
export function takePrefs(text: string): void {
  const [language, theme, up, unit] = text.split('.')
  prefs.language = LANGUAGES.find((one) => one === language) ?? prefs.language
  prefs.theme = THEMES.find((one) => one === theme) ?? prefs.theme
  prefs.unit = UNITS.find((one) => one === unit) ?? prefs.unit
  if (up === 'red' || up === 'green') prefs.upIsRed = up === 'red'
}

const systemDark = matchMedia('(prefers-color-scheme: dark)')

/** True while dark colours are shown, by choice or by the system's. */
export const shade = reactive({ isDark: false })

/** Puts the choices on the document and keeps them there. Call once. */
export function applyPrefs(): void {
  const apply = (): void => {
    const isWanted = prefs.theme === 'dark' || (prefs.theme === 'auto' && systemDark.matches)
    shade.isDark = isWanted && !isPrinted.value
    const root = document.documentElement
    root.lang = prefs.language
    root.classList.toggle('dark', shade.isDark)
    root.dataset['up'] = prefs.upIsRed ? 'red' : 'green'
  }
  watchEffect(apply)
  watch(() => JSON.stringify(prefs), keep)
  onKept(KEY, hear)
  systemDark.addEventListener('change', apply)
}
