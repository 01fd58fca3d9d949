import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import t, { type Test } from 'tap'
import { TABLE } from '../../src/protocol/store.ts'
import { StoreClient } from '../../src/storage/store-client.ts'
import { heard } from '../in-time.ts'
import { startReader } from './fixtures/reader-thread.ts'
import { bytes, CLIENT_LIMITS, entry, OWNER, startStore, text } from './fixtures/store-thread.ts'

const SLEEPER = fileURLToPath(new URL('fixtures/sleeper.ts', import.meta.url))
const JOURNAL = { table: TABLE.journal, limit: 10_000 } as const
const commitOf = (seq: number) => ({ entries: [entry(seq)], changes: [] })

async function threads(t: Test) {
  const dataDir = t.testdir()
  const [store, reader] = await Promise.all([startStore(dataDir), startReader(dataDir)])
  t.teardown(async () => {
    await reader.stop()
    await store.stop()
  })
  const own = async (accountId: string) => {
    const { epoch } = await store.control({ kind: 'inspect', accountId })
    await store.control({ kind: 'claim', accountId, expected: epoch, owner: OWNER })
    const client = new StoreClient(store.line(accountId), CLIENT_LIMITS, reader.line(accountId))
    await client.open([])
    return client
  }
  return { dataDir, store, reader, own }
}

t.test('a reader sees what was committed, and what was sent before it asked', async (t) => {
  const { own } = await threads(t)
  const client = await own('A')
  for (let seq = 1; seq <= 200; seq++) {
    const written = client.commit(commitOf(seq)) // on its way
    const rows = await client.range({ ...JOURNAL, from: seq })
    t.equal(rows.length, 1, `entry ${seq}`)
    await written
  }
})

t.test(
  'what was written lately is read of the store, whether or not there is a reader',
  async (t) => {
    const { own, reader } = await threads(t)
    const client = await own('A')
    for (let seq = 1; seq <= 20; seq++) {
      const written = client.commit(commitOf(seq)) // on its way
      const rows = await client.range({ ...JOURNAL, from: seq, isRecent: true })
      t.equal(rows.length, 1, `entry ${seq}`)
      await written
    }
    await reader.stop()
    t.equal((await client.range({ ...JOURNAL, from: 19, isRecent: true })).length, 2)
  },
)

t.test('the database grows by far under a reader that scans all of it', async (t) => {
  const { own } = await threads(t)
  const [client, other] = [await own('A'), await own('B')]
  const value = bytes('x'.repeat(20_000))
  let scans = 0
  let isOver = false
  const scanning = (async () => {
    while (!isOver) {
      const rows = await client.range(JOURNAL)
      scans += 1
      for (const [at, row] of rows.entries()) if (row.key !== at + 1) throw new Error('a gap')
    }
  })()
  for (let seq = 1; seq <= 300; seq++) {
    const changes = Array.from({ length: 10 }, (_, at) => ({
      table: TABLE.records,
      key: seq * 10 + at,
      value,
    }))
    await client.commit({ entries: [entry(seq)], changes })
    if (seq % 50 === 0) await other.commit({ entries: [entry(seq / 50)], changes: [] })
  }
  isOver = true
  await scanning
  t.ok(scans > 0)
  const last = await client.range({ table: TABLE.records, reverse: true, limit: 1 })
  t.equal(text(last[0]?.value), text(value), '60 MB later it reads the newest row')
})

t.test('an account that was left can be claimed and written again', async (t) => {
  const { store, reader, own } = await threads(t)
  for (let time = 1; time <= 3; time++) {
    const client = await own('A')
    await client.commit(commitOf(time))
    t.equal((await client.range(JOURNAL)).length, time)
    await reader.leave('A')
    await store.control({ kind: 'leave', accountId: 'A' })
    await t.rejects(client.range(JOURNAL), { code: 'ACTOR_RESTARTING' }, 'its line is closed')
  }
})

t.test('when the reader has ended, ranges are read by the store', async (t) => {
  const { reader, own } = await threads(t)
  const client = await own('A')
  await client.commit(commitOf(1))
  t.equal((await client.range(JOURNAL)).length, 1)
  await reader.stop()
  await client.commit(commitOf(2))
  t.equal((await client.range(JOURNAL)).length, 2)
})

t.test('a store that waits for a lock keeps no reader of another account waiting', async (t) => {
  const { dataDir, own } = await threads(t)
  const [held, other] = [await own('A'), await own('B')]
  await other.commit(commitOf(1))
  const sleeper = spawn(process.execPath, [SLEEPER, dataDir, 'A'])
  t.teardown(() => sleeper.kill('SIGKILL'))
  await heard(sleeper.stdout, 'data')
  const stuck = held.commit(commitOf(1))
  // After the first answers the store stands in its transaction.
  for (let time = 1; time <= 5; time++) t.equal((await other.range(JOURNAL)).length, 1)
  sleeper.kill('SIGKILL')
  await stuck
})
