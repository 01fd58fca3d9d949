import { inTime } from '../../in-time.ts'
import type { Change, RoleKind } from './candidate.ts'

/** The roles that one candidate was told, until somebody waits for them. */
export class Changes {
  readonly #told: Change[] = []
  #heard = () => {}

  add(change: Change): void {
    this.#told.push(change)
    this.#heard()
  }

  /** Looked at, and left there. */
  find(kind: RoleKind): Change | undefined {
    return this.#told.find(({ event }) => event === kind)
  }

  get count(): number {
    return this.#told.length
  }

  async until(kind: RoleKind, who: string): Promise<Change> {
    for (;;) {
      const change = this.#told.shift()
      if (change?.event === kind) return change
      if (change !== undefined) continue
      const { promise, resolve } = Promise.withResolvers<void>()
      this.#heard = resolve
      await inTime(promise, `${who} to be ${kind}`)
    }
  }
}
