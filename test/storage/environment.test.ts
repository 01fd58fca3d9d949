import { execFile, spawn } from 'node:child_process'
import { readdirSync, readlinkSync, realpathSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import t from 'tap'
import { lmdb } from '../../src/storage/lmdb.ts'
import { openEnvironment, openReadOnly } from '../../src/storage/open-environment.ts'
import { DATA_FILE } from '../../src/storage/openable.ts'
import { heard, inTime, turnsUntil } from '../in-time.ts'
import { NEEDS_FILE_LIMITS } from '../platform.ts'

const TABLES = Array.from({ length: 12 }, (_, at) => `table${at}`)

/** Of whoever has written the environment; each had its flushes. */
async function transactionsIn(folder: string): Promise<number> {
  const root = lmdb().open({ path: folder, noSubdir: false, encoding: 'binary', readOnly: true })
  const { lastTxnId } = root.getStats() as { readonly lastTxnId: number }
  await root.close()
  return lastTxnId
}

t.test(
  'all tables of a new environment are one transaction, and none is written again',
  async (t) => {
    const folder = t.testdir()
    const made = openEnvironment(folder, TABLES)
    made.write(() => {
      for (const table of TABLES) made.put(table, 'key', Buffer.from(table))
    })
    await made.close()
    const count = await transactionsIn(folder)
    t.ok(count <= 3, `the root, the tables, the rows: ${count}`)
    const opened = openEnvironment(folder, [...TABLES, 'later'])
    for (const table of TABLES)
      t.strictSame(opened.get(table, 'key'), new Uint8Array(Buffer.from(table)))
    t.ok(opened.has('later'), 'one of a later release comes in')
    await opened.close()
    t.equal(await transactionsIn(folder), count + 1, 'only that one was written')
  },
)

const REFUSING_DISK = fileURLToPath(new URL('fixtures/refusing-disk.ts', import.meta.url))
/** In blocks of `ulimit`, of half a kilobyte or a whole one. */
const BLOCKS = 4_096
const MUCH_MEBIBYTES = 8

t.test(
  'F313 who writes beside the thread hears why the disk refused it, and nothing else comes of it',
  NEEDS_FILE_LIMITS,
  async (t) => {
    const limited = `ulimit -f ${BLOCKS} && exec "$0" --no-warnings "$@"`
    const program = [process.execPath, REFUSING_DISK, t.testdir(), String(MUCH_MEBIBYTES)]
    const { stdout } = await promisify(execFile)('sh', ['-c', limited].concat(program))
    const { refused, together, follows, rows } = JSON.parse(stdout)
    for (const outcome of [refused, ...together]) {
      t.match(outcome, /^Error: (?!Commit failed)/, 'the reason of the system')
    }
    t.equal(follows, 'written', 'what has room goes on')
    t.strictSame(rows, ['follows'])
  },
)

const KILLED_READER = fileURLToPath(new URL('fixtures/killed-reader.ts', import.meta.url))
const ROW = { table: 'rows', key: 'key', bytes: 100_000 } as const

t.test('F314 a process that was killed while it read keeps no database growing', async (t) => {
  const folder = t.testdir()
  const env = openEnvironment(folder, [ROW.table])
  const sizeAfter = (times: number): number => {
    for (let time = 0; time < times; time++) {
      env.write(() => env.put(ROW.table, ROW.key, new Uint8Array(ROW.bytes).fill(time)))
    }
    return statSync(join(folder, DATA_FILE)).size
  }
  sizeAfter(10)
  const program = ['--no-warnings', KILLED_READER, folder, ROW.table, ROW.key]
  const reader = spawn(process.execPath, program, { stdio: ['ignore', 'pipe', 'inherit'] })
  const hasRead = heard(reader.stdout, 'data')
  const isGone = new Promise((resolve) => reader.once('exit', resolve))
  await hasRead
  reader.kill('SIGKILL')
  await inTime(isGone, 'the end of the reader')
  const before = sizeAfter(200)
  const after = sizeAfter(200)
  t.ok(after < before + 10 * ROW.bytes, `${before} bytes, and then ${after}`)
  await env.close()
})

t.test(
  'F1003 a database that cannot be opened is let go of',
  { skip: process.platform !== 'linux' && 'open files are listed by Linux alone' },
  async (t) => {
    const folder = realpathSync(t.testdir())
    const made = openEnvironment(folder, TABLES)
    made.write(() => made.put('table0', 'key', new Uint8Array(1)))
    await made.close()
    const root = lmdb().open({ path: folder, noSubdir: false, encoding: 'binary', maxDbs: 32 })
    await root.openDB({ name: 'written', encoding: 'binary' }).put('transaction', Buffer.from('?'))
    await root.close()
    t.strictSame(openIn(folder), [])
    for (const open of [openEnvironment, openReadOnly]) {
      t.throws(() => open(folder, TABLES), { code: 'STORE_FAILED' })
      await turnsUntil(() => openIn(folder).length === 0, 'its files to be closed')
    }
  },
)

/** Files of the folder that this process has open. */
const openIn = (folder: string): readonly string[] =>
  readdirSync('/proc/self/fd').flatMap((fd) => {
    try {
      const file = readlinkSync(`/proc/self/fd/${fd}`)
      return file.startsWith(folder) ? [file] : []
    } catch {
      return [] // that of the list itself
    }
  })
