// The second part of the set-up: builds the pages of web/ when their sources or tools have changed.
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, relative, sep } from 'node:path'
import { runBuild } from './setup-build.mjs'
import { withSetupLock } from './setup-lock.mjs'

/** Lies in web/dist and says what it was built from. */
export const PAGES_STAMP = '.built-from'
const TOOLS = ['package.json', 'package-lock.json', 'scripts/build-web.mjs']

const PAGES = { what: 'the pages', script: 'build-web.mjs' }

/** Brings web/dist to what its sources say. Throws an Error whose message says what to do. */
export async function setUpPages(root, lockPath) {
  if (!existsSync(join(root, 'web', 'console'))) return
  const wanted = describeSources(root)
  if (readStamp(root) === wanted) return
  await withSetupLock(lockPath, async (share) => {
    if (readStamp(root) !== wanted) await runBuild(root, PAGES, { argument: wanted, share })
  })
}

function describeSources(root) {
  const digest = createHash('sha256')
  const files = [...TOOLS, ...walk(join(root, 'web')).map((file) => relative(root, file))]
  for (const file of files) {
    digest.update(`${file.split(sep).join('/')}\n`).update(readFileSync(join(root, file)))
  }
  return digest.digest('hex')
}

function walk(folder) {
  return readdirSync(folder, { withFileTypes: true })
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => {
      if (/^dist(\.|$)/.test(entry.name)) return []
      const path = join(folder, entry.name)
      return entry.isDirectory() ? walk(path) : [path]
    })
}

function readStamp(root) {
  const path = join(root, 'web', 'dist', PAGES_STAMP)
  return existsSync(path) ? readFileSync(path, 'utf8') : undefined
}
