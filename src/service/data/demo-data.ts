import { existsSync } from 'node:fs'
import type { LoadedConfig } from '../../config/load.ts'
import { maskAccount } from '../../domain/mask.ts'
import { booksFolder } from './soundness.ts'
import { accountsIn } from './stopped.ts'

/**
 * Why the demo must not run on a data folder: an account at a trading client was run there. Whoever finds the
 * configuration gone (another working directory, a disk that is not there, a file that was renamed) would see a
 * service in good health, and nobody would watch that account. An account of the embedded client has its books
 * beside it. One line; undefined: it may.
 */
export function refusalOfDemo({
  file,
  config: { data_dir: dataDir, accounts },
}: Pick<LoadedConfig, 'file' | 'config'>): string | undefined {
  if (file !== undefined) return undefined
  const own = new Set(accounts.map(({ account_id: id }) => id))
  const real = accountsIn(dataDir)
    .filter((id) => !own.has(id) && !existsSync(booksFolder(dataDir, id)))
    .map(maskAccount)
  if (real.length === 0) return undefined
  const ids = real.join(', ')
  return `没有 steward.config.json，而数据目录 ${dataDir} 里有真实账户 ${ids} 的数据，因此不运行演示：请把配置文件放回原处，或用 --config 指明 (no steward.config.json here, and data_dir ${dataDir} holds data of ${ids} at a trading client: put the file back or name it with --config; the demo needs another --data-dir)`
}
