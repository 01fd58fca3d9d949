import { closeSync, openSync, renameSync, rmSync, symlinkSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { firstRows } from '../../src/drivers/paper/first-rows.ts'
import { BLOCK_BYTES } from '../../src/storage/log/batch.ts'
import { SETTINGS } from './fixtures/paper.ts'
import { booksIn, changesOf, commit, ID, LOST, sequencesIn } from './fixtures/paper-books.ts'

/* What becomes of books whose log is gone, cut, of others, or not to be looked at. */

const FREE_LINKS =
  process.platform === 'win32' ? { skip: 'few users of Windows may make a link' } : {}
const first = () => firstRows(SETTINGS)

t.test('F840 a log that nobody may look at is not gone: its books wait', FREE_LINKS, async (t) => {
  const paper = t.testdir()
  const { store, log } = booksIn(paper)
  await store.claim(1, first)
  await commit(store, 1, changesOf(1))
  const folder = join(paper, 'logs', String(log.ownName))
  const aside = `${folder}.aside`
  renameSync(folder, aside)
  symlinkSync(folder, folder) // round in a circle: to root nothing is denied
  t.throws(() => booksIn(paper), { code: 'ELOOP' })
  rmSync(folder)
  renameSync(aside, folder)
  const after = booksIn(paper)
  t.strictSame(sequencesIn(await after.store.claim(2, first)), [1], 'and have it once it is seen')
  t.strictSame(after.warnings, [])
})

t.test('books that were begun anew take nothing from the log of the old ones', async (t) => {
  const paper = t.testdir()
  const { store } = booksIn(paper)
  await store.claim(1, first)
  await commit(store, 1, changesOf(1))
  renameSync(join(paper, ID), join(paper, 'moved'))
  const after = booksIn(paper)
  t.strictSame(sequencesIn(await after.store.claim(2, first)), [])
  t.ok(await commit(after.store, 2, changesOf(7)))
  t.strictSame(sequencesIn(await after.store.claim(3, first)), [7])
  await after.close()
})

t.test(
  'F113 a commit that is missing: the books go on without what follows it, and somebody hears of it',
  async (t) => {
    const paper = t.testdir()
    const { store, log, close } = booksIn(paper)
    await store.claim(1, first)
    for (let seq = 1; seq <= 4; seq++) await commit(store, 1, changesOf(seq))
    const file = openSync(join(paper, 'logs', String(String(log.ownName)), '0.log'), 'r+')
    writeSync(file, Buffer.alloc(BLOCK_BYTES), 0, BLOCK_BYTES, 2 * BLOCK_BYTES)
    closeSync(file)
    const after = booksIn(paper)
    t.strictSame(sequencesIn(await after.store.claim(2, first)), [1, 2])
    t.match(after.warnings, [LOST])
    for (let seq = 5; seq <= 6; seq++) t.ok(await commit(after.store, 2, changesOf(seq)))
    await close() // it still knows what was lost, and that it is too late
    t.strictSame(sequencesIn(await after.store.claim(3, first)), [1, 2, 5, 6])
    await after.close()
  },
)

t.test(
  'F113 a log that was removed: the books go on as they are, and somebody hears of it',
  async (t) => {
    const paper = t.testdir()
    const { store } = booksIn(paper)
    await store.claim(1, first)
    await commit(store, 1, changesOf(1))
    rmSync(join(paper, 'logs'), { recursive: true })
    const after = booksIn(paper)
    t.strictSame(sequencesIn(await after.store.claim(2, first)), [])
    t.match(after.warnings, [LOST])
    await after.close()
  },
)
