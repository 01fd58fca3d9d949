// How the set-up runs a build. Plain JavaScript for any Node from 18 on, without a dependency.
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { getNode } from './runtime.mjs'

const LOG_LINES_MAX = 30

/**
 * Runs a script of this folder on the pinned Node; `share` learns its process id. Throws an Error whose
 * message says what was to be built and ends with what the script printed last.
 */
export function runBuild(root, { what, script }, { argument, share }) {
  process.stdout.write(`steward: building ${what} ...\n`)
  return new Promise((done, fail) => {
    const child = spawn(getNode(root), [join(root, 'scripts', script), argument], {
      cwd: root,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, NODE_ENV: 'production' },
    })
    if (child.pid !== undefined) share(child.pid)
    let log = ''
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text) => {
        log += text
      })
    }
    child.on('error', fail)
    child.on('close', (code) => {
      if (code === 0) done()
      else fail(new Error(describeFailure(what, log)))
    })
  })
}

function describeFailure(what, log) {
  const tail = log.trimEnd().split('\n').slice(-LOG_LINES_MAX)
  const lines = tail.map((line) => `  ${line}`)
  return [`steward: cannot build ${what}: see below`, ...lines].join('\n')
}
