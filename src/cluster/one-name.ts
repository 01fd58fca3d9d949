import { realpathSync } from 'node:fs'

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
