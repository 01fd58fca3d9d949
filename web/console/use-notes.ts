import { reactive } from 'vue'
import { asFault } from '../shared/fault.ts'
import { faultText } from '../shared/fault-words.ts'
import { said } from '../shared/said.ts'
import type { TradeRow } from '../shared/wire.ts'
import { draftOf, type NoteDraft, wantedNote } from './note-draft.ts'

interface Options {
  readonly put: <T>(path: string, body: object) => Promise<T>
  /** Shows the note as it stands now, at once. */
  readonly noted: (id: number, note: string | null) => void
}

/** By the number of the trade. They outlast the screen: whoever has looked at another one finds what was written. */
const drafts = reactive(new Map<number, NoteDraft>())
/** Whoever reads the page next is not shown what another had begun to write. */
export const forgetNotes = (): void => drafts.clear()
/** Whether something was written that is not saved. */
export const hasNotes = (): boolean =>
  [...drafts.values()].some(({ text, expected }) => wantedNote(text) !== expected)

/** Notes that are being written. They outlast their rows, which leave the document when they leave the window. */
export function useNotes({ put, noted }: Options) {
  const draftFor = ({ id }: TradeRow): NoteDraft | undefined => drafts.get(id)
  function open({ id, note }: TradeRow): void {
    if (!drafts.has(id)) drafts.set(id, draftOf(note))
  }
  function leave({ id }: TradeRow): void {
    if (drafts.get(id)?.isSending !== true) drafts.delete(id)
  }

  /** What was written stays; over what it would be written now, the reader is told. */
  function refused(id: number, draft: NoteDraft, error: unknown): void {
    const fault = asFault(error)
    const { present } = fault.named
    draft.isOvertaken = present !== undefined
    draft.refusal = fault.kind === 'refused' ? said(fault.message) : faultText(fault)
    if (present === undefined) return
    draft.expected = present[0] ?? null
    noted(id, draft.expected)
  }

  /** Tells whether it is saved. */
  async function save({ id, note: before }: TradeRow): Promise<boolean> {
    const draft = drafts.get(id)
    if (draft === undefined || draft.isSending) return false
    const note = wantedNote(draft.text)
    if (note === before && note === draft.expected) return drafts.delete(id)
    draft.isSending = true
    try {
      const { expected } = draft
      const answer = await put<{ note: string | null }>(`/api/fills/${id}/note`, { note, expected })
      noted(id, answer.note)
      return drafts.delete(id)
    } catch (error) {
      refused(id, draft, error)
      return false
    } finally {
      draft.isSending = false
    }
  }
  return { draftFor, open, leave, save }
}
