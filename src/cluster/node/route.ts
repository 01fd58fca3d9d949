import { ServiceError } from '../../domain/errors.ts'
import {
  type RouteEffect,
  type RouteInput,
  type RouteState,
  startRoute,
  stepRoute,
} from '../protocol/directory.ts'
import type { ControlEntry, Now } from '../protocol/effects.ts'
import type { PlacementRecord } from '../protocol/records.ts'
import type { Timing } from '../protocol/timing.ts'
import { readEpoch } from './encoded.ts'
import type { ClusterEngine } from './engine.ts'

export interface RouteDeps {
  readonly engine: Pick<ClusterEngine, 'perform' | 'request'>
  readonly timing: Timing
  readonly now: () => Now
  /** What the watch shows of the account at this moment. */
  readonly shown: () => ControlEntry<PlacementRecord> | undefined
}

export interface Routed {
  readonly acct: string
  readonly body: Uint8Array
  readonly isWrite: boolean
  /** Highest epoch that was seen of the account. */
  readonly epochSeen: number
  readonly timeoutMs: number
}

/**
 * Brings a call to whichever node runs the account, and its answer back.
 *
 * Errors  `NOT_OWNER`: nothing was executed; `DEADLINE_EXCEEDED`: it may have been, if it was to change anything.
 */
export function route(routed: Routed, deps: RouteDeps): Promise<Uint8Array> {
  return new Promise((resolve, reject) => new Route(routed, deps, { resolve, reject }).start())
}

class Route {
  readonly #routed: Routed
  readonly #deps: RouteDeps
  readonly #end: { resolve: (reply: Uint8Array) => void; reject: (error: ServiceError) => void }
  #state: RouteState | undefined
  #reply: Uint8Array | undefined
  #timer: NodeJS.Timeout | undefined

  constructor(
    routed: Routed,
    deps: RouteDeps,
    end: { resolve: (reply: Uint8Array) => void; reject: (error: ServiceError) => void },
  ) {
    this.#routed = routed
    this.#deps = deps
    this.#end = end
  }

  start(): void {
    const { acct, isWrite, epochSeen, timeoutMs: budgetMs } = this.#routed
    const { timing, now, shown } = this.#deps
    const start = { acct, isWrite, epochSeen, budgetMs, entry: shown() }
    this.#timer = setInterval(() => this.#tick(), timing.retryMs)
    this.#follow(startRoute(start, timing, now()))
  }

  #tick(): void {
    const entry = this.#deps.shown()
    if (entry !== undefined) this.#step({ is: 'shown', entry })
    this.#step({ is: 'tick' })
  }

  #step(input: RouteInput): void {
    if (this.#state === undefined || this.#state.phase === 'over') return
    this.#follow(stepRoute(this.#state, input, this.#deps.now()))
  }

  #follow({
    state,
    effects,
  }: {
    readonly state: RouteState
    readonly effects: readonly RouteEffect[]
  }): void {
    this.#state = state
    if (state.phase === 'over') clearInterval(this.#timer)
    for (const effect of effects) this.#do(effect)
  }

  #do(effect: RouteEffect): void {
    const { acct } = this.#routed
    switch (effect.do) {
      case 'request':
        return void this.#request(effect)
      case 'answer':
        return this.#end.resolve(this.#reply as Uint8Array)
      case 'noOwner':
        return this.#end.reject(noOwner(acct))
      case 'notAnswered':
        return this.#end.reject(new ServiceError('DEADLINE_EXCEEDED', NOT_ANSWERED))
      case 'outcomeUnknown':
        return this.#end.reject(unknown(acct))
      default:
        return void this.#deps.engine.perform(effect).then((answer) => this.#step(answer))
    }
  }

  async #request(effect: Extract<RouteEffect, { do: 'request' }>): Promise<void> {
    const { call, node, inc, timeoutMs } = effect
    const { acct, body } = this.#routed
    const outcome = await this.#deps.engine.request({ node, inc, acct, body, timeoutMs })
    if (outcome.is !== 'reply') return this.#step({ is: outcome.is, call })
    const e = readEpoch(outcome.body)
    // Whoever has answered may have carried it out.
    if (e === undefined) return this.#step({ is: 'timeout', call })
    this.#reply = outcome.body
    this.#step(e === 0 ? { is: 'notOwner', call } : { is: 'reply', call, e })
  }
}

const NOT_ANSWERED =
  '运行该账户的节点未在限时内答复，请稍后再试 (the computer that runs the account has not answered in time: ask again later)'
const noOwner = (acct: string): ServiceError =>
  new ServiceError('NOT_OWNER', `no computer of the cluster runs account ${acct} at the moment`)
const unknown = (acct: string): ServiceError => {
  const text = `the computer that runs account ${acct} has not answered: it may have carried the request out`
  return new ServiceError('DEADLINE_EXCEEDED', text)
}
