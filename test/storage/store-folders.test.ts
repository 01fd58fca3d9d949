import t from 'tap'
import { openAccountDatabase } from '../../src/storage/account-database.ts'
import { watched } from './fixtures/log-desk.ts'
import { codes, commitOf, deskOn, limits } from './fixtures/store-desk.ts'
import { bytes, OWNER, startStore, text } from './fixtures/store-thread.ts'

t.test('a name that cannot be a folder is refused', async (t) => {
  const { store } = deskOn(t)
  const names = ['..', 'a/b', 'service', 'paper', '']
  const attempts = names.map((accountId) => store.control({ kind: 'inspect', accountId }))
  t.strictSame(
    await codes(attempts),
    names.map(() => 'INTERNAL'),
  )
})

t.test(
  'a folder that cannot be opened is told at each request and costs nobody else',
  async (t) => {
    const desk = deskOn(t, { dataDir: t.testdir({ 1: 'in the way' }) })
    const inspect = (accountId: string) => desk.store.control({ kind: 'inspect', accountId })
    t.strictSame(await codes(['1', '1', '2'].map(inspect)), [
      'STORE_FAILED',
      'STORE_FAILED',
      'done',
    ])
  },
)

t.test(
  'an account that is left keeps no database open, and is opened again when asked for',
  async (t) => {
    const dataDir = t.testdir()
    let open = 0
    const { store } = deskOn(t, {
      dataDir,
      openAccount: (folder, accountId) => {
        open += 1
        const books = openAccountDatabase(folder, accountId)
        const close = async () => {
          await books.close()
          open -= 1
        }
        return watched(books, { close })
      },
    })
    for (let round = 0; round < 30; round++) {
      t.match(await store.control({ kind: 'inspect', accountId: '1' }), { epoch: round })
      await store.control({ kind: 'claim', accountId: '1', expected: round, owner: OWNER })
      t.equal(open, 1)
      await store.control({ kind: 'release', accountId: '1' })
      await store.control({ kind: 'leave', accountId: '1' })
      t.equal(open, 0)
    }
  },
)

t.test(
  'where the journal of an account ended that is left is told without opening it',
  async (t) => {
    let opens = 0
    const { store, own } = deskOn(t, {
      openAccount: (folder, accountId) => {
        opens += 1
        return openAccountDatabase(folder, accountId)
      },
    })
    const client = await own('1')
    await client.open([])
    await client.commit(commitOf(1))
    const head = await store.control({ kind: 'head', accountId: '1' })
    t.match(head, { seq: 1 })
    await store.control({ kind: 'release', accountId: '1' })
    await store.control({ kind: 'leave', accountId: '1' })
    t.strictSame(await store.control({ kind: 'head', accountId: '1' }), head)
    t.equal(opens, 1)
    await store.control({ kind: 'inspect', accountId: '1' })
    t.equal(opens, 2, 'whoever wants more of it opens it again')
  },
)

t.test(
  'of so many accounts that were left it is known where they ended, and of no more',
  async (t) => {
    const opened: string[] = []
    const { store } = deskOn(t, {
      openAccount: (folder, accountId) => {
        opened.push(accountId)
        return openAccountDatabase(folder, accountId)
      },
    })
    const all = Array.from({ length: limits.accountsMax + 1 }, (_, i) => `${i + 1}`)
    for (const accountId of all) {
      await store.control({ kind: 'inspect', accountId })
      await store.control({ kind: 'leave', accountId })
    }
    opened.length = 0
    for (const accountId of all) await store.control({ kind: 'head', accountId })
    t.strictSame(opened, ['1'], 'the one that was left first')
  },
)

t.test('records of the service are kept, replaced and deleted', async (t) => {
  const dataDir = t.testdir()
  const first = await startStore(dataDir)
  t.equal(await first.control({ kind: 'get', key: 'mode' }), null)
  await first.control({ kind: 'put', key: 'mode', value: bytes('on') })
  await first.stop()
  const second = await startStore(dataDir)
  t.teardown(() => second.stop())
  t.equal(text((await second.control({ kind: 'get', key: 'mode' })) ?? undefined), 'on')
  await second.control({ kind: 'put', key: 'mode', value: null })
  t.equal(await second.control({ kind: 'get', key: 'mode' }), null)
})
