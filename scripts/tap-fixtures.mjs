// The folders that tests make for a while (`t.testdir`), and what is left of them. Plain JavaScript; used by
// tap-file.mjs and tap-together.mjs.
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, realpathSync, rmSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'

/** From the root of the project; as tap has it. */
const PLACE = join('.tap', 'fixtures')

/** How the folders of a file begin, whether it runs alone or with others: as tap names those of a file that runs alone. */
const nameOf = (root, file) => relative(root, resolve(root, file)).replace(/[^a-zA-Z0-9._-]+/g, '-')

/** Where the folders of one file of several lie. */
export const fixturesOf = (root, file) => join(root, PLACE, nameOf(root, file))

/**
 * tap removes the folders of a test before its teardowns, which close what lies in them: Windows removes nothing
 * that is open, and elsewhere a service finds itself without its files. So they are kept until the process is gone.
 */
export function removeFixtures(root, files) {
  const place = join(root, PLACE)
  const names = files.map((file) => nameOf(root, file))
  try {
    for (const name of readdirSync(place)) {
      if (names.some((own) => name.startsWith(own))) removeWithSockets(join(place, name))
    }
  } catch {
    // None was made, or a process that outlived the test holds one: it is emptied when it is made again.
  }
}

/** The same for what was made for a while. */
export function removeAll(folder) {
  try {
    removeWithSockets(folder)
  } catch {
    // as above
  }
}

/** Where sockets lie that would have too long a path in their own folder (src/cluster/socket-path.ts). */
const SOCKETS = '/tmp'
const SOCKET_FOLDER = /^steward-[0-9a-f]{16}$/

/** A service that is killed leaves its sockets there. */
function removeWithSockets(folder) {
  try {
    const names = existsSync(SOCKETS) ? readdirSync(SOCKETS) : []
    const left = new Set(names.filter((name) => SOCKET_FOLDER.test(name)))
    for (const path of foldersIn(realpathSync(folder))) {
      const name = `steward-${createHash('sha256').update(path).digest('hex').slice(0, 16)}`
      if (left.has(name)) remove(join(SOCKETS, name))
    }
  } finally {
    remove(folder)
  }
}

/** No link is followed (Node's own walk follows them, into all packages of the project), so the paths are real ones. */
function foldersIn(folder) {
  const found = []
  const open = [folder]
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    for (const one of readdirSync(at, { withFileTypes: true })) {
      if (one.isDirectory()) open.push(join(at, one.name))
    }
    found.push(at)
  }
  return found
}

const remove = (path) =>
  rmSync(path, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 })
