import { ServiceError } from '../../src/domain/errors.ts'
import { addressGroup } from '../access/address.ts'
import type { FrontLimits } from '../desk/context.ts'

type BodyLimits = Pick<FrontLimits, 'openBodiesMax' | 'openBodiesPerAddressMax'>

/** The bodies that have not come whole, in all and by address: whoever never ends one keeps nobody else out. */
export class OpenBodies {
  readonly #limits: BodyLimits
  readonly #byAddress = new Map<string, number>()
  #count = 0

  constructor(limits: BodyLimits) {
    this.#limits = limits
  }

  /** What is to be called once it has come or will not. Errors  throws `OVERLOADED`. */
  enter(address: string): () => void {
    const { openBodiesMax, openBodiesPerAddressMax } = this.#limits
    const key = addressGroup(address)
    const open = this.#byAddress.get(key) ?? 0
    if (this.#count >= openBodiesMax || open >= openBodiesPerAddressMax) {
      throw new ServiceError(
        'OVERLOADED',
        '尚未收完的请求体过多，请稍后再试 (too many request bodies have not come whole)',
      )
    }
    this.#count += 1
    this.#byAddress.set(key, open + 1)
    return () => this.#leave(key)
  }

  #leave(key: string): void {
    this.#count -= 1
    const left = (this.#byAddress.get(key) ?? 1) - 1
    if (left > 0) this.#byAddress.set(key, left)
    else this.#byAddress.delete(key)
  }
}
