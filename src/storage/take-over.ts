import { ServiceError } from '../domain/errors.ts'
import { decode } from '../protocol/codec.ts'
import type { ClusterMark, OwnerRecord } from '../protocol/store.ts'
import type { Environment } from './environment.ts'
import { type CaughtUp, follow } from './follow.ts'
import { OWN, type OwnRows, type StoredOwnership } from './own-rows.ts'
import type { PlannedCommit } from './planned-commit.ts'

export interface Ownership {
  /** 0 before the first claim. Only ever rises. */
  readonly epoch: number
  readonly owner: OwnerRecord | null
  /** Highest that the trading client has seen, when it is higher. */
  readonly clientEpoch?: number
  readonly cluster?: ClusterMark
}

/** What logs hold of an account, for the database to catch up with. */
export interface FoundInLogs {
  readonly commits: readonly PlannedCommit[]
  /** Why something may be missing all the same, in a few words. */
  readonly doubt?: string | undefined
}

/** A log that a database is about to name. */
export interface NamedLog {
  readonly name: string
  /** Says there that it does, so that nobody removes the log; again and again does no harm. */
  join(): void
}

/**
 * Who owns the database of an account, and how it goes from one owner to the next: the epoch rises first, so that no
 * log takes anything from an earlier owner any more; then what the logs hold that the database names is written.
 *
 * A claim made through this object is what lets its process write.
 * Errors  `NOT_OWNER` as told; `STORE_FAILED` for damaged rows; what LMDB throws while writing passes through.
 */
export class TakeOver {
  readonly #env: Environment
  readonly #rows: OwnRows
  /** Epoch that this process has claimed, 0 when none. */
  #claimed = 0
  /** The owner row as our claim has left it: while it reads so, nobody has claimed since. */
  #ownerRow: Uint8Array = new Uint8Array()

  constructor(env: Environment, rows: OwnRows) {
    this.#env = env
    this.#rows = rows
  }

  /** As long as nobody has claimed since. */
  get claimed(): number {
    return this.#claimed
  }

  inspect(): Ownership {
    this.#env.refresh()
    const { epoch, owner } = this.#rows.ownership()
    const cluster = this.#rows.cluster()
    const found = { epoch, owner, ...(cluster !== null && { cluster }) }
    const clientEpoch = this.#rows.read<number>(OWN.client) ?? 0
    return clientEpoch > found.epoch ? { ...found, clientEpoch } : found
  }

  /** Logs that may hold more than the database. */
  logs(): readonly string[] {
    this.#env.refresh()
    return this.#rows.ownership().logs ?? []
  }

