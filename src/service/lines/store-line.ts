import type { Config } from '../../config/schema.ts'
import type { Logger } from '../../observability/logger.ts'
import type { StoreControl, StoreControlReplies } from '../../protocol/store.ts'
import type { Link } from '../../runtime/link.ts'
import { Semaphore } from '../../runtime/semaphore.ts'

interface StoreLineOptions {
  readonly config: Config
  readonly log: Logger
}

/** What the store answers from a database that is open, without waiting for another process. */
const QUICK: ReadonlySet<StoreControl['kind']> = new Set(['inspect', 'head', 'put'])

/** The line of the main thread to the store: ownership and process-wide records, each question with the time it may take. */
export class StoreLine {
  readonly #line: Link
  readonly #options: StoreLineOptions
  readonly #opens: Semaphore
  /** Accounts whose database the store has open. */
  readonly #opened = new Set<string>()

  constructor(line: Link, options: StoreLineOptions) {
    this.#line = line
    this.#options = options
    this.#opens = new Semaphore(options.config.limits.store.opens_at_once)
  }

  /** Errors  as of {@link Link.ask}. */
  async ask<K extends StoreControl['kind']>(
    request: Extract<StoreControl, { kind: K }>,
  ): Promise<StoreControlReplies[K]> {
    const asked: StoreControl = request
    const { store } = this.#options.config.limits
    const ask = (timeoutMs: number) => this.#line.ask<StoreControlReplies[K]>(asked, { timeoutMs })
    if (asked.kind === 'leave') this.#opened.delete(asked.accountId)
    if (asked.kind === 'inspect' && !this.#opened.has(asked.accountId)) {
      return this.#inOpenTurn(asked.accountId, () => ask(store.open_timeout_ms))
    }
    const answer = await ask(QUICK.has(asked.kind) ? store.read_timeout_ms : store.open_timeout_ms)
    if (asked.kind === 'claim')
      this.#warnOf(asked.accountId, answer as StoreControlReplies['claim'])
    return answer
  }

  #warnOf(accountId: string, { problem }: StoreControlReplies['claim']): void {
    if (problem === undefined) return
    const text = 'what the account decided last may be lost; nothing is sent before it was compared'
    this.#options.log.warn({ alert: 'log_damaged', accountId, problem }, text)
  }

  /**
   * The first look into a database opens it, in the store's thread. A turn begins before its time limit
   * does, so that neither the last of many accounts nor what others ask meanwhile comes too late.
   */
  async #inOpenTurn<T>(accountId: string, open: () => Promise<T>): Promise<T> {
    const endTurn = await this.#opens.take()
    try {
      const found = await open()
      this.#opened.add(accountId)
      return found
    } finally {
      endTurn()
    }
  }
}
