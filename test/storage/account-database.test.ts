import { existsSync, rmSync, statSync, truncateSync } from 'node:fs'
import { join } from 'node:path'
import { open } from 'lmdb'
import t from 'tap'
import type { AccountDatabase, Schema } from '../../src/storage/account-database.ts'
import { openAccountDatabase } from '../../src/storage/account-database.ts'
import {
  MIGRATIONS,
  type MigrationTables,
  planMigrations,
  SCHEMA_VERSION,
} from '../../src/storage/migrations.ts'
import { bytes, entry, OWNER, text } from './fixtures/store-thread.ts'

const put = (key: string, value: string) => ({
  table: 'orders' as const,
  key,
  value: bytes(value),
})

function owned(dataDir: string, schema?: Schema): AccountDatabase {
  const database = openAccountDatabase(dataDir, '1', schema)
  database.claim(database.inspect().epoch, OWNER)
  return database
}

/** Changes bytes behind the store's back, as a failing disk does. */
async function bend(dataDir: string, table: string, key: string): Promise<void> {
  const root = open({
    path: join(dataDir, '1', 'db'),
    noSubdir: false,
    maxDbs: 16,
    encoding: 'binary',
  })
  const rows = root.openDB<Buffer, string>({ name: table, encoding: 'binary' })
  const value = Buffer.from(rows.get(key) ?? [])
  const last = value.length - 1
  value[last] = (value[last] ?? 0) ^ 1
  rows.putSync(key, value)
  await root.close()
}

t.test('a claim raises the epoch only from the expected one, and is told to others', async (t) => {
  const database = openAccountDatabase(t.testdir(), '1')
  t.teardown(() => database.close())
  t.strictSame(database.inspect(), { epoch: 0, owner: null })
  t.strictSame(database.claim(0, OWNER), { claimed: true, epoch: 1 })
  t.strictSame(database.claim(0, OWNER), { claimed: false, epoch: 1 })
  t.strictSame(database.inspect(), { epoch: 1, owner: OWNER })
  database.release()
  t.strictSame(database.inspect(), { epoch: 1, owner: null }, 'the epoch never falls')
  t.throws(() => database.open([]), { code: 'NOT_OWNER' })
})

t.test('books older than what the client has seen are claimed beyond it, and marked', async (t) => {
  const database = openAccountDatabase(t.testdir(), '1')
  t.teardown(() => database.close())
  database.claim(0, OWNER)
  database.clientAhead(1, 7)
  t.strictSame(database.inspect(), { epoch: 1, owner: OWNER, clientEpoch: 7 })
  t.match(database.claim(1, OWNER), { claimed: false }, 'not into the epochs of that time')
  t.strictSame(database.claim(1, OWNER, 8), { claimed: true, epoch: 8 })
  t.strictSame(database.inspect(), { epoch: 8, owner: OWNER })
  t.match(database.open([]).restored, { mark: 'epoch 8', fromEpoch: 1, clientEpoch: 7 })
  t.strictSame(database.claim(8, OWNER), { claimed: true, epoch: 9 })
  t.match(database.open([]).restored, { mark: 'epoch 8' }, 'the next claim is none')
})

t.test(
  'a process that was suspended while another took over cannot pose as a restore',
  async (t) => {
    const dataDir = t.testdir()
    const sleeper = owned(dataDir)
    const owner = owned(dataDir)
    t.teardown(() => Promise.all([sleeper.close(), owner.close()]))
    const { epoch } = owner.inspect()
    t.throws(() => sleeper.clientAhead(epoch - 1, epoch), { code: 'NOT_OWNER' })
    t.strictSame(owner.inspect().clientEpoch, undefined)
  },
)

t.test('without a claim of its own a process neither opens nor commits', async (t) => {
  const dataDir = t.testdir()
  await owned(dataDir).close()
  const other = openAccountDatabase(dataDir, '1')
  t.teardown(() => other.close())
  t.throws(() => other.open([]), { code: 'NOT_OWNER' })
  const outcomes = other.commit([{ epoch: 1, commit: { entries: [entry(1)], changes: [] } }])
  t.match(outcomes, [{ code: 'NOT_OWNER' }])
  t.strictSame(other.range({ table: 'journal', limit: 1 }), [])
})

t.test('in a group, all before a refused commit is written and nothing after it', async (t) => {
  const database = owned(t.testdir())
  t.teardown(() => database.close())
  const commits = [1, 2, 9, 3].map((seq) => ({
    epoch: 1,
    commit: { entries: [entry(seq)], changes: [put(`${seq}`, 'x')] },
  }))
  t.match(database.commit(commits), [null, null, { code: 'INTERNAL' }, { code: 'INTERNAL' }])
  const { seq, tables } = database.open(['orders'])
  t.strictSame([seq, tables.orders?.map(({ key }) => key)], [2, ['1', '2']])
})

