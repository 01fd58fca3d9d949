import type { AccountEvent } from '../model/events.ts'
import type { AccountState } from '../model/state.ts'
import type { Touched } from '../model/touched.ts'

/**
 * Folds a refusal. One that came with the hash of its request is the answer to its key from now on:
 * a copy of the request that arrives late, when the rules would let it pass, must not become an
 * order that nobody waits for any more. Bounded; a key that was forgotten is judged anew.
 */
export function keepDenial(
  state: AccountState,
  denied: Extract<AccountEvent, { kind: 'orderDenied' }>,
  timeMs: number,
): readonly Touched[] {
  const { clientOrderId, code, message, requestHash, forgets = [] } = denied
  if (requestHash === undefined) return []
  const { denials } = state
  state.idCounter += 1 // the next order without a key of its caller must not get the same id
  denials.set(clientOrderId, { requestHash, code, message, seq: state.seq, createdMs: timeMs })
  const touched: Touched[] = [
    { table: 'denials', key: clientOrderId },
    { table: 'meta', key: 'account' },
  ]
  for (const key of forgets) {
    denials.delete(key)
    touched.push({ table: 'denials', key })
  }
  return touched
}

/** Keys of refusals go with those of ended orders. */
export function forgetDenials(state: AccountState, keepFromMs: number): readonly Touched[] {
  const touched: Touched[] = []
  for (const [key, { createdMs }] of [...state.denials]) {
    if (createdMs >= keepFromMs) continue
    state.denials.delete(key)
    touched.push({ table: 'denials', key })
  }
  return touched
}
