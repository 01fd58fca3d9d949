import { ServiceError } from '../../src/domain/errors.ts'
import { mayBeAccount } from '../../src/domain/ids.ts'
import type { ReplicatedJournal } from '../../src/ports/journal.port.ts'
import type { Transport } from '../../src/ports/transport.port.ts'
import type { StoreControl, StoreControlReplies, StoreRequest } from '../../src/protocol/store.ts'
import { Link, type LinkLimits } from '../../src/runtime/link.ts'
import { steadyMs } from '../../src/runtime/steady.ts'
import { type AccountBooks, openAccountDatabase } from '../../src/storage/account-database.ts'
import { AccountLogs } from '../../src/storage/account-logs.ts'
import { noRoom, Room } from '../../src/storage/free-space.ts'
import { Checkpoints, type CheckpointTimes } from '../../src/storage/log/checkpoints.ts'
import { ServiceDatabase } from '../../src/storage/service-database.ts'
import { AccountDesk } from './account-desk.ts'
import type { Session } from './commit-group.ts'
import { GroupWriter } from './group-writer.ts'
import { ProcessLog } from './process-log.ts'

export interface StoreLimits extends LinkLimits {
  /** That a process may have; of so many that were left it is known where their journals ended. */
  readonly accountsMax: number
  /** Commits of one account written in one batch of the log. */
  readonly groupCommitsMax: number
  /** Of one of the two segments that the log begins with; a multiple of 4,096. */
  readonly logBytes: number
  /** Segments, with those that are kept because what they hold cannot be written. */
  readonly logSegmentsMax: number
  /** After which what is in the log is written to the databases; sooner when it fills up. */
  readonly checkpointMs: number
  /** Between two of them. */
  readonly checkpointRestMs: number
  /** Free disk space below which nothing is written. */
  readonly writeMarginBytes: number
  /** Between two tries of commits that wait for space. */
  readonly writeRetryMs: number
}

export interface StoreActorDeps {
  readonly dataDir: string
  readonly limits: StoreLimits
  /** Called once, when the disk refused a write and those who waited have their answers. */
  readonly fatal: (error: unknown) => void
  /** Another database than LMDB's, for tests. */
  readonly openAccount?: (dataDir: string, accountId: string) => AccountBooks
  /** Another disk than the real one, for tests. */
  readonly freeBytes?: (folder: string) => number
  /** Of the cluster, where there is one. */
  readonly journal?: ReplicatedJournal | undefined
  /** Commits of an account in a cluster between two snapshots of it. */
  readonly snapshotCommits?: number
}

const SNAPSHOT_COMMITS = 1_000

/**
 * The only writer of account state in this process. Everything that arrives in one turn of the event
 * loop, that is, while the last batch was flushed, goes into one batch of the log, for all accounts, and is
 * answered then. The databases follow a moment later.
 */
export class StoreActor {
  readonly #deps: StoreActorDeps
  readonly #desks = new Map<string, AccountDesk>()
  readonly #lines = new Map<string, Link>()
  readonly #toFlush = new Set<AccountDesk>()
  /** Where the journals of accounts ended that have been left: their databases are not opened again for it. */
  readonly #leftAt = new Map<string, StoreControlReplies['head']>()
  readonly #room: Room
  readonly #log: ProcessLog
  readonly #logs: AccountLogs
  readonly #writer: GroupWriter
  readonly #checkpoints: Checkpoints
  /** Desks whose commits wait for room in the log. */
  readonly #crowded = new Set<AccountDesk>()
  /** Runs while commits wait for disk space. */
  #retry: NodeJS.Timeout | undefined
  #service: ServiceDatabase | undefined
  #closed: ServiceError | undefined

