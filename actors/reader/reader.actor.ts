import { ServiceError } from '../../src/domain/errors.ts'
import type { Transport } from '../../src/ports/transport.port.ts'
import type {
  ReaderControl,
  ReaderControlReplies,
  ReaderRequest,
  Row,
} from '../../src/protocol/store.ts'
import { Link, type LinkLimits } from '../../src/runtime/link.ts'
import { type AccountReader, openAccountReader } from '../../src/storage/account-reader.ts'
import { type ArchiveLimits, Archivist } from '../../src/storage/archive/archivist.ts'
import { SegmentCache } from '../../src/storage/archive/journal-archive.ts'
import { SegmentFiles } from '../../src/storage/archive/segment-files.ts'

export interface ReaderLimits extends LinkLimits {
  readonly archive: ArchiveLimits
  /** Segments of journals kept in memory, of all accounts together. */
  readonly segmentsCached: number
}

export interface ReaderActorDeps {
  readonly dataDir: string
  readonly limits: ReaderLimits
}

interface Line {
  readonly link: Link
  database: AccountReader | undefined
}

/**
 * Reads ranges of account databases beside the store thread, so that whoever scans a journal keeps no
 * commit waiting. It writes no database, and what it knows is on disk: when it ends, others read for it. It also
 * moves old parts of journals into segments, which only it reads.
 *
 * It shares the environment of the store thread, which is open for as long as an account is served
 * here: opened first by a reader it could not be written. So an account that is left is closed
 * here first, and the store is asked to leave it only then.
 */
export class ReaderActor {
  readonly #deps: ReaderActorDeps
  readonly #lines = new Map<string, Line>()
  readonly #segments: SegmentCache

  constructor(deps: ReaderActorDeps) {
    this.#deps = deps
    this.#segments = new SegmentCache(deps.limits.segmentsCached)
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
      answer: (body) => this.control(body as ReaderControl),
    })
  }

  async control(request: ReaderControl): Promise<ReaderControlReplies[ReaderControl['kind']]> {
    const { kind, accountId } = request
    if (kind === 'leave') return this.#leave(accountId)
    const archivist = this.#archivist(accountId)
    if (kind === 'archive') return archivist.next(request, request.nowMs)
    return kind === 'expired'
      ? archivist.expired(request.keepDays, request.nowMs)
      : archivist.drop()
  }

  async close(): Promise<void> {
    for (const accountId of [...this.#lines.keys()]) await this.#leave(accountId)
  }

  #answer(accountId: string, link: Link, { query }: ReaderRequest): readonly Row[] {
    const line = this.#lines.get(accountId)
    if (line?.link !== link) throw new ServiceError('STOPPING', 'the account has been left')
    return this.#open(accountId, line).range(query)
  }

  #open(accountId: string, line: Line): AccountReader {
    line.database ??= openAccountReader(this.#deps.dataDir, accountId, this.#segments)
    return line.database
  }

  /** Errors  `STOPPING`: the account is not served here. */
  #archivist(accountId: string): Archivist {
    const line = this.#lines.get(accountId)
    if (line === undefined) throw new ServiceError('STOPPING', 'the account has been left')
    const { dataDir, limits } = this.#deps
    const source = this.#open(accountId, line)
    return new Archivist({
      source,
      files: new SegmentFiles(dataDir, accountId),
      limits: limits.archive,
      isOver: () => this.#lines.get(accountId)?.database !== source,
    })
  }

  async #leave(accountId: string): Promise<null> {
    const line = this.#lines.get(accountId)
    this.#lines.delete(accountId) // first: nothing that arrives later opens it again
    line?.link.close(new ServiceError('STOPPING', 'the account has been left'))
    await line?.database?.close()
    return null
  }
}
