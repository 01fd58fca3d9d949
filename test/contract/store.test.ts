import t from 'tap'
import { MemoryStore } from '../../src/storage/memory-store.ts'
import { StoreClient } from '../../src/storage/store-client.ts'
import { startReader } from '../storage/fixtures/reader-thread.ts'
import { CLIENT_LIMITS, OWNER, startStore } from '../storage/fixtures/store-thread.ts'
import { testStoreContract } from './store.ts'

t.test('in memory', async (t) => {
  testStoreContract(t, async () => new MemoryStore())
})

t.test('a store thread with LMDB', async (t) => {
  const store = await startStore(t.testdir())
  t.teardown(() => store.stop())
  let accounts = 0
  testStoreContract(t, () => store.own(`account-${++accounts}`))
})

t.test('a store thread with LMDB, read by another thread', async (t) => {
  const dataDir = t.testdir()
  const [store, reader] = await Promise.all([startStore(dataDir), startReader(dataDir)])
  t.teardown(async () => {
    await reader.stop()
    await store.stop()
  })
  let accounts = 0
  testStoreContract(t, async () => {
    const accountId = `account-${++accounts}`
    await store.control({ kind: 'claim', accountId, expected: 0, owner: OWNER })
    return new StoreClient(store.line(accountId), CLIENT_LIMITS, reader.line(accountId))
  })
})
