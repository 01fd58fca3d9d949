import type { DirtyRow } from '../model/dirty-row.ts'
import type { AccountEvent } from '../model/events.ts'
import { type KeptDenial, WITHDRAWN_KEY } from '../model/kept-denial.ts'
import type { AccountState } from '../model/state.ts'

type Fold<K extends AccountEvent['kind']> = Extract<AccountEvent, { kind: K }>

/**
 * Folds a refusal. One that came with the hash of its request is the answer to its key from now on:
 * a copy of the request that arrives late, when the rules would let it pass, must not become an
 * order that nobody waits for any more. Bounded; a key that was forgotten is judged anew.
 */
export function keepDenial(
  state: AccountState,
  denied: Fold<'orderDenied'>,
  timeMs: number,
): readonly DirtyRow[] {
  const { clientOrderId, code, message, requestHash, forgets } = denied
  if (requestHash === undefined) return []
  return keepRefusal(state, { clientOrderId, code, message, requestHash, forgets, timeMs })
}

/** A key that came to nothing, and from now on means a refusal, whatever the request under it asks for. */
export function keepWithdrawn(
  state: AccountState,
  { clientOrderId, forgets }: Fold<'keyWithdrawn'>,
  timeMs: number,
): readonly DirtyRow[] {
  return keepRefusal(state, { clientOrderId, ...WITHDRAWN_KEY, forgets, timeMs })
}

interface KeptRefusal extends Omit<KeptDenial, 'seq' | 'createdMs'> {
  readonly clientOrderId: string
  readonly forgets: readonly string[] | undefined
  readonly timeMs: number
}

function keepRefusal(
  state: AccountState,
  { clientOrderId, code, message, requestHash, forgets = [], timeMs }: KeptRefusal,
): readonly DirtyRow[] {
  const { denials } = state
  state.idCounter += 1 // the next order without a key of its caller must not get the same id
  denials.set(clientOrderId, { requestHash, code, message, seq: state.seq, createdMs: timeMs })
  const dirtyRows: DirtyRow[] = [
    { table: 'denials', key: clientOrderId },
    { table: 'meta', key: 'account' },
  ]
  for (const key of forgets) {
    denials.delete(key)
    dirtyRows.push({ table: 'denials', key })
  }
  return dirtyRows
}
