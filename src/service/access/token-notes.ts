import type { TokenChange } from '../../config/token-file.ts'
import { ServiceError } from '../../domain/errors.ts'
import type { Logger } from '../../observability/logger.ts'
import type { AccountHandle } from '../accounts/account-handle.ts'
import type { LiveTokens } from './live-tokens.ts'

interface TokenNotesDeps {
  readonly tokens: Pick<LiveTokens, 'changes' | 'onChange'>
  /** The accounts of this process. */
  readonly handles: () => readonly Pick<AccountHandle, 'accountId' | 'isOwner' | 'ask'>[]
  /** Between two tries at accounts that could not be told. */
  readonly retryMs: number
  readonly timeoutMs: number
  readonly log: Logger
}

/**
 * Has it written into the journal of each account when a token that may see it was made or withdrawn,
 * also while the service was stopped. The account knows what it has written down, so it does it once.
 */
export class TokenNotes {
  readonly #deps: TokenNotesDeps
  /** Number of the last change that an account was told of in its present ownership. */
  readonly #told = new Map<string, number>()
  /** Accounts that could not be told, and that has been said. */
  readonly #late = new Set<string>()
  #timer: NodeJS.Timeout | undefined

  constructor(deps: TokenNotesDeps) {
    this.#deps = deps
  }

  start(): void {
    this.#deps.tokens.onChange(() => this.#tellAll())
    this.#timer = setInterval(() => this.#tellAll(), this.#deps.retryMs)
    this.#tellAll()
  }

  close(): void {
    clearInterval(this.#timer)
  }

  #tellAll(): void {
    const { tokens, handles } = this.#deps
    const newest = tokens.changes.at(-1)?.number
    const all = handles()
    this.#forgetAllBut(new Set(all.map(({ accountId }) => accountId)))
    for (const handle of all) {
      const { accountId, isOwner } = handle
      if (!isOwner) this.#told.delete(accountId)
      else if (newest !== undefined && this.#told.get(accountId) !== newest) {
        this.#told.set(accountId, newest)
        void this.#tell(handle, tokens.changes)
      }
    }
  }

  /** Registered again, an account that was let go may begin with an empty journal. */
  #forgetAllBut(accountIds: ReadonlySet<string>): void {
    for (const known of [...this.#told.keys(), ...this.#late]) {
      if (accountIds.has(known)) continue
      this.#told.delete(known)
      this.#late.delete(known)
    }
  }

  async #tell(
    handle: Pick<AccountHandle, 'accountId' | 'ask'>,
    all: readonly TokenChange[],
  ): Promise<void> {
    const { timeoutMs, log } = this.#deps
    const { accountId } = handle
    const changes = all.filter(
      ({ accounts }) => accounts.length === 0 || accounts.includes(accountId),
    )
    try {
      await handle.ask({ kind: 'noteTokens', changes }, { timeoutMs, correlationId: '' })
      this.#late.delete(accountId)
    } catch (error) {
      this.#told.delete(accountId) // again, a while later
      if (!(error instanceof ServiceError)) throw error
      if (this.#late.has(accountId)) return
      this.#late.add(accountId)
      log.warn({ code: error.code }, 'a change of the tokens is not yet in a journal')
    }
  }
}
