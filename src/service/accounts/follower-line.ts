import { ServiceError } from '../../domain/errors.ts'
import type { Logger } from '../../observability/logger.ts'
import type { AskLimits, CallHeader } from '../../ports/transport.port.ts'
import type { AccountRequest } from '../../protocol/account.ts'
import { steadyMs } from '../../runtime/steady.ts'
import type { ActorLine } from '../lines/actor-line.ts'
import { forwardedIn, type Health, noOwner, orderKeyOf } from '../lines/owner-line.ts'
import type { ActorSystem } from '../threads/actor-system.ts'

const LEFT = 'service/follower-left'

/** The account that is run here. */
export interface Followed {
  readonly accountId: string
  readonly actor: ActorLine
  readonly system: Pick<ActorSystem, 'market' | 'supervisor'>
  readonly isConnected: () => boolean
  /** It has crashed too often and runs with less. */
  readonly isReduced: () => boolean
  /** Its disk, or the journal of its cluster, does not answer. */
  readonly isHeld: () => boolean
  /** Its disk is nearly full. */
  readonly isOutOfRoom: () => boolean
  /** A person has still to confirm what its restore has found. */
  readonly isUnconfirmed: () => boolean
  /** This process runs it, and goes on doing so. */
  readonly isOurs: () => boolean
  /** Why it is not asked this now; undefined: it is. */
  readonly heldBack: (request: AccountRequest) => ServiceError | undefined
  readonly limits: {
    /** How long after it was passed on the answer to an order may be on its way. */
    readonly answeredWithinMs: number
    readonly callTimeoutMs: number
  }
  readonly log: Pick<Logger, 'warn'>
}

type Lost = Extract<AccountRequest, { kind: 'answersLost' | 'noteTold' }>

/** What other processes ask of an account that this one runs, and what becomes of answers that do not get to them. */
export class FollowerLine {
  readonly #followed: Followed
  /** When another process last passed on an order, of a clock that does not jump. */
  #passedOnMs = Number.NEGATIVE_INFINITY

  constructor(followed: Followed) {
    this.#followed = followed
  }

  /** A follower's question. Its deadline is ours. Errors  also `BAD_REQUEST`: it is none; `NOT_OWNER`: it is being left. */
  async serve(asked: unknown, call: CallHeader): Promise<unknown> {
    const request = forwardedIn(asked)
    const followed = this.#followed
    const { accountId, actor, system } = followed
    const nowMs = steadyMs()
    const timeoutMs = Math.max(1, call.deadlineMs - nowMs)
    const startWithinMs = Math.max(0, call.startByMs - nowMs)
    const options = { timeoutMs, startWithinMs, correlationId: call.correlationId }
    switch (request.target) {
      case 'account':
        return this.#askAccount(request.body, options)
      case 'market':
        return (await system.market()).ask(request.body, options)
      case 'withdraw':
        return actor.tell({ withdrawn: request.correlationId })
      case 'restart':
        // Its thread is being ended, and would live on, with nobody to end it again.
        if (!followed.isOurs()) throw noOwner()
        return system.supervisor.restartChild(`account/${accountId}`)
      case 'health':
        return {
          isConnected: followed.isConnected(),
          isReduced: followed.isReduced(),
          isHeld: followed.isHeld(),
          isOutOfRoom: followed.isOutOfRoom(),
          isUnconfirmed: followed.isUnconfirmed(),
        } satisfies Health
    }
  }

  async #askAccount(body: AccountRequest, options: AskLimits): Promise<unknown> {
    const { actor, heldBack } = this.#followed
    const refusal = heldBack(body)
    if (refusal !== undefined) throw refusal
    if (orderKeyOf(body) !== undefined) this.#passedOnMs = steadyMs()
    return actor.ask(body, options)
  }

  /** Whether answers to orders may be on their way to whoever asked another process for them. */
  get isAnswering(): boolean {
    return steadyMs() - this.#passedOnMs <= this.#followed.limits.answeredWithinMs
  }

  /** It may have been killed with the answers to orders that it had passed on. */
  async left(): Promise<void> {
    if (this.isAnswering) await this.#note({ kind: 'answersLost', source: LEFT })
  }

  /** Answers to these orders did not get to whoever wanted them. */
  async untold(keys: readonly string[]): Promise<void> {
    await this.#note({ kind: 'noteTold', told: [], untold: keys, source: LEFT })
  }

  async #note(lost: Lost): Promise<void> {
    const { accountId, actor, isOurs, limits, log } = this.#followed
    if (!isOurs()) return
    try {
      await actor.ask(lost, { timeoutMs: limits.callTimeoutMs, correlationId: '' })
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error
      // An account that starts anew thinks of that by itself.
      log.warn({ account: accountId, err: error }, 'lost answers not noted')
    }
  }
}
