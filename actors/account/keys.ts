import { createHash } from 'node:crypto'
import type { AccountCommand } from '../../src/account/commands/on-request.ts'
import { restoredSeed } from '../../src/account/model/restore.ts'
import type { AccountState } from '../../src/account/model/state.ts'
import { isHashLost } from '../../src/account/orders/orders.ts'
import { clientOrderId, orderIdOfKey } from '../../src/domain/ids.ts'

/** SHA-256: the entropy of ids that must come out the same again. */
export const digest = (text: string): Buffer => createHash('sha256').update(text).digest()

const idOfKey = (accountId: string, key: string) => orderIdOfKey(accountId, key, digest)

/** Never one that an order bears already, also when an older database counts from where it once was. */
function freshKey(state: AccountState, nowMs: number): string {
  const seed = `${state.policy.accountId}#${state.idCounter}${restoredSeed(state)}`
  for (let salt = ''; ; salt += '+') {
    const key = clientOrderId(nowMs, digest(seed + salt))
    if (state.orders.bearing(key) === undefined) return key
  }
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
  const { accountId } = state.policy
  if (command.kind === 'findOrder') {
    return { ...command, parts: partsOf(state, command.keyed ?? command.id) }
  }
  if (!('key' in command)) return command
  const key = command.key === '' ? freshKey(state, nowMs) : idOfKey(accountId, command.key)
  if (command.kind === 'withdrawKey') return { ...command, key, parts: partsOf(state, key) }
  if (command.kind !== 'executeBuy') return { ...command, key }
  return { ...command, key, keys: command.codes.map((code) => idOfPart(accountId, key, code)) }
}

const idOfPart = (accountId: string, key: string, code: string): string =>
  idOfKey(accountId, `${key}#${code}`)

/** Of a request under this key for the stocks of all orders that came back from the trading client without theirs. */
function partsOf({ orders, policy }: AccountState, key: string): readonly string[] {
  const lost = [...orders.values()].filter(isHashLost).map(({ code }) => code)
  return [...new Set(lost)].map((code) => idOfPart(policy.accountId, key, code))
}
