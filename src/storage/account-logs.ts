import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { ServiceError } from '../domain/errors.ts'
import type { LogContents } from './log/batch.ts'
import { isDead, logsIn, MEMBERS_FOLDER, mustBeSeen, removeIfFree } from './log/folder.ts'
import { ForeignLog } from './log/foreign-log.ts'
import { type PlannedCommit, plannedIn } from './planned-commit.ts'
import { areUsedUp, noDescriptors } from './spare-descriptors.ts'
import type { FoundInLogs } from './take-over.ts'

/** Where the processes of a data folder keep what their accounts decided last. */
export const logsFolder = (dataDir: string): string => join(dataDir, 'service', 'logs')

interface InUse {
  readonly log: ForeignLog
  users: number
}

/**
 * The logs of other processes, alive or gone, for who takes over an account that they had. Those that are
 * gone are removed once no database names them.
 */
export class AccountLogs {
  readonly #root: string
  readonly #open = new Map<string, InUse>()

  constructor(dataDir: string) {
    this.#root = logsFolder(dataDir)
  }

  /** Resolves when none of them is in the middle of an append: for as long as one sleeps there, never. */
  async untilFree(names: readonly string[]): Promise<void> {
    for (const name of names) await this.#with(name, (log) => log.untilFree())
  }

  /**
   * What they hold of an account, in order. `isNamed` says whether its database names a log, as it is by now:
   * one that is gone and still named has taken something with it.
   *
   * Errors  `STORE_FAILED` for one that cannot be read; `OVERLOADED` where no descriptor is left for it.
   */
  async find(
    accountId: string,
    names: readonly string[],
    isNamed: (name: string) => boolean,
  ): Promise<FoundInLogs> {
    const commits: PlannedCommit[] = []
    let doubt: string | undefined
    for (const name of names) {
      const contents = await this.#with(name, (log) => log.read())
      if (contents === undefined) {
        if (isNamed(name)) doubt = `its log ${name} is gone`
        continue
      }
      const { found, last } = commitsOf(accountId, contents)
      commits.push(...found)
      // A later record tells by its number whether anything before it is missing.
      if (contents.hole !== undefined && last < contents.hole) doubt = `its log ${name} is damaged`
    }
    commits.sort((a, b) => a.head.commits - b.head.commits || a.epoch - b.epoch)
    return { commits, doubt }
  }

  /** The account has left those of them that its database does not name: `unlessNamed` calls what it is given then. */
  async leave(
    accountId: string,
    names: readonly string[],
    unlessNamed: (name: string, leave: () => void) => void,
  ): Promise<void> {
    for (const name of names) {
      await this.#with(name, async (log) => unlessNamed(name, () => log.leave(accountId)))
      await this.#endOf(name)
    }
    this.#leaveOthers(accountId, unlessNamed)
  }

  /** A claim that did not come to its end has left a sign of the account there, and no more. */
  #leaveOthers(accountId: string, unlessNamed: (name: string, leave: () => void) => void): void {
    for (const name of logsIn(this.#root)) {
      const sign = join(this.#root, name, MEMBERS_FOLDER, accountId)
      // Whoever has a number that means nothing here looks dead, and may have claimed the account since.
      if (isDead(name) && existsSync(sign)) unlessNamed(name, () => removeIfFree(sign))
    }
  }

  /** Of a process that lives nothing is kept open, of one that is gone whatever others still need. */
  async #endOf(name: string): Promise<void> {
    const used = this.#open.get(name)
    if (used === undefined || used.users > 0) return
    const { log } = used
    if (log.isDead && !log.isDone) return
    this.#open.delete(name)
    await (log.isDone ? log.remove() : log.close())
  }

  async close(): Promise<void> {
    const open = [...this.#open.values()]
    this.#open.clear()
    for (const { log } of open) await log.close()
  }

  /** Undefined when it is gone. One that is asked for again and again is opened and parsed once. */
  async #with<T>(name: string, work: (log: ForeignLog) => Promise<T>): Promise<T | undefined> {
    try {
      const found = this.#open.get(name) ?? this.#opened(name)
      if (found === undefined) return undefined
      found.users += 1
      try {
        return await work(found.log)
      } finally {
        found.users -= 1
      }
    } catch (error) {
      if (error instanceof ServiceError) throw error
      if (areUsedUp(error)) throw noDescriptors(error)
      const why = error instanceof Error ? error.message : String(error)
      const text = `the log ${join(this.#root, name)} cannot be read: ${why}`
      throw new ServiceError('STORE_FAILED', text, undefined, error)
    }
  }

  #opened(name: string): InUse | undefined {
    mustBeSeen(join(this.#root, name))
    const log = ForeignLog.open(this.#root, name)
    if (log === undefined) return undefined
    const opened = { log, users: 0 }
    this.#open.set(name, opened)
    return opened
  }
}

/** What a log holds of one account, and the number of the last batch in which it does; 0: in none. */
function commitsOf(accountId: string, { batches }: LogContents) {
  const found: PlannedCommit[] = []
  let last = 0
  for (const { number, records } of batches) {
    for (const record of records) {
      if (record.key !== accountId) continue
      found.push(plannedIn(record))
      last = number
    }
  }
  return { found, last }
}
