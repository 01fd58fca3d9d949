import { renameSync } from 'node:fs'

/** Virus scanners and indexers open what was written a moment ago, and Windows renames nothing that is open. */
const HELD: ReadonlySet<unknown> = new Set(['EPERM', 'EACCES', 'EBUSY'])
const HELD_MS_MAX = 5_000
const PAUSE_MS = 50

/** Whether a program holds it, as Windows tells that; elsewhere these mean that a right is missing. */
export const isHeld = (error: unknown, platform: NodeJS.Platform = process.platform): boolean =>
  platform === 'win32' && HELD.has(Reflect.get(Object(error), 'code'))

interface RenameOptions {
  readonly platform?: NodeJS.Platform
  readonly rename?: (from: string, to: string) => void
  readonly heldMs?: number
}

/**
 * Renames a file or a folder. On Windows it waits, within a limit, for a program that holds something in it:
 * this thread stands still meanwhile, so it is for commands and starts, not for a thread that trades.
 *
 * Errors  throws what `renameSync` throws.
 */
export function renameHeld(
  from: string,
  to: string,
  { platform = process.platform, rename = renameSync, heldMs = HELD_MS_MAX }: RenameOptions = {},
): void {
  const endMs = performance.now() + heldMs
  for (;;) {
    try {
      rename(from, to)
      return
    } catch (error) {
      if (!isHeld(error, platform) || performance.now() >= endMs) throw error
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE_MS)
    }
  }
}
