// Plain JavaScript for any Node from 18 on: the set-up and the builds rename before anything is installed.
// The service has its own in src/config/rename.ts: it may import nothing from here.
import { renameSync } from 'node:fs'

/** What Windows says of what somebody has open, or what is about to go. */
const HELD = new Set(['EPERM', 'EACCES', 'EBUSY'])
const HELD_MS_MAX = 10_000
const PAUSE_MS = 50

/** Whether a program holds it: scanners and indexers open what was written a moment ago, and Windows renames and removes nothing that is open. */
export const isHeld = ({ code }) => HELD.has(code)

/** Renames a file or a folder; on Windows it waits, within a limit, for a program that holds something in it. */
export function renameHeld(from, to, { platform, rename, heldMs } = {}) {
  const isWindows = (platform ?? process.platform) === 'win32'
  const endMs = performance.now() + (heldMs ?? HELD_MS_MAX)
  for (;;) {
    try {
      return (rename ?? renameSync)(from, to)
    } catch (error) {
      if (!isWindows || !isHeld(error) || performance.now() >= endMs) throw error
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE_MS)
    }
  }
}
