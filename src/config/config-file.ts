import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { err, ok, type Result } from '../domain/result.ts'
import { demo } from './demo.ts'
import { readDotenv } from './environment.ts'
import { readJson } from './json-reader.ts'
import { isTree, type Tree } from './tree.ts'

export const DEFAULT_FILE = 'steward.config.json'
const FILE_BYTES_MAX = 1_048_576

/** A configuration as it was written, before any check. */
export interface ConfigFile {
  /** Absolute path; undefined for the built-in demo. */
  readonly path: string | undefined
  /** How the user named it, for messages. */
  readonly label: string
  /** Where `.env` is looked for and relative paths of the file start. */
  readonly folder: string
  readonly tree: Tree
}

/**
 * The file that was named, else `steward.config.json` in the working directory, else the demo.
 *
 * Errors  one line that says what is wrong with the file and where.
 */
export function openConfigFile(cwd: string, named: string | undefined): Result<ConfigFile, string> {
  const path = resolve(cwd, named ?? DEFAULT_FILE)
  const label = named ?? DEFAULT_FILE
  const text = readText(path)
  if (!text.ok && text.error === 'ENOENT' && named === undefined) {
    if (existsSync(path + ADDED)) return err(misnamed(label))
    return ok({ path: undefined, label: 'built-in demo', folder: cwd, tree: demo() })
  }
  if (!text.ok) return err(`${label}: ${causeOf(text.error)}`)
  const json = readJson(text.value)
  if (!json.ok) return err(`${label}:${json.error}`)
  if (!isTree(json.value))
    return err(`${label}: 须是一个用花括号括起来的对象 (must hold one object in braces)`)
  return ok({ path, label, folder: dirname(path), tree: json.value })
}

/** What an editor of Windows adds to a name, and its file manager does not show. */
const ADDED = '.txt'
const misnamed = (label: string): string =>
  `${label}${ADDED}: 文件名多了 ${ADDED}，不会被读取；请改名为 ${label} (an editor has added ${ADDED}, so it is not read: rename it to ${label})`

/** The variables of `.env` in a folder, none when there is no such file. */
export function openDotenv(folder: string): {
  readonly values: ReadonlyMap<string, string>
  readonly problem?: string
  readonly note?: string
  readonly badLines: readonly number[]
} {
  const text = readText(join(folder, '.env'))
  if (text.ok) return readDotenv(text.value)
  const none = { values: new Map<string, string>(), badLines: [] }
  if (text.error === 'ENOENT' && existsSync(join(folder, `.env${ADDED}`))) {
    return { ...none, note: misnamed('.env') }
  }
  if (text.error === 'ENOENT') return none
  return { ...none, problem: `.env: ${causeOf(text.error)}` }
}

const CAUSE: Readonly<Record<string, string>> = {
  ENOENT: '没有这个文件，请检查 --config 后面的路径 (no such file; check the path after --config)',
  EISDIR: '是文件夹，请写出其中的文件 (is a folder; name the file in it)',
  EACCES: '无法读取：没有权限 (cannot be read: permission denied)',
  EPERM: '无法读取：没有权限 (cannot be read: permission denied)',
  TOO_LARGE: `超过 ${FILE_BYTES_MAX} 字节 (is larger than ${FILE_BYTES_MAX} bytes)`,
  NOT_UTF8: '不是 UTF-8 编码，请用记事本另存为 UTF-8 编码 (is not UTF-8; save it as UTF-8)',
}

const causeOf = (code: string): string =>
  CAUSE[code] ?? `无法读取（${code}） (cannot be read (${code}))`

function readText(path: string): Result<string, string> {
  try {
    const bytes = readFileSync(path)
    if (bytes.length > FILE_BYTES_MAX) return err('TOO_LARGE')
    return ok(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  } catch (error) {
    if (
      error instanceof TypeError &&
      Reflect.get(error, 'code') === 'ERR_ENCODING_INVALID_ENCODED_DATA'
    ) {
      return err('NOT_UTF8')
    }
    const code: unknown = Reflect.get(Object(error), 'code')
    if (typeof code === 'string') return err(code)
    throw error
  }
}
