import { readdirSync, readFileSync, renameSync, rmSync, writeFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { TABLE } from '../../../src/protocol/store.ts'
import { Archivist } from '../../../src/storage/archive/archivist.ts'
import type { TakeBytes, WriteStep } from '../../../src/storage/archive/segment-files.ts'
import { verifyChain } from '../../../src/storage/journal-chain.ts'
import { Books, FIVE, LIMITS, NOW_MS } from './fixtures/books.ts'

const DAY_MS = 86_400_000
const laterBy = (days: number, seq: number) => ({
  seq,
  timeMs: NOW_MS + days * DAY_MS,
  kind: 'connected',
  body: new Uint8Array(),
})
const seqs = (rows: readonly { readonly seq: number }[]) => rows.map(({ seq }) => seq)
const numbers = (from: number, to: number) =>
  Array.from({ length: Math.abs(to - from) + 1 }, (_, at) => (to < from ? from - at : from + at))

t.test('segments and database are one journal for whoever reads', async (t) => {
  const books = new Books(t, 57)
  const before = books.journal()
  await books.archive()
  t.strictSame(seqs(books.journal()), numbers(1, 57))
  t.strictSame(books.journal(), before, 'the same bytes')
  t.match(verifyChain(books.journal()), { ok: true, value: { seq: 57 } })
  t.strictSame(
    books.files.list().map(({ first, last }) => [first, last]),
    [
      [1, 10],
      [11, 20],
      [21, 30],
      [31, 40],
      [41, 50],
    ],
    'the last seven are no whole segment',
  )
  t.equal(books.database.range({ table: TABLE.journal, from: 51, limit: 100 }).length, 7)
  t.equal(books.reader.archiveProblem(), undefined)

  const range = (query: object) =>
    books.reader.range({ table: TABLE.journal, limit: 100, ...query }).map(({ key }) => key)
  t.strictSame(range({ limit: 10_000 }), numbers(1, 57))
  t.strictSame(range({ reverse: true, limit: 10_000 }), numbers(57, 1))
  for (let from = 1; from <= 57; from += 4) {
    for (const limit of [1, 3, 17, 100]) {
      t.strictSame(range({ from, limit }), numbers(from, Math.min(57, from + limit - 1)))
      t.strictSame(
        range({ from, reverse: true, limit }),
        numbers(from, Math.max(1, from - limit + 1)),
      )
    }
    t.strictSame(range({ from, to: 52 }), from > 52 ? [] : numbers(from, 52))
    t.strictSame(range({ from, to: 3, reverse: true }), from < 3 ? [] : numbers(from, 3))
  }
  t.strictSame(range({ from: 3, limit: 0 }), [])
})

t.test('a killed process loses nothing and doubles nothing, wherever it ends', async (t) => {
  const steps: readonly WriteStep[] = ['created', 'written', 'flushed', 'renamed', 'settled']
  const dataDir = t.testdir()
  for (const [at, end] of steps.entries()) {
    const books = new Books(t, 33, join(dataDir, String(at)))
    const whole = books.journal()
    const dying = books.archivist((step) => {
      if (step === end) throw new Error('killed')
    })
    await t.rejects(dying.next(FIVE, NOW_MS), { message: 'killed' })
    t.strictSame(books.journal(), whole, `${end}: before the next start`)
    t.equal(books.reader.archiveProblem(), undefined, end)
    await books.reopen()
    t.strictSame(books.journal(), whole, `${end}: after it`)
    await books.archive()
    t.strictSame(books.journal(), whole, `${end}: and once it is done`)
    t.strictSame(readdirSync(books.files.folder).length, 2, `${end}: nothing is left over`)
  }
})

t.test('F491 what a full disk has taken of a segment is given back at once', async (t) => {
  const books = new Books(t, 33)
  const whole = books.journal()
  const full = Object.assign(new Error('no space left'), { code: 'ENOSPC' })
  let taken = 0
  const disk: TakeBytes = (file, bytes) => {
    if (taken > 0) throw full
    taken = writeSync(file, bytes.subarray(0, 100))
    return taken
  }
  await t.rejects(books.archivist(undefined, disk).next(FIVE, NOW_MS), { code: 'ENOSPC' })
  t.equal(taken, 100)
  t.strictSame(readdirSync(books.files.folder), [])
  t.strictSame(books.journal(), whole)
  await books.archive()
  t.strictSame(books.journal(), whole)
})

t.test('so does one that ends between two removals', async (t) => {
  const books = new Books(t, 33)
  const whole = books.journal()
  for (let removals = 0; removals < 12; removals++) {
    const upTo = await books.archivist().next(FIVE, NOW_MS)
    if (upTo !== null) await books.database.trim(upTo, 3)
    t.equal(books.reader.archiveProblem(), undefined)
    t.strictSame(books.journal(), whole, `after ${removals + 1} removals`)
    await books.reopen()
  }
  t.equal(books.reader.parts().base.seq, 20)
})

t.test('what the segment does not hold is never removed', async (t) => {
  const books = new Books(t, 33)
  const upTo = await books.archivist().next(FIVE, NOW_MS)
  if (upTo === null) throw new Error('nothing was due')
  const other = { ...upTo, hash: new Uint8Array(32) }
  await t.rejects(books.database.trim(other, 100), { code: 'INTERNAL' })
  await t.rejects(books.database.trim({ ...upTo, seq: 33 }, 100), { code: 'INTERNAL' }, 'the last')
  const late = new Books(t, 0, books.dataDir)
  await t.rejects(books.database.trim(upTo, 100), { code: 'NOT_OWNER' }, 'of an owner that is none')
  await late.close()
  t.equal(books.journal().length, 33)
})

t.test(
  'a segment that a process left damaged is written anew while its entries are there',
  async (t) => {
    const books = new Books(t, 33)
    const whole = books.journal()
    await books.archivist().next(FIVE, NOW_MS)
    const [file] = books.files.list()
    const path = join(books.files.folder, file?.name ?? '')
    writeFileSync(path, readFileSync(path).subarray(0, 300))
    await books.archive()
    t.strictSame(books.journal(), whole)
    t.equal(books.reader.archiveProblem(), undefined)
  },
)

t.test('the store itself reads no segment: it says so instead of an empty page', async (t) => {
  const books = new Books(t, 57)
  await books.archive()
  const read = (query: object) =>
    books.database.range({ table: TABLE.journal, limit: 4, ...query }).map(({ key }) => key)
  for (const query of [{}, { from: 1 }, { from: 50, to: 52 }, { from: 50, reverse: true }]) {
    t.throws(() => read(query), { code: 'ACTOR_RESTARTING' })
  }
  t.strictSame(read({ from: 51 }), [51, 52, 53, 54])
  t.strictSame(read({ from: 52, reverse: true }), [52, 51], 'and the rest with the next page')
  t.strictSame(read({ from: 58 }), [])
})

t.test('and a person is told when some of its entries are nowhere else', async (t) => {
  const books = new Books(t, 33)
  const upTo = await books.archivist().next(FIVE, NOW_MS)
  if (upTo === null) throw new Error('nothing was due')
  await books.database.trim(upTo, 3)
  const [file] = books.files.list()
  const path = join(books.files.folder, file?.name ?? '')
  writeFileSync(path, readFileSync(path).subarray(0, 300))
  await t.rejects(books.archivist().next(FIVE, NOW_MS), {
    code: 'STORE_FAILED',
    message: /it is cut/,
  })
  t.equal(books.files.list().length, 1, 'it is left as it is')
})

t.test('a damaged journal is not moved', async (t) => {
  const books = new Books(t, 33)
  const forged = {
    refresh: () => books.reader.refresh(),
    parts: () => books.reader.parts(),
    head: () => books.reader.head(),
    journal: (from: number, limit: number) =>
      books.reader.journal(from, limit).map((e) => (e.seq === 4 ? { ...e, timeMs: 1 } : e)),
  }
  const archivist = new Archivist({
    source: forged,
    files: books.files,
    limits: LIMITS,
    isOver: () => false,
  })
  await t.rejects(archivist.next(FIVE, NOW_MS), { code: 'STORE_FAILED', message: /entry 4/ })
  t.strictSame(books.files.list(), [])
})

t.test('a missing, exchanged, doubled or foreign segment is named', async (t) => {
  const original = new Books(t, 57)
  await original.archive()
  const folder = original.files.folder
  const [one = '', two = '', three = ''] = readdirSync(folder)
  const problem = () => original.reader.archiveProblem()
  const around = (name: string, work: () => void) => {
    const bytes = readFileSync(join(folder, name))
    work()
    const found = problem()
    writeFileSync(join(folder, name), bytes)
    return found
  }
  t.match(
    around(two, () => rmSync(join(folder, two))),
    {
      isMissing: true,
      text: /from entry 11 on is missing, before 000000000021-000000000030\.seg/,
    },
  )
  t.match(
    around(one, () => rmSync(join(folder, one))),
    { text: /from entry 1 on is missing/ },
  )
  t.match(
    around(two, () => writeFileSync(join(folder, two), readFileSync(join(folder, three)))),
    {
      isMissing: false,
      text: /segment 000000000011-000000000020\.seg: it holds the entries 21 to 30/,
    },
  )
  const doubled = join(folder, '000000000011-000000000025.seg')
  writeFileSync(doubled, readFileSync(join(folder, two)))
  t.match(problem(), { text: /-000000000025\.seg: its entries are in another segment as well/ })
  renameSync(doubled, join(folder, '000000000061-000000000070.seg'))
  t.match(problem(), { text: /its entries are in the database as well/ })
  rmSync(join(folder, '000000000061-000000000070.seg'))
  const foreign = readFileSync(join(folder, one))
  t.equal(foreign.indexOf('10000001'), 121)
  t.equal(problem(), undefined)
})

t.test(
  'entries go by age in trading days, by number, and never by a clock that is ahead',
  async (t) => {
    const books = new Books(t, 33) // the last half hour
    const young = { keepDays: 1, keepEntries: 1_000 }
    t.equal(await books.archivist().next(young, NOW_MS), null)
    t.equal(
      await books.archivist().next(young, NOW_MS + 900 * DAY_MS),
      null,
      'a wrong computer clock',
    )
    books.grow(1)
    const later = {
      seq: 35,
      timeMs: NOW_MS + 4 * DAY_MS,
      kind: 'connected',
      body: new Uint8Array(),
    }
    const epoch = books.database.inspect().epoch
    books.database.commit([{ epoch, commit: { entries: [later], changes: [] } }])
    t.equal(await books.archivist().next(young, NOW_MS), null, 'a wrong clock of the market')
    t.match(await books.archivist().next(young, NOW_MS + 4 * DAY_MS), { seq: 10 })
  },
)

t.test('F297 a segment is trusted once its name is on disk, whoever wrote it', async (t) => {
  const books = new Books(t, 33)
  const refused = books.archivist((step) => {
    if (step === 'renamed') throw new Error('EIO')
  })
  await t.rejects(refused.next(FIVE, NOW_MS), /EIO/)
  const steps: WriteStep[] = []
  t.match(await books.archivist((step) => steps.push(step)).next(FIVE, NOW_MS), { seq: 10 })
  t.strictSame(steps, ['settled'])
})

t.test('F298 nothing is deleted by a clock that was ahead for one night', async (t) => {
  const books = new Books(t, 57)
  await books.archive()
  const ahead = NOW_MS + 900 * DAY_MS
  books.add([laterBy(900, 58)])
  t.equal(books.archivist().expired(400, ahead), null, 'nor by an entry that it has dated')
  await books.archive(FIVE, ahead)
  books.add(Array.from({ length: 12 }, (_, at) => laterBy(900, 59 + at)))
  await books.archive(FIVE, ahead)
  t.match(books.archivist().expired(400, ahead), { seq: 50 }, 'time has gone on indeed')
})

t.test('old segments are noted, then deleted, and the journal begins behind them', async (t) => {
  const books = new Books(t, 57)
  await books.archive()
  books.add([laterBy(9, 58)])
  t.equal(books.archivist().expired(10, NOW_MS + 9 * DAY_MS), null)
  const mark = books.archivist().expired(8, NOW_MS + 9 * DAY_MS)
  t.match(mark, { seq: 50 })
  if (mark === null) return
  const [third] = books.files.list().slice(2)
  const kept = third && books.files.head(third).end
  if (kept === undefined) throw new Error('no third segment')
  books.database.keepFrom(kept)
  t.equal(books.reader.archiveProblem(), undefined, 'killed before they are deleted')
  t.equal(books.archivist().drop(), 3)
  t.equal(books.archivist().drop(), 0)
  t.equal(books.reader.archiveProblem(), undefined)
  t.strictSame(seqs(books.journal()), numbers(31, 58))
  const back = { table: TABLE.journal, reverse: true, from: 40, limit: 100 }
  t.strictSame(
    books.reader.range(back).map(({ key }) => key),
    numbers(40, 31),
  )
  t.strictSame(books.reader.range({ ...back, from: 30 }), [])
  books.database.keepFrom({ ...kept, seq: 55 })
  t.equal(books.reader.parts().kept.seq, 30, 'never what is still in the database')
  await books.reopen()
  t.strictSame(seqs(books.journal()), numbers(31, 58))
  t.equal(books.database.head().seq, 58, 'and goes on where it ended')
})
