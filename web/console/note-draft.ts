/** A note that is being written beside a trade. */
export interface NoteDraft {
  text: string
  /** The note that it is written over, as the reader has seen it. */
  expected: string | null
  /** Why it was not saved, for people. */
  refusal: string
  /** Somebody else has changed the note meanwhile, and the reader is told. */
  isOvertaken: boolean
  isSending: boolean
}

export const draftOf = (note: string | null): NoteDraft => ({
  text: note ?? '',
  expected: note,
  refusal: '',
  isOvertaken: false,
  isSending: false,
})

const CONTROL = /[^\P{Cc}\n]/gu

/** What is sent: pasted tabs are blanks, and a text of blanks is none. */
export const wantedNote = (text: string): string | null =>
  text.replace(/\r\n?/g, '\n').replace(CONTROL, ' ').trim() || null

/** What a key does in a note. Enter also takes over a word that is being composed: that is no wish to save. */
export function noteKey(event: {
  readonly key: string
  readonly shiftKey: boolean
  readonly isComposing: boolean
  readonly keyCode: number
}): 'save' | 'leave' | undefined {
  if (event.isComposing || event.keyCode === COMPOSING) return undefined
  if (event.key === 'Escape') return 'leave'
  return event.key === 'Enter' && !event.shiftKey ? 'save' : undefined
}
/** Safari ends a composition before it tells of the key that has ended it. */
const COMPOSING = 229
