import { randomBytes } from 'node:crypto'
import { clientOrderId } from '../../domain/ids.ts'

const KEY_BYTES = 10
const POOL_KEYS = 256
let pool = Buffer.alloc(0)

/** Never the same twice, in no process. Many keys are made of one draw, each of bytes of its own. */
export function randomKey(): string {
  if (pool.length < KEY_BYTES) pool = randomBytes(KEY_BYTES * POOL_KEYS)
  const entropy = pool.subarray(0, KEY_BYTES)
  pool = pool.subarray(KEY_BYTES)
  return clientOrderId(Date.now(), entropy)
}
