import { ServiceError } from '../../src/domain/errors.ts'
import type { ReplicatedJournal } from '../../src/ports/journal.port.ts'
import type {
  ClusterMark,
  JournalMark,
  StoreControlReplies,
  StoreReplies,
  StoreRequest,
} from '../../src/protocol/store.ts'
import type { AccountBooks, CommitRequest } from '../../src/storage/account-database.ts'
import type { AccountLogs } from '../../src/storage/account-logs.ts'
import { noRoom } from '../../src/storage/free-space.ts'
import { planStored, type StoredHead } from '../../src/storage/planned-commit.ts'
import { AccountClaim } from './account-claim.ts'
import { CommitGroup, planGroup, type Session, settle, type WaitingCommit } from './commit-group.ts'
import { GuardedBooks } from './guarded-books.ts'
import { PendingCommits } from './pending-commits.ts'
import type { ProcessLog } from './process-log.ts'
import { Replication } from './replication.ts'

export interface AccountDeskDeps {
  readonly accountId: string
  readonly open: () => AccountBooks
  /** Commits of one group; the rest follow in the next one. */
  readonly groupMax: number
  /** Bytes that a batch of the log holds. */
  readonly batchBytesMax: () => number
  /** Asks for a flush once everything that has arrived by now has been read. */
  readonly flushLater: () => void
  /** Writes what waits to the log, as far as there is room. Never throws. */
  readonly flush: () => void
  /** Asks for a call of `move` in a while. */
  readonly moveLater: () => void
  /** Whether the disk has room for a transaction, of so many bytes beside what any one takes. */
  readonly hasRoom: (moreBytes?: number) => boolean
  /** The disk refused a write: nothing may be written by this process any more. */
  readonly fatal: (error: unknown) => ServiceError
  /** Of this process. */
  readonly log: ProcessLog
  /** Of the others. */
  readonly logs: AccountLogs
  /** Of the cluster, where there is one. */
  readonly journal?: ReplicatedJournal | undefined
  /** Commits of an account in a cluster between two snapshots of it. */
  readonly snapshotCommits: number
}

/**
 * What the store keeps for one account: its database, the commits that wait for the next flush of the log, and
 * those that are in the log and wait to be written to the database.
 *
 * What waits has not happened. What is pending has: every answer here counts it, and only what is asked of
 * the database by others has to be brought in before.
 * A damaged value stops the account for as long as the process lives, and only this account.
 */
export class AccountDesk {
  readonly #deps: AccountDeskDeps
  readonly #books: GuardedBooks
  readonly #pending: PendingCommits
  readonly #claim: AccountClaim
  /** Since the account was claimed for a cluster. */
  #replication: Replication<WaitingCommit> | undefined
  #waiting: WaitingCommit[] = []
  /** The first that waits is to be written past the log; the others wait for it. */
  #isDirect = false
  #direct: Promise<void> | undefined

  constructor(deps: AccountDeskDeps) {
    this.#deps = deps
    this.#books = new GuardedBooks(deps)
    this.#pending = new PendingCommits({ ...deps, books: this.#books })
    this.#claim = new AccountClaim({ ...deps, books: this.#books, pending: this.#pending })
  }

  /** Whether commits wait for the log. */
  get isWaiting(): boolean {
    return this.#waiting.length > 0 && !this.#isDirect
  }
  get hasPending(): boolean {
    return this.#pending.isAny
  }

  answer(
    request: StoreRequest,
    session: Session,
  ): StoreReplies[StoreRequest['kind']] | Promise<StoreReplies[StoreRequest['kind']]> {
    if (request.kind === 'commit') return this.#enqueue(request, session)
    if (request.kind === 'open' && this.#replication !== undefined) {
      return this.#replication.idle().then(() => this.#read(request, session))
    }
    return this.#read(request, session)
  }

