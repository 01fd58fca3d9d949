import { existsSync } from 'node:fs'
import { join } from 'node:path'

/** Where a configuration file and a start put the data. */
export interface DataPlaces {
  /** As it is written; relative. */
  readonly written: string
  /** Where that leads to from where Steward is started, or from the place of its user. */
  readonly dataDir: string
  /** Where it would lead to from the folder of the configuration file. */
  readonly besideFile: string
  readonly accountIds: readonly string[]
}

/**
 * Why a relative `data_dir` of a file cannot be meant: an account of it has lived in the folder beside the file, and not
 * in the one that counts here. There it would begin anew, without its grids, its highs and its orders, and beside whoever
 * runs it on the data of before. One line; undefined: nothing speaks against it.
 */
export function otherData({
  written,
  dataDir,
  besideFile,
  accountIds,
}: DataPlaces): string | undefined {
  if (dataDir === besideFile) return undefined
  const isLeft = (id: string) => existsSync(join(besideFile, id)) && !existsSync(join(dataDir, id))
  const left = accountIds.filter(isLeft)
  if (left.length === 0) return undefined
  return `data_dir: “${written}” 从启动时所在目录算起，即 ${dataDir}，其中没有账户 ${left.join('、')} 的数据，而 ${besideFile} 中有；请在配置文件所在目录启动，或在 data_dir 写完整路径 (counts from where Steward is started; there is nothing of these accounts in that folder, and there is in the other one: start it in the folder of the configuration, or write the whole path in data_dir)`
}
