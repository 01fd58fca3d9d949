import { ServiceError } from '../../src/domain/errors.ts'
import type { FrontLimits } from '../desk/context.ts'
import type { Route } from '../message/routes.ts'

type LoadLimits = Pick<
  FrontLimits,
  'openRequestsMax' | 'accountRequestsMax' | 'reservedRequestsMax'
>
type Wanted = Pick<Route, 'isReserved' | 'scope'>

/** A place to work in: among all, or one of those that are kept. */
export type Place = 'ordinary' | 'reserved'

/**
 * How many requests are worked on at once: in all, and about one account. What must get through
 * while everything else is shed then has places of its own, and reads can take only half of them.
 */
export class Load {
  readonly #limits: LoadLimits
  readonly #byAccount = new Map<string, number>()
  #ordinary = 0
  #reserved = 0

  constructor(limits: LoadLimits) {
    this.#limits = limits
  }

  /** Where there is room, before the work begins. Errors  throws `OVERLOADED`. */
  placeFor(route: Wanted, accountId: string | undefined): Place {
    const shed = this.#shed(accountId)
    if (shed === undefined) return 'ordinary'
    if (route.isReserved && this.#reserved < this.#reservedFor(route)) return 'reserved'
    throw new ServiceError('OVERLOADED', shed)
  }

  /** Holds the place until the work has ended. */
  async during<T>(place: Place, accountId: string | undefined, work: Promise<T>): Promise<T> {
    this.#count(place, accountId, 1)
    try {
      return await work
    } finally {
      this.#count(place, accountId, -1)
    }
  }

  /** Why nothing more is taken up. */
  #shed(accountId: string | undefined): string | undefined {
    const { openRequestsMax, accountRequestsMax } = this.#limits
    if (this.#ordinary >= openRequestsMax)
      return '服务繁忙，请稍后再试 (too many requests are under way)'
    const own = accountId === undefined ? 0 : (this.#byAccount.get(accountId) ?? 0)
    if (own < accountRequestsMax) return undefined
    return '此账户的请求过多，请稍后再试 (too many requests for this account are under way)'
  }

  #reservedFor({ scope }: Wanted): number {
    const { reservedRequestsMax } = this.#limits
    const isRead = scope === 'view' || scope === 'open'
    return isRead ? Math.ceil(reservedRequestsMax / 2) : reservedRequestsMax
  }

  #count(place: Place, accountId: string | undefined, change: 1 | -1): void {
    if (place === 'reserved') {
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
