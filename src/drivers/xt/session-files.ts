import { readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'

/** As `sessions.py` knows them; each ends in the number of its session. */
const NAME = /^(?:lock_)?(?:down|up)_queue_[a-z]+_(\d{9})(?:__mutex)?$/
/** The sidecar, which is ending, may still have them open. */
const PATIENCE = { force: true, maxRetries: 10, retryDelay: 100 }

/**
 * Removes what the sessions of a sidecar that is never started again have left in the data folder of the
 * terminal; those of the service are cleared away by its sidecars. What cannot be removed stays.
 */
export function removeSessionFiles(clientPath: string, sidecarFolder: string): void {
  try {
    const text = readFileSync(join(sidecarFolder, 'sessions.json'), 'utf8')
    const numbers = new Set((JSON.parse(text) as readonly number[]).map(String))
    const names = readdirSync(clientPath).filter((name) => numbers.has(NAME.exec(name)?.[1] ?? ''))
    for (const name of names) rmSync(join(clientPath, name), PATIENCE)
  } catch {
    // no session was begun, or the terminal holds them
  }
}
