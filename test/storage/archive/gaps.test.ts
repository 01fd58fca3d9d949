import { join } from 'node:path'
import t, { type Test } from 'tap'
import { TABLE } from '../../../src/protocol/store.ts'
import { databaseFolder, openAccountDatabase } from '../../../src/storage/account-database.ts'
import { examineDatabases } from '../../../src/storage/examine.ts'
import { verifyChain } from '../../../src/storage/journal-chain.ts'
import { openEnvironment } from '../../../src/storage/open-environment.ts'
import { ACCOUNT, Books, FIVE, NOW_MS } from './fixtures/books.ts'
import { tookOver } from './fixtures/elsewhere.ts'

const YEARS_MS = 500 * 86_400_000
const seqs = (rows: readonly { readonly seq: number }[]) => rows.map(({ seq }) => seq)
const numbers = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, at) => from + at)

/** Books of 57 entries, written in more than one commit. */
function lived(t: Test, dataDir: string): Books {
  const books = new Books(t, 50, dataDir)
  books.grow(7)
  return books
}

/** An account that lived here up to entry 57, elsewhere up to 97, and here again up to 117. */
async function wanderer(t: Test): Promise<{ readonly here: Books; readonly there: Books }> {
  const root = t.testdir()
  const [here, there] = [lived(t, join(root, 'here')), new Books(t, 0, join(root, 'there'))]
  await tookOver(there, here)
  there.grow(40)
  await tookOver(here, there)
  here.grow(20)
  return { here, there }
}

t.test('F423 an account that comes back from another computer finds its own journal', async (t) => {
  const { here, there } = await wanderer(t)
  const own = [...numbers(1, 57), ...numbers(98, 117)]
  t.strictSame(seqs(here.journal()), own)
  t.strictSame(seqs(there.journal()), numbers(58, 97), 'and nowhere else is it kept')
  const [first, rest] = [here.journal().slice(0, 57), here.journal().slice(57)]
  t.ok(verifyChain(first).ok)
  t.ok(verifyChain(rest, there.database.head(), 1).ok)
  const read = (query: object) =>
    here.reader.range({ table: TABLE.journal, limit: 1_000, ...query }).map(({ key }) => key)
  t.strictSame(read({}), own)
  t.strictSame(read({ reverse: true }), own.toReversed())
  t.strictSame(read({ from: 60, to: 99 }), [98, 99])
})

t.test(
  'F423 what lies before and behind the gap moves into segments, never across it',
  async (t) => {
    const { here } = await wanderer(t)
    const before = here.journal()
    await here.archive()
    t.strictSame(here.journal(), before, 'the same bytes')
    t.equal(here.reader.archiveProblem(), undefined)
    const moved = here.files.list().map(({ first, last }) => [first, last])
    t.strictSame(moved.slice(-3), [
      [41, 50],
      [51, 57],
      [98, 107],
    ])
    await here.reopen()
    here.grow(20)
    await here.archive()
    t.strictSame(seqs(here.journal()), [...numbers(1, 57), ...numbers(98, 137)])
    t.equal(here.reader.archiveProblem(), undefined)
    const mark = here.archivist().expired(400, NOW_MS + YEARS_MS)
    t.equal(mark, null, 'nothing is old by a clock that is ahead')
  },
)

t.test(
  'F950 books with such a gap are sound, and with an entry missing elsewhere not',
  async (t) => {
    const { here } = await wanderer(t)
    await here.close()
    const folder = databaseFolder(here.dataDir, ACCOUNT)
    const problem = async () => {
      const found = await examineDatabases([folder], { readMs: 10_000, silenceMs: 60_000 })
      return found.get(folder)?.problem
    }
    t.equal(await problem(), null)
    const without = async (seq: number) => {
      const env = openEnvironment(folder, [TABLE.journal])
      env.write(() => env.remove(TABLE.journal, seq))
      await env.close()
    }
    await without(98)
    t.match(await problem(), 'no entry after 57')
    await without(30)
    t.match(await problem(), 'no entry after 29')
  },
)

t.test('F423 where nothing was written here meanwhile the gap only grows', async (t) => {
  const { here, there } = await wanderer(t)
  for (const count of [10, 7]) {
    await tookOver(there, here)
    there.grow(count)
    await tookOver(here, there)
  }
  here.grow(9)
  t.strictSame(seqs(here.journal()), [...numbers(1, 57), ...numbers(98, 117), ...numbers(135, 143)])
  t.equal(here.reader.parts().gaps.length, 2)
  await here.archive()
  t.equal(here.reader.archiveProblem(), undefined)
  t.strictSame(seqs(here.journal()), [...numbers(1, 57), ...numbers(98, 117), ...numbers(135, 143)])
})

t.test('F423 a computer that has written nothing hands on where the journal ends', async (t) => {
  const root = t.testdir()
  const [first, second, third] = [
    lived(t, join(root, 'first')),
    new Books(t, 0, join(root, 'second')),
    new Books(t, 0, join(root, 'third')),
  ]
  await tookOver(second, first)
  await tookOver(third, second)
  third.grow(30)
  t.match(third.reader.parts(), { base: { seq: 57, epoch: 1 }, kept: { seq: 57 }, gaps: [] })
  await third.archive(FIVE)
  t.equal(third.reader.archiveProblem(), undefined)
  t.strictSame(seqs(third.journal()), numbers(58, 87))
})

t.test('books that are others than those of the cluster give way to them', async (t) => {
  const root = t.testdir()
  const [here, there] = [
    new Books(t, 30, join(root, 'here')),
    new Books(t, 20, join(root, 'there')),
  ]
  for (let count = 0; count < 5; count++) {
    there.database.commit([
      {
        epoch: 1,
        commit: { entries: [], changes: [{ table: 'orders', key: count, value: null }] },
      },
    ])
  }
  await tookOver(here, there)
  t.strictSame(seqs(here.journal()), [])
  t.match(here.reader.parts(), { base: { seq: 20 }, kept: { seq: 20 }, gaps: [] })
  await here.close()
  const database = openAccountDatabase(here.dataDir, ACCOUNT)
  t.equal(database.head().seq, 20)
  await database.close()
})
