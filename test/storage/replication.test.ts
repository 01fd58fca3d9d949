import { cpSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { ServiceError } from '../../src/domain/errors.ts'
import type { ReplicatedJournal } from '../../src/ports/journal.port.ts'
import { decode } from '../../src/protocol/codec.ts'
import type { StoredEntry } from '../../src/protocol/store.ts'
import { openAccountDatabase } from '../../src/storage/account-database.ts'
import { verifyChain } from '../../src/storage/journal-chain.ts'
import { inTime } from '../in-time.ts'
import { until } from '../service/fixture.ts'
import {
  code,
  commitOf,
  computer,
  computerOn,
  folderOf,
  ID,
  ordersOf,
  upTo,
} from './fixtures/computers.ts'
import { Quorum } from './fixtures/quorum.ts'
import { OWNER } from './fixtures/store-thread.ts'

t.test('nothing is answered or written here before a quorum keeps it', async (t) => {
  const quorum = new Quorum()
  const one = computer(t, quorum)
  const client = await one.own()
  await client.open([])
  const release = quorum.hold()
  const committed = [1, 2, 3].map((seq) => client.commit(commitOf(seq)))
  let isAnswered = false
  void Promise.race(committed).then(() => {
    isAnswered = true
  })
  t.strictSame(await client.range({ table: 'orders', limit: 10 }), [], 'not even to be read')
  t.notOk(isAnswered)
  release()
  await Promise.all(committed)
  t.equal(quorum.of(ID).commits.length, 3)
  t.match(await ordersOf(one.client()), { seq: 3, orders: upTo(3) })
})

t.test(
  'F426 a log that is lost holds nothing back where a quorum has what was in it',
  async (t) => {
    const quorum = new Quorum()
    const one = computer(t, quorum)
    const client = await one.own()
    await client.open([])
    for (const seq of [1, 2, 3]) await client.commit(commitOf(seq))
    const later = folderOf(t)
    // As a disk has it after a power cut that has taken the log.
    cpSync(join(one.dataDir, ID), join(later, ID), { recursive: true })
    await one.stop()
    const again = await computerOn(t, later, quorum).own()
    const { seq, restored } = await again.open([])
    t.strictSame({ seq, restored }, { seq: 3, restored: null })
    await again.commit(commitOf(4))
  },
)

t.test('another computer goes on where the first one was, with one chain', async (t) => {
  const quorum = new Quorum()
  const [one, two] = [computer(t, quorum), computer(t, quorum)]
  const first = await one.own()
  await first.open([])
  for (const seq of [1, 2, 3]) await first.commit(commitOf(seq))
  const second = await two.own()
  t.match(await ordersOf(second), { seq: 3, epoch: 2, orders: upTo(3) })
  t.equal(await code(first.commit(commitOf(4))), 'NOT_OWNER', 'the first one decides no more')
  await second.commit(commitOf(4))
  const back = await one.own()
  t.match(
    await ordersOf(back),
    { seq: 4, epoch: 3, orders: upTo(4) },
    'nothing of its own was kept',
  )
  await Promise.all([one.stop(), two.stop()])
  for (const { dataDir } of [one, two]) {
    const database = openAccountDatabase(dataDir, ID)
    const epoch = database.inspect().epoch
    database.mark(null)
    database.claim(epoch, OWNER)
    const rows = database.range({ table: 'journal', limit: 100 })
    const entries = rows.map(({ value }) => decode<StoredEntry>(value))
    t.equal(entries.length, 4)
    t.ok(verifyChain(entries).ok)
    await database.close()
  }
})

t.test('what a quorum took while its answer was lost is there after the next start', async (t) => {
  const quorum = new Quorum()
  let isAnswered = true
  const line = quorum.line(() => isAnswered)
  const one = computer(t, quorum, line)
  const client = await one.own()
  await client.open([])
  await client.commit(commitOf(1))
  isAnswered = false
  const lost = client.commit(commitOf(2))
  lost.catch(() => undefined)
  await client.range({ table: 'orders', limit: 1 })
  await one.stop()
  const again = computerOn(t, one.dataDir, quorum)
  t.match(await ordersOf(await again.own()), { seq: 2, orders: upTo(2) })
})

t.test('F178 a claim that could not read the journal is made again under its epoch', async (t) => {
  const quorum = new Quorum()
  const one = computer(t, quorum)
  const client = await one.own()
  await client.open([])
  await client.commit(commitOf(1))
  const line = quorum.line()
  let isAway = true
  const two = computer(t, quorum, {
    append: (...given) => line.append(...given),
    keep: (accountId, kept) => line.keep(accountId, kept),
    read: (accountId) =>
      isAway ? Promise.reject(new ServiceError('NOT_OWNER', 'no leader')) : line.read(accountId),
  })
  const epoch = quorum.claim(ID, 0)
  t.equal(await code(two.claim(epoch)), 'NOT_OWNER')
  isAway = false
  t.equal(await two.claim(epoch), true)
  t.strictSame((await ordersOf(two.client())).orders, upTo(1))
  t.equal(await two.claim(epoch - 1), false, 'and none under an earlier one')
})

t.test(
  'F422 what was decided upon a commit that no quorum was asked for is not kept',
  async (t) => {
    const quorum = new Quorum()
    const line = quorum.line()
    let isBusy = false
    const one = computer(t, quorum, {
      ...line,
      append: (...given) =>
        isBusy
          ? Promise.reject(new ServiceError('OVERLOADED', 'too many requests wait'))
          : line.append(...given),
    })
    const client = await one.own()
    await client.open([])
    const release = quorum.hold()
    const read = () => client.range({ table: 'orders', limit: 1 })
    const kept = code(client.commit(commitOf(1)))
    await read()
    isBusy = true
    const refused = code(client.commit(commitOf(2)))
    await read()
    isBusy = false
    const behind = code(client.commit(commitOf(3)))
    await read()
    release()
    t.strictSame(await Promise.all([kept, refused, behind]), ['done', 'OVERLOADED', 'OVERLOADED'])
    const next = one.client()
    t.match(await ordersOf(next), { seq: 1, orders: upTo(1) })
    await next.commit(commitOf(2))
    const two = computer(t, quorum)
    t.match(await ordersOf(await two.own()), { seq: 2, orders: upTo(2) }, 'it can be taken over')
  },
)

t.test('F422 nor while what a quorum has waits here for room on the disk', async (t) => {
  const quorum = new Quorum()
  const line = quorum.line()
  let isBusy = false
  let free = 2 ** 40
  const journal: ReplicatedJournal = {
    ...line,
    append: (...given) =>
      isBusy
        ? Promise.reject(new ServiceError('OVERLOADED', 'too many requests wait'))
        : line.append(...given),
  }
  const one = computerOn(t, folderOf(t), quorum, { journal, freeBytes: () => free })
  const client = await one.own()
  await client.open([])
  free = -1
  const read = () => client.range({ table: 'orders', limit: 1 })
  const kept = code(client.commit(commitOf(1)))
  await read()
  isBusy = true
  const refused = code(client.commit(commitOf(2)))
  await read()
  isBusy = false
  // Without an entry, its number is all that says what it was decided upon.
  const { changes } = commitOf(3)
  const behind = code(client.commit({ entries: [], changes }))
  await read()
  t.equal(quorum.of(ID).commits.length, 1)
  free = 2 ** 40
  t.strictSame(await Promise.all([kept, refused, behind]), ['done', 'OVERLOADED', 'OVERLOADED'])
  const next = one.client()
  t.match(await ordersOf(next), { seq: 1, orders: upTo(1) })
  await next.commit(commitOf(2))
  t.match(await ordersOf(await computer(t, quorum).own()), { seq: 2, orders: upTo(2) })
})

t.test('an account thread that starts anew sees what is under way', async (t) => {
  const quorum = new Quorum()
  const one = computer(t, quorum)
  const client = await one.own()
  await client.open([])
  const release = quorum.hold()
  const committed = client.commit(commitOf(1)).catch(() => undefined)
  await client.range({ table: 'orders', limit: 1 })
  const next = ordersOf(one.client())
  release()
  t.match(await next, { seq: 1, orders: upTo(1) })
  await committed
})

t.test('books of one computer become the begin of those of the cluster', async (t) => {
  const quorum = new Quorum()
  const dataDir = folderOf(t)
  const alone = openAccountDatabase(dataDir, ID)
  alone.claim(0, OWNER)
  alone.commit([1, 2, 3].map((seq) => ({ epoch: 1, commit: commitOf(seq) })))
  await alone.close()
  const one = computerOn(t, dataDir, quorum)
  await one.hand()
  const first = await one.own()
  t.match(await ordersOf(first), { seq: 3, epoch: 2, orders: upTo(3) })
  await first.commit(commitOf(4))
  const two = computer(t, quorum)
  const second = await two.own()
  t.match(await ordersOf(second), { seq: 4, epoch: 3, orders: upTo(4) })
  await second.commit(commitOf(5))
  t.match(await ordersOf(await one.own()), { seq: 5, orders: upTo(5) })
})

t.test(
  'a journal that has less than a computer, or something else, is not traded on',
  async (t) => {
    for (const damage of ['shorter', 'other'] as const) {
      const quorum = new Quorum()
      const [one, two] = [computer(t, quorum), computer(t, quorum)]
      const client = await one.own()
      await client.open([])
      for (const seq of [1, 2, 3]) await client.commit(commitOf(seq))
      await one.stop()
      const kept = quorum.of(ID)
      kept.commits.splice(1)
      if (damage === 'other') {
        const other = await two.own()
        await other.open([])
        for (const seq of [2, 3, 4]) {
          const { entries, changes } = commitOf(seq)
          await other.commit({
            entries: entries.map((each) => ({ ...each, kind: 'other' })),
            changes,
          })
        }
      }
      const again = computerOn(t, one.dataDir, quorum)
      await t.rejects(again.own(), { code: 'STORE_FAILED', message: /JOURNAL_REGRESSED/ }, damage)
    }
  },
)

t.test('a snapshot takes the place of what stands before it', async (t) => {
  const quorum = new Quorum()
  const [one, two] = [computer(t, quorum), computer(t, quorum)]
  const client = await one.own()
  await client.open([])
  for (let seq = 1; seq <= 25; seq++) await client.commit(commitOf(seq))
  await until(
    async () => quorum.of(ID).forgotten,
    (forgotten) => forgotten >= 19,
  )
  const { commits } = quorum.of(ID)
  t.ok(commits.length < 10 && commits.length > 0, 'the last one always stands')
  const second = await two.own()
  t.match(await ordersOf(second), { seq: 25, orders: upTo(25) })
  await second.commit(commitOf(26))
  t.match(await ordersOf(await one.own()), { seq: 26, orders: upTo(26) })
})

t.test(
  'F424 what a cluster keeps is not brought in where the disk has no room for it',
  async (t) => {
    const quorum = new Quorum()
    const client = await computer(t, quorum).own()
    await client.open([])
    const large = new Uint8Array(200_000)
    for (const seq of [1, 2, 3]) {
      const { entries } = commitOf(seq)
      await client.commit({ entries, changes: [{ table: 'orders', key: seq, value: large }] })
    }
    let free = 1_000_000
    const two = computerOn(t, folderOf(t), quorum, { freeBytes: () => free })
    const epoch = quorum.claim(ID)
    t.equal(await code(two.claim(epoch)), 'DISK_FULL')
    free = 10_000_000
    t.equal(await two.claim(epoch), true, 'once there is room it is claimed under the same epoch')
    t.match(await two.client().open(['orders']), { seq: 3, tables: { orders: { length: 3 } } })
    await two.stop()
    const again = computerOn(t, two.dataDir, quorum, { freeBytes: () => 1_000_000 })
    t.equal(await code(again.own()), 'done', 'who has all of it needs no room for it')
  },
)

t.test('rows of another release are not read', async (t) => {
  const quorum = new Quorum()
  const [one, two] = [computer(t, quorum), computer(t, quorum)]
  const client = await one.own()
  await client.open([])
  await client.commit(commitOf(1))
  const kept = quorum.of(ID)
  kept.commits = kept.commits.map((commit) => ({ ...commit, schema: commit.schema + 1 }))
  await t.rejects(two.own(), { code: 'STORE_FAILED', message: /this release reads/ })
})

t.test(
  'F199 books of a cluster are claimed under its journal only, and others never',
  async (t) => {
    const dataDir = folderOf(t)
    const database = openAccountDatabase(dataDir, ID)
    t.teardown(() => database.close())
    t.throws(() => database.claim(0, OWNER, 1, undefined, true), { code: 'ACCOUNT_PARKED' })
    for (const state of ['joining', 'in', 'leaving'] as const) {
      database.mark({ id: 'servers', state, at: 0 })
      t.throws(
        () => database.claim(0, OWNER),
        { code: 'ACCOUNT_PARKED', message: /servers/ },
        state,
      )
    }
    t.equal(database.inspect().epoch, 0, 'nothing was written')
    t.match(database.inspect().cluster, { state: 'leaving' })
    database.mark({ id: 'servers', state: 'left', at: 9 })
    t.throws(() => database.claim(0, OWNER, 1, undefined, true), { code: 'ACCOUNT_PARKED' })
    t.match(database.claim(0, OWNER), { claimed: true }, 'it is run alone again')
    database.mark(null)
    t.notOk(database.inspect().cluster)
  },
)

t.test('F200 servers that have lost a journal are not given another one', async (t) => {
  const [quorum, empty] = [new Quorum(), new Quorum()]
  const one = computer(t, quorum)
  const client = await one.own()
  await client.open([])
  await client.commit(commitOf(1))
  await one.stop()
  const again = computerOn(t, one.dataDir, empty)
  await t.rejects(again.own(), { code: 'STORE_FAILED', message: /JOURNAL_REGRESSED/ })
  t.strictSame(empty.of(ID).snapshot, [], 'nothing of it is taken for the account')
})

t.test('F200 a snapshot that records of others end before is no begin of theirs', async (t) => {
  const quorum = new Quorum()
  const [one, two] = [computer(t, quorum), computer(t, quorum)]
  const client = await one.own()
  await client.open([])
  for (const seq of [1, 2, 3]) await client.commit(commitOf(seq))
  await one.hand()
  quorum.of(ID).commits.splice(1)
  await t.rejects(two.own(), { code: 'STORE_FAILED', message: /JOURNAL_REGRESSED: .*snapshot/ })
})

t.test('F451 others are served while the snapshot of a large account is read', async (t) => {
  const quorum = new Quorum()
  const line = quorum.line()
  const told: string[] = []
  const kept = Promise.withResolvers<readonly Uint8Array[]>()
  const one = computer(t, quorum, {
    ...line,
    keep: (accountId, snapshot) => {
      told.push(`a snapshot at ${snapshot.commits}`)
      kept.resolve(snapshot.parts)
      return line.keep(accountId, snapshot)
    },
  })
  const client = await one.own()
  await client.open([])
  for (let seq = 1; seq <= 10; seq++) {
    const { entries, changes } = commitOf(seq)
    const rows = Array.from({ length: 50 }, (_, at) => ({
      table: 'orders' as const,
      key: 1_000 * seq + at,
      value: new Uint8Array(8_192),
    }))
    await client.commit({ entries, changes: [...changes, ...rows] })
  }
  await client.commit(commitOf(11))
  told.push('the next commit')
  const snapshot = await inTime(kept.promise, 'a snapshot')
  t.strictSame(told, ['the next commit', 'a snapshot at 10'])
  t.ok(snapshot.length > 10)
  const other = computer(t, quorum)
  const { orders } = await ordersOf(await other.own())
  t.equal(orders.length, 11 + 500, 'as it stood, and what came behind it')
})
