#!/usr/bin/env node
// Plain JavaScript for any Node from 18 on. On another Node than 22 it starts the pinned one.
import { existsSync } from 'node:fs'
import * as module from 'node:module'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { isDistribution, setPlace } from '../scripts/distribution.mjs'
import { canServe, failWith, getNode, obeyLauncher, ROOT, runOn } from '../scripts/runtime.mjs'
import { isWatchdogWanted } from '../scripts/watchdog-wanted.mjs'

async function startElsewhere() {
  try {
    const self = fileURLToPath(import.meta.url)
    process.exitCode = await runOn(getNode(), self, process.argv.slice(2))
  } catch (error) {
    failWith(error, 2)
  }
}

/** Asked before any of them is loaded. */
async function areBinariesOurs() {
  try {
    const { checkBinaries } = await import('../scripts/binaries.mjs')
    checkBinaries(ROOT)
    return true
  } catch (error) {
    failWith(error, 2)
    return false
  }
}

/** From one file where the set-up has made it, else from the sources. `entry`: `main` or `watch`. */
async function runEntry(entry) {
  const { useBundles } = await import('../scripts/bundles.mjs')
  const bundles = useBundles()
  if (bundles !== undefined) {
    const compiled = join(bundles, 'compiled')
    module.enableCompileCache(compiled) // for what is loaded besides, from its own folders
    const file = join(bundles, 'src', `${entry}.js`)
    const { runScript } = await import('../scripts/run-script.cjs')
    const address = pathToFileURL(file).href
    await runScript({ file, address, compiled: join(compiled, 'src', `${entry}.js.bin`) })
    return
  }
  // Not before: an older Node lacks what it is made of.
  const { keepStripped } = await import('../scripts/stripped.mjs')
  keepStripped()
  await import(`../src/${entry}.ts`)
}

if (!existsSync(join(ROOT, 'node_modules'))) {
  const line =
    'steward: 尚未安装：请先执行 npm start 或 npm run setup (nothing is installed yet: run npm start or npm run setup first)'
  failWith(new Error(line), 2)
} else if (canServe(process.version)) {
  obeyLauncher()
  if (isDistribution(ROOT)) setPlace()
  const isWatchdog = isWatchdogWanted(process.argv.slice(2), {
    cwd: process.cwd(),
    env: process.env,
  })
  if (isWatchdog) await runEntry('watch')
  else if (await areBinariesOurs()) await runEntry('main')
} else {
  await startElsewhere()
}
