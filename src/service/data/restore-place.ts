import { accessSync, constants, existsSync, readFileSync, realpathSync, statSync } from 'node:fs'
import { dirname, join, relative, sep } from 'node:path'
import { LOCKS_FOLDER } from '../../cluster/presence.ts'
import { LOST_AND_FOUND } from '../../storage/backup.ts'

/** Where a restore puts the new data together, and where the present ones go. */
export interface RestorePlace {
  /** Whether the data folder is renamed as a whole; else what is in it is, one after the other. */
  readonly isWhole: boolean
  readonly staging: string
  readonly aside: string
}

/** Names at the top of a data folder that are no data: hidden, where nobody looks for databases. */
const STAGING = '.restoring'
const ASIDE = '.before-restore-'
/** There while what is in a data folder changes its place: it is neither the one nor the other. */
export const SWAP_FILE = '.restore-swap.json'

/** Where a restore puts the new data folder together, beside the old one. */
export const stagingBeside = (dataDir: string): string => `${dataDir}.restoring`

/** What at the top of a data folder is neither copied nor moved: of restores, the locks that are held meanwhile, what is of its disk. */
export const staysInPlace = (name: string): boolean =>
  name === STAGING ||
  name === LOCKS_FOLDER ||
  name === LOST_AND_FOUND ||
  name.startsWith(SWAP_FILE) ||
  name.startsWith(ASIDE)

/**
 * A mount is no folder that could be renamed (a volume of a container, the root of a disk), and beside it is another
 * disk, or no place to write: then everything is kept inside. `stamp` names what is put aside.
 */
export function placeFor(dataDir: string, stamp: string, mounts = mountPoints()): RestorePlace {
  if (canBeRenamed(dataDir, mounts)) {
    const aside = untaken(`${dataDir}.before-restore-${stamp}`)
    return { isWhole: true, staging: stagingBeside(dataDir), aside }
  }
  const aside = untaken(join(dataDir, `${ASIDE}${stamp}`))
  return { isWhole: false, staging: stagingWithin(dataDir), aside }
}

export const stagingWithin = (dataDir: string): string => join(dataDir, STAGING)

/** What a restore has put together so far; of one that is over: of a killed one, and no part of the data. */
export function halfCopies(dataDir: string): readonly string[] {
  const folder = existsSync(dataDir) ? realpathSync(dataDir) : dataDir
  return [stagingBeside(folder), stagingWithin(folder)].filter((path) => existsSync(path))
}

export const HALF_COPY_TEXT =
  '是一次未完成的恢复所拷的副本 (is the copy that a restore has made which was cut off)'

function untaken(path: string): string {
  for (let count = 2, name = path; ; count++, name = `${path}-${count}`) {
    if (!existsSync(name)) return name
  }
}

function canBeRenamed(folder: string, mounts: readonly string[]): boolean {
  const above = dirname(folder)
  if (above === folder || mounts.some((mount) => isWithin(mount, folder))) return false
  try {
    if (statSync(folder).dev !== statSync(above).dev) return false
    accessSync(above, constants.W_OK)
    return true
  } catch {
    return false
  }
}

/** Mounts below a data folder: what lies there cannot be put aside. Relative to it. */
export const mountsBelow = (dataDir: string, mounts = mountPoints()): readonly string[] =>
  mounts
    .filter((mount) => mount !== dataDir && isWithin(mount, dataDir))
    .map((mount) => relative(dataDir, mount))

const isWithin = (path: string, folder: string): boolean =>
  path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep)

/** Place of a mount in a line of `mountinfo`, in which spaces and the like are octal. */
const MOUNT_FIELD = 4
const OCTAL = /\\([0-7]{3})/g

/** Of this process, where the system tells. One that binds a folder of the same disk shows nowhere else. */
function mountPoints(): readonly string[] {
  if (process.platform !== 'linux') return []
  try {
    const lines = readFileSync('/proc/self/mountinfo', 'utf8').trimEnd().split('\n')
    return lines.map((line) => plain(line.split(' ')[MOUNT_FIELD] ?? ''))
  } catch {
    return [] // then a folder that cannot be renamed says so when it is
  }
}

const plain = (field: string): string =>
  Buffer.from(
    field.replace(OCTAL, (_, code: string) => String.fromCharCode(Number.parseInt(code, 8))),
    'latin1',
  ).toString()
