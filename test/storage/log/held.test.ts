import { existsSync, readdirSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { ProcessLog } from '../../../actors/store/process-log.ts'
import { BooksLog } from '../../../src/drivers/paper/books-log.ts'
import { logsFolder } from '../../../src/storage/account-logs.ts'
import { Room } from '../../../src/storage/free-space.ts'
import { BLOCK_BYTES } from '../../../src/storage/log/batch.ts'
import { hasMembers, lockFolder, logsIn } from '../../../src/storage/log/folder.ts'
import { ForeignLog } from '../../../src/storage/log/foreign-log.ts'
import { Log } from '../../../src/storage/log/log.ts'
import { hold } from '../../held.ts'
import { runStarved } from '../../starved.ts'

const LIMITS = { segmentBytes: 4 * BLOCK_BYTES, segmentsMax: 3 }

/** A log that a process which is gone has left: an account was in it, or nobody. */
async function leftBehind(root: string, ...members: readonly string[]): Promise<string> {
  const log = Log.create(root, LIMITS)
  for (const member of members) log.join(member)
  await log.close()
  const name = log.name.replace(/^\d+-\d+/, '4194305-1')
  renameSync(join(root, log.name), join(root, name))
  return name
}

t.test(
  'F436 what a dead process has left is held by a scanner: accounts are claimed',
  async (t) => {
    const dataDir = t.testdir()
    const root = logsFolder(dataDir)
    const left = await leftBehind(root)
    hold(t, join(root, left))
    const room = new Room({ dataDir, marginBytes: 0 })
    const log = new ProcessLog({ dataDir, limits: LIMITS, room })
    const { name, join: enter } = log.named('10000001')
    enter()
    t.ok(log.has('10000001'))
    t.strictSame([...logsIn(root)].sort(), [left, name].sort(), 'it stays for the next start')
    log.leave('10000001')
    await log.close()
  },
)

t.test('F436 and the books of the embedded client find their log', async (t) => {
  const dataDir = t.testdir()
  const folder = join(dataDir, 'logs')
  const left = await leftBehind(folder)
  hold(t, join(folder, left))
  const nothing = () => undefined
  const books = new BooksLog({
    dataDir,
    folder,
    limits: {
      logBytes: LIMITS.segmentBytes,
      checkpointMs: 1_000,
      checkpointRestMs: 1,
      writeMarginBytes: 0,
      writeRetryMs: 1_000,
    },
    pulse: { begin: nothing, end: nothing, beat: nothing, atDisk: (work) => work() },
    warn: nothing,
  })
  const name = books.join('10000001')
  t.ok(name)
  t.ok(existsSync(join(folder, left)), 'it stays for the next start')
  await books.close()
})

t.test(
  'F436 the sign of an account in a log is held: it has left the log all the same',
  async (t) => {
    const root = t.testdir()
    const left = await leftBehind(root, '10000001')
    hold(t, join(root, left))
    const foreign = ForeignLog.open(root, left)
    foreign?.leave('10000001')
    t.ok(hasMembers(join(root, left)), 'so the log stays until a later claim')
    t.equal(foreign?.isDone, false)
    await foreign?.close()
  },
)

t.test(
  'F436 a log that has ended is gone for whoever looks, also while its files are held',
  async (t) => {
    const root = t.testdir()
    const log = Log.create(root, LIMITS)
    hold(t, `${join(root, log.name)}.gone`)
    await log.remove()
    t.strictSame(logsIn(root), [])
    t.strictSame(readdirSync(root), [`${log.name}.gone`], 'the next start removes it')
  },
)

t.test(
  'F684 a log is asked for by a process without descriptors: its lock is refused, and nobody ends',
  { skip: process.platform === 'win32' && 'descriptors do not run out there' },
  async (t) => {
    const holder = new URL('../../../src/storage/log/lock-holder.ts', import.meta.url)
    const { stdout, stderr, status } = runStarved(
      t.testdir(),
      `
      import { LockHolder } from ${JSON.stringify(holder.href)}
      starve(1)
      const asked = new LockHolder('/nowhere').inLock(() => undefined)
      console.log(await asked.catch((error) => error.message))
      `,
    )
    t.equal(status, 0, stderr)
    t.match(stdout, /its lock cannot be had.*EMFILE/)
  },
)

t.test(
  'F701 a log is asked for by a process without memory for another one: the same, again and again',
  { skip: process.platform === 'win32' && 'its programs have longer names' },
  async (t) => {
    const holder = new URL('../../../src/storage/log/lock-holder.ts', import.meta.url)
    const { stdout, stderr, status } = runStarved(
      t.testdir(),
      `
      import { LockHolder } from ${JSON.stringify(holder.href)}
      process.execPath = 'x'.repeat(5_000) // the system refuses that at once, as where memory is short
      const log = new LockHolder('/nowhere')
      for (let i = 0; i < 2; i++) {
        console.log(await log.inLock(() => undefined).catch((error) => error.message))
      }
      log.close()
      `,
    )
    t.equal(status, 0, stderr)
    t.match(stdout, /^(its lock cannot be had.*ENAMETOOLONG.*\n){2}$/)
  },
)

t.test(
  'F701 who has come meanwhile is told when nobody can start another one',
  { skip: process.platform === 'win32' && 'its programs have longer names' },
  async (t) => {
    const holder = new URL('../../../src/storage/log/lock-holder.ts', import.meta.url)
    const folder = t.testdir()
    const root = join(folder, 'log')
    const log = Log.create(root, LIMITS)
    t.teardown(() => log.close())
    const { stdout, stderr, status } = runStarved(
      folder,
      `
      import { LockHolder } from ${JSON.stringify(holder.href)}
      const log = new LockHolder(${JSON.stringify(lockFolder(join(root, log.name)))})
      const later = []
      await log.inLock(() => {
        later.push(log.inLock(() => undefined))
        process.execPath = 'x'.repeat(5_000)
      })
      console.log(await later[0].catch((error) => error.message))
      `,
    )
    t.equal(status, 0, stderr)
    t.match(stdout, /^its lock cannot be had.*ENAMETOOLONG/)
  },
)
