import { accessSync, constants, existsSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { freeBytesIn, mustHoldLocks } from './free-space.ts'
import { hasEnvironment } from './open-environment.ts'
import { DATA_FILE, LOCK_FILE, refusedIn, type TryFile } from './openable.ts'
import { askAbout } from './spoken.ts'

const PROGRAM = fileURLToPath(new URL('../../bin/examine.mjs', import.meta.url))

export interface ExamineLimits {
  /** For the rows of one database; the rest of a larger one is not read. */
  readonly readMs: number
  /** Without a word about one database; then its process is ended. Twice, and it counts as damaged. */
  readonly silenceMs: number
  /** Another disk than the real one, for tests. */
  readonly freeBytes?: (folder: string) => number
  readonly tryFile?: TryFile
  /** For a scanner that looks at a file, or a program that copies it, to let go of it; five seconds unless given. */
  readonly heldMs?: number
}

const HELD_MS = 5_000
const PAUSE_MS = 50

/** What a look through a database has shown. */
export interface Examined {
  /** What is wrong with it, for people; null when nothing is. */
  readonly problem: string | null
  /** The problem is none of its own: nobody could look, and nothing says that it is damaged. */
  readonly isUnread?: boolean
  /** Nor is this one: the user may not read it, or the system lets nobody write it who has to. */
  readonly isDenied?: boolean
  /** Nothing was ever stored there. */
  readonly isAbsent: boolean
  /** Larger than the time allowed: the rest is checked row by row as it is read. */
  readonly isPartial: boolean
  /** Of an account: its trading client has answered at least once. */
  readonly hasConnected: boolean
  /** As an account, or the books of an embedded client, says of which version its rows are; null: it does not. */
  readonly schema: number | null
}

const ABSENT: Examined = {
  problem: null,
  isAbsent: true,
  isPartial: false,
  hasConnected: false,
  schema: null,
}

/**
 * Looks through databases before they are opened, in a process of its own: LMDB has no checksum of its
 * pages, and a file that was cut or overwritten ends whoever opens it, without a word.
 */
export async function examineDatabases(
  folders: readonly string[],
  limits: ExamineLimits,
  program = PROGRAM,
): Promise<ReadonlyMap<string, Examined>> {
  const { readMs, silenceMs } = limits
  const known = new Map<string, Examined>()
  const endMs = performance.now() + (limits.heldMs ?? HELD_MS)
  for (const folder of folders) {
    const found = (await unopenable(folder, limits, endMs)) ?? withoutLook(folder, limits)
    if (found !== undefined) known.set(folder, found)
  }
  const looked = await askAbout<Examined>(
    folders.filter((folder) => !known.has(folder)),
    {
      program,
      ask: (rest) => ({ folders: rest, budgetMs: readMs }),
      silenceMs: readMs + silenceMs,
      doing: 'reading it',
      failed: (problem, isUnread) => ({ ...ABSENT, isAbsent: false, problem, isUnread }),
    },
  )
  return new Map([...looked, ...known])
}

/** What is known beforehand. LMDB writes its locks also for who only reads, but where nothing can be written: there it does without. */
function withoutLook(folder: string, { freeBytes = freeBytesIn }: ExamineLimits) {
  if (!hasEnvironment(folder)) return ABSENT
  const data = join(folder, DATA_FILE)
  if (existsSync(data) && !may(data, constants.R_OK)) {
    const problem = `当前用户无权读取 ${data}，请改正其所有者和权限；并未发现损坏 (this user may not read it: mend its owner and rights; no damage was found)`
    return { ...ABSENT, isAbsent: false, problem, isDenied: true }
  }
  if (!may(folder, constants.W_OK)) return undefined
  try {
    mustHoldLocks(join(folder, LOCK_FILE), () => freeBytes(folder))
    return undefined
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error)
    return { ...ABSENT, isAbsent: false, problem, isUnread: true }
  }
}

/** As of one that nobody can open now; until `endMs` a program that has it open is waited for. */
async function unopenable(
  folder: string,
  { tryFile }: ExamineLimits,
  endMs: number,
): Promise<Examined | undefined> {
  for (;;) {
    const refused = refusedIn(folder, tryFile)
    if (refused === undefined) return undefined
    const { problem, isHeld } = refused
    if (!isHeld || performance.now() >= endMs) {
      return { ...ABSENT, isAbsent: false, problem, isUnread: true, isDenied: !isHeld }
    }
    await delay(PAUSE_MS)
  }
}

function may(path: string, mode: number): boolean {
  try {
    accessSync(path, mode)
    return true
  } catch {
    return false
  }
}
