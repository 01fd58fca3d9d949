import { spawn } from 'node:child_process'
import { renameSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { MessageChannel } from 'node:worker_threads'
import t from 'tap'
import { Link, portWire } from '../../src/runtime/link.ts'
import { type AccountBooks, openAccountDatabase } from '../../src/storage/account-database.ts'
import { logsFolder } from '../../src/storage/account-logs.ts'
import { logsIn } from '../../src/storage/log/folder.ts'
import { ForeignLog } from '../../src/storage/log/foreign-log.ts'
import { StoreClient } from '../../src/storage/store-client.ts'
import { heard } from '../in-time.ts'
import { watched } from './fixtures/log-desk.ts'
import { codes, commitOf, deskOn, limits } from './fixtures/store-desk.ts'
import { CLIENT_LIMITS, OWNER, startStore, text } from './fixtures/store-thread.ts'

const SLEEPER = fileURLToPath(new URL('fixtures/sleeper.ts', import.meta.url))

t.test('a later claim fences the earlier owner: refused, nothing written, for ever', async (t) => {
  const dataDir = t.testdir()
  const [first, second] = await Promise.all([startStore(dataDir), startStore(dataDir)])
  t.teardown(() => Promise.all([first.stop(), second.stop()]))
  const old = await first.own('1')
  await old.open([])
  await old.commit(commitOf(1))
  const owner = await second.own('1')
  t.match(await owner.open([]), { epoch: 2, seq: 1 })
  t.strictSame(await codes([2, 3].map((seq) => old.commit(commitOf(seq)))), [
    'NOT_OWNER',
    'NOT_OWNER',
  ])
  t.strictSame(await codes([old.open([]), old.commit(commitOf(2))]), ['NOT_OWNER', 'NOT_OWNER'])
  const { seq, tables } = await owner.open(['orders'])
  t.strictSame([seq, tables.orders?.length], [1, 1])
  await owner.commit(commitOf(2))
})

t.test(
  'a claim waits for a process that sleeps in a transaction, and nobody else does',
  async (t) => {
    const dataDir = t.testdir()
    const store = await startStore(dataDir)
    t.teardown(() => store.stop())
    const bystander = await store.own('2')
    await bystander.open([])
    t.match(await store.control({ kind: 'inspect', accountId: '1' }), { epoch: 0 })
    const sleeper = spawn(process.execPath, [SLEEPER, dataDir, '1'])
    t.teardown(() => sleeper.kill('SIGKILL'))
    await heard(sleeper.stdout, 'data')
    const claim = { kind: 'claim', accountId: '1', expected: 0, owner: OWNER } as const
    const late = store.control(claim, 50)
    await t.rejects(late, { code: 'DEADLINE_EXCEEDED' })
    const claimed = store.control(claim)
    await bystander.commit(commitOf(1))
    t.match(await store.control({ kind: 'inspect', accountId: '1' }), { epoch: 0 })
    sleeper.kill('SIGKILL')
    t.strictSame(await claimed, { claimed: true, epoch: 1 }, 'the late one was never made')
  },
)

t.test('accounts that commit at the same time all become durable, in their order', async (t) => {
  const dataDir = t.testdir()
  const store = await startStore(dataDir)
  t.teardown(() => store.stop())
  const accounts = ['1', '2', '3', '4']
  await Promise.all(
    accounts.map(async (accountId) => {
      const client = await store.own(accountId)
      await client.open([])
      await Promise.all(Array.from({ length: 100 }, (_, i) => client.commit(commitOf(i + 1))))
    }),
  )
  await store.control({ kind: 'flushAndClose' })
  for (const accountId of accounts) {
    const database = openAccountDatabase(dataDir, accountId)
    t.equal(database.range({ table: 'journal', limit: 1_000 }).length, 100)
    await database.close()
  }
})

t.test('commits that arrive together share a batch of the log, of any account', async (t) => {
  const dataDir = t.testdir()
  const desk = deskOn(t, { dataDir, limits: { ...limits, checkpointMs: 60_000 } })
  const [client, other] = [await desk.own('1'), await desk.own('2')]
  await client.open([])
  await other.open([])
  await Promise.all([
    ...Array.from({ length: 20 }, (_, i) => client.commit(commitOf(i + 1))),
    ...Array.from({ length: 3 }, (_, i) => other.commit(commitOf(i + 1))),
  ])
  t.equal((await client.open([])).seq, 20)
  const [name = ''] = logsIn(logsFolder(dataDir))
  const log = ForeignLog.open(logsFolder(dataDir), name)
  const { batches = [] } = (await log?.read()) ?? {}
  await log?.close()
  t.strictSame(
    batches.map(({ records }) => [...records.map(({ key }) => key)].sort().reverse().join('')),
    ['22211111111', '11111111', '1111'],
    'no more of one account than the limit',
  )
})

t.test('a reader sees every commit that was sent before it', async (t) => {
  const client = await deskOn(t).own('1')
  await client.open([])
  const committed = client.commit(commitOf(1))
  const rows = await client.range({ table: 'orders', limit: 9 })
  t.equal(text(rows[0]?.value), '1')
  await committed
})

t.test('a log that takes nothing: all who wait are told, then the thread ends', async (t) => {
  const ended = Promise.withResolvers<unknown>()
  const dataDir = t.testdir()
  const desk = deskOn(t, { dataDir, fatal: ended.resolve })
  const [client, other] = [await desk.own('1'), await desk.own('2')]
  await client.open([])
  await other.open([])
  await client.commit(commitOf(1))
  const [name = ''] = logsIn(logsFolder(dataDir))
  const [place, elsewhere] = [join(logsFolder(dataDir), name), join(dataDir, 'elsewhere')]
  renameSync(place, elsewhere)
  const attempts = [
    client.commit(commitOf(2)),
    client.commit(commitOf(3)),
    other.commit(commitOf(1)),
  ]
  t.strictSame(await codes(attempts), ['STORE_FAILED', 'STORE_FAILED', 'STORE_FAILED'])
  t.match(await ended.promise, { code: 'STORE_FAILED', message: /was taken away/ })
  renameSync(elsewhere, place)
  t.strictSame(await codes([client.open([]), other.open([])]), ['STORE_FAILED', 'STORE_FAILED'])
})

t.test('a disk that refuses what was answered ends the thread; the log has it', async (t) => {
  const dataDir = t.testdir()
  const ended = Promise.withResolvers<unknown>()
  const refused = async () => {
    throw new Error('No space left on device')
  }
  const desk = deskOn(t, {
    dataDir,
    fatal: ended.resolve,
    openAccount: (...args) => watched(openAccountDatabase(...args), { applyLater: refused }),
  })
  const client = await desk.own('1')
  await client.open([])
  await client.commit(commitOf(1))
  t.match(await ended.promise, { code: 'STORE_FAILED', message: /No space left on device/ })
  t.strictSame(await codes([client.commit(commitOf(2))]), ['STORE_FAILED'])
  await desk.store.close()
  const next = await deskOn(t, { dataDir }).own('1', 1)
  t.match(await next.open(['orders']), { seq: 1, tables: { orders: [{ key: 1 }] } })
})

t.test('damage stops its account until the process ends, and no other', async (t) => {
  let isDamaged = false
  const desk = deskOn(t, {
    openAccount: (dataDir, accountId) => {
      const books = openAccountDatabase(dataDir, accountId)
      const range: AccountBooks['range'] = (query) => {
        if (isDamaged && accountId === '1') throw new Error('MDB_CORRUPTED')
        return books.range(query)
      }
      return watched(books, { range })
    },
  })
  const [client, other] = [await desk.own('1'), await desk.own('2')]
  await client.open([])
  await other.open([])
  isDamaged = true
  t.strictSame(await codes([client.range({ table: 'orders', limit: 1 })]), ['STORE_FAILED'])
  isDamaged = false
  const after = [client.commit(commitOf(1)), client.open([]), other.commit(commitOf(1))]
  t.strictSame(await codes(after), ['STORE_FAILED', 'STORE_FAILED', 'done'])
})

t.test('a new line to an account replaces the old one; what had arrived is kept', async (t) => {
  const desk = deskOn(t)
  const old = await desk.own('1')
  await old.open([])
  await old.commit(commitOf(1))
  const unanswered = old.commit(commitOf(2))
  const { port1, port2 } = new MessageChannel()
  t.teardown(() => port1.close())
  desk.store.introduce('1', portWire(port2))
  t.strictSame(await codes([unanswered]), ['ACTOR_RESTARTING'], 'its end of the line is closed')
  const line = new Link(portWire(port1), { peer: 'store', limits })
  const next = new StoreClient(line, CLIENT_LIMITS)
  const { seq } = await next.open([])
  await next.commit(commitOf(seq + 1))
})

t.test('closing writes and answers what waits; later requests are refused', async (t) => {
  const desk = deskOn(t)
  const client = await desk.own('1')
  await client.open([])
  await client.commit(commitOf(1))
  await desk.store.control({ kind: 'flushAndClose' })
  await desk.store.control({ kind: 'flushAndClose' })
  t.strictSame(await codes([client.commit(commitOf(2)), client.open([])]), ['STOPPING', 'STOPPING'])
  t.strictSame(await codes([desk.store.control({ kind: 'get', key: 'a' })]), ['STOPPING'])
})
