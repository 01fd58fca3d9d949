import { join } from 'node:path'
import t from 'tap'
import { databaseFolder, openAccountDatabase } from '../../src/storage/account-database.ts'
import { backUp } from '../../src/storage/backup.ts'
import type { Environment } from '../../src/storage/environment.ts'
import { bringForward } from '../../src/storage/last-transaction.ts'
import { lmdb } from '../../src/storage/lmdb.ts'
import { openEnvironment, openReadOnly } from '../../src/storage/open-environment.ts'
import { seal } from '../../src/storage/seal.ts'
import { setBack } from './fixtures/set-back.ts'
import { bytes, entry, startStore, text } from './fixtures/store-thread.ts'

const TABLE = 'rows'
/** Each transaction writes one more of them. */
const COUNT = 8

const keysOf = (env: Environment): readonly unknown[] => env.keys(TABLE)
const upTo = (count: number): readonly number[] => Array.from({ length: count }, (_, at) => at)

function written(folder: string): Environment {
  const env = openEnvironment(folder, [TABLE])
  for (const key of upTo(COUNT)) env.write(() => env.put(TABLE, key, bytes('x'.repeat(3_000))))
  return env
}

/** Transactions that are set back: of each two, one lies where the other was. */
const BACK = [1, 2, 3]

t.test('F312 what is written follows what was written last', async (t) => {
  for (const by of BACK) {
    const folder = t.testdir()
    const env = written(folder)
    setBack(folder, by)
    env.write(() => {
      t.strictSame(keysOf(env), upTo(COUNT), `${by} transactions`)
      env.put(TABLE, COUNT, bytes('x'))
    })
    t.strictSame(keysOf(env), upTo(COUNT + 1))
    setBack(folder, by)
    await env.writeLater(() => {
      t.strictSame(keysOf(env), upTo(COUNT + 1), 'beside the thread')
      env.put(TABLE, COUNT + 1, bytes('x'))
    })
    env.refresh()
    t.strictSame(keysOf(env), upTo(COUNT + 2))
    await env.close()
    const again = openEnvironment(folder, [TABLE])
    t.strictSame(keysOf(again), upTo(COUNT + 2), 'on disk')
    await again.close()
  }
})

t.test('F312 the newest is read', async (t) => {
  for (const by of BACK) {
    const folder = t.testdir()
    const env = written(folder)
    setBack(folder, by)
    env.refresh()
    t.strictSame(keysOf(env), upTo(COUNT), `${by} transactions`)
    await env.close()
  }
})

t.test('F312 who only looks, and who copies, has the newest', async (t) => {
  const folder = t.testdir({ copy: {} })
  await written(folder).close()
  const first = openReadOnly(folder, [TABLE]) // the environment stays open: nothing sets it right by the way
  setBack(folder, 1)
  const second = openReadOnly(folder, [TABLE])
  t.strictSame(keysOf(second), upTo(COUNT))
  await second.close()
  setBack(folder, 1)
  await backUp(folder, join(folder, 'copy'))
  await first.close()
  const copy = openReadOnly(join(folder, 'copy'), [TABLE])
  t.strictSame(keysOf(copy), upTo(COUNT))
  await copy.close()
})

t.test('F312 an earlier release, which notes nothing, may have written last', async (t) => {
  const folder = t.testdir()
  await written(folder).close()
  const root = lmdb().open({ path: folder, noSubdir: false, encoding: 'binary' })
  await root.openDB({ name: TABLE, encoding: 'binary' }).put(COUNT, Buffer.from(seal(bytes('x'))))
  await root.close()
  const look = openReadOnly(folder, [TABLE])
  t.strictSame(keysOf(look), upTo(COUNT + 1))
  await look.close()
  const env = openEnvironment(folder, [TABLE])
  env.write(() => env.put(TABLE, COUNT + 1, bytes('x')))
  env.refresh()
  t.strictSame(keysOf(env), upTo(COUNT + 2))
  await env.close()
})

t.test('F312 what cannot be brought forward is not written', (t) => {
  const folder = join(t.testdir(), 'nothing')
  t.throws(() => bringForward(folder), { code: 'STORE_FAILED', message: /was set back/ })
  t.end()
})

t.test('F312 an account goes on, and no acknowledged commit is lost', async (t) => {
  const dataDir = t.testdir()
  const store = await startStore(dataDir)
  const client = await store.own('1')
  const commit = (seq: number) =>
    client.commit({
      entries: [entry(seq, 'x')],
      changes: [{ table: 'orders', key: 'count', value: bytes(`${seq}`) }],
    })
  let seq = 0
  await client.open([])
  for (let times = 0; times < 3; times++) {
    await commit(++seq)
    await store.control({ kind: 'head', accountId: '1' }) // it is in the database
    setBack(databaseFolder(dataDir, '1'), 1)
    await commit(++seq)
    setBack(databaseFolder(dataDir, '1'), 1)
    const opened = await client.open(['orders'])
    t.equal(opened.seq, seq)
    t.equal(text(opened.tables.orders?.[0]?.value), `${seq}`)
  }
  await store.stop()
  const database = openAccountDatabase(dataDir, '1')
  t.equal(database.head().seq, seq)
  await database.close()
})
