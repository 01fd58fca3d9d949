import { prefs } from './prefs.ts'

const isEnglish = (): boolean => prefs.language === 'en'

/** What something is called, and how it is, with the colon of the reader's language. */
export const pair = (name: string, value: string): string =>
  `${name}${isEnglish() ? ': ' : '：'}${value}`

/** Words in a row. */
export const listed = (words: readonly string[]): string => words.join(isEnglish() ? ', ' : '、')

/** A text, and what is said beside it. */
export const beside = (text: string, more: string): string =>
  isEnglish() ? `${text} (${more})` : `${text}（${more}）`
