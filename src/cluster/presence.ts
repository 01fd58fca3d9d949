import { randomBytes } from 'node:crypto'
import { acquireRole, isTaken, type RoleLock } from './role-lock.ts'
import { roleSocketPath, roleSocketPaths } from './socket-path.ts'

/** No account can have it, and nobody looks there for databases. It stays where it is when the data is replaced. */
export const LOCKS_FOLDER = '.locks'
/** Of whoever replaces, moves or removes the data, which nobody may use meanwhile. */
const STOPPED = 'stopped'
/** Of each process that uses the data, however few of its accounts it runs. */
const PRESENT = 'process-'

type Held = Extract<RoleLock, { kind: 'held' }>

/** Nobody begins to use the data of this folder while it is held. */
export const lockData = (dataDir: string): Promise<RoleLock> =>
  acquireRole(dataDir, LOCKS_FOLDER, STOPPED)

export const dataLockPath = (dataDir: string): string =>
  roleSocketPath(dataDir, LOCKS_FOLDER, STOPPED)

/**
 * Says that this process uses the data of a folder, until released; undefined while somebody replaces it. Who listens
 * first and looks then is seen by whoever locks first and looks then, or sees that one.
 */
export async function announce(dataDir: string): Promise<Held | undefined> {
  const name = `${PRESENT}${randomBytes(4).toString('hex')}`
  const presence = await acquireRole(dataDir, LOCKS_FOLDER, name)
  if (presence.kind === 'taken') throw new Error(`${name} is drawn at random, and taken`)
  if (!(await isTaken(dataLockPath(dataDir)))) return presence
  await presence.release()
  return undefined
}

/** Whether a process uses the data of a folder. A name that one has left by a kill is removed. */
export async function isUsed(dataDir: string): Promise<boolean> {
  for (const path of roleSocketPaths(dataDir, LOCKS_FOLDER, PRESENT)) {
    if (await isTaken(path)) return true
  }
  return false
}
