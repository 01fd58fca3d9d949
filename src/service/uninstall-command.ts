import { existsSync, realpathSync, rmSync } from 'node:fs'
import { homedir } from 'node:os'
import { relative, sep } from 'node:path'
import type { LoadedConfig } from '../config/load.ts'
import { err, ok, type Result } from '../domain/result.ts'
import { ownDistribution, programFolder, ran } from './program-folder.ts'
import { accountsIn, lockStopped } from './stopped.ts'

/** What has to be typed for data to be removed. */
const WORD = 'DELETE'

export interface UninstallCommand {
  readonly loaded: LoadedConfig
  readonly isDataRemoved: boolean
  /** As it was typed. */
  readonly confirm: string | undefined
  readonly write: (line: string) => void
}

/**
 * `steward uninstall`: ends the automatic start and says what is left to be removed by hand, because a program
 * cannot remove the folder it runs from. Data and configuration stay, unless both a flag and a word say otherwise.
 *
 * Errors  one line; nothing was removed then.
 */
export async function uninstall(command: UninstallCommand): Promise<Result<null, string>> {
  const { loaded, isDataRemoved, confirm, write } = command
  const { config, file } = loaded
  const dataDir = config.data_dir
  if (isDataRemoved && confirm !== WORD) {
    return err(
      `将删除 ${dataDir} 中的全部账本与日志，无法恢复；确认请加 --confirm ${WORD} (all books and logs are lost; add --confirm ${WORD})`,
    )
  }
  const foreign = isDataRemoved ? foreignReason(dataDir) : undefined
  if (foreign !== undefined) return err(`${dataDir} ${foreign}`)
  const locks = await lockStopped(config, dataDir)
  if (!locks.ok) return locks
  await Promise.all(locks.value.map((lock) => lock.release()))
  await endAutostart(write)
  if (isDataRemoved) rmSync(dataDir, { recursive: true, force: true })
  write(
    isDataRemoved
      ? `已删除数据 (data removed): ${dataDir}`
      : `数据保留 (data stays): ${existsSync(dataDir) ? dataDir : '-'}`,
  )
  write(`配置保留 (configuration stays): ${file ?? '-'}`)
  write(`请自行删除程序目录 (remove the folder of the program by hand): ${programFolder()}`)
  return ok(null)
}

/** Why a folder is not removed, whatever was typed; undefined: it is one of data and of nothing else. */
function foreignReason(dataDir: string): string | undefined {
  if (!existsSync(dataDir)) return undefined
  const folder = realpathSync(dataDir)
  const holds = (inner: string) =>
    existsSync(inner) && !relative(folder, realpathSync(inner)).split(sep).includes('..')
  if ([homedir(), process.cwd(), programFolder()].some(holds)) {
    return '还包含其他内容，不会删除 (holds more than data, and is not removed)'
  }
  return accountsIn(folder).length > 0
    ? undefined
    : '不像数据目录，不会删除 (does not look like a data folder, and is not removed)'
}

async function endAutostart(write: UninstallCommand['write']): Promise<void> {
  const own = ownDistribution()
  if (own === undefined || process.platform !== 'win32') return
  const done = await ran(own.folder, ['scripts', 'autostart.mjs'], ['remove'])
  write(
    done === undefined
      ? '未能取消自动启动：请运行 remove-autostart.cmd (the automatic start could not be removed: run it by hand)'
      : '已取消自动启动 (no longer started at log-on)',
  )
}
