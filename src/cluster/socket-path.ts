import { createHash, randomBytes } from 'node:crypto'
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  realpathSync,
  rmdirSync,
  rmSync,
  type Stats,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { oneNameOf } from './one-name.ts'

/** Socket paths end at 104 bytes on macOS and at 108 on Linux. */
const PATH_BYTES_MAX = 100
const isWindows = process.platform === 'win32'
const PIPES = '\\\\.\\pipe\\'

/** There is no safe place for the sockets between processes. `message` says why and how to mend it. */
export class SocketFolderError extends Error {
  override readonly name = 'SocketFolderError'
}

const hashOf = (dataDir: string) => createHash('sha256').update(dataDir).digest('hex').slice(0, 16)

/**
 * One for all processes: a service, a log-on and a job may each have another `TMPDIR`, and whoever looked elsewhere would find
 * nobody, and replace the data of a service that runs.
 */
const temporaryFolder = (): string => (existsSync('/tmp') ? '/tmp' : tmpdir())

/** Where the sockets of one account lie. Names in it start with `prefix`. */
interface Names {
  readonly folder: string
  readonly prefix: string
}
interface Place extends Names {
  /** Where a process of an earlier release may still listen; only looked into. */
  readonly before?: Names
}

/**
 * In the account's folder; where that makes the path too long, in a private folder for temporary
 * files, which is there while somebody listens in it; on Windows a pipe, which has no folder. All
 * are derived from the one name of the data directory, so that every process that uses it comes
 * to the same one.
 *
 * Of a pipe libuv makes the first instance with `FILE_FLAG_FIRST_PIPE_INSTANCE`: a name that any process has
 * is refused (`EADDRINUSE`), never shared. What an owner listens on has a random name, so nobody can have it
 * before; whoever takes the name of a role keeps that role from us and gets nothing. Other users may open a
 * pipe of ours for reading only (the security that Windows gives by default), so they can ask nothing.
 */
function placeOf(dataDir: string, accountId: string, longestName: string): Place {
  mkdirSync(join(dataDir, accountId), { recursive: true, mode: 0o700 })
  const real = oneNameOf(dataDir)
  if (isWindows) {
    const pipes = (name: string) => ({
      folder: PIPES,
      prefix: `steward-${hashOf(name)}-${accountId}-`,
    })
    return { ...pipes(real), before: pipes(realpathSync(dataDir)) } // before: as the folder was typed
  }
  const folder = join(real, accountId)
  if (Buffer.byteLength(join(folder, longestName)) <= PATH_BYTES_MAX) return { folder, prefix: '' }
  const name = `steward-${hashOf(real)}`
  const prefix = `${accountId}-`
  const place = {
    folder: join(temporaryFolder(), name),
    prefix,
    before: { folder: join(tmpdir(), name), prefix }, // before `/tmp` was the place
  }
  if (Buffer.byteLength(join(place.folder, place.prefix + longestName)) > PATH_BYTES_MAX) {
    throw new SocketFolderError(
      `no socket fits below ${real} or ${temporaryFolder()}: both paths are too long; choose a shorter data_dir`,
    )
  }
  mustBePrivate(place.folder)
  return place
}

/** Before somebody listens at one of the paths of here: whoever listened last may have taken the folder away. */
export function makeSocketFolder(path: string): void {
  const folder = dirname(path)
  if (isWindows || !isForTemporaryFiles(folder)) return
  try {
    mkdirSync(folder, { mode: 0o700 })
  } catch (error) {
    if (Reflect.get(Object(error), 'code') !== 'EEXIST') throw error
  }
  mustBePrivate(folder)
}

/** Once nobody listens there any more. That of an account stays, and so does one in which others listen. */
export function leaveSocketFolder(path: string): void {
  const folder = dirname(path)
  if (isWindows || !isForTemporaryFiles(folder)) return
  try {
    rmdirSync(folder)
  } catch {
    // others listen in it, or have left their names
  }
}

/**
 * Whether it may have been taken away between that and a listening that failed so; by now somebody may have made it
 * again. Of a folder that is not there libuv says that nobody may.
 */
export const isSocketFolderGone = (path: string, error: unknown): boolean =>
  !isWindows && isForTemporaryFiles(dirname(path)) && GONE.has(Reflect.get(Object(error), 'code'))
const GONE: ReadonlySet<unknown> = new Set(['ENOENT', 'EACCES'])

