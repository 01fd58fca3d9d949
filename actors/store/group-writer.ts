import { strict as assert } from 'node:assert'
import type { ServiceError } from '../../src/domain/errors.ts'
import type { Log } from '../../src/storage/log/log.ts'
import type { AccountDesk, CommitGroup } from './account-desk.ts'

interface GroupWriterDeps {
  /** Of this process; undefined before the first claim. */
  readonly log: () => Log | undefined
  /** Whether the disk has room for a transaction. */
  readonly hasRoom: () => boolean
  /** Asks for another flush of the desk in a while: the disk has no room now. */
  readonly flushWithRoom: (desk: AccountDesk) => void
  /** Asks for another flush of the desk once the log has room; false when that will never be. */
  readonly flushWithSpace: (desk: AccountDesk) => boolean
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
    let bytes = this.#deps.log()?.batchBytesMax ?? 0
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
    const log = this.#deps.log()
    const choose = () => groups.flatMap((group) => group.admit())
    try {
      let batch = 0
      if (log === undefined) {
        assert(choose().length === 0, 'nobody owns an account before the log is there')
      } else {
        const bytes = groups.reduce((sum, group) => sum + group.bytes, 0)
        if (log.reserve(bytes) !== 'ready') {
          for (const group of groups) group.putBack()
          return false
        }
        batch = log.append(choose) ?? 0
      }
      for (const group of groups) group.done(batch)
      return true
    } catch (error) {
      const failure = this.#deps.fatal(error)
      for (const group of groups) group.fail(failure)
      return true
    }
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
