import t from 'tap'
import { MemoryStore } from '../../src/storage/memory-store.ts'
import { startStore } from '../storage/fixtures/store-thread.ts'
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