  /** Why this process must not write under `epoch`; null when it may. As the database is at this moment. */
  refusal(epoch: number): ServiceError | null {
    this.#env.refresh()
    const row = this.#rows.ownerRow()
    const isOurs = row !== undefined && Buffer.compare(row, this.#ownerRow) === 0
    return isOurs && epoch !== 0 && epoch === this.#claimed ? null : this.refused(epoch)
  }

  /** As {@link refusal}, inside a transaction. */
  refused(epoch: number): ServiceError | null {
    const newest = this.#rows.ownership().epoch
    if (epoch !== 0 && epoch === this.#claimed && epoch === newest) return null
    return notOwner(newest, epoch)
  }

  /** Inside a transaction. Errors  `NOT_OWNER`: what this process has claimed is not its own, or no more. */
  mustOwn(epoch = this.#claimed): void {
    const refusal = this.refused(epoch)
    if (refusal !== null) throw refusal
  }

  /**
   * Raises the epoch to `epoch` if it still is `expected`; false and the newest epoch otherwise. One
   * that has to go beyond what the trading client has seen is a restore, and noted as one. In a cluster epochs are
   * given by its journal, and leave out those of other computers.
   *
   * With a `log`, which this process is to write, nothing is ours before {@link catchUp}. A claim that did not come to
   * its end there may be made again by the same process, under the same epoch: a journal gives none a second time.
   *
   * Errors  `ACCOUNT_PARKED`: the account is in a cluster, and the epoch is not of its journal; or the other way round.
   */
  claim(
    expected: number,
    owner: OwnerRecord,
    epoch = expected + 1,
    log?: NamedLog,
    isReplicated = false,
  ): { claimed: boolean; epoch: number } {
    const outcome = this.#env.write(() => {
      this.#mustBelong(isReplicated)
      const { epoch: newest, owner: before, logs = [] } = this.#rows.ownership()
      const clientEpoch = this.#rows.read<number>(OWN.client) ?? 0
      const isLater = epoch > Math.max(expected, clientEpoch)
      const isAgain = epoch === expected && clientEpoch <= epoch && isSame(before, owner)
      if (newest !== expected || !(isLater || isAgain)) return { claimed: false, epoch: newest }
      log?.join()
      this.#rows.putOwnership(
        { epoch, owner },
        log === undefined ? logs : [...new Set([...logs, log.name])],
      )
      if (clientEpoch > newest) {
        this.#rows.markRestored({ mark: `epoch ${epoch}`, fromEpoch: newest, clientEpoch })
      }
      return { claimed: true, epoch }
    })
    if (outcome.claimed && log === undefined) this.#became(epoch)
    return outcome
  }

  /**
   * The second half of a claim: what earlier owners had answered is written, and from now on no `log` but ours
   * holds anything. Whoever reads it then finds all that was ever answered, or the mark of a restore. With
   * `isReplicated` there is none: a cluster had all of it before, and what it keeps is taken in next.
   *
   * Errors  `NOT_OWNER` when somebody has claimed since.
   */
  catchUp(epoch: number, found: FoundInLogs, log: string, isReplicated = false): CaughtUp {
    const caughtUp = this.#env.write(() => {
      const { epoch: newest, owner } = this.#rows.ownership()
      if (newest !== epoch) throw notOwner(newest, epoch)
      if (!isReplicated) return this.#takeIn(found, { epoch, owner }, [log])
      const { commits } = follow(this.#env, this.#rows, found.commits)
      this.#rows.putOwnership({ epoch, owner }, [log])
      return { commits, problem: undefined }
    })
    this.#became(epoch)
    return caughtUp
  }

  /** Calls `leave` if the database does not name the log: inside its lock, so that no claim names it meanwhile. */
  unlessNamed(log: string, leave: () => void): void {
    this.#env.write(() => {
      const { logs = [] } = this.#rows.ownership()
      if (!logs.includes(log)) leave()
    })
  }

  /**
   * What a cluster keeps of the account, after the database has caught up with its logs; `install` makes the
   * database the account of a snapshot.
   *
   * Errors  `NOT_OWNER`; `STORE_FAILED` when the cluster has less than this computer, or something else: servers
   *         that were put back from a backup, or have lost what they had acknowledged. Nobody may trade on it.
   */
  takeIn(
    epoch: number,
    { planned, snapshotCommits }: { planned: readonly PlannedCommit[]; snapshotCommits: number },
    install: () => void,
  ): void {
    this.#env.write(() => {
      this.mustOwn(epoch)
      const last = planned.at(-1)?.head.commits ?? 0
      const kept = Math.max(snapshotCommits, last)
      const { commits: ours } = this.#rows.head()
      if (kept < ours) throw regressed(`it ends with commit ${kept}, this computer has ${ours}`)
      if (last > 0 && last < snapshotCommits) {
        throw regressed(
          `its snapshot is of commit ${snapshotCommits}, its records end with ${last}`,
        )
      }
      if (snapshotCommits > ours) install()
      const { problem } = follow(this.#env, this.#rows, planned)
      if (problem !== undefined) throw regressed(problem)
    })
  }

  /** How the account stands to a cluster from now on; null: to none. */
  mark(mark: ClusterMark | null): void {
    this.#env.write(() => this.#rows.put(OWN.cluster, mark))
  }

  /**
   * Its cluster is lost for good: it is run here alone from now on. What others decided last may be missing, so whoever
   * owns it next compares first. No journal is ever opened behind what it left there.
   */
  lost(): void {
    this.#env.write(() => {
      const mark = this.#rows.cluster()
      if (mark === null || mark.state === 'left') return
      const { epoch } = this.#rows.ownership()
      this.#rows.put(OWN.cluster, { ...mark, state: 'left', at: NOWHERE } satisfies ClusterMark)
      this.#rows.markRestored({ mark: `cluster ${epoch}`, fromEpoch: epoch, clientEpoch: 0 })
    })
  }

  /** Inside a transaction. */
  #mustBelong(isReplicated: boolean): void {
    const mark = this.#rows.cluster()
    const isIn = mark !== null && mark.state !== 'left'
    if (isIn === isReplicated) return
    throw new ServiceError('ACCOUNT_PARKED', isIn ? inCluster(mark.id) : NOT_IN_CLUSTER)
  }

  /** As {@link catchUp}, for a copy of a database that nobody runs: nobody owns it then. */
  absorb(found: FoundInLogs): CaughtUp {
    return this.#env.write(() => {
      const { epoch } = this.#rows.ownership()
      return this.#takeIn(found, { epoch, owner: null }, [])
    })
  }

  /** The trading client has seen a later owner than the one that asks. Errors  `NOT_OWNER` when there is one. */
  clientAhead(epoch: number, clientEpoch: number): void {
    this.#env.write(() => {
      this.mustOwn(epoch)
      if (clientEpoch > epoch) this.#rows.put(OWN.client, clientEpoch)
    })
  }

  /**
   * This database was put back from a backup: nobody owns it, and whoever does next compares first. `isBegin`: without
   * the segments of its journal, which therefore begins with the database.
   */
  restored(mark: string, isBegin = false): void {
    this.#env.write(() => {
      if (isBegin) this.#rows.put(OWN.kept, this.#rows.mark(OWN.base))
      const { epoch } = this.#rows.ownership()
      this.#rows.putOwnership({ epoch, owner: null }, [])
      this.#rows.markRestored({ mark, fromEpoch: epoch, clientEpoch: 0 })
    })
  }

  /**
   * Gives up what was claimed here, so that another process need not wait. `log`, ours, holds nothing any more
   * that the database does not have.
   */
  release(log?: string): void {
    const claimed = this.#claimed
    this.#claimed = 0
    if (claimed !== 0) this.leaveLog(log, claimed)
  }

  /** The database has all that `log` holds. Whoever has claimed `epoch` is its owner no more. */
  leaveLog(log: string | undefined, epoch = 0): void {
    this.#env.write(() => {
      const { logs = [], ...found } = this.#rows.ownership()
      const isOurs = epoch !== 0 && found.epoch === epoch
      const rest = logs.filter((name) => name !== log)
      if (!isOurs && rest.length === logs.length) return
      this.#rows.putOwnership(isOurs ? { ...found, owner: null } : found, rest)
    })
  }

  /** Nothing is ours from now on, though the database may still say so. */
  forget(): void {
    this.#claimed = 0
  }

  /** Inside a transaction: the end of every catching up. */
  #takeIn(
    { commits, doubt }: FoundInLogs,
    ownership: Pick<StoredOwnership, 'epoch' | 'owner'>,
    logs: readonly string[],
  ): CaughtUp {
    const followed = follow(this.#env, this.#rows, commits)
    const problem = followed.problem ?? doubt
    const { epoch } = ownership
    if (problem !== undefined) {
      this.#rows.markRestored({ mark: `log ${epoch}`, fromEpoch: epoch, clientEpoch: 0 })
    }
    this.#rows.putOwnership(ownership, logs)
    return { commits: followed.commits, problem }
  }

  /** Whoever has claimed meanwhile has written another row, and is found out by it. */
  #became(epoch: number): void {
    this.#env.refresh()
    const row = this.#rows.ownerRow()
    if (row === undefined || decode<StoredOwnership>(row).epoch !== epoch) return
    this.#claimed = epoch
    this.#ownerRow = row
  }
}

const regressed = (why: string): ServiceError => {
  const text = `JOURNAL_REGRESSED: the journal of the cluster is not the one that was written: ${why}`
  return new ServiceError('STORE_FAILED', text)
}

/** No record of a journal stands here. */
const NOWHERE = -1

const inCluster = (id: string): string =>
  `该账户属于集群 ${id}，可能正由别的电脑运行，这里不能单独运行：请在配置中恢复 cluster 一节，或用 steward cluster leave 退出集群 (this account belongs to the cluster ${id}, and another computer may be running it: put the section "cluster" back into the configuration, or take the account out with steward cluster leave)`

const NOT_IN_CLUSTER =
  '该账户在这里不属于任何集群，不能按集群的日志运行：请用 steward cluster join 加入 (this account is in no cluster here, and is not run by the journal of one: take it in with steward cluster join)'

const notOwner = (newest: number, epoch: number): ServiceError => {
  const text = `another process owns this account: its epoch is ${newest}, ours is ${epoch}`
  return new ServiceError('NOT_OWNER', text)
}

const isSame = (one: OwnerRecord | null, other: OwnerRecord): boolean =>
  one !== null && one.pid === other.pid && one.socket === other.socket
