import { once } from 'node:events'
import { type BigIntStats, chmodSync, existsSync, lstatSync, readlinkSync, rmSync } from 'node:fs'
import { connect, createServer, type Server } from 'node:net'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import {
  earlierRolePath,
  isSocketFolderGone,
  leaveSocketFolder,
  makeSocketFolder,
  roleSocketPath,
} from './socket-path.ts'

export interface RoleLockLimits {
  /** The holder must say its process number within this. */
  readonly answerTimeoutMs: number
  /** A name is stale when nobody answers twice, this far apart. */
  readonly confirmMs: number
  /** Attempts to take the name or to find its holder. */
  readonly attemptsMax: number
}
export const ROLE_LOCK_LIMITS: RoleLockLimits = {
  answerTimeoutMs: 2_000,
  confirmMs: 20,
  attemptsMax: 20,
}

/** Of a node of a cluster on its data folder; the folder is one that no account can have. */
export const NODE_LOCK = { folder: 'service', role: 'node' } as const

export type RoleLock =
  | { readonly kind: 'held'; release(): Promise<void> }
  /**
   * `pid` is null when the holder does not answer, as when it is suspended. `deniedPath`: the name belongs to another user,
   * and whether somebody listens behind it this one cannot find out.
   */
  | { readonly kind: 'taken'; readonly pid: number | null; readonly deniedPath?: string }

/** Of what a holder says of itself. */
const WORD_CHARS_MAX = 64
const DEAD: ReadonlySet<unknown> = new Set(['ENOENT', 'ECONNREFUSED', 'ENOTSOCK'])
const DENIED: ReadonlySet<unknown> = new Set(['EACCES', 'EPERM'])

/**
 * Takes a role that one process at a time may have for an account, such as `direct`. The name is free
 * again the moment its holder dies.
 *
 * Errors  of the system, when the name can be neither taken nor asked.
 */
export async function acquireRole(
  dataDir: string,
  accountId: string,
  role: string,
  limits: RoleLockLimits = ROLE_LOCK_LIMITS,
): Promise<RoleLock> {
  const path = roleSocketPath(dataDir, accountId, role)
  const earlier = await earlierHolder(dataDir, accountId, role, limits)
  if (earlier !== undefined) return { kind: 'taken', pid: earlier?.pid ?? null }
  for (let attempt = 1; ; attempt++) {
    const server = await listen(path)
    if (server !== undefined) return { kind: 'held', release: () => close(server, path) }
    const before = findFile(path)
    const holder = await askTwice(path, limits)
    if (holder === 'denied') return { kind: 'taken', pid: null, deniedPath: path }
    if (holder !== 'dead') return { kind: 'taken', pid: holder?.pid ?? null }
    removeStale(path, before)
    if (attempt >= limits.attemptsMax) throw new Error(`${path} can be neither taken nor asked`)
  }
}

/** The process that has a role now; undefined when nobody has it, or says nothing. Takes and makes nothing. */
export async function roleHolder(
  dataDir: string,
  accountId: string,
  role: string,
  limits: RoleLockLimits = ROLE_LOCK_LIMITS,
): Promise<number | undefined> {
  // Who has the role has made it. Below /proc a `mkdir` of this for Node would never come back.
  if (!existsSync(join(dataDir, accountId))) return undefined
  const holder = await askHolder(roleSocketPath(dataDir, accountId, role), limits.answerTimeoutMs)
  if (holder === 'denied') return undefined
  if (holder !== 'dead') return holder?.pid
  return (await earlierHolder(dataDir, accountId, role, limits))?.pid
}

/** Who has a role in the place of earlier releases: one that runs on behind an update. As {@link findHolder}. */
export async function earlierHolder(
  dataDir: string,
  accountId: string,
  role: string,
  limits = ROLE_LOCK_LIMITS,
): Promise<Holder | null | undefined> {
  const path = earlierRolePath(dataDir, accountId, role)
  return path === undefined ? undefined : findHolder(path, limits)
}

/**
 * Who listens there; null when that one says nothing, as when it is suspended. What a dead one has left is removed,
 * where it can be.
 */
export async function findHolder(
  path: string,
  limits = ROLE_LOCK_LIMITS,
): Promise<Holder | null | undefined> {
  const before = findFile(path)
  const holder = await askTwice(path, limits)
  if (holder === 'denied') return null
  if (holder !== 'dead') return holder
  try {
    removeStale(path, before)
  } catch {
    // a disk that can only be read: it is a dead name all the same
  }
  return undefined
}

/** Whoever has a role, as it tells. */
export interface Holder {
  readonly pid: number
  /** Within which its number means something; empty where the system has one for all, or earlier releases ask. */
  readonly numbers: string
}

/** Containers count their processes anew, each for itself, unless they are told to share them. */
export const ownNumbers = (): string => {
  try {
    return readlinkSync('/proc/self/ns/pid')
  } catch {
    return '' // not on Linux
  }
}

/** Undefined when the name is in use, alive or not, or its folder was taken away just now. */
async function listen(path: string): Promise<Server | undefined> {
  makeSocketFolder(path)
  const server = createServer((socket) => {
    socket.on('error', () => socket.destroy())
    socket.end(`${process.pid} ${ownNumbers()}\n`)
  })
  server.listen(path)
  try {
    await once(server, 'listening')
  } catch (error) {
    const isInUse = (error as NodeJS.ErrnoException).code === 'EADDRINUSE'
    if (isInUse || isSocketFolderGone(path, error)) return undefined
    throw error
  }
  server.on('error', () => undefined) // a connection that could not be taken: whoever asks asks twice
  if (process.platform !== 'win32') chmodSync(path, 0o600)
  server.unref()
  return server
}

/** A holder that has its name and does not listen yet, for an instant, is not dead. */
async function askTwice(path: string, limits: RoleLockLimits): Promise<Asked> {
  const first = await askHolder(path, limits.answerTimeoutMs)
  if (first !== 'dead') return first
  await delay(limits.confirmMs)
  return askHolder(path, limits.answerTimeoutMs)
}

/** The holder; null when it lives and says nothing; 'dead' when nobody is there; 'denied' where this user may not ask. */
type Asked = Holder | null | 'dead' | 'denied'

function askHolder(path: string, timeoutMs: number): Promise<Asked> {
  return new Promise((resolve) => {
    let said = ''
    const socket = connect(path)
    const timer = setTimeout(() => socket.destroy(), timeoutMs)
    let without: Asked = null
    socket.setEncoding('utf8')
    socket.on('data', (text: string) => {
      said = (said + text).slice(0, WORD_CHARS_MAX)
    })
    socket.on('error', (error: NodeJS.ErrnoException) => {
      if (DEAD.has(error.code)) without = 'dead'
      else if (DENIED.has(error.code)) without = 'denied'
    })
    socket.once('close', () => {
      clearTimeout(timer)
      const [word = '', numbers = ''] = said.trim().split(' ')
      const pid = Number.parseInt(word, 10)
      resolve(pid > 0 ? { pid, numbers } : without)
    })
  })
}

function findFile(path: string): BigIntStats | undefined {
  return lstatSync(path, { bigint: true, throwIfNoEntry: false })
}

/** Only the very file that did not answer: another process may have put its own there since. */
function removeStale(path: string, before: BigIntStats | undefined): void {
  if (process.platform === 'win32' || before === undefined) return
  const now = findFile(path)
  if (now?.ino === before.ino && now.ctimeNs === before.ctimeNs) rmSync(path, { force: true })
}

async function close(server: Server, path: string): Promise<void> {
  const closed = once(server, 'close')
  server.close()
  await closed
  leaveSocketFolder(path)
}
