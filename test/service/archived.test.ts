import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { loadConfig } from '../../src/config/load.ts'
import { decode } from '../../src/protocol/codec.ts'
import { TABLE } from '../../src/protocol/store.ts'
import { verifyAudit } from '../../src/service/audit/audit-command.ts'
import { backUpAll } from '../../src/service/backups/backup-command.ts'
import { restore } from '../../src/service/restore/restore-command.ts'
import { openAccountDatabase } from '../../src/storage/account-database.ts'
import { openAccountReader } from '../../src/storage/account-reader.ts'
import { Archivist } from '../../src/storage/archive/archivist.ts'
import { SegmentFiles } from '../../src/storage/archive/segment-files.ts'
import { get, post, until } from './fixture.ts'
import { begin, ORDER, v1 } from './fixtures/breakable.ts'
import { ID, NOTE, work } from './fixtures/forgery.ts'

const EXAMINE = { readMs: 60_000, silenceMs: 60_000, floorBytes: 0 }
/** All but the last five entries, ten in a segment. */
const RULES = { keepDays: 3_650, keepEntries: 5 }
const LIMITS = { segmentEntries: 10, segmentBytes: 1_048_576, page: 4 }

function configOf(folder: string, dataDir: string) {
  const options = { configFile: join(folder, 'steward.config.json') }
  const loaded = loadConfig({ cwd: folder, env: {}, options })
  if (!loaded.ok) throw new Error(loaded.error.join('\n'))
  return { ...loaded.value.config, data_dir: dataDir }
}

async function verify(folder: string, dataDir = join(folder, 'data'), isBackup = false) {
  const lines: string[] = []
  const sound = await verifyAudit({
    config: configOf(folder, dataDir),
    accountId: ID,
    isBackup,
    write: (line) => lines.push(line),
  })
  return { isSound: sound.ok && sound.value, line: lines[0] ?? '' }
}

/** Moves the old part of the journal of a service that has stopped. */
async function archive(dataDir: string, keep?: number): Promise<void> {
  const database = openAccountDatabase(dataDir, ID)
  database.claim(database.inspect().epoch, { pid: process.pid, socket: '' })
  const source = openAccountReader(dataDir, ID)
  const files = new SegmentFiles(dataDir, ID)
  const archivist = new Archivist({ source, files, limits: LIMITS, isOver: () => false })
  for (;;) {
    const upTo = await archivist.next(RULES, Date.now())
    if (upTo === null) break
    while ((await database.trim(upTo, 4)) > 0);
  }
  const last = keep === undefined ? undefined : files.list()[keep]
  if (last !== undefined) {
    database.keepFrom(files.head(last).end)
    archivist.drop()
  }
  database.release()
  await source.close()
  await database.close()
}

/** Unlike those of the day's work, whose callers may not have heard of them. */
const NEW_ORDER = { ...ORDER, order_volume: 300 }
const segmentsIn = (dataDir: string) => readdirSync(join(dataDir, ID, 'journal'))

/** A stopped service's folder whose journal begins in segments. */
async function archived(t: Test) {
  const folder = await work(t)
  const before = await verify(folder)
  await archive(join(folder, 'data'))
  return { folder, dataDir: join(folder, 'data'), before }
}

t.test(
  'a journal in segments is as sound as before, and every forgery of them is named',
  async (t) => {
    const { folder, dataDir, before } = await archived(t)
    t.ok(before.isSound)
    t.strictSame(await verify(folder), before, 'the same words of the same entries')
    const names = segmentsIn(dataDir)
    t.ok(names.length >= 3, `${names.length} segments`)
    const [one = '', two = '', three = ''] = names
    const forged = (words: RegExp, change: (path: (name: string) => string) => void) =>
      t.test(words.source, async (t) => {
        const copy = t.testdir()
        cpSync(folder, copy, { recursive: true })
        change((name) => join(copy, 'data', ID, 'journal', name))
        const { isSound, line } = await verify(copy)
        t.notOk(isSound)
        t.match(line, words)
      })
    const edit = (path: string, change: (bytes: Buffer) => Buffer) =>
      writeFileSync(path, change(readFileSync(path)))
    await forged(/the segment from entry 11 on is missing/, (path) => rmSync(path(two)))
    await forged(/the segment from entry \d+ on is missing/, (path) =>
      rmSync(path(names.at(-1) ?? '')),
    )
    await forged(/segment 0+11-0+20\.seg: it is cut/, (path) =>
      edit(path(two), (bytes) => bytes.subarray(0, bytes.length - 1)),
    )
    await forged(/segment 0+11-0+20\.seg: it was changed/, (path) =>
      edit(path(two), (bytes) => {
        bytes[260] = (bytes[260] ?? 0) ^ 1
        return bytes
      }),
    )
    await forged(/segment 0+11-0+20\.seg: it holds the entries 21 to 30/, (path) =>
      cpSync(path(three), path(two)),
    )
    await forged(/segment 0+1-0+11\.seg: it holds the entries 1 to 10/, (path) => {
      cpSync(path(one), path(one.replace('10.seg', '11.seg')))
      rmSync(path(one))
    })
  },
)

