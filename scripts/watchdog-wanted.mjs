// Plain JavaScript for any Node from 18 on: asked before anything else is loaded.
import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'

const SERVING = ['up', 'gateway', 'direct']
const FILE = 'steward.config.json'

/**
 * Whether a command will run a node of a cluster, as far as its configuration file tells: such a one runs below a
 * small parent from the first. Where this does not see it (a file that cannot be read, a setting from the
 * environment), the process itself finds out and becomes the parent, a larger one.
 */
export function isWatchdogWanted(argv, { cwd, env }) {
  if (!SERVING.includes(argv[0]) || env.STEWARD_WATCHED !== undefined) return false
  try {
    return JSON.parse(readFileSync(fileOf(argv, { cwd, env }), 'utf8')).cluster !== undefined
  } catch {
    return false // `src/main.ts` says what is wrong with it
  }
}

function fileOf(argv, { cwd, env }) {
  const index = argv.findIndex((word) => /^--config(=|$)/.test(word))
  if (index < 0) return join(resolve(cwd, env.STEWARD_PLACE?.trim() ?? ''), FILE)
  const [, written = argv[index + 1] ?? ''] = argv[index].split(/=(.*)/s)
  return resolve(cwd, written)
}
