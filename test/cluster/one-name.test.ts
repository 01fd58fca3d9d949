import fs, { realpathSync } from 'node:fs'
import { dirname, join } from 'node:path'
import t from 'tap'

// Before the module is loaded: it asks once on which system it runs.
const { platform } = process
Object.defineProperty(process, 'platform', { value: 'win32' })
const { earlierRolePath, roleSocketPath } = await import('../../src/cluster/socket-path.ts')
t.teardown(() => Object.defineProperty(process, 'platform', { value: platform }))

/** What Windows says that a folder is called: there these letters are one folder in any case. */
const spelled = (path: fs.PathLike) => join(dirname(realpathSync(`${path}`)), 'Data')
const unknown = () => {
  throw Object.assign(new Error('EISDIR'), { code: 'EISDIR' })
}
const { native } = realpathSync
t.afterEach(() => {
  fs.realpathSync.native = native
})

/** The names of the lock of a data folder that is typed in these ways. */
function locksOf(folder: string, ...typed: readonly string[]): readonly string[] {
  return typed.map((name) => roleSocketPath(join(folder, name), '.locks', 'stopped'))
}

t.test('F434 one data folder has one lock on Windows, however it is typed', async (t) => {
  const folder = t.testdir()
  fs.realpathSync.native = spelled as typeof native
  const [first, ...others] = locksOf(folder, 'Data', 'data', 'DATA')
  t.match(first, /^\\\\\.\\pipe\\steward-[0-9a-f]{16}-\.locks-stopped\.sock$/)
  for (const other of others) t.equal(other, first)
})

t.test('where the system does not tell, as of some drives, it is as it was typed', async (t) => {
  const folder = t.testdir()
  fs.realpathSync.native = unknown as typeof native
  const [first, again, other] = locksOf(folder, 'Data', 'Data', 'Other')
  t.equal(again, first)
  t.not(other, first)
})

t.test('F434 a process of before, which went by what was typed, is found there', async (t) => {
  const typed = join(t.testdir(), 'data')
  fs.realpathSync.native = unknown as typeof native
  const before = roleSocketPath(typed, '.locks', 'stopped')
  fs.realpathSync.native = spelled as typeof native
  t.not(roleSocketPath(typed, '.locks', 'stopped'), before)
  t.equal(earlierRolePath(typed, '.locks', 'stopped'), before)
  const asSpelled = join(dirname(typed), 'Data')
  t.equal(earlierRolePath(asSpelled, '.locks', 'stopped'), undefined, 'there it is the same one')
})
