import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { ServiceError } from '../../domain/errors.ts'
import { DISK_LOW_TEXT } from '../../domain/risk.ts'
import type { Logger } from '../../observability/logger.ts'
import type { ActorBoard } from '../../runtime/actor-board.ts'
import {
  askFreeBytes,
  type FloorLimits,
  isDiskLow,
  keepReserve,
  leastOf,
} from '../../storage/free-space.ts'
import { DATA_FILE } from '../../storage/openable.ts'
import { serviceDatabaseFolder } from '../../storage/service-database.ts'

export interface DiskWatchOptions {
  readonly dataDir: string
  readonly board: ActorBoard
  readonly log: Logger
  readonly limits: FloorLimits & { readonly checkMs: number }
  /** Hears of each change. */
  readonly onChange?: ((isLow: boolean) => void) | undefined
  /** Another disk than the real one, for tests. */
  readonly freeBytes?: (folder: string) => Promise<number>
}

/**
 * Looks at the free space of the data folder. Below the floor it says so on the actor board, where
 * every thread sees it, and takes it back when there is space again; above it the reserve is kept.
 * And looks whether the folder is still in its place: files that are open take every write wherever they were moved.
 */
export class DiskWatch {
  readonly #options: DiskWatchOptions
  #timer: NodeJS.Timeout | undefined
  #checking: Promise<void> | undefined
  #freeBytes = Number.POSITIVE_INFINITY
  /** Written in this process, and no low disk was seen since: a folder that somebody removes stays removed. */
  #hasReserve = false
  /** Whether the data are in their place; undefined: they were not seen there yet. */
  #isInPlace: boolean | undefined

  constructor(options: DiskWatchOptions) {
    this.#options = options
  }

  get isLow(): boolean {
    return this.#options.board.isDiskLow()
  }

  /** Before new work that would be written. Errors  `DISK_FULL`. */
  mustHaveRoom(): void {
    if (this.isLow) throw new ServiceError('DISK_FULL', DISK_LOW_TEXT)
  }

  /** At the last look. */
  get freeBytes(): number {
    return this.#freeBytes
  }

  /** Resolves after the first look. */
  async start(): Promise<void> {
    await this.check()
    const { checkMs } = this.#options.limits
    this.#timer = setInterval(() => void this.check(), checkMs)
  }

  async close(): Promise<void> {
    clearInterval(this.#timer)
    await this.#checking
  }

  /** One look; several at once are one. */
  check(): Promise<void> {
    this.#checking ??= this.#look().finally(() => {
      this.#checking = undefined
    })
    return this.#checking
  }

  async #look(): Promise<void> {
    const { dataDir, board, limits, freeBytes = askFreeBytes } = this.#options
    this.#freeBytes = await freeBytes(dataDir)
    const wasLow = board.isDiskLow()
    const isLow = isDiskLow(wasLow, this.#freeBytes, limits)
    if (isLow !== wasLow) {
      board.setDiskLow(isLow)
      this.#tell(isLow)
      this.#options.onChange?.(isLow)
    }
    const spare = leastOf(limits) + limits.reserveBytes
    if (isLow) this.#hasReserve = false
    else if (!this.#hasReserve && this.#freeBytes > spare) {
      await keepReserve(dataDir, limits.reserveBytes)
      this.#hasReserve = true
    }
    await this.#lookForData()
  }

  async #lookForData(): Promise<void> {
    const { dataDir, log } = this.#options
    const isInPlace = await isThere(join(serviceDatabaseFolder(dataDir), DATA_FILE))
    const isFirst = this.#isInPlace === undefined
    if (isInPlace === undefined || isInPlace === this.#isInPlace || (isFirst && !isInPlace)) return
    this.#isInPlace = isInPlace
    if (!isInPlace) log.error({ alert: 'data_folder_gone', dataDir }, GONE_TEXT)
    else if (!isFirst) log.info({ dataDir }, BACK_TEXT)
  }

  #tell(isLow: boolean): void {
    const { log, limits } = this.#options
    const fields = { freeMb: inMb(this.#freeBytes), floorMb: inMb(leastOf(limits)) }
    if (isLow) {
      const text =
        'free disk space is below the floor, or what a write needs: only cancels, reads and the kill switch are served'
      log.error({ alert: 'disk_low', ...fields }, text)
    } else log.info(fields, 'there is disk space again: everything is served')
  }
}

const GONE_TEXT =
  '数据目录被移走或删除了：服务仍在运行，但它决定的一切写进了下次启动找不到的文件。请先把它放回原处，再重启服务；已被删除的，请停止服务并恢复备份 (the data folder was moved away or removed: the service goes on, but all that it decides goes into files that the next start does not find. Put it back in its place before you start the service again; where it was removed, stop the service and put back a backup)'
const BACK_TEXT = '数据目录已回到原处 (the data folder is in its place again)'

/** Undefined while the system does not say. */
async function isThere(file: string): Promise<boolean | undefined> {
  try {
    await stat(file)
    return true
  } catch (error) {
    const code = Reflect.get(Object(error), 'code')
    return code === 'ENOENT' || code === 'ENOTDIR' ? false : undefined
  }
}

const inMb = (bytes: number): number => Math.floor(bytes / 1_048_576)
