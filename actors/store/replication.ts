import { strict as assert } from 'node:assert'
import { ServiceError } from '../../src/domain/errors.ts'
import type { ReplicatedJournal } from '../../src/ports/journal.port.ts'
import { type CommitRequest, refusedCommit } from '../../src/storage/account-database.ts'
import { planStored, recordOf, type StoredHead } from '../../src/storage/planned-commit.ts'

export interface ReplicationDeps<One extends CommitRequest> {
  readonly accountId: string
  readonly journal: ReplicatedJournal
  /** Of the rows. */
  readonly schema: () => number
  /** Where the account stands after all that was answered and all that waits to be written here. */
  readonly head: () => StoredHead
  /** Between two snapshots. */
  readonly snapshotCommits: number
  /** So many commits have been kept since the last one. */
  readonly snapshotDue: () => void
  /** A quorum keeps it: it is written here now, whatever happens to whoever sent it. */
  readonly kept: (one: One) => void
  readonly refused: (one: One, error: ServiceError) => void
}

/**
 * The way of commits to the servers of a cluster, before anything of them is written here: no computer ever has
 * what the others could not find. In the order in which they came; several may be under way.
 *
 * Once one is refused, so is all that was decided on top of it; what comes afterwards is of a new session.
 */
export class Replication<One extends CommitRequest> {
  readonly #deps: ReplicationDeps<One>
  /** After all that is under way; undefined while nothing is. */
  #head: StoredHead | undefined
  /** Of one of those that are under way: nothing that was decided on top of it is sent. */
  #refusal: ServiceError | undefined
  #underWay = 0
  #last: Promise<void> = Promise.resolve()
  /** Where commits stand that were kept since the last snapshot, by their number. */
  #places: { readonly commits: number; readonly seq: number }[] = []

  constructor(deps: ReplicationDeps<One>) {
    this.#deps = deps
  }

  add(one: One): void {
    const head = this.#head ?? this.#deps.head()
    const kept = this.#send(one, head)
    kept.catch((reason: unknown) => {
      this.#refusal ??= asRefusal(reason) // each is told in its turn
    })
    this.#underWay += 1
    this.#last = this.#last.then(() => this.#settle({ one, commits: head.commits + 1 }, kept))
  }

  /** Where it stands, once a quorum keeps it. Errors  why it is not kept. */
  #send(one: One, head: StoredHead): Promise<number> {
    const { accountId, journal, schema } = this.#deps
    if (this.#refusal !== undefined) return Promise.reject(this.#refusal)
    const plan = planStored(one.commit, head, one.epoch)
    if (!plan.ok) {
      this.#refusal = refusedCommit(plan.error)
      return Promise.reject(this.#refusal)
    }
    this.#head = plan.value.head
    const { body } = recordOf(accountId, plan.value)
    const { commits: number } = plan.value.head
    return journal.append(accountId, { epoch: one.epoch, schema: schema(), body }, number)
  }

  /** Nothing is under way any more: what a quorum has taken of an earlier session is known. */
  async idle(): Promise<void> {
    while (this.#underWay > 0) await this.#last
  }

  /** The place in the journal before which nothing is needed beside a snapshot at this commit; 0: all of it is. */
  placeOf(commits: number): number {
    return this.#places.findLast((place) => place.commits <= commits)?.seq ?? 0
  }

  /** A snapshot at this commit is kept. */
  snapshotKept(commits: number): void {
    this.#places = this.#places.filter((place) => place.commits > commits)
  }

  async #settle(
    { one, commits }: { readonly one: One; readonly commits: number },
    kept: Promise<number>,
  ): Promise<void> {
    const { snapshotCommits, snapshotDue } = this.#deps
    const error = await kept.then(
      (seq) => void this.#places.push({ commits, seq }),
      (reason: unknown) => asRefusal(reason),
    )
    this.#underWay -= 1
    assert(this.#underWay >= 0, 'each is settled once')
    if (this.#underWay === 0) {
      this.#head = undefined
      this.#refusal = undefined
    }
    if (error !== undefined) return this.#deps.refused(one, error)
    this.#deps.kept(one)
    // Again after as many, where it could not be kept.
    if (this.#places.length % snapshotCommits === 0) snapshotDue()
  }
}

/** Whoever cannot say whether it is kept must not go on: the next owner reads what was. */
const asRefusal = (reason: unknown): ServiceError =>
  reason instanceof ServiceError
    ? reason
    : new ServiceError('NOT_OWNER', 'the journal of the cluster has ended', undefined, reason)
