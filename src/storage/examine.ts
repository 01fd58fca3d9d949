import { fileURLToPath } from 'node:url'
import { hasEnvironment } from './environment.ts'
import { askAbout } from './spoken.ts'

const PROGRAM = fileURLToPath(new URL('../../bin/examine.mjs', import.meta.url))

export interface ExamineLimits {
  /** For the rows of one database; the rest of a larger one is not read. */
  readonly readMs: number
  /** Without a word about one database; then its process is ended. Twice, and it counts as damaged. */
  readonly silenceMs: number
}

/** What a look through a database has shown. */
export interface Examined {
  /** What is wrong with it, for people; null when nothing is. */
  readonly problem: string | null
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
  { readMs, silenceMs }: ExamineLimits,
  program = PROGRAM,
): Promise<ReadonlyMap<string, Examined>> {
  const absent = folders.filter((folder) => !hasEnvironment(folder))
  const found = await askAbout<Examined>(folders.filter(hasEnvironment), {
    program,
    ask: (rest) => ({ folders: rest, budgetMs: readMs }),
    silenceMs: readMs + silenceMs,
    doing: 'reading it',
    failed: (problem) => ({ ...ABSENT, isAbsent: false, problem }),
  })
  for (const folder of absent) found.set(folder, ABSENT)
  return found
}
