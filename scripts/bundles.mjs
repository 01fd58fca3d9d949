// Plain JavaScript for any Node from 18 on: the set-up asks here before anything else runs.
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { isMainThread, setEnvironmentData } from 'node:worker_threads'
import { BUNDLES, isDistribution } from './distribution.mjs'
import { shareBundle } from './run-script.cjs'
import { ROOT } from './runtime.mjs'

/** The rooms whose code runs in the process and its threads. */
const ROOMS = ['src', 'actors', 'http']
/** The service, and the parent of a node. */
const PROCESSES = ['src/main.ts', 'src/watch.ts']
/** What else decides how a bundle looks. */
const TOOLS = ['package-lock.json', 'tsconfig.json', 'scripts/build-bundles.mjs']
const DIGITS = 16
/** Packages that are loaded from their own folders: they find files of their own beside themselves. */
export const LEFT_OUT = ['lmdb', 'uWebSockets.js', 'piscina', 'swagger-ui-dist']
/** Under this name every thread finds the folder of the bundles; `bin/thread.cjs` reads it. */
const KEY = 'steward.bundles'
/** Under this one bundles that are in memory already, by their files. */
const SHARED_KEY = 'steward.shared'
/** Of the threads there is one for each account. */
const MANY = 'actors/account/account.thread.js'

/** Below this lies one folder for each state of the sources. */
export const bundlesOf = (root) => join(root, 'node_modules', '.cache', 'steward', 'bundles')

/** The folder of the bundles made from the sources as they are now; it need not exist. */
export const describeBundles = (root) =>
  join(bundlesOf(root), digestOf(root, [...TOOLS, ...sourcesOf(root)]).slice(0, DIGITS))

/** What a process or a thread starts with, as paths from the root. */
export const entriesOf = (root) =>
  sourcesOf(root).filter((file) => PROCESSES.includes(file) || file.endsWith('.thread.ts'))

/** A digest of the names and the contents of files. */
export function digestOf(root, files) {
  const digest = createHash('sha256')
  for (const file of files) digest.update(`${file}\n`).update(readFileSync(join(root, file)))
  return digest.digest('hex')
}

/** The files of a room, but what a build has left there: paths from the root with forward slashes. */
export function filesBelow(root, room) {
  return readdirSync(join(root, room), { withFileTypes: true })
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => {
      const path = `${room}/${entry.name}`
      if (!entry.isDirectory()) return [path]
      return /^dist(\.|$)/.test(entry.name) ? [] : filesBelow(root, path)
    })
}

const sourcesOf = (root) =>
  ROOMS.flatMap((room) => filesBelow(root, room)).filter((file) => file.endsWith('.ts'))

/**
 * From here on the threads of this process start from bundles, if the set-up has made them of just
 * these sources. Answers their folder. Without them everything runs as well, from the sources:
 * hundreds of modules that each thread resolves, reads and compiles, most of what its start costs.
 */
export function useBundles(root = ROOT) {
  const folder = findBundles(root)
  if (folder === undefined) return undefined
  setEnvironmentData(KEY, folder)
  if (isMainThread) share(folder)
  return folder
}

function share(folder) {
  const file = join(folder, MANY)
  if (!existsSync(file)) return
  const bundle = shareBundle({ file, compiled: join(folder, 'compiled', `${MANY}.bin`) })
  setEnvironmentData(SHARED_KEY, new Map([[file, bundle]]))
}

/** A distribution has no sources to compare with. */
function findBundles(root) {
  if (isDistribution(root)) return join(root, BUNDLES)
  if (!existsSync(bundlesOf(root))) return undefined
  const folder = describeBundles(root)
  return existsSync(folder) ? folder : undefined
}
