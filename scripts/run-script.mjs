// Plain JavaScript: it runs in every thread before anything else is loaded.
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { cachedDataVersionTag } from 'node:v8'
import { Script } from 'node:vm'
import { threadId } from 'node:worker_threads'
import { crc32 } from 'node:zlib'

/** After this a thread that is ready has run what a start runs, and a sale. */
const COMPILED_AFTER_MS = 2_000
/** Before the code: its checksum, and which V8 made it with which flags. */
const HEAD_BYTES = 8

/**
 * Runs a bundle that is the text of one asynchronous function. What the engine has made of it is kept in `compiled`,
 * with every function that ran: the next thread neither reads nor compiles them, where a module would
 * have it compile each anew. A file that cannot be read, is damaged or of another engine changes nothing.
 * Resolves when the bundle has run, with whether it was known.
 */
export async function runScript({ file, address, compiled, keepAfterMs = COMPILED_AFTER_MS }) {
  const cachedData = compiledIn(compiled)
  const script = new Script(readFileSync(file, 'latin1'), { filename: address, cachedData })
  const meta = { url: address, resolve: (name) => import.meta.resolve(name) }
  await script.runInThisContext()((name) => import(name), meta)
  const isKnown = cachedData !== undefined && script.cachedDataRejected !== true
  if (!isKnown) setTimeout(() => keep(compiled, script.createCachedData()), keepAfterMs).unref()
  return isKnown
}

function compiledIn(file) {
  if (!existsSync(file)) return undefined
  try {
    const bytes = readFileSync(file)
    const code = bytes.subarray(HEAD_BYTES)
    return bytes.subarray(0, HEAD_BYTES).equals(headOf(code)) ? code : undefined
  } catch {
    return undefined
  }
}

function keep(file, code) {
  const draft = `${file}.${process.pid}-${threadId}`
  try {
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(draft, Buffer.concat([headOf(code), code]))
    renameSync(draft, file)
  } catch {} // it is made anew each time, as before there was such a file
}

/** V8 takes bytes on trust. */
function headOf(code) {
  const head = Buffer.alloc(HEAD_BYTES)
  head.writeUInt32LE(crc32(code), 0)
  head.writeUInt32LE(cachedDataVersionTag(), HEAD_BYTES / 2)
  return head
}
