import { strict as assert } from 'node:assert'
import type { ServiceError } from '../../src/domain/errors.ts'
import { batchOf } from '../../src/storage/log/batch.ts'
import type { Log } from '../../src/storage/log/log.ts'
import type { AccountDesk } from './account-desk.ts'
import type { CommitGroup } from './commit-group.ts'

interface GroupWriterDeps {
  /** Of this process; undefined before the first claim. */
  readonly log: () => Log | undefined
  /** Whether the disk has room for a transaction. */
  readonly hasRoom: () => boolean
  /** Asks for another flush of the desk in a while: the disk has no room now. */
  readonly flushWithRoom: (desk: AccountDesk) => void
  /** Asks for another flush of the desk once the log has room; false when that will never be. */
  readonly flushWithSpace: (desk: AccountDesk) => boolean
  /** The log fills up faster than it is emptied. */
  readonly makeSpace: () => void
  /** The disk refused a write: nothing may be written by this process any more. */
  readonly fatal: (error: unknown) => ServiceError
}

/** Writes what many accounts decided in one append with one flush, and has it answered then. */
export class GroupWriter {
  readonly #deps: GroupWriterDeps

  constructor(deps: GroupWriterDeps) {
    this.#deps = deps
  }

  /**
   * Writes all that waits at these desks, each in its order. Without room it goes on waiting: nothing of it
   * has happened yet, and whoever sent it acts upon it only once it is on disk. Never throws.
   */
  flush(desks: Iterable<AccountDesk>): void {
    for (let open = waitingOf(desks); open.length > 0; open = waitingOf(open)) {
      if (!this.#deps.hasRoom()) {
        for (const desk of open) this.#deps.flushWithRoom(desk)
        return
      }
      if (!this.#write(this.#gather(open))) return this.#wait(open)
    }
  }

  /** One group of each desk, as many as a batch holds. */
  #gather(open: readonly AccountDesk[]): CommitGroup[] {
    const groups: CommitGroup[] = []
    let bytes = this.#deps.log()?.recordBytesNow ?? 0
    for (const desk of open) {
      const group = desk.nextGroup(bytes)
      if (group === undefined) continue
      if (group.bytes > bytes && groups.length > 0) {
        group.putBack()
        break
      }
      groups.push(group)
      bytes -= group.bytes
    }
    return groups
  }

  /** False when the log has no room for them: nothing has happened. */
  #write(groups: readonly CommitGroup[]): boolean {
    try {
      const batch = this.#append(groups)
      for (const group of groups) {
        if (batch === undefined) group.putBack()
        else group.done(batch)
      }
      return batch !== undefined
    } catch (error) {
      const failure = this.#deps.fatal(error)
      for (const group of groups) group.fail(failure)
      return true
    }
  }

  /** The number of the batch, undefined without room for it. Nothing is written for those who may not. */
  #append(groups: readonly CommitGroup[]): number | undefined {
    const log = this.#deps.log()
    const choose = () => groups.flatMap((group) => group.admit())
    if (log === undefined) {
      assert(choose().length === 0, 'nobody owns an account before the log is there')
      return 0
    }
    const bytes = groups.reduce((sum, group) => sum + group.bytes, 0)
    if (log.reserve(batchOf(bytes)) !== 'ready') return undefined
    const batch = log.append(choose) ?? 0
    if (log.isTight) this.#deps.makeSpace()
    return batch
  }

  /** Space comes when something is brought into a database. Where nothing will be, the log is of no use any more. */
  #wait(open: readonly AccountDesk[]): void {
    if (open.every((desk) => this.#deps.flushWithSpace(desk))) return
    const failure = this.#deps.fatal(new Error('the log is full of what cannot be written'))
    for (const desk of open) desk.stop(failure)
    this.flush(open)
  }
}

const waitingOf = (desks: Iterable<AccountDesk>): AccountDesk[] =>
  [...desks].filter(({ isWaiting }) => isWaiting)
