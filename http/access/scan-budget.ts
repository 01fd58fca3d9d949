import { ServiceError } from '../../src/domain/errors.ts'
import { OPERATOR } from '../message/caller.ts'
import { Refusal } from '../message/errors.ts'
import type { HttpRequest } from '../message/request.ts'

export interface ScanLimits {
  /** Reads of one token that look through a database, at once. */
  readonly scansPerTokenMax: number
  /** Rows a second that they may look at, over time. */
  readonly scanRowsPerS: number
  /** Rows that a token which was quiet may look at at once. */
  readonly scanRowsSavedMax: number
}

interface Account {
  open: number
  /** What may be looked at; below nothing for who has had more. */
  rows: number
  atMs: number
}

/**
 * What each token may look through of journals and ledgers, on all listeners together. What a read has
 * cost is known when it is done, so it is paid afterwards, and whoever owes waits.
 */
export class ScanBudget {
  readonly #limits: ScanLimits
  readonly #nowMs: () => number
  /** By the name of the token. Of one that has all again nothing is kept: tokens come and go. */
  readonly #accounts = new Map<string, Account>()

  /** `nowMs` is monotonic. */
  constructor(limits: ScanLimits, nowMs: () => number = () => performance.now()) {
    this.#limits = limits
    this.#nowMs = nowMs
  }

  /**
   * Does the work and books the rows that it looked at; a failed one counts as a second's worth. The
   * operator, who has the token of the backend or sits at this computer, is not kept waiting.
   *
   * Errors  `RATE_LIMITED` with `Retry-After`, and those of the work.
   */
  async run<T>(
    { caller }: Pick<HttpRequest, 'caller'>,
    work: () => Promise<T>,
    rowsOf: (answer: T) => number,
  ): Promise<T> {
    if (caller === OPERATOR) return work()
    const { scansPerTokenMax, scanRowsPerS } = this.#limits
    const account = this.#refilled(caller?.name ?? '')
    if (account.open >= scansPerTokenMax) throw tooMany('are under way', 1)
    if (account.rows <= 0) {
      throw tooMany('were made', Math.max(1, Math.ceil((1 - account.rows) / scanRowsPerS)))
    }
    account.open += 1
    let rows = scanRowsPerS
    try {
      const answer = await work()
      rows = rowsOf(answer)
      return answer
    } finally {
      account.open -= 1
      account.rows -= rows
    }
  }

  #refilled(name: string): Account {
    const { scanRowsSavedMax } = this.#limits
    const nowMs = this.#nowMs()
    const known = this.#accounts.get(name)
    if (known === undefined) this.#forgetRested(nowMs)
    const account = known ?? { open: 0, rows: scanRowsSavedMax, atMs: nowMs }
    account.rows = Math.min(scanRowsSavedMax, account.rows + this.#refill(account, nowMs))
    account.atMs = nowMs
    this.#accounts.set(name, account)
    return account
  }

  #refill({ atMs }: Account, nowMs: number): number {
    return ((nowMs - atMs) * this.#limits.scanRowsPerS) / 1_000
  }

  #forgetRested(nowMs: number): void {
    for (const [name, account] of this.#accounts) {
      const rows = account.rows + this.#refill(account, nowMs)
      if (account.open === 0 && rows >= this.#limits.scanRowsSavedMax) this.#accounts.delete(name)
    }
  }

  /** Tokens of which something is kept. */
  get size(): number {
    return this.#accounts.size
  }
}

const tooMany = (what: string, seconds: number): Refusal =>
  new Refusal(
    new ServiceError(
      'RATE_LIMITED',
      `此令牌的长查询过多，请稍后再试 (too many long reads of this token ${what}; try again)`,
    ),
    { 'Retry-After': String(seconds) },
  )
