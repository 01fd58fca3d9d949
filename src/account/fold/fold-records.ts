import type { DirtyRow } from '../model/dirty-row.ts'
import type { AccountEvent } from '../model/events.ts'
import type { AccountState } from '../model/state.ts'

type RecordsEvent = Extract<AccountEvent, { kind: 'recordsCleared' | 'fillNoted' }>

/** What people do with trade records. A note goes with its record. */
export function foldRecords(state: AccountState, event: RecordsEvent): readonly DirtyRow[] {
  const { fillNotes } = state
  if (event.kind === 'fillNoted') {
    state.notesVersion += 1
    if (event.note === null) fillNotes.delete(event.recordId)
    else fillNotes.set(event.recordId, event.note)
    return [{ table: 'fillNotes', key: event.recordId }]
  }
  state.recordsVersion += 1
  return event.ids.flatMap((key): readonly DirtyRow[] => {
    const record = { table: 'records', key, row: null } as const
    return fillNotes.delete(key) ? [record, { table: 'fillNotes', key }] : [record]
  })
}
