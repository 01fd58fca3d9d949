// Loads packages of machine code, and tries a database, in a process of its own: what cannot be loaded, crashes
// or never returns is known before the service relies on it. Plain JavaScript: it starts without types to
// strip and without a bundle. Takes `{things, folder}` as JSON on standard input; says on standard
// output, line by line, which thing is under way and what is wrong with it.
import { rmSync, writeSync } from 'node:fs'

/** As `DATABASE` of src/service/doctor/probe.ts. */
const DATABASE = 'database'
/** As `OPTIONS` of src/storage/open-environment.ts. */
const OPTIONS = { noSubdir: false, safeRestore: true, overlappingSync: false, maxDbs: 32 }
const ROWS = 64
const VALUE = Buffer.alloc(4_096, 'steward')
/** A scanner may hold a file that was closed a moment ago. */
const REMOVE = { recursive: true, force: true, maxRetries: 5, retryDelay: 100 }

/** Written at once and whole: what is said before a crash must be heard. */
function say(word) {
  let rest = Buffer.from(`${JSON.stringify(word)}\n`)
  while (rest.length > 0) rest = rest.subarray(writeSync(1, rest))
}

/** What the store does, small: a new database, a transaction that makes it grow, and all of it read again. */
async function tryDatabase(folder) {
  const { open } = await import('lmdb')
  try {
    const written = open({ path: folder, ...OPTIONS, encoding: 'binary' })
    const table = written.openDB({ name: 'probe', encoding: 'binary' })
    written.transactionSync(() => {
      for (let key = 0; key < ROWS; key++) void table.put(key, VALUE)
    })
    await written.close()
    const read = open({ path: folder, ...OPTIONS, encoding: 'binary', readOnly: true })
    const rows = [...read.openDB({ name: 'probe', encoding: 'binary' }).getRange()]
    const isSound = rows.length === ROWS && rows.every(({ value }) => VALUE.equals(value))
    await read.close()
    if (!isSound) throw new Error('what was read is not what was written')
  } finally {
    clear(folder)
  }
}

/** A scanner may go on reading: that is nothing against the database, and whoever has asked tries again. */
function clear(folder) {
  try {
    rmSync(folder, REMOVE)
  } catch {
    // held by another program
  }
}

async function problemOf(thing, folder) {
  try {
    if (thing === DATABASE) await tryDatabase(folder)
    else await import(thing)
    return null
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

let text = ''
for await (const piece of process.stdin.setEncoding('utf8')) text += piece
const { things, folder } = JSON.parse(text)
for (const thing of things) {
  say({ begins: thing })
  say({ about: thing, problem: await problemOf(thing, folder) })
}
process.exit(0)
