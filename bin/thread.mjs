// What every thread of the service starts with.
import { existsSync } from 'node:fs'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { getEnvironmentData, workerData } from 'node:worker_threads'

const ROOT = new URL('..', import.meta.url).href

const bundle = findBundle(getEnvironmentData('steward.bundles'), workerData.entry)
if (bundle === undefined) {
  const { keepStripped } = await import('../scripts/stripped.mjs')
  keepStripped()
  await import(workerData.entry)
} else {
  const { runScript } = await import('../scripts/run-script.mjs')
  await runScript(bundle)
}

/** The bundle of an entry, where the process has a folder of bundles and the entry is in it. */
function findBundle(folder, entry) {
  if (folder === undefined || !entry.startsWith(ROOT)) return undefined
  const name = entry.slice(ROOT.length).replace(/ts$/, 'js')
  const address = new URL(name, `${pathToFileURL(folder)}/`)
  const compiled = new URL(`compiled/${name}.bin`, `${pathToFileURL(folder)}/`)
  const file = fileURLToPath(address)
  if (!existsSync(file)) return undefined
  return { file, address: address.href, compiled: fileURLToPath(compiled) }
}