  constructor(deps: StoreActorDeps) {
    this.#deps = deps
    const { dataDir, limits, freeBytes } = deps
    const marginBytes = limits.writeMarginBytes
    const room = new Room({ dataDir, marginBytes, ...(freeBytes && { freeBytes }) })
    this.#room = room
    const logLimits = { segmentBytes: limits.logBytes, segmentsMax: limits.logSegmentsMax }
    this.#log = new ProcessLog({ dataDir, room, limits: logLimits })
    this.#logs = new AccountLogs(dataDir)
    this.#checkpoints = new Checkpoints({
      ...checkpointTimes(limits),
      isUrgent: () => this.#crowded.size > 0 || this.#log.current?.isTight === true,
      nowMs: steadyMs,
      moved: () => this.#flushCrowded(),
    })
    this.#writer = new GroupWriter({
      log: () => this.#log.current,
      hasRoom: () => room.has(),
      flushWithRoom: (desk) => this.#flushWithRoom(desk),
      flushWithSpace: (desk) => {
        this.#crowded.add(desk)
        return this.#checkpoints.hurry()
      },
      makeSpace: () => this.#checkpoints.hurry(),
      fatal: (error) => this.#fail(error),
    })
  }

  /** Serves an account over `wire`, in place of the line it had. null: the account is gone. */
  introduce(accountId: string, wire: Transport | null): void {
    this.#lines.get(accountId)?.close(new ServiceError('ACTOR_RESTARTING', 'a newer line is open'))
    this.#lines.delete(accountId)
    if (wire === null) return
    const desk = this.#desk(accountId)
    const session: Session = { refused: null }
    const link = new Link(wire, {
      peer: `account/${accountId}`,
      limits: this.#deps.limits,
      answer: (body) => {
        this.#mustBeOpen()
        return desk.answer(body as StoreRequest, session)
      },
    })
    this.#lines.set(accountId, link)
  }

  /** Serves the main thread. */
  serveControl(wire: Transport): void {
    new Link(wire, {
      peer: 'main',
      limits: this.#deps.limits,
      answer: (body, { deadlineMs }) => this.control(body as StoreControl, deadlineMs),
    })
  }

  /** `deadlineMs` is when the caller stops waiting, ms of `steadyMs`; 0 = never. */
  async control(
    request: StoreControl,
    deadlineMs = 0,
  ): Promise<StoreControlReplies[StoreControl['kind']]> {
    if (request.kind === 'flushAndClose') return this.close()
    this.#mustBeOpen()
    switch (request.kind) {
      case 'inspect':
        return this.#desk(request.accountId).inspect()
      case 'claim':
        return this.#desk(request.accountId).claim(request, () => {
          this.#mustBeOpen()
          return deadlineMs > 0 && steadyMs() > deadlineMs
        })
      case 'release':
        await this.#desk(request.accountId).release()
        return null
      case 'mark':
        await this.#desk(request.accountId).mark(request.mark)
        return null
      case 'lost':
        await this.#desk(request.accountId).lost()
        return null
      case 'hand':
        await this.#desk(request.accountId).hand()
        return null
      case 'head':
        return this.#leftAt.get(request.accountId) ?? this.#desk(request.accountId).head()
      case 'leave':
        return this.#leave(request.accountId)
      case 'trim':
        return this.#desk(request.accountId).trim(request.upTo, request.limit)
      case 'keepFrom':
        await this.#desk(request.accountId).keepFrom(request.mark)
        return null
      case 'answers':
        return null
      case 'get':
        return this.#serviceDatabase().get(request.key)
      case 'list':
        return this.#serviceDatabase().list(request.prefix, request.limit)
      case 'put':
        return this.#put(request.key, request.value)
    }
  }

  /** Writes and answers what waits, then closes every database. Later requests get `STOPPING`. */
  async close(): Promise<null> {
    if (this.#closed !== undefined) return null
    this.#flush()
    this.#closed ??= new ServiceError('STOPPING', 'the store is closed')
    clearTimeout(this.#retry)
    this.#checkpoints.close()
    for (const desk of this.#desks.values()) await desk.close()
    await this.#log.close()
    await this.#logs.close()
    await this.#service?.close()
    return null
  }

  #desk(accountId: string): AccountDesk {
    const known = this.#desks.get(accountId)
    if (known !== undefined) return known
    if (!mayBeAccount(accountId)) {
      throw new ServiceError('INTERNAL', `"${accountId}" cannot name an account`)
    }
    const { dataDir, limits, openAccount = openAccountDatabase } = this.#deps
    const desk = new AccountDesk({
      accountId,
      open: () => openAccount(dataDir, accountId),
      groupMax: limits.groupCommitsMax,
      batchBytesMax: () => this.#log.current?.batchBytesMax ?? Number.POSITIVE_INFINITY,
      flushLater: () => this.#flushLater(desk),
      flush: () => this.#writer.flush([desk]),
      moveLater: () => this.#checkpoints.add(desk),
      hasRoom: (moreBytes) => this.#room.has(moreBytes),
      fatal: (error) => this.#fail(error),
      log: this.#log,
      logs: this.#logs,
      journal: this.#deps.journal,
      snapshotCommits: this.#deps.snapshotCommits ?? SNAPSHOT_COMMITS,
    })
    this.#desks.set(accountId, desk)
    this.#leftAt.delete(accountId)
    return desk
  }

  async #leave(accountId: string): Promise<null> {
    const desk = this.#desks.get(accountId)
    this.introduce(accountId, null)
    if (desk === undefined) return null
    await this.#remember(accountId, desk)
    await desk.close() // before it is forgotten: whoever asks meanwhile finds it, and not a second one
    if (this.#desks.get(accountId) === desk) this.#desks.delete(accountId)
    return null
  }

  /** For the last look at the journals of a process that stops: a damaged one has no place to remember. */
  async #remember(accountId: string, desk: AccountDesk): Promise<void> {
    try {
      this.#writer.flush([desk])
      const head = await desk.head()
      const [oldest] = this.#leftAt.keys()
      if (oldest !== undefined && this.#leftAt.size >= this.#deps.limits.accountsMax) {
        this.#leftAt.delete(oldest)
      }
      this.#leftAt.set(accountId, head)
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error
    }
  }

  #flushLater(desk: AccountDesk): void {
    if (this.#toFlush.size === 0 || this.#retry !== undefined) setImmediate(() => this.#flush())
    this.#toFlush.add(desk)
  }

  /** Tries again in a while. */
  #flushWithRoom(desk: AccountDesk): void {
    this.#toFlush.add(desk)
    this.#retry ??= setTimeout(() => {
      this.#retry = undefined
      this.#flush()
    }, this.#deps.limits.writeRetryMs)
  }

  #flush(): void {
    const desks = [...this.#toFlush]
    this.#toFlush.clear()
    this.#writer.flush(desks)
  }

  /** Something of the log has come into its database. */
  #flushCrowded(): void {
    if (this.#crowded.size === 0) return
    // A hundred accounts are not asked again what they wait for each time that one of them has gone.
    if (this.#log.current?.hasFreeSegment !== true && this.#checkpoints.hurry()) return
    const desks = [...this.#crowded]
    this.#crowded.clear()
    this.#writer.flush(desks)
  }

  #serviceDatabase(): ServiceDatabase {
    this.#service ??= new ServiceDatabase(this.#deps.dataDir)
    return this.#service
  }

  #put(key: string, value: Uint8Array | null): null {
    const service = this.#serviceDatabase()
    if (!this.#room.has()) throw noRoom()
    try {
      service.put(key, value)
      return null
    } catch (error) {
      throw this.#fail(error)
    }
  }

  #mustBeOpen(): void {
    if (this.#closed !== undefined) throw this.#closed
  }

  /** The thread goes on for one more turn, only so that the answers leave it. */
  #fail(error: unknown): ServiceError {
    const text = `the disk refused a write: ${error instanceof Error ? error.message : String(error)}`
    const failure = new ServiceError('STORE_FAILED', text, undefined, error)
    if (this.#closed?.code !== 'STORE_FAILED') {
      this.#closed = failure
      for (const desk of this.#desks.values()) desk.stop(failure)
      setImmediate(() => this.#deps.fatal(failure))
    }
    return failure
  }
}

const checkpointTimes = (limits: StoreLimits): CheckpointTimes => ({
  everyMs: limits.checkpointMs,
  restMs: limits.checkpointRestMs,
  retryMs: limits.writeRetryMs,
})
