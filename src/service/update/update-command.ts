import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { isHeld, renameHeld } from '../../config/rename.ts'
import type { Config } from '../../config/schema.ts'
import { err, ok, type Result } from '../../domain/result.ts'
import { flush, flushTree } from '../../storage/flushed.ts'
import { backUpAll } from '../backups/backup-command.ts'
import { beforeUpdateIn, copyName } from '../backups/plan.ts'
import { lockStopped } from '../data/stopped.ts'
import { type Distribution, distributionIn, ran } from '../process/program-folder.ts'
import { backupLimits } from '../settings/limits.ts'
import { isNewer, sumIn } from './version.ts'
import { unzip } from './zip.ts'

const SUMS = 'SHA256SUMS'
const STAGING = '.steward-update'
const UNPACK_MS_MAX = 300_000
/** A scanner reads what was unpacked a moment ago, and Windows removes nothing that is open. */
const REMOVE = { recursive: true, force: true, maxRetries: 10, retryDelay: 100 } as const

export interface UpdateCommand {
  readonly config: Config
  /** The one that runs. */
  readonly own: Distribution
  /** Archive or unpacked folder of the next one. */
  readonly from: string
  readonly nowMs: number
  /** Takes each finished line. */
  readonly write: (line: string) => void
  /** Another disk than the real one, for tests. */
  readonly flush?: (path: string) => void
}

/** Why nothing was changed. */
export interface UpdateRefusal {
  readonly isWrong: boolean
  readonly text: string
}
const wrong = (text: string) => err<UpdateRefusal>({ isWrong: true, text })
const failed = (text: string) => err<UpdateRefusal>({ isWrong: false, text })
type Step<T> = Promise<Result<T, UpdateRefusal>>

/**
 * `steward update`: puts the next version beside the present one, which stays as the way back. Archive and program
 * are checked first, the databases are copied, and only then anything is changed: the new folder gets its name, and
 * the automatic start is pointed to it. Nothing is fetched from anywhere, and no data is touched.
 */
export async function update(command: UpdateCommand): Step<null> {
  const { config, own } = command
  const from = resolve(command.from)
  if (!existsSync(from)) return wrong(`${from} 不存在 (there is no such file)`)
  const locks = await lockStopped(config, config.data_dir)
  if (!locks.ok) return wrong(locks.error)
  const staging = join(dirname(own.folder), STAGING)
  try {
    const next = await unpackedFrom(from, staging)
    if (!next.ok) return next
    const refusal = await mismatch(next.value, own)
    if (refusal !== undefined) return wrong(refusal)
    return await settle(command, { next: next.value, staging })
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error)
    return failed(`更新失败，现有版本未改动 (nothing was changed): ${text}`)
  } finally {
    clear(staging, command.write)
    await Promise.all(locks.value.map((lock) => lock.release()))
  }
}

/** What stays of it is in nobody's way: it changes nothing of what was done, or of why it was not. */
function clear(staging: string, write: UpdateCommand['write']): void {
  try {
    rmSync(staging, REMOVE)
  } catch (error) {
    const code = Reflect.get(Object(error), 'code')
    write(`${staging} 未能删除，请稍后自行删除 (not removed: remove it by hand later): ${code}`)
  }
}

/** Nothing has been changed up to here. */
async function settle(
  command: UpdateCommand,
  { next, staging }: { readonly next: Distribution; readonly staging: string },
): Step<null> {
  const { own, write, flush: flushOne = flush } = command
  const isUnpacked = dirname(next.folder) !== staging
  // Where a person has put it, else beside the present one.
  const folder = isUnpacked ? next.folder : join(dirname(own.folder), basename(next.folder))
  if (!isUnpacked && existsSync(folder)) {
    return wrong(`${folder} 已存在，请先改名或删除 (it is there already)`)
  }
  const kept = await copied(command)
  if (!kept.ok) return kept
  if (!isUnpacked) putInPlace(next.folder, folder, flushOne)
  const isRepointed = await repoint(own.folder, folder, write)
  tell(command, { version: next.version, folder, copy: kept.value, isRepointed })
  return ok(null)
}

/** After a power cut, an empty file under this name would be what starts at the next log-on. */
function putInPlace(unpacked: string, folder: string, flushOne: (path: string) => void): void {
  flushTree(unpacked, (path) => {
    try {
      flushOne(path)
    } catch (error) {
      if (!isHeld(error)) throw error // what a scanner holds is on disk a little later
    }
  })
  renameHeld(unpacked, folder)
  flushOne(dirname(folder))
}

