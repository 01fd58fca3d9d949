// Plain JavaScript for any Node from 18 on: the set-up asks here before anything else runs.
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, relative, sep } from 'node:path'
import { setEnvironmentData } from 'node:worker_threads'
import { ROOT } from './runtime.mjs'

/** The rooms whose code runs in the process and its threads. */
const ROOMS = ['src', 'actors', 'http']
/** What else decides how a bundle looks. */
const TOOLS = ['package-lock.json', 'tsconfig.json', 'scripts/build-bundles.mjs']
const DIGITS = 16
/** Under this name every thread finds the folder of the bundles; `bin/thread.mjs` reads it. */
const KEY = 'steward.bundles'

/** Below this lies one folder for each state of the sources. */
export const bundlesOf = (root) => join(root, 'node_modules', '.cache', 'steward', 'bundles')

/** The folder of the bundles made from the sources as they are now; it need not exist. */
export function describeBundles(root) {
  const digest = createHash('sha256')
  for (const file of [...TOOLS, ...sourcesOf(root)]) {
    digest.update(`${file.split(sep).join('/')}\n`).update(readFileSync(join(root, file)))
  }
  return join(bundlesOf(root), digest.digest('hex').slice(0, DIGITS))
}

/** What a process or a thread starts with, as paths from the root with forward slashes. */
export const entriesOf = (root) =>
  sourcesOf(root)
    .map((file) => file.split(sep).join('/'))
    .filter((file) => file === 'src/main.ts' || file.endsWith('.thread.ts'))

/**
 * From here on the threads of this process start from bundles, if the set-up has made them of just
 * these sources. Answers their folder. Without them everything runs as well, from the sources:
 * hundreds of modules that each thread resolves, reads and compiles, most of what its start costs.
 */
export function useBundles(root = ROOT) {
  if (!existsSync(bundlesOf(root))) return undefined
  const folder = describeBundles(root)
  if (!existsSync(folder)) return undefined
  setEnvironmentData(KEY, folder)
  return folder
}

function sourcesOf(root) {
  return ROOMS.flatMap((room) => walk(join(root, room)))
    .filter((file) => file.endsWith('.ts'))
    .map((file) => relative(root, file))
}

function walk(folder) {
  return readdirSync(folder, { withFileTypes: true })
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => {
      const path = join(folder, entry.name)
      return entry.isDirectory() ? walk(path) : [path]
    })
}
