import { cpSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { crc32 } from 'node:zlib'
import { open } from 'lmdb'
import t, { type Test } from 'tap'
import { decode, encode } from '../../src/protocol/codec.ts'
import {
  AccountDatabase,
  databaseFolder,
  openAccountDatabase,
} from '../../src/storage/account-database.ts'
import { logsFolder } from '../../src/storage/account-logs.ts'
import { BLOCK_BYTES } from '../../src/storage/log/batch.ts'
import { MEMBERS_FOLDER } from '../../src/storage/log/folder.ts'
import { crashed, decided, logDesk, logOf, noted, told, watched } from './fixtures/log-desk.ts'
import { codeOf, found, sound } from './fixtures/next-owner.ts'
import { bytes, entry, OWNER } from './fixtures/store-thread.ts'

t.test('what was answered is found after a crash, though no database has it', async (t) => {
  const dir = t.testdir()
  const desk = logDesk(t, join(dir, 'live'))
  const [one, two] = [await desk.own('1'), await desk.own('2')]
  await Promise.all([one.commit(decided(1)), one.commit(noted('a')), one.commit(decided(2))])
  await two.commit(decided(1))
  await one.commit(noted('b'))
  const copy = crashed(desk.dataDir, join(dir, 'copy'))
  const database = openAccountDatabase(copy, '1')
  t.equal(database.head().seq, 0, 'only the log has it')
  await database.close()
  t.strictSame(await found(copy), sound(2, 'b'))
  t.strictSame(await found(copy, '2'), sound(1))
})

t.test('what the database has by then is not written again, in whatever order', async (t) => {
  const dir = t.testdir()
  const desk = logDesk(t, join(dir, 'live'))
  const one = await desk.own('1')
  await one.commit(noted('first'))
  await one.commit(decided(1))
  const early = crashed(desk.dataDir, join(dir, 'early'))
  await one.commit(noted('second'))
  await desk.store.control({ kind: 'head', accountId: '1' }) // brings it in
  t.strictSame(await found(crashed(desk.dataDir, join(dir, 'a'))), sound(1, 'second'))
  cpSync(logOf(early), logOf(desk.dataDir), {
    recursive: true,
    filter: (path) => !/lock/.test(path),
  })
  t.strictSame(await found(crashed(desk.dataDir, join(dir, 'b'))), sound(1, 'second'))
  t.strictSame(await found(join(dir, 'b')), { ...sound(1, 'second') }, 'and once more')
})

t.test('a torn end is cut at any byte, and what was answered before it counts', async (t) => {
  const dir = t.testdir()
  const desk = logDesk(t, join(dir, 'live'))
  const one = await desk.own('1')
  for (const seq of [1, 2, 3]) await one.commit(decided(seq))
  const whole = crashed(desk.dataDir, join(dir, 'whole'))
  const segment = readFileSync(join(logOf(whole), '0.log'))
  const used = BLOCK_BYTES * 2 + segment.subarray(BLOCK_BYTES * 2, BLOCK_BYTES * 3).lastIndexOf(1)
  for (let at = BLOCK_BYTES * 2; at < used; at += 37) {
    const copy = crashed(whole, join(dir, `torn-${at}`))
    writeFileSync(join(logOf(copy), '0.log'), Buffer.from(segment).fill(0, at))
    t.strictSame(await found(copy), sound(2), `torn at ${at}`)
    rmSync(copy, { recursive: true })
  }
})

t.test('F106 a hole holds back whoever may have lost something, and nobody else', async (t) => {
  const dir = t.testdir()
  const desk = logDesk(t, join(dir, 'live'))
  const owners = [await desk.own('1'), await desk.own('2'), await desk.own('3')]
  const [one, two, three] = owners
  await three?.commit(decided(1))
  await one?.commit(decided(1))
  await two?.commit(decided(1)) // lost
  await one?.commit(decided(2))
  await three?.commit(decided(2)) // lost
  await three?.commit(decided(3))
  const copy = crashed(desk.dataDir, join(dir, 'copy'))
  const file = join(logOf(copy), '0.log')
  const segment = readFileSync(file)
  for (const batch of [2, 4]) segment.fill(0xff, batch * BLOCK_BYTES, batch * BLOCK_BYTES + 9)
  writeFileSync(file, segment)
  t.match(await found(copy, '1'), { seq: 2, isHeld: true, problem: /damaged/ }, 'nothing behind it')
  t.match(await found(copy, '2'), { seq: 0, isHeld: true, problem: /damaged/ })
  t.match(await found(copy, '3'), { seq: 1, isHeld: true, problem: /commit 3 does not follow/ })
})

t.test('F106 a later commit proves that nothing of an account is in the hole', async (t) => {
  const dir = t.testdir()
  const desk = logDesk(t, join(dir, 'live'))
  const [one, two] = [await desk.own('1'), await desk.own('2')]
  await one.commit(decided(1))
  await two.commit(decided(1)) // lost
  await one.commit(decided(2))
  const copy = crashed(desk.dataDir, join(dir, 'copy'))
  const file = join(logOf(copy), '0.log')
  writeFileSync(file, readFileSync(file).fill(0xff, BLOCK_BYTES, BLOCK_BYTES + 9))
  t.strictSame(await found(copy, '1'), sound(2))
  t.match(await found(copy, '2'), { seq: 0, isHeld: true })
})

t.test('F107 a log that is gone holds back those whose database still names it', async (t) => {
  const dir = t.testdir()
  const desk = logDesk(t, join(dir, 'live'))
  const [one, two] = [await desk.own('1'), await desk.own('2')]
  await one.commit(decided(1))
  await two.commit(decided(1))
  await desk.store.control({ kind: 'release', accountId: '2' })
  const copy = crashed(desk.dataDir, join(dir, 'copy'))
  rmSync(logsFolder(copy), { recursive: true })
  t.match(await found(copy, '1'), { seq: 0, isHeld: true, problem: /is gone/ })
  t.strictSame(await found(copy, '2'), sound(1), 'it was given up before')
})

t.test('F107 books older than the log are held back: the log does not follow them', async (t) => {
  const dir = t.testdir()
  const desk = logDesk(t, join(dir, 'live'))
  const one = await desk.own('1')
  const early = crashed(desk.dataDir, join(dir, 'early'))
  await one.commit(decided(1))
  await desk.store.control({ kind: 'head', accountId: '1' })
  for (let note = 0; note < 40; note++) {
    await one.commit(noted(`${note}`))
    await desk.store.control({ kind: 'head', accountId: '1' })
  }
  await one.commit(decided(2))
  const copy = crashed(desk.dataDir, join(dir, 'copy'))
  const folder = databaseFolder(copy, '1')
  rmSync(folder, { recursive: true })
  cpSync(databaseFolder(early, '1'), folder, { recursive: true })
  t.match(await found(copy), { seq: 0, isHeld: true, problem: /does not follow/ })
})

t.test('F107 other books of the same age are held back as well', async (t) => {
  const dir = t.testdir()
  const desk = logDesk(t, join(dir, 'live'))
  const one = await desk.own('1')
  await one.commit(decided(1))
  const copy = crashed(desk.dataDir, join(dir, 'copy'))
  const database = openAccountDatabase(copy, '1')
  const { epoch } = database.claim(1, OWNER)
  const other = { entries: [entry(1, 'another')], changes: [] }
  t.strictSame(database.commit([{ epoch, commit: other }]), [null])
  await database.close()
  t.match(await found(copy), { seq: 1, isHeld: true, problem: /is another one/ })
})

t.test('a clean end leaves no log, and nothing in doubt; a release no name of it', async (t) => {
  const dataDir = t.testdir()
  for (const isReleased of [true, false]) {
    const desk = logDesk(t, dataDir)
    const database = openAccountDatabase(dataDir, '1')
    const { epoch } = database.inspect()
    const { seq } = { seq: database.head().seq }
    await database.close()
    const one = await desk.own('1', epoch)
    await one.commit(decided(seq + 1))
    if (isReleased) await desk.store.control({ kind: 'release', accountId: '1' })
    await desk.store.close()
    t.notOk(existsSync(logOf(dataDir)))
    const after = openAccountDatabase(dataDir, '1')
    t.strictSame([after.head().seq, after.logs()], [seq + 1, []])
    await after.close()
  }
  t.strictSame(await found(dataDir), sound(2))
})

/** Rewrites a row of the store's own table, as another release would have it. */
async function rewrite(dataDir: string, key: string, change: (value: object) => unknown) {
  const root = open({
    path: databaseFolder(dataDir, '1'),
    noSubdir: false,
    maxDbs: 32,
    encoding: 'binary',
  })
  const rows = root.openDB<Buffer, string>({ name: 'store', encoding: 'binary' })
  const value = encode(change(decode<object>((rows.get(key) ?? Buffer.alloc(5)).subarray(4))))
  const sealed = Buffer.alloc(4 + value.length)
  sealed.writeUInt32BE(crc32(value))
  sealed.set(value, 4)
  rows.putSync(key, sealed)
  await root.close()
}

const withoutCommits = (head: object) =>
  Object.fromEntries(Object.entries(head).filter(([name]) => name !== 'commits'))

t.test('a data folder of a release without logs goes on', async (t) => {
  const dir = t.testdir()
  const dataDir = join(dir, 'live')
  const database = openAccountDatabase(dataDir, '1')
  const { epoch } = database.claim(0, OWNER)
  database.commit([{ epoch, commit: decided(1) }])
  await database.close()
  await rewrite(dataDir, 'head', withoutCommits)
  const desk = logDesk(t, dataDir)
  const one = await desk.own('1', 1)
  await one.commit(decided(2))
  t.strictSame(await found(crashed(dataDir, join(dir, 'copy'))), sound(2))
})

t.test('while a log may hold more, releases without logs refuse the database', async (t) => {
  const dataDir = t.testdir()
  const schema = async () => {
    const root = open({
      path: databaseFolder(dataDir, '1'),
      noSubdir: false,
      maxDbs: 32,
      encoding: 'binary',
    })
    const rows = root.openDB<Buffer, string>({ name: 'store', encoding: 'binary' })
    const stored = decode<number>((rows.get('schema') ?? Buffer.alloc(5)).subarray(4))
    await root.close()
    return stored
  }
  const desk = logDesk(t, dataDir)
  const one = await desk.own('1')
  await one.commit(decided(1))
  t.ok((await schema()) > 1, 'one of a newer release, as far as they can tell')
  await desk.store.control({ kind: 'release', accountId: '1' })
  await desk.store.control({ kind: 'leave', accountId: '1' })
  t.equal(await schema(), 1)
})

t.test('F111 a log is not left by who lost the account to its owner again', async (t) => {
  const dir = t.testdir()
  const one = logDesk(t, dir)
  await (await one.own('1')).commit(decided(1))
  const log = logOf(dir)
  const sign = join(log, MEMBERS_FOLDER, '1')
  const two = logDesk(t, dir, {
    openAccount: (dataDir, accountId) =>
      watched(openAccountDatabase(dataDir, accountId), {
        catchUp(this: AccountDatabase, epoch, found, name) {
          const caughtUp = AccountDatabase.prototype.catchUp.call(this, epoch, found, name)
          rmSync(sign) // as if it had been left: what follows is the first owner's next claim
          const again = { name: basename(log), join: () => writeFileSync(sign, '') }
          t.match(this.claim(epoch, OWNER, epoch + 1, again), { claimed: true })
          return caughtUp
        },
      }),
  })
  await two.store.control({ kind: 'claim', accountId: '1', expected: 1, owner: OWNER })
  t.ok(existsSync(sign), 'nobody may take the log for one that no database names')
})

t.test('who reads sees what was answered, wherever it lies', async (t) => {
  const desk = logDesk(t, t.testdir())
  const one = await desk.own('1')
  const row = (key: string | number, value: string | null) => ({
    table: 'orders' as const,
    key,
    value: value === null ? null : bytes(value),
  })
  await one.commit({ entries: [entry(1)], changes: [row('a', '1'), row('b', '1'), row(7, '1')] })
  await desk.store.control({ kind: 'head', accountId: '1' })
  await one.commit({ entries: [entry(2)], changes: [row('b', null), row('c', '2'), row('a', '2')] })
  const keys = async (query: object) =>
    (await one.range({ table: 'orders', limit: 9, ...query })).map(({ key }) => key)
  t.strictSame(await keys({}), [7, 'a', 'c'])
  t.strictSame(await keys({ reverse: true }), ['c', 'a', 7])
  t.strictSame(await keys({ limit: 2 }), [7, 'a'])
  t.strictSame(await keys({ limit: 1, reverse: true }), ['c'])
  t.strictSame(await keys({ from: 'a', to: 'b' }), ['a'])
  t.strictSame(await keys({ from: 'c', to: 'b', reverse: true }), ['c'])
  t.equal((await one.range({ table: 'journal', from: 2, limit: 9 })).length, 1)
  const opened = await one.open(['orders'])
  t.strictSame([opened.seq, opened.tables.orders?.map(({ key }) => key)], [2, [7, 'a', 'c']])
  t.equal(told(opened.tables.orders?.slice(1)), '2')
})

t.test('F111 one who was fenced can write nothing, and takes nothing back', async (t) => {
  const dataDir = t.testdir()
  const old = logDesk(t, dataDir)
  const one = await old.own('1')
  await one.commit(decided(1))
  await one.commit(noted('old'))
  const next = logDesk(t, dataDir)
  const two = await next.own('1', 1)
  t.match(await two.open(['settings']), { epoch: 2, seq: 1, restored: null })
  await two.commit(decided(2))
  await two.commit(noted('new'))
  await next.store.control({ kind: 'head', accountId: '1' })
  t.equal(await codeOf(one.commit(decided(2))), 'NOT_OWNER')
  await old.store.control({ kind: 'head', accountId: '1' }) // brings in what it had answered
  await old.store.control({ kind: 'leave', accountId: '1' })
  const opened = await two.open(['orders', 'settings'])
  t.strictSame(
    [opened.seq, told(opened.tables.orders), told(opened.tables.settings)],
    [2, '2', 'new'],
  )
  await two.commit(decided(3))
  await old.own('1', 2) // and back again
  t.match(await codeOf(two.commit(decided(4))), 'NOT_OWNER')
})

t.test(
  'F111 a claim that comes too late takes nothing, and the next one takes all',
  async (t: Test) => {
    const dataDir = t.testdir()
    const old = logDesk(t, dataDir)
    const one = await old.own('1')
    await one.commit(decided(1))
    const next = logDesk(t, dataDir)
    const claim = { kind: 'claim', accountId: '1', owner: OWNER } as const
    const late = next.store.control({ ...claim, expected: 1 }, 1)
    t.equal(await codeOf(late), 'DEADLINE_EXCEEDED')
    const { epoch } = (await next.store.control({ kind: 'inspect', accountId: '1' })) as {
      epoch: number
    }
    const two = await next.own('1', epoch)
    t.match(await two.open([]), { seq: 1, restored: null })
  },
)
