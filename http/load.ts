import { ServiceError } from '../src/domain/errors.ts'
import type { FrontLimits } from './context.ts'
import type { Route } from './routes.ts'

type LoadLimits = Pick<
  FrontLimits,
  'openRequestsMax' | 'accountRequestsMax' | 'reservedRequestsMax'
>
type Wanted = Pick<Route, 'isReserved' | 'scope'>

/**
 * How many requests are worked on at once: in all, and about one account. What must get through
 * while everything else is shed has slots of its own, and reads can take only half of them.
 */
export class Load {
  readonly #limits: LoadLimits
  readonly #byAccount = new Map<string, number>()
  #ordinary = 0
  #reserved = 0

  constructor(limits: LoadLimits) {
    this.#limits = limits
  }

  /** Before the work begins. Errors  throws `OVERLOADED`. */
  check(route: Wanted, accountId: string | undefined): void {
    const { openRequestsMax, accountRequestsMax } = this.#limits
    if (route.isReserved) {
      if (this.#reserved < this.#reservedFor(route)) return
      throw new ServiceError('OVERLOADED', 'too many requests of this kind are under way')
    }
    if (this.#ordinary >= openRequestsMax) {
      throw new ServiceError('OVERLOADED', 'too many requests are under way')
    }
    if (accountId !== undefined && (this.#byAccount.get(accountId) ?? 0) >= accountRequestsMax) {
      throw new ServiceError('OVERLOADED', 'too many requests for this account are under way')
    }
  }

  /** Holds a slot until the work has ended. */
  async during<T>(route: Wanted, accountId: string | undefined, work: Promise<T>): Promise<T> {
    this.#count(route, accountId, 1)
    try {
      return await work
    } finally {
      this.#count(route, accountId, -1)
    }
  }

  #reservedFor({ scope }: Wanted): number {
    const { reservedRequestsMax } = this.#limits
    const isRead = scope === 'view' || scope === 'open'
    return isRead ? Math.ceil(reservedRequestsMax / 2) : reservedRequestsMax
  }

  #count({ isReserved }: Wanted, accountId: string | undefined, change: 1 | -1): void {
    if (isReserved) {
      this.#reserved += change
      return
    }
    this.#ordinary += change
    if (accountId === undefined) return
    const left = (this.#byAccount.get(accountId) ?? 0) + change
    if (left > 0) this.#byAccount.set(accountId, left)
    else this.#byAccount.delete(accountId)
  }
}
