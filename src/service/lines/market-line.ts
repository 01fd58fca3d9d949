import type { CallOptions } from '../../../http/port/service.ts'
import { CallLog, type CallName, type CallOutcome, type CallReport } from '../../domain/call-log.ts'
import { ServiceError } from '../../domain/errors.ts'
import type { MarketReplies, MarketRequest } from '../../protocol/market.ts'
import type { Link } from '../../runtime/link.ts'
import { steadyMs, wallMsOf } from '../../runtime/steady.ts'
import { noOwner, type OwnerLine } from './owner-line.ts'

/** Requests to the market that count as calls, under the names that existing clients know. */
const CALL_NAMES: ReadonlyMap<MarketRequest['kind'], CallName> = new Map([
  ['ticks', 'get_full_tick'],
  ['bars', 'get_market_data_ex'],
  ['download', 'download_history_data'],
])

export interface MarketLineOptions {
  readonly owner: OwnerLine
  /** This process runs the account. */
  readonly isOwner: () => boolean
  /** Why nobody runs it before a person has mended it; undefined: there is no such reason. */
  readonly parked: () => ServiceError | undefined
  /** The market of this process. */
  readonly market: () => Promise<Pick<Link, 'ask'>>
}

/** The market as an account sees it: of this process, or of the one that runs the account. */
export class MarketLine {
  readonly #options: MarketLineOptions
  readonly #sinceMs = steadyMs()
  readonly #calls = new CallLog()

  constructor(options: MarketLineOptions) {
    this.#options = options
  }

  /** How its requests that count as calls have gone. */
  report(): CallReport {
    return this.#calls.report(wallMsOf(this.#sinceMs))
  }

  /** Errors  those of the market; `ACCOUNT_PARKED`, `NOT_OWNER` and the like while nobody runs the account. */
  async ask<R extends MarketRequest>(
    request: R,
    options: CallOptions,
  ): Promise<MarketReplies[R['kind']]> {
    const name = CALL_NAMES.get(request.kind)
    if (name === undefined) return this.#pass(request, options)
    const sinceMs = performance.now()
    const record = (outcome: CallOutcome, text = '') => {
      const ms = performance.now() - sinceMs
      this.#calls.record({ name, outcome, ms, atMs: Date.now(), text })
    }
    try {
      const answer = await this.#pass(request, options)
      record('success')
      return answer
    } catch (error) {
      const isLate = error instanceof ServiceError && error.code === 'DEADLINE_EXCEEDED'
      record(isLate ? 'timeout' : 'error', error instanceof Error ? error.message : '')
      throw error
    }
  }

  async #pass<R extends MarketRequest>(
    request: R,
    options: CallOptions,
  ): Promise<MarketReplies[R['kind']]> {
    const { owner, isOwner, parked, market } = this.#options
    if (owner.isElsewhere) return owner.ask({ target: 'market', body: request }, options)
    if (!isOwner()) throw parked() ?? noOwner()
    return (await market()).ask(request, options)
  }
}
