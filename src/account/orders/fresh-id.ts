import { clientOrderId } from '../../domain/ids.ts'
import type { Turn } from '../turn/turn.ts'

const ENTROPY_BYTES = 10
const FNV_PRIME = 16_777_619
const FNV_BASIS = 2_166_136_261

/**
 * A client order id for an order that the account itself decides on. It follows from the account
 * and from the number of orders that it has placed, which is saved with each order: never the same
 * twice, and the same again when a replay repeats.
 */
export function freshId({ state, inputs }: Turn): string {
  const seed = `${state.policy.accountId}|own|${state.idCounter}`
  for (let salt = 0; ; salt++) {
    const id = clientOrderId(inputs.nowMs, entropyOf(`${seed}|${salt}`))
    if (!state.orders.has(id)) return id
  }
}

/** Ten bytes that spread; they need not be secret. */
function entropyOf(text: string): Uint8Array {
  const bytes = new Uint8Array(ENTROPY_BYTES)
  let hash = FNV_BASIS
  for (let i = 0; i < text.length + ENTROPY_BYTES; i++) {
    hash = Math.imul(hash ^ (text.charCodeAt(i % text.length) + i), FNV_PRIME) >>> 0
    bytes[i % ENTROPY_BYTES] = (hash >>> 13) & 255
  }
  return bytes
}
