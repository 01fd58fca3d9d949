import { ServiceError } from '../domain/errors.ts'
import type { AccountStore } from '../ports/store.port.ts'
import type { Line } from '../ports/transport.port.ts'
import type {
  Commit,
  Opened,
  RangeQuery,
  Row,
  StoreReplies,
  StoreRequest,
  TableName,
} from '../protocol/store.ts'

export interface StoreClientLimits {
  /** How long `range` may take. */
  readonly readTimeoutMs: number
  /** How long `open` may take: longer, because many accounts may start at once on a busy computer. */
  readonly openTimeoutMs: number
  /**
   * How long a commit may take before the account gives up on the store, while its disk answers. Long, because nobody
   * knows then whether it was written: the actor ends and reads the truth when it starts again.
   */
  readonly commitTimeoutMs: number
}

/** The longest timer there is. A commit carries no earlier deadline: the store must never skip one. */
const FOREVER_MS = 2 ** 31 - 1
/** Looks at the disk within the time of a commit. */
const LOOKS = 10

/**
 * The account database behind a line to the store thread.
 *
 * The first commit that fails is the last: all that were sent after it were decided on top of it,
 * so they fail with the same error, whatever the store says of them. `open` starts afresh.
 */
export class StoreClient implements AccountStore {
  readonly #line: Line
  readonly #limits: StoreClientLimits
  /** To the thread that reads beside the store; undefined when there is none, or no longer. */
  #reader: Line | undefined
  readonly #isDiskLate: () => boolean
  /** Commits that were sent, and those before us: the reader sees them only once the store was asked to see to it. */
  #sent = 1
  #settled = 0
  #epoch = 0
  #failed: ServiceError | undefined

  constructor(line: Line, limits: StoreClientLimits, reader?: Line, isDiskLate = () => false) {
    this.#line = line
    this.#limits = limits
    this.#reader = reader
    this.#isDiskLate = isDiskLate
  }

  async open(tables: readonly TableName[]): Promise<Opened> {
    const { openTimeoutMs } = this.#limits
    const opened = await this.#read<'open'>({ kind: 'open', tables }, openTimeoutMs)
    this.#epoch = opened.epoch
    this.#failed = undefined
    return opened
  }

  async commit(commit: Commit): Promise<void> {
    if (this.#failed !== undefined) throw this.#failed
    try {
      await this.#write({ kind: 'commit', epoch: this.#epoch, commit })
    } catch (error) {
      this.#failed ??= asFailure(error)
    }
    if (this.#failed !== undefined) throw this.#failed
  }

  async clientAhead(clientEpoch: number): Promise<void> {
    await this.#read<'clientAhead'>({ kind: 'clientAhead', epoch: this.#epoch, clientEpoch })
  }

  /** Sees every commit that was sent before it. */
  async range(query: RangeQuery): Promise<readonly Row[]> {
    const request = { kind: 'range', query } as const
    const reader = this.#reader
    if (reader === undefined || query.isRecent) return this.#read<'range'>(request)
    if (this.#settled < this.#sent) {
      const sent = this.#sent
      await this.#read<'settle'>({ kind: 'settle' })
      this.#settled = Math.max(this.#settled, sent)
    }
    try {
      const timeoutMs = this.#limits.readTimeoutMs
      return await reader.ask<readonly Row[]>(request, { timeoutMs, lane: 'system' })
    } catch (error) {
      if (!(error instanceof ServiceError) || error.code !== 'ACTOR_RESTARTING') throw error
      this.#reader = undefined // it has ended
      return this.#read<'range'>(request)
    }
  }

  #read<K extends 'open' | 'range' | 'settle' | 'clientAhead'>(
    request: Extract<StoreRequest, { kind: K }>,
    timeoutMs = this.#limits.readTimeoutMs,
  ): Promise<StoreReplies[K]> {
    return this.#line.ask(request, { timeoutMs, lane: 'system' })
  }

  async #write(request: Extract<StoreRequest, { kind: 'commit' }>): Promise<void> {
    const { commitTimeoutMs } = this.#limits
    const expired = Promise.withResolvers<never>()
    let looks = 0
    const timer = setInterval(() => {
      looks = this.#isDiskLate() ? 0 : looks + 1 // a store that waits for its disk has lost nothing
      if (looks < LOOKS) return
      const text = `the store has not answered a commit for ${commitTimeoutMs} ms`
      expired.reject(new ServiceError('STORE_FAILED', text))
    }, commitTimeoutMs / LOOKS)
    const answered = this.#line.ask<null>(request, { timeoutMs: FOREVER_MS, lane: 'system' })
    this.#sent += 1
    try {
      await Promise.race([answered, expired.promise])
    } finally {
      clearInterval(timer)
    }
  }
}

const asFailure = (error: unknown) =>
  error instanceof ServiceError
    ? error
    : new ServiceError('STORE_FAILED', 'a commit could not be sent', undefined, error)
