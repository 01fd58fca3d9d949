import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import t, { type Test } from 'tap'
import { decode } from '../../src/protocol/codec.ts'
import type { StoredEntry } from '../../src/protocol/store.ts'
import { databaseFolder, openAccountDatabase } from '../../src/storage/account-database.ts'
import { logsFolder } from '../../src/storage/account-logs.ts'
import { verifyChain } from '../../src/storage/journal-chain.ts'
import { logsIn, segmentsOf } from '../../src/storage/log/folder.ts'
import { logDesk } from './fixtures/log-desk.ts'
import { bytes, entry, OWNER, text } from './fixtures/store-thread.ts'

const LOOP = fileURLToPath(new URL('fixtures/commit-loop.ts', import.meta.url))
const IMAGES = 12

/** What a disk would hold if the power failed now, and what had been acknowledged before. */
interface Image {
  /** Files below the data folder. */
  readonly files: ReadonlyMap<string, Buffer>
  readonly acknowledged: number
}

/** Files as they stand between two writes: read until nothing was written meanwhile. */
function imagesOfFiles(files: readonly string[]): readonly Buffer[] {
  for (;;) {
    const [first, second] = [files, files].map((all) => all.map((file) => readFileSync(file)))
    if (first?.every((bytes, i) => second?.[i]?.equals(bytes))) return first
  }
}

/** The log before the database: what leaves it meanwhile is there by then. */
function imagesIn(dataDir: string): ReadonlyMap<string, Buffer> {
  const [name = ''] = logsIn(logsFolder(dataDir))
  const folder = join(logsFolder(dataDir), name)
  const log = segmentsOf(folder).map((file) => join(folder, file))
  const data = join(databaseFolder(dataDir, '1'), 'data.mdb')
  const files = [...log, data]
  const images = [...imagesOfFiles(log), ...imagesOfFiles([data])]
  return new Map(files.map((file, i) => [relative(dataDir, file), images[i] ?? Buffer.alloc(0)]))
}

/** Lets a process commit and takes images of its disk at arbitrary moments. */
async function imagesOf(child: ChildProcess, dataDir: string): Promise<readonly Image[]> {
  const images: Image[] = []
  let acknowledged = 0
  if (child.stdout === null) throw new Error('no output to read')
  for await (const line of createInterface(child.stdout)) {
    if (line.startsWith('started')) continue
    acknowledged = Number(line)
    if (acknowledged % 7 !== 0 || images.length >= IMAGES) continue
    images.push({ files: imagesIn(dataDir), acknowledged })
    if (images.length === IMAGES) child.kill('SIGKILL')
  }
  return images
}

/** The image on another computer: nothing beside the database and the log survived. */
async function checkImage(t: Test, dataDir: string, { files, acknowledged }: Image): Promise<void> {
  for (const [file, bytes] of files) {
    mkdirSync(dirname(join(dataDir, file)), { recursive: true })
    writeFileSync(join(dataDir, file), bytes)
  }
  const { store, own } = logDesk(t, dataDir)
  const { epoch } = (await store.control({ kind: 'inspect', accountId: '1' })) as { epoch: number }
  const database = await own('1', epoch)
  const { seq, tables, restored } = await database.open(['orders', 'settings'])
  t.equal(restored, null, 'and nothing is in doubt')
  t.ok(seq >= acknowledged, `${acknowledged} were acknowledged, ${seq} are there`)
  t.equal(text(tables.orders?.[0]?.value), `${seq}`, 'rows and journal agree')
  t.equal(text(tables.settings?.[0]?.value), `${seq}`, 'and so do the tables')
  const rows = await database.range({ table: 'journal', limit: 10_000 })
  const chain = verifyChain(rows.map(({ value }) => decode<StoredEntry>(value)))
  t.match(chain, { ok: true, value: { seq } })
  await database.commit({ entries: [entry(seq + 1)], changes: [] }) // and it goes on
  await store.close()
}

t.test('a power cut at any moment loses nothing acknowledged: images of the disk', async (t) => {
  const dir = t.testdir({ live: {} })
  const dataDir = join(dir, 'live')
  const child = spawn(process.execPath, [LOOP, dataDir], { stdio: ['ignore', 'pipe', 'inherit'] })
  const closed = once(child, 'close')
  const images = await imagesOf(child, dataDir)
  await closed
  t.equal(images.length, IMAGES)
  for (const [i, image] of images.entries()) await checkImage(t, join(dir, `image-${i}`), image)
})

t.test('a process that only reads keeps no old pages alive: the file does not grow', async (t) => {
  const dataDir = t.testdir()
  const writer = openAccountDatabase(dataDir, '1')
  const reader = openAccountDatabase(dataDir, '1')
  const { epoch } = writer.claim(0, OWNER)
  const file = join(databaseFolder(dataDir, '1'), 'data.mdb')
  const commit = (n: number) => {
    const value = bytes(`${n}`.padEnd(8_192, 'x'))
    const changes = [{ table: 'settings', key: 'row', value } as const]
    t.strictSame(writer.commit([{ epoch, commit: { entries: [], changes } }]), [null])
  }
  for (let n = 0; n < 20; n++) commit(n)
  const before = readFileSync(file).length
  for (let n = 0; n < 200; n++) {
    if (n % 50 === 0) {
      reader.range({ table: 'settings', limit: 10 })
      await new Promise((resolve) => setImmediate(resolve)) // the turn in which it read is over
    }
    commit(n)
  }
  const after = readFileSync(file).length
  t.ok(after < before * 3, `${before} bytes became ${after}`)
  await reader.close()
  await writer.close()
})
