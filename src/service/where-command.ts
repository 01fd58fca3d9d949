import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { LoadedConfig } from '../config/load.ts'
import { readPlan } from './backups/plan.ts'
import { programFolder } from './program-folder.ts'

/** `steward where`: where everything of this user lies. Lines for standard output. */
export function whereabouts({ config, file }: LoadedConfig, version: string): readonly string[] {
  const { data_dir: dataDir, log } = config
  const plan = readPlan(dataDir)
  const backups = !plan.ok
    ? plan.error
    : plan.value === undefined
      ? '未设置 (none: steward backup --schedule 15:40 --to D)'
      : `${plan.value.to}  每日 ${plan.value.at}，保留 ${plan.value.keep} 份`
  return [
    `程序 (program)          ${programFolder()}  ${version}`,
    `配置 (configuration)    ${file ?? '内置演示 (the built-in demo; steward init makes one)'}`,
    `数据 (data)             ${dataDir}${existsSync(dataDir) ? '' : '  尚未建立 (not there yet)'}`,
    `日志 (logs)             ${log.folder === '' ? '-' : join(dataDir, log.folder)}`,
    `定时备份 (backups)      ${backups}`,
  ]
}
