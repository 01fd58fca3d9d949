import { ServiceError } from '../../src/domain/errors.ts'
import type { Transport } from '../../src/ports/transport.port.ts'
import type { ReaderControl, ReaderRequest, Row } from '../../src/protocol/store.ts'
import { Link, type LinkLimits } from '../../src/runtime/link.ts'
import { type AccountReader, openAccountReader } from '../../src/storage/account-reader.ts'

export interface ReaderActorDeps {
  readonly dataDir: string
  readonly limits: LinkLimits
}

interface Line {
  readonly link: Link
  database: AccountReader | undefined
}

/**
 * Reads ranges of account databases beside the store thread, so that whoever scans a journal keeps no
 * commit waiting. It writes nothing, and what it knows is on disk: when it ends, others read for it.
 *
 * It shares the environment of the store thread, which is open for as long as an account is served
 * here: opened first by a reader it could not be written. So an account that is left is closed
 * here first, and the store is asked to leave it only then.
 */
export class ReaderActor {
  readonly #deps: ReaderActorDeps
  readonly #lines = new Map<string, Line>()

  constructor(deps: ReaderActorDeps) {
    this.#deps = deps
  }

  /** Serves an account over `wire`, in place of the line it had. null: this line is gone. */
  introduce(accountId: string, wire: Transport | null): void {
    const known = this.#lines.get(accountId)
    known?.link.close(new ServiceError('ACTOR_RESTARTING', 'a newer line is open'))
    if (wire === null) return // the database stays open: the next incarnation is about to come
    const { limits } = this.#deps
    const link: Link = new Link(wire, {
      peer: `account/${accountId}`,
      limits,
      answer: (body) => this.#answer(accountId, link, body as ReaderRequest),
    })
    this.#lines.set(accountId, { link, database: known?.database })
  }

  /** Serves the main thread. */
  serveControl(wire: Transport): void {
    new Link(wire, {
      peer: 'main',
      limits: this.#deps.limits,
      answer: (body) => this.#leave((body as ReaderControl).accountId),
    })
  }

  async close(): Promise<void> {
    for (const accountId of [...this.#lines.keys()]) await this.#leave(accountId)
  }

  #answer(accountId: string, link: Link, { query }: ReaderRequest): readonly Row[] {
    const line = this.#lines.get(accountId)
    if (line?.link !== link) throw new ServiceError('STOPPING', 'the account has been left')
    line.database ??= openAccountReader(this.#deps.dataDir, accountId)
    return line.database.range(query)
  }

  async #leave(accountId: string): Promise<null> {
    const line = this.#lines.get(accountId)
    this.#lines.delete(accountId) // first: nothing that arrives later opens it again
    line?.link.close(new ServiceError('STOPPING', 'the account has been left'))
    await line?.database?.close()
    return null
  }
}
