import { existsSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { logsFinding } from '../../src/service/doctor/machine.ts'
import { logsFolder } from '../../src/storage/account-logs.ts'
import { copySegments, fillSegments } from '../../src/storage/archive/archive-copies.ts'
import { journalFolder, SegmentFiles } from '../../src/storage/archive/segment-files.ts'
import { backUp, databasesIn } from '../../src/storage/backup.ts'
import { leftoversIn } from '../../src/storage/log/folder.ts'
import { unreadable } from '../unread.ts'
import { ACCOUNT, Books } from './archive/fixtures/books.ts'
import { crashed, decided, logDesk, logOf } from './fixtures/log-desk.ts'
import { found, sound } from './fixtures/next-owner.ts'

t.test(
  'F1004 a log whose folder cannot be read now is not empty: nothing of it is forgotten',
  async (t) => {
    const dir = t.testdir()
    const desk = logDesk(t, join(dir, 'live'))
    const one = await desk.own('1')
    for (const seq of [1, 2]) await one.commit(decided(seq))
    const copy = crashed(desk.dataDir, join(dir, 'copy'))
    const log = logOf(copy)
    const readAgain = unreadable(t, (path) => path === log)
    const refused = { code: 'STORE_FAILED', message: /cannot be read now.*EIO/ }
    await t.rejects(found(copy), refused, 'for now: the account waits, and is tried again')
    readAgain()
    t.strictSame(await found(copy), sound(2))
  },
)

t.test('F1004 nor is it what a process has left half made', async (t) => {
  const dir = t.testdir()
  const desk = logDesk(t, join(dir, 'live'))
  await (await desk.own('1')).commit(decided(1))
  const root = logsFolder(desk.dataDir)
  const dead = join(root, '999999999-1795951752857-9879eebc') // its process is gone
  crashed(logOf(desk.dataDir), dead)
  t.strictSame(leftoversIn(root), [], 'an account is in it')
  unreadable(t, (path) => path.startsWith(dead))
  t.strictSame(leftoversIn(root), [], 'and may be, as far as anybody knows')
})

t.test('F1004 the doctor says so, and goes on', async (t) => {
  const dataDir = t.testdir()
  unreadable(t, (path) => path === logsFolder(dataDir), { code: 'EACCES' })
  t.match(logsFinding(dataDir), [{ text: /cannot be read now.*EACCES/, mend: /remove nothing/ }])
})

t.test('F1005 a copy lacks no segment whose folder cannot be read now: it fails', async (t) => {
  const root = t.testdir()
  const [dataDir, target] = [join(root, 'data'), join(root, 'copy')]
  const books = new Books(t, 57, dataDir)
  await books.archive()
  const readAgain = unreadable(t, (path) => path === journalFolder(dataDir, ACCOUNT))
  const refused = { code: 'STORE_FAILED', message: /cannot be read now.*EIO/ }
  t.throws(() => copySegments(ACCOUNT, dataDir, target), refused)
  t.throws(() => books.reader.journal(1, 10), refused, 'nor is a page of the audit empty')
  readAgain()
  t.equal(copySegments(ACCOUNT, dataDir, target), 5)

  await backUp(join(dataDir, ACCOUNT, 'db'), join(target, ACCOUNT, 'db'))
  const other = join(root, 'other')
  unreadable(t, (path) => path === journalFolder(target, ACCOUNT))
  await t.rejects(fillSegments(ACCOUNT, other, target), refused, 'and a restore removes none')
  t.ok(existsSync(join(journalFolder(target, ACCOUNT), books.files.list()[0]?.name ?? '')))
  t.equal(new SegmentFiles(other, ACCOUNT).list().length, 0, 'a folder that is not there is empty')
})

t.test('F1005 nor a database of which nobody knows now', async (t) => {
  const dataDir = t.testdir()
  new Books(t, 3, dataDir)
  const folder = join(dataDir, ACCOUNT, 'db')
  const file = join(folder, 'data.mdb')
  const askAgain = unreadable(t, (path) => path === file, { what: ['statSync'] })
  t.strictSame(databasesIn(dataDir), [join(ACCOUNT, 'db')], 'the folder says so')
  askAgain()
  const readAgain = unreadable(t, (path) => path === folder)
  t.throws(() => databasesIn(dataDir), /EIO.*db/)
  readAgain()
  t.strictSame(databasesIn(dataDir), [join(ACCOUNT, 'db')])
})
