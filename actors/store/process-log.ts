import { logsFolder } from '../../src/storage/account-logs.ts'
import { noRoom, type Room } from '../../src/storage/free-space.ts'
import { removeLeftovers } from '../../src/storage/log/folder.ts'
import { Log, type LogLimits } from '../../src/storage/log/log.ts'
import { areUsedUp, noDescriptors } from '../../src/storage/spare-descriptors.ts'
import type { NamedLog } from '../../src/storage/take-over.ts'

interface ProcessLogDeps {
  readonly dataDir: string
  readonly limits: LogLimits
  readonly room: Room
}

/** Of a segment on a disk that is nearly full: cancels and the kill switch need little, but a log. */
const SMALL_BYTES = 65_536
const NO_ROOM: ReadonlySet<unknown> = new Set(['ENOSPC', 'EDQUOT'])

/** The log of this process, made when the first account is claimed, and who is in it. */
export class ProcessLog {
  readonly #deps: ProcessLogDeps
  readonly #members = new Set<string>()
  #log: Log | undefined

  constructor(deps: ProcessLogDeps) {
    this.#deps = deps
  }

  get current(): Log | undefined {
    return this.#log
  }

  /** For an account's database to name, whose claim says so there. Errors  `DISK_FULL`; `OVERLOADED`; of the system. */
  named(accountId: string): NamedLog {
    const log = this.#log ?? this.#create()
    this.#log = log
    return {
      name: log.name,
      join: () => {
        orRefused(() => log.join(accountId))
        this.#members.add(accountId)
      },
    }
  }

  has(accountId: string): boolean {
    return this.#members.has(accountId)
  }

  /** The account's database has all of it, and names it no more. */
  leave(accountId: string): void {
    if (this.#members.delete(accountId)) this.#log?.leave(accountId)
  }

  /** Removes it, unless a database names it: then the next start reads it. */
  async close(): Promise<void> {
    const log = this.#log
    this.#log = undefined
    if (log === undefined) return
    if (this.#members.size > 0 || log.isNeeded) await log.close()
    else await log.remove()
  }

  #create(): Log {
    const { dataDir, limits, room } = this.#deps
    const segmentBytes = [limits.segmentBytes, SMALL_BYTES].find((bytes) => room.has(2 * bytes))
    if (segmentBytes === undefined) throw noRoom()
    const root = logsFolder(dataDir)
    removeLeftovers(root)
    return orRefused(() =>
      Log.create(root, {
        ...limits,
        segmentBytes: Math.min(segmentBytes, limits.segmentBytes),
      }),
    )
  }
}

/** What the system has no room or no descriptor for is refused to one account, and is no end of the disk. */
function orRefused<T>(work: () => T): T {
  try {
    return work()
  } catch (error) {
    if (NO_ROOM.has(Reflect.get(Object(error), 'code'))) throw noRoom()
    throw areUsedUp(error) ? noDescriptors(error) : error
  }
}
