import { createHash } from 'node:crypto'
import type { AccountCommand } from '../../src/account/on-request.ts'
import type { AccountState } from '../../src/account/state.ts'
import { CLIENT_ORDER_ID, clientOrderId } from '../../src/domain/ids.ts'

const digest = (text: string): Buffer => createHash('sha256').update(text).digest()

/**
 * The client order id behind a caller's key: itself when it is one, else one derived from it, so
 * that the same key always means the same order, also after a restart.
 */
function idOfKey(accountId: string, key: string): string {
  if (CLIENT_ORDER_ID.test(key)) return key
  const hash = digest(`${accountId}|${key}`)
  return clientOrderId(hash.readUIntBE(10, 6), hash)
}

/**
 * Fills in the client order ids of a command. Without a key of the caller's the id follows from
 * the account's own counter, which is saved with the order: never the same twice, and the same
 * again when a replay repeats.
 */
export function withKeys(
  state: AccountState,
  command: AccountCommand,
  nowMs: number,
): AccountCommand {
  if (!('key' in command)) return command
  const { accountId } = state.policy
  const fresh = () => clientOrderId(nowMs, digest(`${accountId}#${state.idCounter}`))
  const key = command.key === '' ? fresh() : idOfKey(accountId, command.key)
  if (command.kind !== 'executeBuy') return { ...command, key }
  return {
    ...command,
    key,
    keys: command.codes.map((code) => idOfKey(accountId, `${key}#${code}`)),
  }
}