t.test('pages go on through segments, under a service that writes behind them', async (t) => {
  const { folder, dataDir } = await archived(t)
  const served = await begin(t, { ids: [ID], folder, isPatient: true })
  const placed = await post(`${v1(served, ID)}/orders`, NEW_ORDER)
  t.equal(placed.status, 201, JSON.stringify(placed.body))
  const [direct = ''] = served.direct
  for (const url of [`${direct}/api/audit`, `${v1(served, ID)}/audit`]) {
    const seqs: number[] = []
    let next: number | null = 0
    while (next !== null) {
      const page = await get(`${url}?after=${next}&limit=7`)
      t.equal(page.status, 200)
      const { entries, pagination } = page.body['data'] as unknown as Page
      seqs.push(...entries.map(({ seq }) => seq))
      next = pagination.has_more ? pagination.next_after : null
    }
    t.ok(seqs.length > 30)
    t.strictSame(
      seqs,
      Array.from(seqs, (_, at) => at + 1),
    )
    const back = await get(`${url}?before=23&limit=9`)
    const { entries } = back.body['data'] as unknown as Page
    t.strictSame(
      entries.map(({ seq }) => seq),
      [22, 21, 20, 19, 18, 17, 16, 15, 14],
    )
  }
  await served.service.stop()
  t.ok((await verify(folder)).isSound)
  await archive(dataDir)
  t.ok((await verify(folder)).isSound)
})

interface Page {
  readonly entries: readonly { readonly seq: number }[]
  readonly pagination: {
    readonly has_more: boolean
    readonly next_after: number | null
    readonly next_before: number | null
  }
}

t.test('a service moves them by itself while orders go on', async (t) => {
  const folder = await work(t)
  const store = {
    journal_check_ms: 20,
    journal_keep_entries: 5,
    segment_entries: 10,
    journal_trim_batch: 3,
  }
  const served = await begin(t, { ids: [ID], folder, isPatient: true, store })
  const files = new SegmentFiles(join(folder, 'data'), ID)
  t.equal((await post(`${v1(served, ID)}/orders`, NEW_ORDER)).status, 201)
  await until(
    async () => files.list().length,
    (count) => count >= 2,
  )
  const page = await get(`${v1(served, ID)}/audit?after=0&limit=25`)
  const { entries } = page.body['data'] as unknown as Page
  t.strictSame(
    entries.map(({ seq }) => seq),
    Array.from({ length: 25 }, (_, at) => at + 1),
  )
  const second = { ...NEW_ORDER, order_volume: 400 }
  t.equal((await post(`${v1(served, ID)}/orders`, second)).status, 201)
  await served.service.stop()
  t.ok((await verify(folder)).isSound)
})

t.test('what was deleted is said, pages end there, and what is kept is checked', async (t) => {
  const { folder, dataDir } = await archived(t)
  await archive(dataDir, 1)
  const { isSound, line } = await verify(folder)
  t.ok(isSound)
  t.match(
    line,
    /entries 21 \(of \d{4}-\d\d-\d\d\) to \d+, chain ok; tables not compared: .*audit_keep_days/,
  )
  const served = await begin(t, { ids: [ID], folder, isPatient: true })
  const page = await get(`${v1(served, ID)}/audit?before=24&limit=9`)
  const { entries, pagination } = page.body['data'] as unknown as Page
  t.strictSame(
    entries.map(({ seq }) => seq),
    [23, 22, 21],
  )
  t.match(pagination, { has_more: false, next_before: null })
  t.equal((await post(`${v1(served, ID)}/orders`, NEW_ORDER)).status, 201)
  await served.service.stop()
})

t.test('a backup takes segments along and a restore puts them back', async (t) => {
  const { folder, dataDir } = await archived(t)
  const target = join(folder, 'copy')
  const lines: string[] = []
  const write = (line: string) => void lines.push(line)
  t.ok((await backUpAll({ dataDir, target, limits: EXAMINE, write })).ok)
  t.match(
    lines.join('\n'),
    /db: 已备份，含 \d+ 个日志文件 \(copied, with \d+ segments of its journal\)/,
  )
  t.ok((await verify(folder, target)).isSound)
  const count = segmentsIn(dataDir).length
  rmSync(join(dataDir, ID, 'journal'), { recursive: true })
  const config = configOf(folder, dataDir)
  t.ok((await restore({ config, backup: target, at: new Date(), write })).ok)
  t.equal(segmentsIn(dataDir).length, count)
  t.ok((await verify(folder)).isSound)
  const books = openAccountReader(dataDir, ID)
  t.strictSame(
    books.rows(TABLE.fillNotes).map(({ value }) => decode(value)),
    [NOTE],
    'what a person has written is back as well',
  )
  await books.close()

  await t.test('one that was made without them is put back, and says so', async (t) => {
    const bare = join(folder, 'bare')
    cpSync(target, bare, { recursive: true })
    rmSync(join(bare, ID, 'journal'), { recursive: true })
    t.match(await verify(folder, bare), {
      isSound: false,
      line: /the segment from entry 1 on is missing/,
    })
    t.match(await verify(folder, bare, true), { isSound: true, line: /not in the backup/ })
    const said: string[] = []
    const at = new Date(Date.now() + 60_000)
    const again = await restore({ config, backup: bare, at, write: (line) => void said.push(line) })
    t.ok(again.ok)
    t.notMatch(
      said.join('\n'),
      /no segments for/,
      'those of the data folder are of the same journal',
    )
    t.ok((await verify(folder)).isSound)
    rmSync(join(dataDir, ID, 'journal'), { recursive: true })
    const later = new Date(Date.now() + 120_000)
    t.ok(
      (await restore({ config, backup: bare, at: later, write: (line) => void said.push(line) }))
        .ok,
    )
    t.match(said.join('\n'), /no segments for \d+ older entries/)
    t.match(await verify(folder), { isSound: true, line: /entries \d+ .*restored without them/ })
  })
})
