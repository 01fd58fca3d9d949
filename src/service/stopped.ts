import { existsSync, readdirSync } from 'node:fs'
import { hello, meet } from '../cluster/handshake.ts'
import { acquireRole, NODE_LOCK, type RoleLock } from '../cluster/role-lock.ts'
import { ownerSockets } from '../cluster/socket-path.ts'
import type { Config } from '../config/schema.ts'
import { err, ok, type Result } from '../domain/result.ts'
import { hasAccountDatabase } from '../storage/account-reader.ts'
import { inCamelCase } from './limits.ts'

type Held = Extract<RoleLock, { kind: 'held' }>

/**
 * Whoever serves an account, runs it for a gateway or is a node of a cluster listens; while these are held nobody
 * starts to.
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
  const node = await acquireRole(dataDir, NODE_LOCK.folder, NODE_LOCK.role)
  if (node.kind === 'taken') return err(RUNNING)
  const held: Held[] = [node]
  for (const accountId of new Set([...accountsIn(dataDir), ...also])) {
    const lock = await acquireRole(dataDir, accountId, 'direct')
    if (lock.kind === 'held') held.push(lock)
    if (lock.kind === 'held' && !(await isOwned(config, dataDir, accountId))) continue
    await Promise.all(held.map((one) => one.release()))
    return err(
      `账户 ${accountId} 正在运行，请先停止服务 (a process runs it; stop the service first)`,
    )
  }
  return ok(held)
}

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

/** Accounts that have a database in a data folder. */
export const accountsIn = (dataDir: string): string[] =>
  existsSync(dataDir)
    ? readdirSync(dataDir).filter((name) => hasAccountDatabase(dataDir, name))
    : []
