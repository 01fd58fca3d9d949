import { ServiceError } from '../../domain/errors.ts'
import { inQuotes } from '../../domain/in-both.ts'
import type { NoteFill } from '../../protocol/fills.ts'
import type { AccountState } from '../model/state.ts'
import type { Turn } from '../turn/turn.ts'

/**
 * A person writes a note beside a trade record, changes or deletes it. The same once more changes nothing, whatever was
 * seen before it.
 *
 * Errors  `UNKNOWN_FILL`; `VALIDATION` for a note that is too long;
 *         `CONFLICT` when the note is not what the caller has seen (`details.present` has it), or there are too many.
 */
export function noteFill(turn: Turn, request: NoteFill, ref: number): void {
  const { fillId: recordId, note, source, code } = request
  const { state } = turn
  if (code === undefined) {
    throw new ServiceError('UNKNOWN_FILL', `成交记录 ${recordId} 不存在 (no such trade record)`)
  }
  const before = state.fillNotes.get(recordId) ?? null
  const isChanged = note !== before
  if (isChanged) {
    mustBeAsSeen(before, request)
    mustFit(state, before, note)
    turn.emit({ kind: 'fillNoted', recordId, code, before, note, source })
    state.dataVersion += 1
  }
  turn.reply(ref, { note, isChanged })
}

function mustBeAsSeen(present: string | null, { expected }: NoteFill): void {
  if (present === expected) return
  const now =
    present === null
      ? '备注已被删除 (the note was deleted meanwhile)'
      : `备注已被他人改为${inQuotes(present)} (the note is another one by now)`
  throw new ServiceError('CONFLICT', `${now}，请核对后再保存 (look at it and save again)`, {
    expected: [now],
    present: present === null ? [] : [present],
  })
}

function mustFit({ fillNotes, policy }: AccountState, before: string | null, note: string | null) {
  if (note === null) return
  const { fillNotesMax, fillNoteCharsMax } = policy.limits
  const chars = [...note].length
  if (chars > fillNoteCharsMax) {
    const text = `备注最多 ${fillNoteCharsMax} 个字符，现有 ${chars} 个 (a note has at most ${fillNoteCharsMax} characters, this one has ${chars})`
    throw new ServiceError('VALIDATION', text, { note: [text] })
  }
  if (before !== null || fillNotes.size < fillNotesMax) return
  const text = `成交备注已达上限 ${fillNotesMax} 条，请先删除不用的，或调高 limits.account.fill_notes_max (there are ${fillNotesMax} notes, as many as limits.account.fill_notes_max allows: delete some first)`
  throw new ServiceError('CONFLICT', text, { note: [text] })
}
