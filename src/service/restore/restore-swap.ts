import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  rmSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { isHeld, renameHeld } from '../../config/rename.ts'
import { writeWhole } from '../../config/write-whole.ts'
import { flush } from '../../storage/flushed.ts'
import {
  mountsBelow,
  type RestorePlace,
  SWAP_FILE,
  stagingWithin,
  staysInPlace,
} from '../data/restore-place.ts'

export interface RestoreDisk {
  readonly move: (from: string, to: string) => void
  readonly remove: (folder: string) => void
}

export const REAL_DISK: RestoreDisk = {
  move: renameHeld,
  remove: (folder) => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }),
}

/** Why the new data did not take its place, and whether the data folder is as it was. */
export interface SwapFault {
  readonly text: string
  readonly isAsItWas: boolean
}

/** How far it has come, in a data folder whose contents change their place. */
interface SwapNote {
  /** Name of the folder for what was there. */
  readonly aside: string
  /** All of that is in it: what else is there is new. */
  readonly isOut: boolean
}

/** The new data folder, put together and on disk, takes the place of the present one. Undefined: it has. */
export const swap = (
  dataDir: string,
  place: RestorePlace,
  disk: RestoreDisk,
): SwapFault | undefined =>
  place.isWhole ? swapFolders(dataDir, place, disk) : swapContents(dataDir, place, disk)

/** Two renames, the only moments in which the data folder changes. */
function swapFolders(
  dataDir: string,
  { staging, aside }: RestorePlace,
  disk: RestoreDisk,
): SwapFault | undefined {
  try {
    disk.move(dataDir, aside)
  } catch (error) {
    return { text: `${inWords(error)}${mendOf(error)}`, isAsItWas: true }
  }
  try {
    disk.move(staging, dataDir)
    flush(dirname(dataDir))
    return undefined
  } catch (error) {
    return back(
      error,
      () => disk.move(aside, dataDir),
      `请自行把 ${aside} 改名为 ${dataDir} (rename it by hand)`,
    )
  }
}

/**
 * A mount stays where it is, and what is in it is renamed. Whatever ends this on the way, a note says how far it has
 * come: nothing starts there before {@link putBack}.
 */
function swapContents(
  dataDir: string,
  { staging, aside }: RestorePlace,
  disk: RestoreDisk,
): SwapFault | undefined {
  const note: SwapNote = { aside: basename(aside), isOut: false }
  try {
    mkdirSync(aside, { mode: 0o700 })
    keepNote(dataDir, note)
    moveAll(dataDir, aside, disk)
    keepNote(dataDir, { ...note, isOut: true })
    moveAll(staging, dataDir, disk)
    dropNote(dataDir)
  } catch (error) {
    return back(error, () => void putBack(dataDir, disk), AGAIN)
  }
  try {
    disk.remove(staging)
  } catch {
    // empty by now, and in nobody's way: all is in its place
  }
  return undefined
}

/** The new data is still whole there, and so is the old one. */
function back(error: unknown, putBack: () => void, mend: string): SwapFault {
  try {
    putBack()
    return { text: `${inWords(error)}${mendOf(error)}`, isAsItWas: true }
  } catch (second) {
    const text = `${inWords(error)}; 数据目录未能改回原名 (the data folder could not be renamed back): ${inWords(second)}; ${mend}`
    return { text, isAsItWas: false }
  }
}

/** A window that stands in the folder is enough for Windows to rename nothing of it. */
const mendOf = (error: unknown): string =>
  isHeld(error)
    ? '；请关闭打开着数据目录或其中文件的窗口和程序，再执行一次 (close every window and program that has the data folder or a file in it open, then run it again)'
    : ''

const AGAIN =
  '请再执行一次 steward restore，它会先放回 (run steward restore again, it does that first)'

/**
 * What a restore has left that was cut off while it renamed what is in the data folder: all is where it was before,
 * and the new data is a half copy again. Whether there was such a one. May be cut off itself.
 *
 * Errors  of the system; the note stays then, and nothing starts there.
 */
export function putBack(dataDir: string, disk: RestoreDisk = REAL_DISK): boolean {
  const note = noteIn(dataDir)
  if (note === undefined) return false
  const aside = join(dataDir, note.aside)
  if (note.isOut) {
    mkdirSync(stagingWithin(dataDir), { recursive: true, mode: 0o700 })
    moveAll(dataDir, stagingWithin(dataDir), disk)
    keepNote(dataDir, { ...note, isOut: false })
  }
  moveAll(aside, dataDir, disk)
  dropNote(dataDir)
  rmdirSync(aside)
  return true
}

/** Can be done again where it was cut off: what has been moved is not there any more. */
function moveAll(from: string, to: string, disk: RestoreDisk): void {
  const mounts = new Set(mountsBelow(from)) // of log files: any other was refused
  for (const name of readdirSync(from)) {
    if (staysInPlace(name) || mounts.has(name)) continue
    const target = join(to, name)
    if (existsSync(target)) rmdirSync(target) // an empty one was made by somebody who found nothing there
    disk.move(join(from, name), target)
  }
  flush(from)
  flush(to)
}

function noteIn(dataDir: string): SwapNote | undefined {
  const path = join(dataDir, SWAP_FILE)
  return existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as SwapNote) : undefined
}

/** On disk when it returns, whole or as it was before. */
function keepNote(dataDir: string, note: SwapNote): void {
  const path = join(dataDir, SWAP_FILE)
  const file = openSync(`${path}.new`, 'w', 0o600)
  try {
    writeWhole(file, JSON.stringify(note))
  } finally {
    closeSync(file)
  }
  flush(`${path}.new`)
  renameHeld(`${path}.new`, path)
  flush(dataDir)
}

function dropNote(dataDir: string): void {
  rmSync(join(dataDir, SWAP_FILE), { maxRetries: 10, retryDelay: 100 }) // a scanner reads what was written a moment ago
  flush(dataDir)
}

const inWords = (error: unknown): string => (error instanceof Error ? error.message : String(error))
