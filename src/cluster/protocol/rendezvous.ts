import { fnv1a } from './subjects.ts'

/** Spreads similar texts: without it, nodes called n1, n2, n3 come in the same order for most accounts. */
function mixed(hash: number): number {
  const a = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  const b = Math.imul(a ^ (a >>> 13), 0xc2b2ae35)
  return (b ^ (b >>> 16)) >>> 0
}

/** How much a node is wanted for an account: the same number on every computer. */
export const weightOf = (acct: string, node: string): number => mixed(fnv1a(`${acct}|${node}`))

/** Whether `a` comes before `b` for this account. */
function isBefore(acct: string, a: string, b: string): boolean {
  const [left, right] = [weightOf(acct, a), weightOf(acct, b)]
  return left === right ? a < b : left > right
}

/**
 * Place of a node among all that may run an account: 0 for the first. When a node comes or goes,
 * only the accounts that it is the first for change their first. `node` itself need not be among them.
 */
export function rankOf(acct: string, node: string, among: readonly string[]): number {
  return among.filter((other) => other !== node && isBefore(acct, other, node)).length
}