const isForTemporaryFiles = (folder: string): boolean =>
  dirname(folder) === temporaryFolder() && /^steward-[0-9a-f]{16}$/.test(basename(folder))

/** Anybody can make folders where temporary files lie, and files and links of their names. */
function mustBePrivate(folder: string): void {
  const stats = lstatSync(folder, { throwIfNoEntry: false })
  if (stats === undefined || isPrivate(stats)) return
  throw new SocketFolderError(
    `${folder} is not a private folder of this user, and sockets are to lie there: remove it, or choose a shorter data_dir`,
  )
}

function isPrivate(stats: Stats): boolean {
  const isOurs = process.getuid === undefined || stats.uid === process.getuid()
  return stats.isDirectory() && isOurs && (stats.mode & 0o77) === 0
}

const pathOf = ({ folder, prefix }: Names, name: string) =>
  isWindows ? folder + prefix + name : join(folder, prefix + name)

const LONGEST_OWNER = 'owner-9999999999-01234567.sock'

/**
 * A name for the owner that claims `epoch`. It contains something random, so two that claim the
 * same epoch, or one that died, never stand in each other's way; the epoch record says whose counts.
 */
export function ownerSocketPath(dataDir: string, accountId: string, epoch: number): string {
  const name = `owner-${epoch}-${randomBytes(4).toString('hex')}.sock`
  return pathOf(placeOf(dataDir, accountId, LONGEST_OWNER), name)
}

/** Where an owner of this account listens, or once did. */
export const ownerSockets = (dataDir: string, accountId: string): readonly string[] =>
  findOwners(dataDir, accountId).map(({ path }) => path)

/** Removes socket files that owners of earlier epochs have left. Pipes leave none. */
export function removeOlderSockets(dataDir: string, accountId: string, epoch: number): void {
  if (isWindows) return
  for (const found of findOwners(dataDir, accountId)) {
    if (found.epoch < epoch) rmSync(found.path, { force: true })
  }
}

function findOwners(dataDir: string, accountId: string): { path: string; epoch: number }[] {
  return namesIn(placeOf(dataDir, accountId, LONGEST_OWNER)).flatMap(({ name, path }) => {
    const match = /^owner-(\d+)-[0-9a-f]{8}\.sock$/.exec(name)
    return match === null ? [] : [{ path, epoch: Number(match[1]) }]
  })
}

/** What lies in a place, without the prefix of its names. None while nobody listens there. */
function namesIn(place: Place): { name: string; path: string }[] {
  const before = earlierNames(place)
  return [place, ...(before === undefined ? [] : [before])].flatMap((names) =>
    filesIn(names.folder)
      .filter((file) => file.startsWith(names.prefix))
      .map((file) => file.slice(names.prefix.length))
      .map((name) => ({ name, path: pathOf(names, name) })),
  )
}

/** Undefined where it is the same place, or one of others. */
function earlierNames({ folder, prefix, before }: Place): Names | undefined {
  if (before === undefined || (before.folder === folder && before.prefix === prefix))
    return undefined
  return isWindows || isOurFolder(before.folder) ? before : undefined
}

/** It goes with the last who listens there, at any moment. */
function filesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch (error) {
    if (Reflect.get(Object(error), 'code') === 'ENOENT') return []
    throw error
  }
}

const isOurFolder = (folder: string): boolean => {
  const stats = lstatSync(folder, { throwIfNoEntry: false })
  return stats !== undefined && isPrivate(stats)
}

/** The fixed name of a role that only one process may have, such as `direct`. */
export function roleSocketPath(dataDir: string, accountId: string, role: string): string {
  const name = `${role}.sock`
  return pathOf(placeOf(dataDir, accountId, name), name)
}

/** Where a process of an earlier release may still have that role; undefined where nobody can. */
export function earlierRolePath(
  dataDir: string,
  accountId: string,
  role: string,
): string | undefined {
  const name = `${role}.sock`
  const before = earlierNames(placeOf(dataDir, accountId, name))
  return before && pathOf(before, name)
}

/** Where processes listen, or once did, in roles whose names begin so, and all go on with so many characters. */
export function roleSocketPaths(
  dataDir: string,
  accountId: string,
  role: string,
  moreChars: number,
): string[] {
  const longest = `${role}${'-'.repeat(moreChars)}.sock`
  return namesIn(placeOf(dataDir, accountId, longest))
    .filter(({ name }) => name.startsWith(role) && name.endsWith('.sock'))
    .map(({ path }) => path)
}
