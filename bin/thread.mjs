// What every thread of the service starts with.
import { existsSync } from 'node:fs'
import * as module from 'node:module'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { getEnvironmentData, workerData } from 'node:worker_threads'

/** After this a thread has run what a start runs. */
const COMPILED_AFTER_MS = 2_000
const ROOT = new URL('..', import.meta.url).href

const bundle = findBundle(getEnvironmentData('steward.bundles'), workerData.entry)
if (bundle === undefined) {
  const { keepStripped } = await import('../scripts/stripped.mjs')
  keepStripped()
  await import(workerData.entry)
} else {
  await import(bundle)
  setTimeout(module.flushCompileCache, COMPILED_AFTER_MS).unref()
}

/** The bundle of an entry, where the process has a folder of bundles and the entry is in it. */
function findBundle(folder, entry) {
  if (folder === undefined || !entry.startsWith(ROOT)) return undefined
  const file = new URL(entry.slice(ROOT.length).replace(/ts$/, 'mjs'), `${pathToFileURL(folder)}/`)
  if (!existsSync(file)) return undefined
  module.enableCompileCache(fileURLToPath(new URL('compiled', `${pathToFileURL(folder)}/`)))
  return file.href
}
