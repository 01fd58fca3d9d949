import { existsSync, readdirSync } from 'node:fs'
import { hello, meet } from '../../cluster/handshake.ts'
import { isUsed, lockData } from '../../cluster/presence.ts'
import { acquireRole, NODE_LOCK, type RoleLock } from '../../cluster/role-lock.ts'
import { ownerSockets } from '../../cluster/socket-path.ts'
import { inCamelCase } from '../../config/camel-case.ts'
import type { Config } from '../../config/schema.ts'
import { mayBeAccount } from '../../domain/ids.ts'
import { err, ok, type Result } from '../../domain/result.ts'
import { hasAccountDatabase } from '../../storage/account-reader.ts'

type Held = Extract<RoleLock, { kind: 'held' }>

/**
 * Whoever serves an account, runs it for a gateway, is a node of a cluster or only has the data open listens; while
 * these are held nobody starts to.
 *
 * `also`: accounts that may have no database there, and are not to get one now.
 * Errors  one line that names what a process runs; nothing is held then.
 */
export async function lockStopped(
  config: Config,
  dataDir: string,
  also: readonly string[] = [],
): Promise<Result<Held[], string>> {
  if (!existsSync(dataDir)) return ok([])
  const data = await lockData(dataDir)
  if (data.kind === 'taken') return err(REPLACED)
  const held: Held[] = [data]
  const problem = await lockAll(config, dataDir, { held, also })
  if (problem === undefined) return ok(held)
  await Promise.all(held.map((one) => one.release()))
  return err(problem)
}

interface Locking {
  /** Takes each lock that is had. */
  readonly held: Held[]
  readonly also: readonly string[]
}

/** Why not all of them can be had; undefined: they are. */
async function lockAll(
  config: Config,
  dataDir: string,
  { held, also }: Locking,
): Promise<string | undefined> {
  const node = await acquireRole(dataDir, NODE_LOCK.folder, NODE_LOCK.role)
  if (node.kind === 'taken') return RUNNING
  held.push(node)
  for (const accountId of new Set([...accountsIn(dataDir), ...also])) {
    const lock = await acquireRole(dataDir, accountId, 'direct')
    if (lock.kind === 'held') held.push(lock)
    if (lock.kind === 'held' && !(await isOwned(config, dataDir, accountId))) continue
    return `账户 ${accountId} 正在运行，请先停止服务 (a process runs it; stop the service first)`
  }
  return (await isUsed(dataDir)) ? USED : undefined
}

/** For whoever would begin to use the data. */
export const REPLACED =
  '另一个命令正在替换、移动或删除这个数据目录，请等它结束 (another command replaces, moves or removes the data of this folder: wait until it has ended)'

/** For whoever would read it from outside, or begin to use it. */
export const STRANGERS =
  '另一个容器中的服务正在使用这个数据目录，而两个容器的进程号互不相通；请在同一容器内执行（docker exec），或让它们共用进程号（pid: "service:…"） (a service in another container uses this data folder, and their process numbers mean nothing to each other: run this inside that container (docker exec), or have them share process numbers (pid: "service:…"))'

const USED =
  '有进程正在使用这个数据目录，请先停止服务 (a process uses this data folder; stop the service first)'

const RUNNING =
  '集群节点正在使用这个数据目录，请先停止服务 (a node of a cluster uses this data folder; stop the service first)'

/** Whether a process answers where only an owner of the account does. */
async function isOwned(config: Config, dataDir: string, accountId: string): Promise<boolean> {
  const limits = inCamelCase(config.limits.cluster)
  for (const path of ownerSockets(dataDir, accountId)) {
    const meeting = await meet(path, hello(accountId, 0), limits)
    if (meeting.kind === 'met') meeting.wire.close()
    if (meeting.kind !== 'gone') return true
  }
  return false
}

/** Accounts that have a database in a data folder. The service has one of its own there, which is none of theirs. */
export const accountsIn = (dataDir: string): string[] =>
  existsSync(dataDir)
    ? readdirSync(dataDir).filter((name) => mayBeAccount(name) && hasAccountDatabase(dataDir, name))
    : []
