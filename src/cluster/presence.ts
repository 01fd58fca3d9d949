import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import {
  acquireRole,
  earlierHolder,
  findHolder,
  type Holder,
  ownNumbers,
  type RoleLock,
} from './role-lock.ts'
import { roleSocketPath, roleSocketPaths } from './socket-path.ts'

/** No account can have it, and nobody looks there for databases. It stays where it is when the data is replaced. */
export const LOCKS_FOLDER = '.locks'
/** Of whoever replaces, moves or removes the data, which nobody may use meanwhile. */
const STOPPED = 'stopped'
/** Of each process that uses the data, however few of its accounts it runs. */
const PRESENT = 'process-'
const RANDOM_BYTES = 4

type Held = Extract<RoleLock, { kind: 'held' }>

/** Nobody begins to use the data of this folder while it is held. */
export const lockData = (dataDir: string): Promise<RoleLock> =>
  acquireRole(dataDir, LOCKS_FOLDER, STOPPED)

export const dataLockPath = (dataDir: string): string =>
  roleSocketPath(dataDir, LOCKS_FOLDER, STOPPED)

/** Why a process must not use the data of a folder now. */
export type Refused = 'replaced' | 'strangers'

/**
 * Says that this process uses the data of a folder, until released; else why it must not. Who listens first and looks
 * then is seen by whoever locks first and looks then, or sees that one.
 */
export async function announce(dataDir: string): Promise<Held | Refused> {
  const name = `${PRESENT}${randomBytes(RANDOM_BYTES).toString('hex')}`
  const presence = await acquireRole(dataDir, LOCKS_FOLDER, name)
  if (presence.kind === 'taken') throw new Error(`${name} is drawn at random, and taken`)
  const isReplaced =
    (await findHolder(dataLockPath(dataDir))) !== undefined ||
    (await earlierHolder(dataDir, LOCKS_FOLDER, STOPPED)) !== undefined
  if (!isReplaced && !(await strangersUse(dataDir))) return presence
  await presence.release()
  return isReplaced ? 'replaced' : 'strangers'
}

/** Whether a process uses the data of a folder. */
export const isUsed = async (dataDir: string): Promise<boolean> =>
  (await usersOf(dataDir)).length > 0

/**
 * Whether a process uses it whose number means nothing here, as of another container. LMDB tells who reads by these
 * numbers: where two have the same, one of them cannot read, and takes what is sound for damaged.
 */
async function strangersUse(dataDir: string, own = ownNumbers()): Promise<boolean> {
  if (own === '' || !existsSync(join(dataDir, LOCKS_FOLDER))) return false
  const users = await usersOf(dataDir)
  return users.some((user) => user !== null && user.numbers !== '' && user.numbers !== own)
}

/** The same for whoever only reads: who may not look there, as another user, is not kept from reading by that. */
export const hasStrangers = (dataDir: string, own?: string): Promise<boolean> =>
  strangersUse(dataDir, own).catch(() => false)

/** A name that one has left by a kill is removed. */
async function usersOf(dataDir: string): Promise<(Holder | null)[]> {
  const paths = roleSocketPaths(dataDir, LOCKS_FOLDER, PRESENT, RANDOM_BYTES * 2)
  const found = await Promise.all(paths.map((path) => findHolder(path)))
  return found.filter((user) => user !== undefined)
}