t.test('a damaged row is a clear error and never a value', async (t) => {
  const dataDir = t.testdir()
  const before = owned(dataDir)
  before.commit([
    { epoch: 1, commit: { entries: [], changes: [put('a', 'one'), put('b', 'two')] } },
  ])
  await before.close()
  await bend(dataDir, 'orders', 'b')
  const database = owned(dataDir)
  t.teardown(() => database.close())
  const damaged = { code: 'STORE_FAILED', message: /orders\["b"\] are damaged/ }
  t.throws(() => database.open(['orders']), damaged)
  t.throws(() => database.range({ table: 'orders', limit: 9 }), damaged)
  t.equal(text(database.range({ table: 'orders', limit: 1 })[0]?.value), 'one')
})

t.test('a damaged owner or journal end lets nobody claim or commit', async (t) => {
  const dataDir = t.testdir()
  await owned(dataDir).close()
  await bend(dataDir, 'store', 'owner')
  const database = openAccountDatabase(dataDir, '1')
  t.teardown(() => database.close())
  t.throws(() => database.claim(1, OWNER), { code: 'STORE_FAILED' })
  t.throws(() => database.inspect(), { code: 'STORE_FAILED' })
})

t.test('migrations run in order and once; a newer schema is refused', async (t) => {
  const dataDir = t.testdir()
  const old = owned(dataDir, { version: 0, migrations: [] })
  old.commit([{ epoch: 1, commit: { entries: [entry(1)], changes: [put('a', 'x')] } }])
  await old.close()

  const addLetter = (letter: string) => (tables: MigrationTables) => {
    for (const [key, value] of tables.rows('orders')) {
      tables.put('orders', key, bytes(text(value) + letter))
    }
  }
  const half = {
    version: 1,
    migrations: [
      {
        from: 0,
        run: (tables: MigrationTables) => {
          tables.remove('orders', 'a')
          throw new Error('a bug in a migration')
        },
      },
    ],
  }
  t.throws(() => openAccountDatabase(dataDir, '1', half), { message: 'a bug in a migration' })

  const migrations = [
    { from: 0, run: addLetter('0') },
    { from: 1, run: addLetter('1') },
  ]
  for (const start of ['first', 'second']) {
    const database = owned(dataDir, { version: 2, migrations })
    const { seq, tables } = database.open(['orders'])
    t.strictSame([seq, text(tables.orders?.[0]?.value)], [1, 'x01'], `the ${start} start`)
    await database.close()
  }
  const newer = {
    code: 'STORE_FAILED',
    message: /数据库由更新的版本写成.*newer release: schema 2, and this one knows 1/,
  }
  t.throws(() => openAccountDatabase(dataDir, '1'), newer)
})

t.test(
  'the released migrations lead from version 1 to the current one without a gap',
  async (t) => {
    t.match(planMigrations(1, SCHEMA_VERSION, MIGRATIONS), { ok: true })
    t.match(planMigrations(0, 2, [{ from: 1, run: () => undefined }]), { ok: false })
  },
)

t.test('folders are private', async (t) => {
  const dataDir = join(t.testdir(), 'new')
  await openAccountDatabase(dataDir, '1').close()
  const folders = [dataDir, join(dataDir, '1'), join(dataDir, '1', 'db')]
  const modes = folders.map((folder) => statSync(folder).mode & 0o77)
  t.strictSame(modes, process.platform === 'win32' ? modes : [0, 0, 0])
})

t.test('a folder that cannot be written is one clear error', async (t) => {
  const dataDir = t.testdir({ 1: 'a file in the way' })
  const expected = { code: 'STORE_FAILED', message: /^cannot open the database in .*db: / }
  t.throws(() => openAccountDatabase(dataDir, '1'), expected)
})

t.test('a database that was emptied or lost is refused, not begun anew', async (t) => {
  for (const lose of [truncateSync, rmSync] as const) {
    const dataDir = t.testdir()
    await owned(dataDir).close()
    const file = join(dataDir, '1', 'db', 'data.mdb')
    t.ok(existsSync(file))
    lose(file)
    const expected = { code: 'STORE_FAILED', message: /data\.mdb is missing or empty/ }
    t.throws(() => openAccountDatabase(dataDir, '1'), expected)
  }
})
