import { existsSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { ServiceError } from '../../src/domain/errors.ts'
import { type AccountDatabase, openAccountDatabase } from '../../src/storage/account-database.ts'
import { crashed, decided, logDesk, logOf, STILL, watched } from './fixtures/log-desk.ts'
import { codeOf, found, sound } from './fixtures/next-owner.ts'
import { entry } from './fixtures/store-thread.ts'

t.test('a commit that no batch holds goes past the log, behind those before it', async (t) => {
  const dir = t.testdir()
  const desk = logDesk(t, join(dir, 'live'))
  const one = await desk.own('1')
  const large = { ...decided(2), entries: [entry(2, 'x'.repeat(2 * STILL.logBytes))] }
  await Promise.all([one.commit(decided(1)), one.commit(large), one.commit(decided(3))])
  t.strictSame(await found(crashed(desk.dataDir, join(dir, 'copy'))), sound(3))
})

t.test('F108 a log that is full waits for the databases, and nothing is lost', async (t) => {
  const dir = t.testdir()
  const desk = logDesk(t, join(dir, 'live'))
  const accounts = ['1', '2', '3']
  const owners = await Promise.all(accounts.map((id) => desk.own(id)))
  const filler = 'x'.repeat(3_000)
  await Promise.all(
    owners.flatMap((owner) =>
      Array.from({ length: 60 }, (_, i) =>
        owner.commit({ ...decided(i + 1), entries: [entry(i + 1, filler)] }),
      ),
    ),
  )
  const copy = crashed(desk.dataDir, join(dir, 'copy'))
  for (const id of accounts) t.strictSame(await found(copy, id), sound(60))
})

t.test(
  'F109 an account whose database cannot be written keeps the log, not the others',
  async (t) => {
    const dir = t.testdir()
    let isDamaged = false
    const desk = logDesk(t, join(dir, 'live'), {
      openAccount: (dataDir, accountId) => {
        const books = openAccountDatabase(dataDir, accountId)
        if (accountId !== '1') return books
        const apply: AccountDatabase['apply'] = (commits) => {
          if (isDamaged) throw new ServiceError('STORE_FAILED', 'damaged')
          return books.apply(commits)
        }
        return watched(books, { apply })
      },
    })
    const [one, two] = [await desk.own('1'), await desk.own('2')]
    await one.commit(decided(1))
    isDamaged = true
    t.equal(await codeOf(desk.store.control({ kind: 'head', accountId: '1' })), 'STORE_FAILED')
    t.equal(await codeOf(one.commit(decided(2))), 'STORE_FAILED')
    for (let seq = 1; seq <= 100; seq++) {
      await two.commit(decided(seq))
      if (seq % 5 === 0) await desk.store.control({ kind: 'head', accountId: '2' })
    }
    await desk.store.close()
    t.ok(existsSync(logOf(desk.dataDir)), 'it is there for the next start')
    t.strictSame(await found(desk.dataDir, '1'), sound(1))
    t.strictSame(await found(desk.dataDir, '2'), sound(100))
  },
)

t.test(
  'F124 where nothing can leave the log any more the process ends: nobody waits',
  async (t) => {
    const damaged = Promise.withResolvers<void>()
    const ended = Promise.withResolvers<unknown>()
    const desk = logDesk(t, t.testdir(), {
      limits: { ...STILL, logSegmentsMax: 2 },
      fatal: ended.resolve,
      openAccount: (dataDir, accountId) => {
        const books = openAccountDatabase(dataDir, accountId)
        const applyLater: AccountDatabase['applyLater'] = async (commits) => {
          if (accountId !== '1') return books.applyLater(commits)
          await damaged.promise // tried as soon as the files fill up, and found out when they are full
          throw new ServiceError('STORE_FAILED', 'damaged')
        }
        return watched(books, { applyLater })
      },
    })
    const [one, two] = [await desk.own('1'), await desk.own('2')]
    const filler = 'x'.repeat(20_000)
    const large = (seq: number) => ({ ...decided(seq), entries: [entry(seq, filler)] })
    for (let seq = 1; seq <= 6; seq++) await one.commit(large(seq)) // both files are full
    const refused = codeOf(two.commit(large(1)))
    damaged.resolve()
    t.equal(await refused, 'STORE_FAILED')
    t.match(await ended.promise, { code: 'STORE_FAILED' })
  },
)

t.test('F110 without room a log is not begun, and what it has is brought in later', async (t) => {
  const dir = t.testdir()
  const disk = { free: 100_000 }
  const limits = { ...STILL, writeMarginBytes: 10, checkpointMs: 1 }
  const desk = logDesk(t, join(dir, 'live'), { limits, freeBytes: () => disk.free })
  t.equal(await codeOf(desk.own('1')), 'DISK_FULL', 'two segments do not fit')
  disk.free = 1_000_000
  const one = await desk.own('1')
  await one.commit(decided(1))
  disk.free = 0
  t.equal((await one.open(['orders'])).seq, 1, 'reads go on')
  disk.free = 1_000_000
  await one.commit(decided(2))
  t.match(await desk.store.control({ kind: 'head', accountId: '1' }), { seq: 2 })
})
