// What every thread of the service starts with. CommonJS: Node's loader of modules costs a thread some 4 ms.
'use strict'
const { existsSync } = require('node:fs')
const { join } = require('node:path')
const { fileURLToPath, pathToFileURL } = require('node:url')
const { getEnvironmentData, workerData } = require('node:worker_threads')

/** Of whose threads there is one for each account. */
const MANY = 'actors/account/account.thread.ts'
const ROOT = `${pathToFileURL(join(__dirname, '..')).href}/`

async function fromSources(entry) {
  const { keepStripped } = await import('../scripts/stripped.mjs')
  keepStripped()
  await import(entry)
}

/**
 * The bundle of an entry, where the process has a folder of bundles and the entry is in it. One that is in memory is run
 * though its file is gone, as where the program is installed anew beside a service: its sources may be of another release.
 */
function findBundle(folder, entry) {
  if (folder === undefined || !entry.startsWith(ROOT)) return undefined
  const name = entry.slice(ROOT.length).replace(/ts$/, 'js')
  const address = new URL(name, `${pathToFileURL(folder)}/`)
  const compiled = new URL(`compiled/${name}.bin`, `${pathToFileURL(folder)}/`)
  const file = fileURLToPath(address)
  const shared = getEnvironmentData('steward.shared')?.get(file)
  if (shared === undefined && !existsSync(file)) return undefined
  return { file, address: address.href, compiled: fileURLToPath(compiled), shared }
}

const bundle = findBundle(getEnvironmentData('steward.bundles'), workerData.entry)
// What either rejects with ends the thread, as an error of its own would.
if (bundle === undefined) void fromSources(workerData.entry)
else {
  const isOneOfMany = workerData.entry === `${ROOT}${MANY}`
  void require('../scripts/run-script.cjs').runScript({ ...bundle, isOneOfMany })
}
