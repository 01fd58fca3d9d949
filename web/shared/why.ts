import { prefs } from './prefs.ts'

interface Told {
  readonly why_zh?: string
  readonly why_en?: string
}

/** What the service thinks of a holding or a grid, in the reader's language; empty where it thinks nothing, or is older. */
export const whyText = ({ why_zh: zh = '', why_en: en = '' }: Told): string =>
  prefs.language === 'en' ? en : zh
