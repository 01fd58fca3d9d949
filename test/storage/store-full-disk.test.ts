import { MessageChannel } from 'node:worker_threads'
import t from 'tap'
import { Link, portWire } from '../../src/runtime/link.ts'
import { StoreClient } from '../../src/storage/store-client.ts'
import { codes, commitOf, deskOn, limits } from './fixtures/store-desk.ts'
import { bytes, CLIENT_LIMITS, OWNER } from './fixtures/store-thread.ts'

/** Bytes that are free on a disk of a test. */
const PLENTY = 1_000_000_000

t.test(
  'a full disk is never written to: what was sent waits, and is written when it can be',
  async (t) => {
    const disk = { free: PLENTY }
    const asked = Promise.withResolvers<void>()
    const { store, own } = deskOn(t, {
      limits: { ...limits, writeMarginBytes: 10 },
      freeBytes: () => {
        if (disk.free < 10) asked.resolve()
        return disk.free
      },
    })
    const client = await own('1')
    await client.open([])
    await client.commit(commitOf(1))
    disk.free = 9
    let isWritten = false
    const held = client.commit(commitOf(2)).then(() => {
      isWritten = true
    })
    await asked.promise
    const refusedThen = [
      store.control({ kind: 'put', key: 'k', value: bytes('v') }),
      store.control({ kind: 'claim', accountId: '2', expected: 0, owner: OWNER }),
    ]
    t.strictSame(await codes(refusedThen), ['DISK_FULL', 'DISK_FULL'])
    t.equal((await client.range({ table: 'orders', limit: 9 })).length, 1, 'reads go on')
    t.equal(isWritten, false)
    disk.free = PLENTY
    await held
    await store.control({ kind: 'put', key: 'k', value: bytes('v') })
    t.equal((await client.range({ table: 'orders', limit: 9 })).length, 2)
  },
)

t.test('what waits for room dies with the thread that sent it', async (t) => {
  const disk = { free: PLENTY }
  const { store, own } = deskOn(t, {
    limits: { ...limits, writeMarginBytes: 10 },
    freeBytes: () => disk.free,
  })
  const first = await own('1')
  await first.open([])
  disk.free = 0
  const lost = first.commit(commitOf(1)).catch(({ code }) => code)
  await new Promise(setImmediate)
  const { port1, port2 } = new MessageChannel()
  t.teardown(() => port1.close())
  store.introduce('1', portWire(port2))
  const second = new StoreClient(
    new Link(portWire(port1), { peer: 'store', limits }),
    CLIENT_LIMITS,
  )
  t.match(await second.open([]), { seq: 0 })
  t.match(await lost, /ACTOR_RESTARTING|DISK_FULL|STORE_FAILED/)
  disk.free = PLENTY
  await second.commit(commitOf(1))
  t.match(await second.open([]), { seq: 1 }, 'written once, by the second')
})
