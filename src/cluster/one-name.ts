import { realpath as realpathByNode, realpathSync } from 'node:fs'
import { realpath } from 'node:fs/promises'
import { promisify } from 'node:util'

interface Naming {
  readonly platform?: NodeJS.Platform
  /** Of the system, and of Node; others for tests. */
  readonly system?: (folder: string) => string
  readonly node?: (folder: string) => string
}

/**
 * One name for a folder that is there, however it was typed. Windows takes any case of its letters, short names and drives of
 * `subst` or of a network for the same folder, and Node's own `realpathSync` leaves them as they are: only the system knows
 * the one name. It does not tell that of every drive; of such a one the name is as it was typed, with its links followed.
 *
 * Errors  throws what `realpathSync` throws.
 */
export function oneNameOf(
  folder: string,
  { platform = process.platform, system = realpathSync.native, node = realpathSync }: Naming = {},
): string {
  if (platform !== 'win32') return node(folder)
  try {
    return system(folder)
  } catch {
    return node(folder)
  }
}

/** What the system calls a folder. Errors  rejects with what it says. */
export type NameFolder = (folder: string) => Promise<string>

/**
 * As {@link oneNameOf}, beside this thread: a network drive that hangs keeps nobody.
 *
 * Errors  rejects with what Node's own `realpath` says.
 */
export const oneNameLater = (folder: string, system: NameFolder = realpath): Promise<string> =>
  system(folder).catch(() => byNode(folder))
const byNode = promisify(realpathByNode)
