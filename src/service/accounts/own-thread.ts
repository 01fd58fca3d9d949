import type { MessagePort } from 'node:worker_threads'
import type { ErrorCode } from '../../domain/errors.ts'
import type { Logger } from '../../observability/logger.ts'
import { Link, portWire } from '../../runtime/link.ts'
import type { ActorLine } from '../lines/actor-line.ts'
import type { AccountSpawnOptions } from '../threads/actor-system.ts'
import type { OwnedAccount } from './ownership-of.ts'

export interface OwnThreadDeps {
  /** What it takes to start the account here. */
  readonly start: OwnedAccount & { readonly spawn: AccountSpawnOptions; readonly log: Logger }
  /** The line to it; it is told of each start and end. */
  readonly actor: ActorLine
  /** Whether a thread under this epoch is still to run: the next one has a start of its own. */
  readonly isWanted: (epoch: number) => boolean
  /** A new incarnation is about to be asked. */
  readonly connecting: () => void
  /** The thread has seen that the account is not ours under this epoch. */
  readonly lost: (epoch: number) => void
  readonly up: () => void
  /** A start or a stop has failed. */
  readonly failed: (error: unknown) => void
}

const UP = 'account is up'
const NOT_OWNER: ErrorCode = 'NOT_OWNER'

/** The thread of an account in this process: starts and stops, one after the other. */
export class OwnThread {
  readonly #deps: OwnThreadDeps
  #moving: Promise<void> = Promise.resolve()

  constructor(deps: OwnThreadDeps) {
    this.#deps = deps
  }

  /** What was begun is over. Rejects when it has failed. */
  get settled(): Promise<void> {
    return this.#moving
  }

  /** Under this `epoch` and no other. */
  start(epoch: number): void {
    this.#move(() => this.#start(epoch))
  }

  /**
   * A thread that is still starting is not waited for: it would begin again and again under an epoch that is over. In
   * a turn of its own, because it may be the thread's own end that told us.
   */
  stopNow(): void {
    const stopped = Promise.resolve().then(() => this.#stop())
    stopped.catch(() => undefined) // whoever waits for the move is told
    this.#move(() => stopped)
  }

  #move(action: () => Promise<void>): void {
    this.#moving = this.#moving.then(action)
    this.#moving.catch(this.#deps.failed)
  }

  async #start(epoch: number): Promise<void> {
    const { start, actor, lost, up } = this.#deps
    const isWanted = () => this.#deps.isWanted(epoch)
    if (!isWanted()) return
    const { system, slot, spawn, account, log } = start
    const { accountId } = spawn.policy
    await system.startAccount(
      { slot, spawn, account },
      {
        isWanted,
        starting: (front) => this.#connect(front),
        down: (reason) => {
          log.warn({ account: accountId, reason }, 'account is down')
          if (reason.includes(NOT_OWNER)) lost(epoch)
          actor.disconnect('ACTOR_RESTARTING', 'is restarting; try again')
        },
        up: () => {
          const isSuspended = system.board.status(slot) === 'suspended'
          const text = isSuspended ? 'account is suspended: only reads, cancels, kill switch' : UP
          log.info({ account: accountId }, text)
          up()
        },
        suspended: (reason) =>
          actor.disconnect('ACCOUNT_SUSPENDED', `is suspended (${reason}); restart it`),
      },
    )
  }

  async #stop(): Promise<void> {
    const { actor, start } = this.#deps
    actor.disconnect('ACTOR_RESTARTING', 'is moving to another process; try again')
    await start.system.stopAccount(start.account)
  }

  #connect(front: MessagePort): void {
    const { actor, connecting, start } = this.#deps
    const { openAsksMax } = start.limits
    connecting()
    actor.connect(
      new Link(portWire(front), {
        peer: `account/${start.spawn.policy.accountId}`,
        limits: { openAsksMax },
        isGathering: true,
      }),
    )
  }
}
