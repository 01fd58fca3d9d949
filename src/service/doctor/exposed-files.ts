import { statSync } from 'node:fs'
import type { Config } from '../../config/schema.ts'
import { tokenFileOf } from '../../config/token-file.ts'

/** What may be read of a file or folder by others than its owner. */
interface Exposed {
  readonly path: string
  /** Of the configuration, or what it is. */
  readonly name: string
  /** To be run to mend it. */
  readonly mend: string
}

const GROUP_AND_OTHERS = 0o077

type Looked = Pick<Config, 'data_dir' | 'gateway' | 'audit'> & Partial<Pick<Config, 'cluster'>>

/**
 * Secrets that others on this computer can read. Windows keeps rights in another way and is not looked
 * at; what is not there, or may not be looked at, is told elsewhere.
 */
export function exposedFiles(
  { data_dir, gateway, audit, cluster }: Looked,
  platform: NodeJS.Platform = process.platform,
): readonly Exposed[] {
  if (platform === 'win32') return []
  const looked: readonly (readonly [name: string, path: string, mode: string])[] = [
    ['data_dir', data_dir, 'u=rwx,go='],
    ['gateway.ssl_keyfile', gateway.ssl_keyfile, 'u=rw,go='],
    ['audit.key_file', audit.key_file, 'u=rw,go='],
    ['cluster.nkey_file', cluster?.nkey_file ?? '', 'u=rw,go='],
    ['cluster.key_file', cluster?.key_file ?? '', 'u=rw,go='],
    ['the list of tokens', tokenFileOf(data_dir), 'u=rw,go='],
  ]
  return looked
    .filter(([, path]) => path !== '' && isExposed(path))
    .map(([name, path, mode]) => ({ name, path, mend: `chmod ${mode} ${path}` }))
}

/** Each one line, for the log and for `steward check`. */
export const exposedWarnings = (config: Looked): readonly string[] =>
  exposedFiles(config).map(
    ({ name, path, mend }) =>
      `${name} ${path} 可被本机其他用户读取 (can be read by others on this computer): ${mend}`,
  )

function isExposed(path: string): boolean {
  try {
    const mode = statSync(path, { throwIfNoEntry: false })?.mode ?? 0
    return (mode & GROUP_AND_OTHERS) !== 0
  } catch {
    return false
  }
}