async function unpackedFrom(from: string, staging: string): Step<Distribution> {
  const isArchive = /\.(zip|tar\.gz|tgz)$/i.test(from)
  if (isArchive) {
    const problem = sumProblem(from)
    if (problem !== undefined) return wrong(problem)
    rmSync(staging, REMOVE) // of one that was ended here
    mkdirSync(staging)
    await unpack(from, staging)
  }
  const tops = isArchive ? readdirSync(staging).map((name) => join(staging, name)) : [from]
  const next = tops.length === 1 ? distributionIn(tops[0] ?? '') : undefined
  if (next !== undefined) return ok(next)
  return wrong(
    `${from} 不是 Steward 的发布包或其解压目录 (no archive of Steward, nor a folder unpacked from one)`,
  )
}

/** An archive is only taken with the list of sums that was published beside it. */
function sumProblem(archive: string): string | undefined {
  const list = join(dirname(archive), SUMS)
  const name = basename(archive)
  if (!existsSync(list)) {
    return `${list} 不存在：请把同时发布的 ${SUMS} 放在压缩包旁边 (put the ${SUMS} that was published with it beside the archive)`
  }
  const wanted = sumIn(readFileSync(list, 'utf8'), name)
  if (wanted === undefined) return `${SUMS} 中没有 ${name} (it is not listed there)`
  const found = createHash('sha256').update(readFileSync(archive)).digest('hex')
  return found === wanted
    ? undefined
    : `${name} 与 ${SUMS} 不符，请重新下载 (its SHA-256 is another one: download it again)`
}

async function unpack(archive: string, folder: string): Promise<void> {
  if (/\.zip$/i.test(archive)) return unzip(readFileSync(archive), folder)
  const options = { timeout: UNPACK_MS_MAX, windowsHide: true }
  await promisify(execFile)('tar', ['-xzf', archive, '-C', folder], options)
}

/** Why the next one cannot take the place of this one; undefined: it can. */
async function mismatch(next: Distribution, own: Distribution): Promise<string | undefined> {
  if (next.platform !== own.platform) {
    return `这是 ${next.platform} 的版本，本机为 ${own.platform} (it is for another platform)`
  }
  const isLater = isNewer(next.version, own.version)
  if (isLater !== true) {
    return `${next.version} 并不比现在的 ${own.version} 新；要回到旧版请直接启动旧目录 (not newer than this one; to go back start the former folder)`
  }
  const said = await ran(next.folder, ['bin', 'steward.mjs'], ['--version'])
  return said === next.version
    ? undefined
    : `新版本 ${next.version} 在本机无法启动 (the new one does not start here)`
}

/** The databases as they are now, for the way back; undefined: there are none yet. */
async function copied({ config, nowMs, write }: UpdateCommand): Step<string | undefined> {
  const { data_dir: dataDir } = config
  if (!existsSync(dataDir)) return ok(undefined)
  const target = join(beforeUpdateIn(dataDir), copyName(nowMs))
  const limits = backupLimits(config.limits)
  const done = await backUpAll({ dataDir, target, limits, write: () => undefined })
  if (!done.ok && done.error.isEmpty) return ok(undefined)
  if (!done.ok) return failed(`备份失败，未更新 (no backup, no update): ${done.error.text}`)
  write(`已备份 (backed up): ${target}`)
  return ok(target)
}

const AUTOSTART = ['scripts', 'autostart.mjs'] as const

/** What starts at log-on starts the new one from now on; whether there is such a thing, and it does. */
async function repoint(own: string, next: string, write: UpdateCommand['write']): Promise<boolean> {
  if (process.platform !== 'win32') return false
  const status = await ran(own, AUTOSTART, ['status'])
  if (status !== 'task' && status !== 'startup') return false
  const done = await ran(next, AUTOSTART, ['install'])
  write(
    done === undefined
      ? `自动启动未能改到新版本：请运行 ${join(next, 'install-autostart.cmd')} (run it by hand)`
      : '自动启动已改到新版本 (the automatic start is the new one now)',
  )
  return done !== undefined
}

interface Updated {
  readonly version: string
  readonly folder: string
  readonly copy: string | undefined
  /** What starts at log-on is the new one. */
  readonly isRepointed: boolean
}

function tell({ own, write }: UpdateCommand, done: Updated): void {
  const start = process.platform === 'win32' ? 'steward.cmd' : 'steward'
  write(`新版本 (the new version) ${done.version}: ${join(done.folder, start)}`)
  write(`旧版本保留 (the former one stays) ${own.version}: ${own.folder}`)
  write(
    '数据和配置未动；新版本首次启动时可能升级数据库 (data is untouched; the first start of the new one may change databases)',
  )
  if (done.copy !== undefined) {
    write(
      `退回：停止服务，用旧目录执行 steward restore "${done.copy}"，再启动旧版本 (the way back: stop the service, run that with the former folder, and start the former version)`,
    )
  }
  if (done.isRepointed) {
    write(
      `退回时还要双击 ${join(own.folder, 'install-autostart.cmd')}，否则下次登录又启动新版本 (and run this then, or the next log-on starts the new version again)`,
    )
  }
}
