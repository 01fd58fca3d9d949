import { cpSync, mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { openAccountReader } from '../../../src/storage/account-reader.ts'
import {
  accountOf,
  copySegments,
  dropLater,
  fillSegments,
} from '../../../src/storage/archive/archive-copies.ts'
import { journalFolder, SegmentFiles } from '../../../src/storage/archive/segment-files.ts'
import { backUp } from '../../../src/storage/backup.ts'
import { verifyChain } from '../../../src/storage/journal-chain.ts'
import { ACCOUNT, Books } from './fixtures/books.ts'

async function copied(t: Test, count: number) {
  const root = t.testdir()
  const [dataDir, target] = [join(root, 'data'), join(root, 'copy')]
  const books = new Books(t, count, dataDir)
  await books.archive()
  const copyBooks = () => backUp(join(dataDir, ACCOUNT, 'db'), join(target, ACCOUNT, 'db'))
  return { dataDir, target, books, copyBooks }
}

async function chainIn(dataDir: string) {
  const reader = openAccountReader(dataDir, ACCOUNT)
  try {
    const problem = reader.archiveProblem()
    return { problem, chain: verifyChain(reader.journal(1, 10_000)) }
  } finally {
    await reader.close()
  }
}

t.test('a copy has the segments, also of what is moved while it is made', async (t) => {
  const { dataDir, target, books, copyBooks } = await copied(t, 57)
  t.equal(copySegments(ACCOUNT, dataDir, target), 5)
  books.grow(20)
  await books.archive()
  await copyBooks()
  t.equal(copySegments(ACCOUNT, dataDir, target), 2)
  t.match(await chainIn(target), { problem: undefined, chain: { ok: true, value: { seq: 77 } } })
})

t.test('and of what is deleted meanwhile nothing is missed', async (t) => {
  const { dataDir, target, books, copyBooks } = await copied(t, 57)
  copySegments(ACCOUNT, dataDir, target)
  const [, second] = books.files.list()
  if (second === undefined) throw new Error('no second segment')
  books.database.keepFrom(books.files.head(second).end)
  books.reader.refresh()
  books.archivist().drop()
  await copyBooks()
  t.equal(copySegments(ACCOUNT, dataDir, target), 0)
  t.match(await chainIn(target), { problem: undefined })
})

t.test(
  'F292 what is moved after the books were copied goes beyond the copy, and stays behind',
  async (t) => {
    const { dataDir, target, books, copyBooks } = await copied(t, 57)
    copySegments(ACCOUNT, dataDir, target)
    await copyBooks()
    books.grow(20)
    await books.archive()
    t.equal(copySegments(ACCOUNT, dataDir, target), 2)
    await dropLater(ACCOUNT, target)
    t.equal(new SegmentFiles(target, ACCOUNT).list().at(-1)?.last, 50)
    t.match(await chainIn(target), { problem: undefined, chain: { ok: true, value: { seq: 57 } } })
  },
)

t.test(
  'books without their segments get those of the folder they replace, where they fit',
  async (t) => {
    const { dataDir, target, books, copyBooks } = await copied(t, 57)
    await copyBooks()
    t.match(await chainIn(target), { problem: { isMissing: true } })
    books.grow(30)
    await books.archive() // later than the copy: not of its journal
    t.equal(await fillSegments(ACCOUNT, dataDir, target), 0)
    t.match(await chainIn(target), { problem: undefined, chain: { ok: true, value: { seq: 57 } } })
    t.equal(new SegmentFiles(target, ACCOUNT).list().length, 5)
  },
)

t.test('and none of another journal, nor half of them', async (t) => {
  const { dataDir, target, books, copyBooks } = await copied(t, 57)
  await copyBooks()
  const other = join(dataDir, '..', 'other')
  mkdirSync(other)
  const stranger = new Books(t, 0, other)
  stranger.add([{ seq: 1, timeMs: 1, kind: 'connected', body: new Uint8Array() }])
  stranger.grow(56)
  await stranger.archive()
  t.equal(await fillSegments(ACCOUNT, other, target), 50)
  t.equal(await fillSegments(ACCOUNT, join(dataDir, 'nowhere'), target), 50)
  const [first] = books.files.list()
  cpSync(journalFolder(dataDir, ACCOUNT), journalFolder(join(dataDir, 'half'), ACCOUNT), {
    recursive: true,
  })
  rmSync(join(journalFolder(join(dataDir, 'half'), ACCOUNT), first?.name ?? ''))
  t.equal(await fillSegments(ACCOUNT, join(dataDir, 'half'), target), 50)
  t.strictSame(new SegmentFiles(target, ACCOUNT).list(), [])
})

t.test('the database of an account is known by its folder', async (t) => {
  t.equal(accountOf(join('10000001', 'db')), '10000001')
  for (const other of ['db', join('service', 'db'), join('paper', '10000001', 'db')]) {
    t.equal(accountOf(other), undefined)
  }
})
