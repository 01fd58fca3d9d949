import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { LONG_TESTS } from './long-tests.mjs'
import { ROOT } from './runtime.mjs'

/**
 * Folders of tests that need no process each: pure code, tables and properties. Their files run in one process a
 * folder (`tap-together.mjs`), so they must change nothing in it; `test/architecture/tidy.test.ts` holds them to that.
 */
export const TOGETHER = ['test/account', 'test/domain', 'test/strategy', 'test/web']

/**
 * Folders whose files start services, threads and files and close all of it again: they share a process too, one file
 * after the other, but few of them, so that one that hangs or ends the process takes few with it, and three lists at a
 * time come to an end at about the same time.
 */
const IN_TURNS = [
  'test/actors',
  'test/cluster',
  'test/config',
  'test/drivers',
  'test/http',
  'test/market',
  'test/observability',
  'test/runtime',
  'test/service',
  'test/storage',
]
const IN_TURN_MAX = 10

/** What the files behind it in the same process would see, were it not put back, or as long as it is not. */
const PROCESS_WIDE = [
  /\bprocess\.(chdir|exit|umask|on|once|env)\b/,
  /\b(globalThis|setFlagsFromString|syncBuiltinESMExports|defineProperty)\b/,
  /\b(fs|process|Math|Date|performance|\w+\.prototype)(\.\w+)+ = /,
]

const isIn = (file, folder) => file.startsWith(`${folder}/`)

/** Whether a file runs no service. */
export const isPure = (file) => TOGETHER.some((folder) => isIn(file, folder))

/** A file that changes its process has one of its own, whatever its folder, and so has one that takes minutes. */
function isAlone(root, file) {
  const path = join(root, file)
  if (LONG_TESTS.includes(file) || !existsSync(path)) return true
  const text = readFileSync(path, 'utf8')
  return PROCESS_WIDE.some((pattern) => pattern.test(text))
}

/** The folder whose files this one shares a process with, and how many may at most. */
function roomOf(root, file) {
  const pure = TOGETHER.find((folder) => isIn(file, folder))
  if (pure !== undefined) return { folder: pure, max: Number.POSITIVE_INFINITY }
  const folder = IN_TURNS.find((folder) => isIn(file, folder))
  return folder === undefined || isAlone(root, file) ? undefined : { folder, max: IN_TURN_MAX }
}

/** The files in the order given, those that share a process in one list, each other in a list of its own. */
export function groupsOf(files, root = ROOT) {
  const groups = []
  const open = new Map()
  for (const file of files) {
    const room = roomOf(root, file)
    const group = room && open.get(room.folder)
    if (group !== undefined && group.length < room.max) {
      group.push(file)
      continue
    }
    const begun = [file]
    groups.push(begun)
    if (room !== undefined) open.set(room.folder, begun)
  }
  return groups
}
