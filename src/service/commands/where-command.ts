import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { LoadedConfig } from '../../config/load.ts'
import { type BackupPlan, beforeUpdateIn, readPlan } from '../backups/plan.ts'
import { programFolder } from '../process/program-folder.ts'

/**
 * `steward where`: where everything of this user lies. Lines for standard output. `place`: what an unpacked archive
 * keeps for this user; undefined: a clone.
 */
export function whereabouts(
  { config, file }: LoadedConfig,
  version: string,
  place = process.env['STEWARD_PLACE']?.trim(),
): readonly string[] {
  const { data_dir: dataDir, log } = config
  const plan = readPlan(dataDir)
  const backups = !plan.ok
    ? plan.error
    : plan.value === undefined
      ? '未设置 (none: steward backup --schedule 15:40 --to D)'
      : `${plan.value.to}  ${planText(plan.value)}`
  const copies = beforeUpdateIn(dataDir)
  const errors = place ? join(place, 'errors.log') : ''
  return [
    `程序 (program)          ${programFolder()}  ${version}`,
    `配置 (configuration)    ${file ?? '内置演示 (the built-in demo; steward init makes one)'}`,
    `数据 (data)             ${dataDir}${existsSync(dataDir) ? '' : '  尚未建立 (not there yet)'}`,
    `日志 (logs)             ${log.folder === '' ? '-' : join(dataDir, log.folder)}`,
    `定时备份 (backups)      ${backups}`,
    ...(existsSync(copies) ? [`更新前备份 (updates)     ${copies}`] : []),
    ...(existsSync(errors) ? [`启动错误 (start errors)  ${errors}`] : []),
  ]
}

const planText = ({ at, keep }: BackupPlan): string =>
  `每日 ${at}，保留 ${keep} 份 (every day at ${at}; ${keep} are kept)`