  #read(
    request: Exclude<StoreRequest, { kind: 'commit' }>,
    session: Session,
  ): StoreReplies[StoreRequest['kind']] | Promise<null> {
    this.#deps.flush() // a reader sees what was sent before, unless there is no room for it
    if (request.kind === 'settle') return this.#pending.settle()
    if (request.kind === 'clientAhead') {
      const { epoch, clientEpoch } = request
      return this.#pending.whenStill(() => {
        this.#books.write((database) => database.clientAhead(epoch, clientEpoch))
        return null
      })
    }
    if (request.kind === 'open') this.#forget(session)
    const pending = this.#pending.planned()
    if (request.kind === 'range') {
      return this.#books.read((database) => database.range(request.query, pending))
    }
    const opened = this.#books.read((database) => database.open(request.tables, pending))
    session.refused = null // what follows is decided on what was just read
    return opened
  }

  inspect(): StoreControlReplies['inspect'] {
    return this.#books.read((database) => database.inspect())
  }

  /** Of the database, with all that was answered unless there is no room for it. */
  async head(): Promise<StoreControlReplies['head']> {
    await this.#pending.settle()
    return this.#books.read((database) => database.head())
  }

  /** See {@link AccountClaim}. */
  async claim(
    request: Parameters<AccountClaim['make']>[0],
    isLate: () => boolean,
  ): Promise<StoreControlReplies['claim']> {
    await this.#replication?.idle()
    const outcome = await this.#claim.make(request, isLate)
    const { journal } = this.#deps
    if (journal !== undefined && request.isReplicated === true) {
      this.#replication ??= this.#replicate(journal)
    }
    return outcome
  }

  #replicate(journal: ReplicatedJournal): Replication<WaitingCommit> {
    return new Replication({
      accountId: this.#deps.accountId,
      journal,
      schema: () => this.#books.read((database) => database.schema),
      head: () => this.#head(),
      snapshotCommits: this.#deps.snapshotCommits,
      snapshotDue: () => void this.#keepSnapshot(journal),
      kept: (one) => this.#wait(one),
      refused: (one, refusal) => this.#refuse(one, refusal),
    })
  }

  /** So that who takes over need not read everything, and the servers need not keep it. Never rejects. */
  async #keepSnapshot(journal: ReplicatedJournal): Promise<void> {
    try {
      this.#deps.flush()
      const { commits, parts } = await this.#pending.snapshot()
      const from = this.#replication?.placeOf(commits) ?? 0
      await journal.keep(this.#deps.accountId, { commits, from, parts })
      this.#replication?.snapshotKept(commits)
    } catch {
      // The journal has all of it, and the next one is due after as many commits.
    }
  }

  /** After all that was answered, and all that a quorum has and that waits here. */
  #head(): StoredHead {
    let head = this.#pending.head ?? this.#books.read((database) => database.standing())
    for (const { commit, epoch, refusal } of this.#waiting) {
      if (refusal !== undefined) continue
      const plan = planStored(commit, head, epoch)
      if (plan.ok) head = plan.value.head
    }
    return head
  }

  release(): Promise<void> {
    this.#deps.flush()
    return this.#claim.release()
  }

  /** How the account stands to a cluster from now on. */
  mark(mark: ClusterMark | null): Promise<void> {
    return this.#pending.whenStill(() => this.#books.write((database) => database.mark(mark)))
  }

  /** Its cluster is lost for good. */
  lost(): Promise<void> {
    return this.#pending.whenStill(() => this.#books.write((database) => database.lost()))
  }

  /** See {@link AccountClaim.hand}. */
  hand(): Promise<void> {
    this.#deps.flush()
    return this.#claim.hand()
  }

  /** A few of the oldest entries of the journal leave the database: they lie in a segment. How many are left. */
  trim(upTo: JournalMark, limit: number): Promise<number> {
    return this.#pending.beside(() =>
      this.#books.writeLater((database) => database.trim(upTo, limit)),
    )
  }

  keepFrom(mark: JournalMark): Promise<void> {
    return this.#pending.whenStill(() => this.#books.write((database) => database.keepFrom(mark)))
  }

  /** What goes into the next batch, with at most so many `bytes` unless it is one alone. Never throws. */
  nextGroup(bytes: number): CommitGroup | undefined {
    const taken = this.#nextWaiting()
    const open = taken.filter(({ session }) => session.refused === null)
    const late = taken.filter(({ session }) => session.refused !== null) // by an earlier group
    const group = this.#plan(open, bytes)
    for (const commit of late) settle(commit, commit.session.refused)
    return group
  }

  #nextWaiting(): WaitingCommit[] {
    for (let [first] = this.#waiting; first?.refusal !== undefined; [first] = this.#waiting) {
      this.#waiting.shift()
      settle(first, first.refusal)
    }
    const refused = this.#waiting.findIndex(({ refusal }) => refusal !== undefined)
    const { groupMax } = this.#deps
    return this.#waiting.splice(0, refused < 0 ? groupMax : Math.min(groupMax, refused))
  }

  /**
   * Writes what is pending to the database, beside this thread. False when the disk has no room for it now.
   * Never rejects.
   */
  move(): Promise<boolean> {
    return this.#pending.move()
  }

  /** Everything is refused from now on. */
  stop(reason: ServiceError): void {
    this.#books.stop(reason)
  }

  /** What is asked afterwards opens the database again. */
  async close(): Promise<void> {
    this.#deps.flush()
    await this.#direct
    this.#drop(() => true)
    await this.#claim.leaveLog()
    await this.#pending.whenStill(() => this.#books.close())
  }

  #plan(open: readonly WaitingCommit[], bytesMax: number): CommitGroup | undefined {
    if (open.length === 0) return undefined
    const { accountId } = this.#deps
    try {
      const head = this.#pending.head ?? this.#books.read((database) => database.standing())
      const batchBytesMax = this.#deps.batchBytesMax()
      const plan = planGroup(open, { accountId, head, bytesMax, batchBytesMax })
      if (plan === 'tooLarge') return this.#writeDirectly(open)
      this.#waiting.unshift(...plan.later)
      return new CommitGroup(plan, {
        refusal: (epoch) => this.#books.read((database) => database.refusal(epoch)),
        written: (commits, batch) => this.#pending.add(commits, batch),
        putBack: (commits) => this.#waiting.unshift(...commits),
      })
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error
      for (const commit of open) settle(commit, error)
      return undefined
    }
  }

  /** One that no batch can hold goes straight to the database, behind all that is before it. */
  #writeDirectly(open: readonly WaitingCommit[]): undefined {
    this.#waiting.unshift(...open)
    const [commit] = open
    this.#isDirect = true
    this.#direct = this.#pending.whenStill(() => {
      this.#isDirect = false
      if (this.#waiting[0] === commit) this.#writeFirst()
      this.#deps.flushLater()
    })
  }

  #writeFirst(): void {
    const commit = this.#waiting[0] as WaitingCommit
    try {
      this.#pending.bringIn()
      const [outcome = null] = this.#books.write((database) => database.commit([commit]))
      this.#waiting.shift()
      settle(commit, outcome)
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error
      if (error.code === 'DISK_FULL') return // it goes on waiting
      this.#waiting.shift()
      settle(commit, error)
    }
  }

  /**
   * A new session begins: what waits for room of earlier ones has not happened and never will, unless a quorum has it.
   *
   * Errors  `DISK_FULL`: then it must be written here first.
   */
  #forget(session: Session): void {
    const isOfOther = ({ session: other }: WaitingCommit) => other !== session
    if (this.#replication === undefined) return this.#drop(isOfOther)
    if (this.#waiting.some(isOfOther)) throw noRoom()
  }

  /** What waits for room and belongs to a thread that is gone: nothing of it has happened. */
  #drop(isMeant: (commit: WaitingCommit) => boolean): void {
    const dropped = this.#waiting.filter(isMeant)
    this.#waiting = this.#waiting.filter((commit) => !isMeant(commit))
    for (const commit of dropped) settle(commit, noRoom())
  }

  #enqueue({ epoch, commit }: CommitRequest, session: Session): Promise<null> {
    if (session.refused !== null) return Promise.reject(session.refused)
    return new Promise((resolve, reject) => {
      const one = { epoch, commit, session, resolve, reject }
      const refusal = this.#waiting.at(-1)?.refusal
      if (refusal !== undefined) return this.#refuse(one, refusal)
      if (this.#replication === undefined) this.#wait(one)
      else this.#replication.add(one)
    })
  }

  /**
   * What a quorum has of the same session comes here all the same, or the account would go on from too early a state.
   * Until then whatever comes was decided on top of what is refused.
   */
  #refuse(one: WaitingCommit, refusal: ServiceError): void {
    if (this.#waiting.length === 0) settle(one, refusal)
    else this.#waiting.push({ ...one, refusal })
  }

  #wait(one: WaitingCommit): void {
    if (this.#waiting.push(one) === 1) this.#deps.flushLater()
  }
}
