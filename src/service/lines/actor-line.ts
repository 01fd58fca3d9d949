import { ServiceError } from '../../domain/errors.ts'
import type { AskLimits } from '../../ports/transport.port.ts'
import type { Link } from '../../runtime/link.ts'

/** A link that comes and goes with the incarnations of an actor. */
export class ActorLine {
  readonly #name: string
  #link: Link | undefined
  #reason: ServiceError

  constructor(name: string) {
    this.#name = name
    this.#reason = new ServiceError('ACTOR_RESTARTING', `${name} is starting; try again`)
  }

  get isUp(): boolean {
    return this.#link !== undefined
  }

  connect(link: Link): void {
    this.#link = link
  }

  /** Fails what waits for an answer at once; asks fail with the same reason until the next {@link connect}. */
  disconnect(code: 'ACTOR_RESTARTING' | 'ACCOUNT_SUSPENDED' | 'STOPPING', why: string): void {
    this.#reason = new ServiceError(code, `${this.#name} ${why}`)
    this.#link?.close(this.#reason)
    this.#link = undefined
  }

  /** Dropped when it is not up. */
  tell(body: unknown): void {
    this.#link?.tell(body)
  }

  ask<T>(body: unknown, options: AskLimits): Promise<T> {
    return this.#link === undefined
      ? Promise.reject(this.#reason)
      : this.#link.ask<T>(body, options)
  }
}
