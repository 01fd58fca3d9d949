// Plain JavaScript: it runs before any TypeScript is loaded, in the process and in each of its threads.
import { hash } from 'node:crypto'
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { registerHooks, stripTypeScriptTypes } from 'node:module'
import { join, relative } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { threadId } from 'node:worker_threads'
import { ROOT } from './runtime.mjs'

const FOLDER = join(ROOT, 'node_modules', '.cache', 'steward')
const OURS = new RegExp(`^${escaped(pathToFileURL(ROOT).href)}/(?!node_modules/).*\\.ts$`)

/**
 * From here on this thread takes the JavaScript behind our TypeScript from a folder, where it is left
 * after the first time. Node would strip the types anew in every thread, and load the WebAssembly that
 * does it: most of what the start of a thread costs.
 */
export function keepStripped() {
  registerHooks({
    load: (url, context, next) =>
      OURS.test(url)
        ? { format: 'module', source: stripped(fileURLToPath(url)), shortCircuit: true }
        : next(url, context),
  })
}

/**
 * The file as JavaScript, every character in its place. Kept in `folder`, one file each, together
 * with a hash of the source and the version of Node. A folder that cannot be written changes nothing.
 */
export function stripped(file, folder = FOLDER) {
  const source = readFileSync(file, 'utf8')
  const key = hash('sha256', `${process.version}\n${source}`)
  const kept = join(folder, `${relative(ROOT, file).replace(/[^A-Za-z0-9.-]+/g, '_')}.js`)
  const known = contentOf(kept)
  if (known?.startsWith(key)) return known.slice(key.length)
  const code = quietly(() => stripTypeScriptTypes(source))
  keep(kept, key + code, folder)
  return code
}

/** Node says at the first call that it may change; the pinned one does not, and users need not read it. */
function quietly(work) {
  const { emitWarning } = process
  process.emitWarning = () => undefined
  try {
    return work()
  } finally {
    process.emitWarning = emitWarning
  }
}

function contentOf(file) {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return undefined
  }
}

/** Renamed into its place, so that nobody ever reads half of it. */
function keep(file, content, folder) {
  const draft = `${file}.${process.pid}-${threadId}`
  try {
    mkdirSync(folder, { recursive: true })
    writeFileSync(draft, content)
    renameSync(draft, file)
  } catch {
    // Stripped anew the next time.
  }
}

function escaped(text) {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
}
