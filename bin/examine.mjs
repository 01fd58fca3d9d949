// Looks through databases in a process of its own, because a damaged file can end whoever opens it.
// Plain JavaScript: it starts without types to strip and without a bundle. Takes `{folders, budgetMs}` as
// JSON on standard input; says on standard output, line by line, which folder is under way and what it is.
import { closeSync, existsSync, openSync, readSync, statSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import { open } from 'lmdb'
import { unpack } from 'msgpackr'

const SEAL_BYTES = 4
const ROWS_PER_LOOK = 512
const READS_MAX = 3
/** As `OPTIONS` of src/storage/open-environment.ts, and `MARK_FILE`. */
const OPTIONS = { noSubdir: false, safeRestore: true, overlappingSync: false, maxDbs: 32 }
const DATA = 'data.mdb'
const MARK = 'created'
/** A journal entry of this kind: msgpack's nine characters. The trading client had books then. */
const CONNECTED = Buffer.from('\xa9connected', 'latin1')
/** Where LMDB keeps what it begins with. */
const FIRST_BYTES = 16_384
/** The first connection is among the first entries. */
const FIRST_ENTRIES = 1_000

/** Where a database says of which version its rows are: an account, and the books of the embedded client. */
const VERSION_TABLES = new Set(['store', 'meta'])
const VERSION_KEY = 'schema'
/** Where a database says which entries of its journal were never there. As `OWN_TABLE` and `OWN.gaps` of src/storage/own-rows.ts. */
const OWN_TABLE = 'store'
const GAPS_KEY = 'gaps'

const SOUND = {
  problem: null,
  isAbsent: false,
  isPartial: false,
  hasConnected: false,
  schema: null,
}

/** Written at once and whole: what is said before a crash must be heard. */
function say(word) {
  let rest = Buffer.from(`${JSON.stringify(word)}\n`)
  while (rest.length > 0) rest = rest.subarray(writeSync(1, rest))
}

async function examine(folder, budgetMs) {
  const data = join(folder, DATA)
  const isMarked = existsSync(join(folder, MARK))
  const bytes = statSync(data, { throwIfNoEntry: false })?.size
  if (bytes === undefined && isMarked) return { ...SOUND, problem: `${DATA} is missing` }
  if (bytes === 0 && isMarked) return { ...SOUND, problem: `${DATA} is empty` }
  if (!bytes) return { ...SOUND, isAbsent: true }
  const refusal = refusalOf(data)
  if (refusal !== undefined) return { ...SOUND, problem: refusal, isUnread: true }
  const root = open({ path: folder, ...OPTIONS, encoding: 'binary', readOnly: true })
  const found = look(root, performance.now() + budgetMs)
  await root.close() // nobody goes on reading; what is damaged is left as it is
  return found
}

/**
 * What the system says when the first pages are read; undefined: it gives them. LMDB that does not get them ends this
 * process, as damaged ones do: a disk that fails now would count as a database that has to be put back.
 */
function refusalOf(data) {
  try {
    const file = openSync(data, 'r')
    try {
      readSync(file, Buffer.alloc(FIRST_BYTES))
    } finally {
      closeSync(file)
    }
    return undefined
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    return `${why}，一直如此时请更换磁盘并恢复备份 (where that stays so, replace the disk and put back a backup)`
  }
}

/** Small tables first: what an account is made of. The journal is read as far as the time lasts. */
function look(root, endMs) {
  const tables = [...root.getKeys()].map((name) => {
    const rows = root.openDB({ name, encoding: 'binary' })
    return { name, rows, count: rows.getStats().entryCount }
  })
  tables.sort((a, b) => a.count - b.count)
  const own = tables.find(({ name }) => name === OWN_TABLE)?.rows
  // Opened once and never written: as good as not there.
  const found = { ...SOUND, isAbsent: tables.every(({ count }) => count === 0) }
  for (const table of tables) {
    if (table.name === 'journal') found.hasConnected = hasConnected(table)
    if (VERSION_TABLES.has(table.name)) found.schema ??= versionIn(table)
    if (!readWhole({ ...table, own }, endMs)) found.isPartial = true
  }
  return found
}

function hasConnected({ rows }) {
  for (const key of rows.getKeys({ limit: 1 })) if (key > 1) return true // the first ones lie in segments
  for (const { value } of rows.getRange({ limit: FIRST_ENTRIES })) {
    if (value.includes(CONNECTED)) return true
  }
  return false
}

/** A whole number of msgpack; null where none stands. */
function versionIn({ rows }) {
  const sealed = rows.get(VERSION_KEY)
  if (sealed === undefined || !isSound(sealed) || sealed.length === SEAL_BYTES) return null
  const [kind, ...bytes] = sealed.subarray(SEAL_BYTES)
  if (kind < 0x80) return kind
  return kind >= 0xcc && kind <= 0xce ? bytes.reduce((sum, byte) => sum * 256 + byte, 0) : null
}

/**
 * A damaged page may end the reading early, without an error: then rows are missing. Where somebody writes
 * meanwhile the counts are of other moments, so only what is missing every time is missing.
 */
function readWhole({ name, rows, count, own }, endMs) {
  let least = count
  for (let time = 1; ; time++) {
    const read = readThrough({ name, rows, own }, endMs)
    if (read === undefined) return false
    least = Math.min(least, rows.getStats().entryCount)
    if (read >= least) return true
    if (time === READS_MAX) throw new Error(`${name} shows ${read} rows of ${least}`)
  }
}

/** Every row is read and its checksum compared: how many; undefined when the time was up before the end. */
function readThrough({ name, rows, own }, endMs) {
  let read = 0
  let last
  for (const { key, value } of rows.getRange()) {
    if (!isSound(value)) throw new Error(`the stored bytes of ${name}[${String(key)}] are damaged`)
    const isBehind = last === undefined || key === last + 1
    if (name === 'journal' && !isBehind && !isGap(own, last + 1, key - 1)) {
      throw new Error(`the journal has no entry after ${last}`)
    }
    last = key
    read += 1
    if (read % ROWS_PER_LOOK === 0 && performance.now() > endMs) return undefined
  }
  return read
}

/** Whether just these entries are those that another computer of a cluster has. */
function isGap(own, from, to) {
  const sealed = own?.get(GAPS_KEY)
  if (sealed === undefined || !isSound(sealed)) return false
  const gaps = unpack(sealed.subarray(SEAL_BYTES))
  return gaps.some(({ after, upTo }) => after.seq === from - 1 && upTo.seq === to)
}

function isSound(sealed) {
  if (sealed.length < SEAL_BYTES) return false
  const seal = new DataView(sealed.buffer, sealed.byteOffset, SEAL_BYTES).getUint32(0)
  return crc32(sealed.subarray(SEAL_BYTES)) === seal
}

async function tryTo(work) {
  try {
    return await work()
  } catch (error) {
    return { ...SOUND, problem: error instanceof Error ? error.message : String(error) }
  }
}

let text = ''
for await (const piece of process.stdin.setEncoding('utf8')) text += piece
const { folders, budgetMs } = JSON.parse(text)
for (const folder of folders) {
  say({ begins: folder })
  say({ about: folder, ...(await tryTo(() => examine(folder, budgetMs))) })
}
process.exit(0)
