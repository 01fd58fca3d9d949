import { ServiceError } from '../../src/domain/errors.ts'
import { type CommitRequest, refusedCommit } from '../../src/storage/account-database.ts'
import { bytesOfBatch, bytesOfRecord, type LogRecord } from '../../src/storage/log/batch.ts'
import {
  type PlannedCommit,
  planStored,
  recordOf,
  type StoredHead,
} from '../../src/storage/planned-commit.ts'

/** One line to an account actor; a new incarnation of the actor gets a new one. */
export interface Session {
  /** Why its commits are refused: after one is, all that follow were decided on top of it. */
  refused: ServiceError | null
}

/** One that waits for the next flush of the log: it has not happened. */
export interface WaitingCommit extends CommitRequest {
  readonly session: Session
  /** No quorum has it: told once all before it are written, which a quorum has. */
  readonly refusal?: ServiceError
  readonly resolve: (answer: null) => void
  readonly reject: (error: ServiceError) => void
}

/** Tells who waits for a commit what became of it: `null` when it is on disk. */
export function settle(
  { session, resolve, reject }: WaitingCommit,
  refusal: ServiceError | null,
): void {
  if (refusal === null) {
    resolve(null)
    return
  }
  session.refused ??= refusal
  reject(refusal)
}

interface GroupedCommit {
  readonly waiting: WaitingCommit
  readonly planned: PlannedCommit
  readonly record: LogRecord
}

/** Those of one account that go into one batch, and what becomes of the others. */
export interface GroupPlan {
  readonly commits: readonly GroupedCommit[]
  /** What their records take of a batch. */
  readonly bytes: number
  /** What no commit can follow, and why. */
  readonly refused: readonly WaitingCommit[]
  readonly why: ServiceError | null
  /** For the next batch. */
  readonly later: readonly WaitingCommit[]
}

export interface GroupRoom {
  readonly accountId: string
  /** What the first of them has to follow. */
  readonly head: StoredHead
  /** What is left of the batch; one alone may take more. */
  readonly bytesMax: number
  /** What a whole batch holds. */
  readonly batchBytesMax: number
}

/** Of `open`, in their order: as many as there is room for. `tooLarge`: no batch holds the first of them. */
export function planGroup(open: readonly WaitingCommit[], room: GroupRoom): GroupPlan | 'tooLarge' {
  const commits: GroupedCommit[] = []
  let { head } = room
  let bytes = 0
  for (const [i, waiting] of open.entries()) {
    const plan = planStored(waiting.commit, head, waiting.epoch)
    if (!plan.ok) {
      const why = refusedCommit(plan.error)
      return { commits, bytes, refused: open.slice(i), why, later: [] }
    }
    const record = recordOf(room.accountId, plan.value)
    const more = bytesOfRecord(record)
    if (i === 0 && bytesOfBatch([record]) > room.batchBytesMax) return 'tooLarge'
    if (i > 0 && bytes + more > room.bytesMax) {
      return { commits, bytes, refused: [], why: null, later: open.slice(i) }
    }
    bytes += more
    head = plan.value.head
    commits.push({ waiting, planned: plan.value, record })
  }
  return { commits, bytes, refused: [], why: null, later: [] }
}

/** What a group asks of the desk of its account. */
export interface GroupDesk {
  /** Why this process must not write under an epoch, read anew. Errors  as of the database. */
  readonly refusal: (epoch: number) => ServiceError | null
  /** They are in a batch of the log, on disk. */
  readonly written: (commits: readonly GroupedCommit[], batch: number) => void
  /** They wait as before, in front of all others. */
  readonly putBack: (commits: readonly WaitingCommit[]) => void
}

/** Commits of one account that go into one batch, from the plan to the answers. */
export class CommitGroup {
  readonly #plan: GroupPlan
  readonly #desk: GroupDesk
  #admitted: readonly GroupedCommit[] = []
  #refusal: ServiceError | null = null

  constructor(plan: GroupPlan, desk: GroupDesk) {
    this.#plan = plan
    this.#desk = desk
  }

  /** What its records take of a batch, at most. */
  get bytes(): number {
    return this.#plan.bytes
  }

  /** The records to write, asked for inside the lock: those of an owner who is none any more are not among them. */
  admit(): readonly LogRecord[] {
    const { commits } = this.#plan
    let asked: number | undefined
    try {
      const first = commits.findIndex(({ waiting: { epoch } }) => {
        if (epoch === asked) return false // who claims it from now on reads this batch
        asked = epoch
        this.#refusal = this.#desk.refusal(epoch)
        return this.#refusal !== null
      })
      this.#admitted = first < 0 ? commits : commits.slice(0, first)
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error
      this.#refusal = error
    }
    return this.#admitted.map(({ record }) => record)
  }

  /** They are on disk: all that was admitted is answered, the rest is refused. */
  done(batch: number): void {
    const { commits, refused, why } = this.#plan
    this.#desk.written(this.#admitted, batch)
    for (const { waiting } of this.#admitted) settle(waiting, null)
    for (const { waiting } of commits.slice(this.#admitted.length)) settle(waiting, this.#refusal)
    for (const waiting of refused) settle(waiting, this.#refusal ?? why)
  }

  /** Not now, and in the same order. */
  putBack(): void {
    const { commits, refused } = this.#plan
    this.#desk.putBack([...commits.map(({ waiting }) => waiting), ...refused])
  }

  /** Nothing of it was written, or nobody knows. */
  fail(error: ServiceError): void {
    const { commits, refused } = this.#plan
    for (const { waiting } of commits) settle(waiting, error)
    for (const waiting of refused) settle(waiting, error)
  }
}
