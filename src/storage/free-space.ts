import { randomFillSync } from 'node:crypto'
import { rmSync, statfsSync, statSync, writeFileSync } from 'node:fs'
import { mkdir, rm, stat, statfs, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { ServiceError } from '../domain/errors.ts'

/** Space that is given up when the disk is full, so that what must be written still can be. */
const RESERVE_FILE = join('service', 'reserve')
const CHUNK_BYTES = 1_048_576

export const reserveIn = (dataDir: string): string => join(dataDir, RESERVE_FILE)

/** Bytes that this process may still write there; infinite when the system does not say. */
export function freeBytesIn(folder: string): number {
  try {
    const { bavail, bsize } = statfsSync(folder)
    return bavail * bsize
  } catch {
    return Number.POSITIVE_INFINITY
  }
}

/** As {@link freeBytesIn}, beside this thread: a network drive that hangs keeps nobody. */
export async function askFreeBytes(folder: string): Promise<number> {
  try {
    const { bavail, bsize } = await statfs(folder)
    return bavail * bsize
  } catch {
    return Number.POSITIVE_INFINITY
  }
}

export const noRoom = (): ServiceError =>
  new ServiceError('DISK_FULL', '磁盘已满，无法写入 (the disk is full: nothing can be written)')

/** For the locks of a new database, its first pages, and whoever writes there at the same time. */
const NEW_DATABASE_BYTES = 1_048_576

/** What a new database takes at first, beside its locks. */
const FIRST_BYTES = 65_536
/** Hidden, so that a copy leaves it out where a process ended beside it. */
const PROBE_FILE = '.probe'

/**
 * LMDB writes its locks through memory: where the disk has no block for them the system ends the whole process, with
 * no word (SIGBUS). Those that are on disk are written over, and need nothing. Nor does it outlive a write of the first
 * pages that is refused (SIGSEGV), as by a quota of the user, of which the free space says nothing: so what it is about
 * to write is written and removed again first.
 *
 * Errors  `DISK_FULL`; of the system.
 */
export function mustHoldLocks(file: string, freeBytes: () => number): void {
  const hasBlocks = (statSync(file, { throwIfNoEntry: false })?.blocks ?? 0) > 0
  if (hasBlocks) return
  if (freeBytes() < NEW_DATABASE_BYTES) throw noRoom()
  const probe = join(dirname(file), PROBE_FILE)
  try {
    writeFileSync(probe, Buffer.alloc(FIRST_BYTES), { mode: 0o600 })
  } catch (error) {
    const code = Reflect.get(Object(error), 'code')
    if (code === 'EDQUOT') throw noQuota()
    throw code === 'ENOSPC' ? noRoom() : error
  } finally {
    removeProbe(probe)
  }
}

/** What a scanner holds stays, and is written over the next time. */
function removeProbe(probe: string): void {
  try {
    rmSync(probe, { force: true })
  } catch {
    // held by another program
  }
}

const noQuota = (): ServiceError =>
  new ServiceError(
    'DISK_FULL',
    '当前用户的磁盘配额已用完，无法写入：请调高配额或腾出空间 (the disk quota of this user is used up, and nothing can be written: raise it, or make room)',
  )

export interface FloorLimits {
  /** Below it orders and all that is not needed are refused; 0 = only where nothing can be written any more. */
  readonly floorBytes: number
  /** Below it nothing is written: an order would wait for its commit until nobody waits for the order. */
  readonly marginBytes: number
  /** So much above the floor they are taken again. */
  readonly backBytes: number
  /** Without a floor so much above the margin: what the reserve has given up is for what people do to stop. */
  readonly reserveBytes: number
}

/** Below it the disk counts as low. */
export const leastOf = ({ floorBytes, marginBytes }: FloorLimits): number =>
  Math.max(floorBytes, marginBytes)

/** Whether the disk counts as low now; between the two marks it stays as it was. */
export function isDiskLow(wasLow: boolean, freeBytes: number, limits: FloorLimits): boolean {
  const back = limits.floorBytes > 0 ? limits.backBytes : limits.reserveBytes
  return freeBytes < leastOf(limits) + (wasLow ? back : 0)
}

export interface RoomOptions {
  readonly dataDir: string
  /** What must be free for anything to be written. */
  readonly marginBytes: number
  readonly freeBytes?: (folder: string) => number
}

/**
 * Asked before every transaction: a database whose commit met a full disk must not be used on, so it
 * must never meet one. Costs two microseconds.
 */
export class Room {
  readonly #options: RoomOptions

  constructor(options: RoomOptions) {
    this.#options = options
  }

  /** Whether something may be written, `moreBytes` of it. The reserve is given up before the answer is no. */
  has(moreBytes = 0): boolean {
    if (this.#hasMargin(moreBytes)) return true
    try {
      rmSync(reserveIn(this.#options.dataDir), { force: true })
    } catch {
      return false // a program reads it, and Windows removes nothing that is open: it is given up the next time
    }
    return this.#hasMargin(moreBytes)
  }

  #hasMargin(moreBytes: number): boolean {
    const { dataDir, marginBytes, freeBytes = freeBytesIn } = this.#options
    return freeBytes(dataDir) >= marginBytes + moreBytes
  }
}

/** Writes the reserve unless it is there whole. What a full disk leaves of it is removed. Never throws. */
export async function keepReserve(dataDir: string, bytes: number): Promise<void> {
  const file = reserveIn(dataDir)
  try {
    const has = await stat(file).then(
      ({ size }) => size,
      () => -1,
    )
    if (has === bytes) return
    await rm(file, { force: true })
    if (bytes === 0) return
    await mkdir(dirname(file), { recursive: true, mode: 0o700 })
    // Not zeros: a file system that compresses would reserve nothing.
    const chunk = randomFillSync(Buffer.alloc(Math.min(CHUNK_BYTES, bytes)))
    for (let written = 0; written < bytes; written += chunk.length) {
      const piece = chunk.subarray(0, Math.min(chunk.length, bytes - written))
      await writeFile(file, piece, { flag: 'a', mode: 0o600 })
    }
  } catch {
    await rm(file, { force: true }).catch(() => undefined) // kept when there is room again
  }
}
