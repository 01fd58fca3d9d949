import { readFileSync, realpathSync, statSync } from 'node:fs'
import { basename, dirname, isAbsolute, join, relative } from 'node:path'
import type { Config } from '../../config/schema.ts'
import { err, ok, type Result } from '../../domain/result.ts'
import { type HeadKey, parseSigningKey } from '../../storage/published-head.ts'

const SECRET_FILE_MODE = 0o077

/**
 * What the section `audit` names, as far as it can be used: both files lie outside the data folder,
 * and nobody else reads the key. The error is one line for the operator.
 */
export function openHeadKey({
  data_dir: dataDir,
  audit,
}: Pick<Config, 'data_dir' | 'audit'>): Result<HeadKey | undefined, string> {
  const { head_file: headFile, key_file: keyFile } = audit
  if (headFile !== '' && isInside(dataDir, headFile)) {
    return err(
      `audit.head_file ${headFile} lies in data_dir: whoever can rewrite the journals could rewrite it too; name a file elsewhere`,
    )
  }
  if (keyFile === '') return ok(undefined)
  if (isInside(dataDir, keyFile)) {
    return err(
      `audit.key_file ${keyFile} lies in data_dir: whoever can rewrite the journals could sign them too; move it elsewhere`,
    )
  }
  return readKey(keyFile)
}

function readKey(file: string): Result<HeadKey, string> {
  let pem: string
  try {
    if (process.platform !== 'win32' && (statSync(file).mode & SECRET_FILE_MODE) !== 0) {
      return err(`audit.key_file ${file} can be read by others; chmod 600 it`)
    }
    pem = readFileSync(file, 'utf8')
  } catch (error) {
    return err(`audit.key_file ${file} cannot be read (${Reflect.get(Object(error), 'code')})`)
  }
  const key = parseSigningKey(pem)
  return key.ok ? key : err(`audit.key_file ${file}: ${key.error}; "steward key" makes one`)
}

/** By its name, or by where its name leads. */
const isInside = (folder: string, file: string): boolean =>
  isBelow(folder, file) || isBelow(realPath(folder), realPath(file))

function isBelow(folder: string, file: string): boolean {
  const way = relative(folder, file)
  return !isAbsolute(way) && way.split(/[\\/]/)[0] !== '..'
}

/** Of a file that is not there yet, its folder counts. */
function realPath(path: string): string {
  try {
    return realpathSync.native(path)
  } catch {
    const folder = dirname(path)
    return folder === path ? path : join(realPath(folder), basename(path))
  }
}
