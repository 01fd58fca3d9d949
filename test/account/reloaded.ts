import type { AccountActorDeps } from '../../actors/account/deps.ts'
import { CommitDraft, loadState } from '../../actors/account/rows.ts'
import { apply } from '../../src/account/fold/apply.ts'
import { type AccountState, emptyState } from '../../src/account/model/state.ts'
import type { Turn } from '../../src/account/turn/turn.ts'
import { MemoryStore } from '../../src/storage/memory-store.ts'
import { Bench } from './fixture.ts'

/** What a start finds: the rows that the turns of this account have written. */
export async function reloaded({ journal, state: { policy } }: Bench): Promise<AccountState> {
  const store = new MemoryStore()
  const state = emptyState(policy)
  const draft = new CommitDraft(state)
  for (const event of journal) {
    draft.add({ events: [event], dirtyRows: apply(state, event) } as unknown as Turn)
    const commit = draft.take()
    if (commit !== undefined) await store.commit(commit)
  }
  const deps = { store, policy } as unknown as AccountActorDeps
  return (await loadState(deps)).state
}

/** The next life of an account, as it reads its rows; it goes on with the journal. */
export async function nextLife(bench: Bench): Promise<Bench> {
  const next = new Bench(await reloaded(bench))
  next.journal.push(...bench.journal)
  next.nowMs = bench.nowMs
  next.wallMs = bench.wallMs
  return next
}
