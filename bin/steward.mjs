#!/usr/bin/env node
// Plain JavaScript for any Node from 18 on. On another Node than 22 it starts the pinned one.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { canServe, failWith, getNode, obeyLauncher, ROOT, runOn } from '../scripts/runtime.mjs'

async function startElsewhere() {
  try {
    const self = fileURLToPath(import.meta.url)
    process.exitCode = await runOn(getNode(), self, process.argv.slice(2))
  } catch (error) {
    failWith(error, 2)
  }
}

if (!existsSync(join(ROOT, 'node_modules'))) {
  failWith(new Error('steward: nothing is installed yet: run npm start or npm run setup first'), 2)
} else if (canServe(process.version)) {
  obeyLauncher()
  // Not before: an older Node lacks what it is made of.
  const { keepStripped } = await import('../scripts/stripped.mjs')
  keepStripped()
  await import('../src/main.ts')
} else {
  await startElsewhere()
}
