import type { AccountPolicy } from './policy.ts'

/** What a strategy remembers in memory only: the key under which it lies, and how it begins. */
export interface MemoryOf<T> {
  readonly fresh: (policy: AccountPolicy) => T
}

/** The memories of the strategies. Each is made when it is first asked for, and only its strategy knows its type. */
export class StrategyMemories {
  readonly #policy: AccountPolicy
  readonly #kept = new Map<MemoryOf<unknown>, unknown>()

  constructor(policy: AccountPolicy) {
    this.#policy = policy
  }

  of<T>(key: MemoryOf<T>): T {
    const kept = this.#kept.get(key)
    if (kept !== undefined) return kept as T
    const made = key.fresh(this.#policy)
    this.#kept.set(key, made)
    return made
  }

  /** It begins anew. */
  forget(key: MemoryOf<unknown>): void {
    this.#kept.delete(key)
  }
}
