import { ServiceError } from '../../src/domain/errors.ts'
import type { ReplicatedJournal } from '../../src/ports/journal.port.ts'
import type { ReplicatedBooks } from '../../src/protocol/journal.ts'
import type { StoreControl, StoreControlReplies } from '../../src/protocol/store.ts'
import type { AccountLogs } from '../../src/storage/account-logs.ts'
import { noRoom } from '../../src/storage/free-space.ts'
import { plannedIn } from '../../src/storage/planned-commit.ts'
import { commitsIn } from '../../src/storage/snapshot.ts'
import type { NamedLog } from '../../src/storage/take-over.ts'
import type { GuardedBooks } from './guarded-books.ts'
import { PAGES_AROUND, type PendingCommits } from './pending-commits.ts'
import type { ProcessLog } from './process-log.ts'

type Claim = Extract<StoreControl, { kind: 'claim' }>

export interface AccountClaimDeps {
  readonly accountId: string
  readonly books: GuardedBooks
  readonly pending: PendingCommits
  /** Of this process. */
  readonly log: ProcessLog
  /** Of the others. */
  readonly logs: AccountLogs
  /** Of the cluster, where there is one. */
  readonly journal?: ReplicatedJournal | undefined
  /** Whether the disk has room for a transaction, of so many bytes beside what any one takes. */
  readonly hasRoom: (moreBytes?: number) => boolean
}

/** Rows of a snapshot come in the order of their keys, into pages that are filled; what they replace stays meanwhile. */
const PAGES_OF_SNAPSHOT = 2

/** How this process takes an account over, and gives it up again: its database, and the logs that this one names. */
export class AccountClaim {
  readonly #deps: AccountClaimDeps

  constructor(deps: AccountClaimDeps) {
    this.#deps = deps
  }

  /**
   * The process that is to be replaced may sleep with a lock in its hand. The claim then waits without
   * stopping this thread, and is not made at all, or not brought to its end, once `isLate`: nobody waits
   * for it any more.
   *
   * First the epoch is raised; from then on no log takes anything from an earlier owner. Then all logs that
   * the database names are read, and what they hold is written. So nothing is missed that was ever answered.
   */
  async make(request: Claim, isLate: () => boolean): Promise<StoreControlReplies['claim']> {
    const { accountId, books, pending, logs, hasRoom } = this.#deps
    const { expected, owner, epoch: wanted } = request
    try {
      await books.read((database) => database.untilWritable())
    } catch (error) {
      throw books.asFailure(error)
    }
    await logs.untilFree(this.#foreign())
    const claimed = await pending.inDatabase(() => {
      mustNotBe(isLate)
      const own = this.#ownLog()
      const outcome = books.write((db) =>
        db.claim(expected, owner, wanted, own, request.isReplicated),
      )
      return { ...outcome, own }
    })
    const { own, ...answer } = claimed
    if (!answer.claimed) return answer
    const names = this.#foreign()
    const found = await logs.find(accountId, names, (name) => this.#foreign().includes(name))
    mustNotBe(isLate)
    const kept = request.isReplicated === true ? await this.#journal().read(accountId) : undefined
    mustNotBe(isLate)
    if (kept !== undefined) {
      const bytes = books.read((db) =>
        roomOf(kept, { ours: db.standing().commits, schema: db.schema }),
      )
      if (!hasRoom(bytes)) throw noRoom()
    }
    const { problem } = books.write((db) =>
      db.catchUp(answer.epoch, found, own.name, request.isReplicated),
    )
    if (kept !== undefined) books.write((db) => db.takeIn(answer.epoch, kept))
    await logs.leave(accountId, names, (name, leave) =>
      books.write((db) => db.unlessNamed(name, leave)),
    )
    return { ...answer, ...(problem !== undefined && { problem }) }
  }

  /** All that is here becomes what the journal of a cluster is to begin with. Errors  of the servers. */
  async hand(): Promise<void> {
    const { accountId, pending } = this.#deps
    const { commits, parts } = await pending.snapshot()
    await this.#journal().keep(accountId, { commits, from: 0, parts })
  }

  /** What keeps it from being made says nothing of the database: the next attempt tries again. */
  #ownLog(): NamedLog {
    const { accountId, books, log } = this.#deps
    try {
      return log.named(accountId)
    } catch (error) {
      throw books.asFailure(error)
    }
  }

  #journal(): ReplicatedJournal {
    const { journal, accountId } = this.#deps
    if (journal !== undefined) return journal
    throw new ServiceError('INTERNAL', `account ${accountId}: this process is in no cluster`)
  }

  /** Another process need not wait for the account. */
  async release(): Promise<void> {
    const { accountId, books, pending, log } = this.#deps
    await pending.inDatabase(() => books.write((db) => db.release(log.current?.name)))
    log.leave(accountId)
  }

  /** What cannot be brought in stays in the log, and the database goes on naming it. */
  async leaveLog(): Promise<void> {
    const { accountId, books, pending, log } = this.#deps
    try {
      await pending.inDatabase(() => {
        const name = log.current?.name
        if (name === undefined || !log.has(accountId)) return
        books.write((database) => database.leaveLog(name))
        log.leave(accountId)
      })
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error
    }
  }

  /** Logs of other processes that the database names. */
  #foreign(): readonly string[] {
    const { books, log } = this.#deps
    const own = log.current?.name
    return books.read((database) => database.logs()).filter((name) => name !== own)
  }
}

/**
 * Bytes that a database may take for what a cluster keeps and it lacks: a disk that is full in the middle of it ends the
 * process. Who comes back to its own account, as after a restart, has nearly all of it.
 */
function roomOf(
  { snapshot, commits }: ReplicatedBooks,
  { ours, schema }: { readonly ours: number; readonly schema: number },
): number {
  const bytes = (parts: readonly Uint8Array[]) => parts.reduce((sum, part) => sum + part.length, 0)
  const last = commits.at(-1)
  const end = last === undefined ? 0 : plannedIn({ ...last, key: '' }).head.commits
  const lacking = commits.slice(Math.max(0, commits.length - Math.max(0, end - ours)))
  const ofSnapshot = commitsIn(snapshot, schema) > ours ? PAGES_OF_SNAPSHOT * bytes(snapshot) : 0
  return ofSnapshot + PAGES_AROUND * bytes(lacking.map(({ body }) => body))
}

function mustNotBe(isLate: () => boolean): void {
  if (isLate()) throw new ServiceError('DEADLINE_EXCEEDED', 'another process kept the write lock')
}
