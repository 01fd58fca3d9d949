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
 */
export class DiskWatch {
  readonly #options: DiskWatchOptions
  #timer: NodeJS.Timeout | undefined
  #checking: Promise<void> | undefined
  #freeBytes = Number.POSITIVE_INFINITY
  /** Written in this process, and no low disk was seen since: a folder that somebody removes stays removed. */
  #hasReserve = false

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

const inMb = (bytes: number): number => Math.floor(bytes / 1_048_576)
