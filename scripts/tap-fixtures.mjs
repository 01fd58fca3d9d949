// The folders that tests make for a while (`t.testdir`), and what is left of them. Plain JavaScript; used by
// tap-file.mjs and tap-together.mjs.
import { createHash } from 'node:crypto'
import { readdirSync, realpathSync, rmSync } from 'node:fs'
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

/** A service that is killed leaves its sockets elsewhere when its folder has a long path (src/cluster/socket-path.ts). */
function removeWithSockets(folder) {
  try {
    for (const one of readdirSync(folder, { recursive: true, withFileTypes: true })) {
      if (!one.isDirectory()) continue
      const real = realpathSync(join(one.parentPath, one.name))
      const hash = createHash('sha256').update(real).digest('hex').slice(0, 16)
      remove(join('/tmp', `steward-${hash}`))
    }
  } finally {
    remove(folder)
  }
}

const remove = (path) =>
  rmSync(path, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 })
