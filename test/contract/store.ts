import fc from 'fast-check'
import type { Test } from 'tap'
import { ServiceError } from '../../src/domain/errors.ts'
import type { AccountStore } from '../../src/ports/store.port.ts'
import { decode } from '../../src/protocol/codec.ts'
import {
  type Commit,
  type Key,
  type RangeQuery,
  STORE_RANGE_MAX,
  type StoredEntry,
  TABLE,
} from '../../src/protocol/store.ts'
import { compareKeys, isKey } from '../../src/storage/commit-plan.ts'
import { verifyChain } from '../../src/storage/journal-chain.ts'
import { bytes, entry, text } from '../storage/fixtures/store-thread.ts'

/** Gives an empty store each time it is called. */
export type NewStore = (t: Test) => Promise<AccountStore>

const { orders, settings, journal } = TABLE
const none: Pick<Commit, 'entries' | 'changes'> = { entries: [], changes: [] }
const put = (key: Key, value = `${key}`) => ({ table: orders, key, value: bytes(value) })
const keysOf = async (store: AccountStore, query: Partial<RangeQuery>) =>
  (await store.range({ table: orders, limit: 100, ...query })).map(({ key }) => key)
const codeOf = (attempt: Promise<unknown>) =>
  attempt.then(
    () => 'nothing was refused',
    (error: unknown) => (error instanceof ServiceError ? error.code : String(error)),
  )

/** What every implementation of the store port must do. */
export function testStoreContract(t: Test, newStore: NewStore): void {
  testRows(t, newStore)
  testRanges(t, newStore)
  testRefusals(t, newStore)
  testOrder(t, newStore)
}

function testRows(t: Test, newStore: NewStore): void {
  t.test('a new store has no rows and no journal, and an epoch', async (t) => {
    const store = await newStore(t)
    const opened = await store.open([orders, settings])
    t.equal(opened.seq, 0)
    t.ok(opened.epoch >= 1)
    t.strictSame(opened.tables, { orders: [], settings: [] })
  })

  t.test('a commit writes entries and rows, and null deletes', async (t) => {
    const store = await newStore(t)
    await store.open([])
    await store.commit({ entries: [entry(1), entry(2)], changes: [put('a'), put('b'), put(7)] })
    await store.commit({ entries: [entry(3)], changes: [{ ...put('a'), value: null }] })
    await store.commit({ ...none, changes: [put('b', 'new'), { ...put('x'), value: null }] })
    const opened = await store.open([orders])
    t.equal(opened.seq, 3)
    const rows = opened.tables.orders?.map(({ key, value }) => [key, text(value)])
    t.strictSame(rows, [
      [7, '7'],
      ['b', 'new'],
    ])
  })

  t.test('an empty value is a value', async (t) => {
    const store = await newStore(t)
    await store.open([])
    await store.commit({ ...none, changes: [put('empty', '')] })
    const [row] = await store.range({ table: orders, limit: 1 })
    t.strictSame([row?.key, row?.value.length], ['empty', 0])
  })

  t.test('the journal reads back as a chain that verifies', async (t) => {
    const store = await newStore(t)
    const { epoch } = await store.open([])
    await store.commit({ ...none, entries: [entry(1), entry(2)] })
    await store.commit({ ...none, entries: [entry(3)] })
    const rows = await store.range({ table: journal, limit: 10 })
    const entries = rows.map(({ value }) => decode<StoredEntry>(value))
    t.strictSame(
      entries.map(({ seq, epoch, body }) => [seq, epoch, text(body)]),
      [
        [1, epoch, 'event 1'],
        [2, epoch, 'event 2'],
        [3, epoch, 'event 3'],
      ],
    )
    t.match(verifyChain(entries), { ok: true, value: { seq: 3 } })
  })
}

function testRanges(t: Test, newStore: NewStore): void {
  t.test('a range starts at from, ends at to, both inclusive, in both directions', async (t) => {
    const store = await newStore(t)
    await store.open([])
    await store.commit({ ...none, changes: [1, 2, 10, 'a', 'b', 'ba'].map((key) => put(key)) })
    const cases: [Partial<RangeQuery>, Key[]][] = [
      [{}, [1, 2, 10, 'a', 'b', 'ba']],
      [{ reverse: true }, ['ba', 'b', 'a', 10, 2, 1]],
      [{ from: 2, to: 'b' }, [2, 10, 'a', 'b']],
      [{ from: 'b', to: 2, reverse: true }, ['b', 'a', 10, 2]],
      [{ from: 3 }, [10, 'a', 'b', 'ba']],
      [{ to: 3 }, [1, 2]],
      [{ from: 3, reverse: true }, [2, 1]],
      [{ to: 3, reverse: true }, ['ba', 'b', 'a', 10]],
      [{ from: 'b', to: 'b' }, ['b']],
      [{ from: 'b', to: 'a' }, []],
      [{ from: 'z' }, []],
      [{ limit: 2 }, [1, 2]],
      [{ limit: 2, reverse: true }, ['ba', 'b']],
      [{ limit: 0 }, []],
    ]
    for (const [query, expected] of cases) {
      t.strictSame(await keysOf(store, query), expected, JSON.stringify(query))
    }
  })

  t.test('one answer has at most STORE_RANGE_MAX rows', async (t) => {
    const store = await newStore(t)
    await store.open([])
    const keys = Array.from({ length: STORE_RANGE_MAX + 1 }, (_, i) => i)
    await store.commit({ ...none, changes: keys.map((key) => put(key, '')) })
    const rows = await store.range({ table: orders, limit: STORE_RANGE_MAX * 2 })
    t.equal(rows.length, STORE_RANGE_MAX)
  })
}

function testRefusals(t: Test, newStore: NewStore): void {
  const bugs: [string, Commit][] = [
    ['starts at 2', { entries: [entry(2)], changes: [put('torn')] }],
    ['leaves a gap', { entries: [entry(1), entry(3)], changes: [put('torn')] }],
    ['repeats a number', { entries: [entry(1), entry(1)], changes: [put('torn')] }],
    [
      'writes the journal as a table',
      { ...none, changes: [put('torn'), { ...put(1), table: journal }] },
    ],
    ['has a key that cannot be stored', { ...none, changes: [put('torn'), put(Number.NaN)] }],
    ['has an empty key', { ...none, changes: [put('torn'), put('')] }],
  ]
  for (const [what, commit] of bugs) {
    t.test(`a commit that ${what} is refused whole, with all after it`, async (t) => {
      const store = await newStore(t)
      await store.open([])
      const after = { entries: [entry(1)], changes: [put('later')] }
      const codes = await Promise.all([codeOf(store.commit(commit)), codeOf(store.commit(after))])
      t.strictSame(codes, ['INTERNAL', 'INTERNAL'])
      const opened = await store.open([orders])
      t.strictSame([opened.seq, opened.tables.orders], [0, []])
      t.equal(await codeOf(store.commit(after)), 'nothing was refused', 'opened anew it goes on')
    })
  }

  t.test('the journal and unknown tables cannot be loaded whole', async (t) => {
    const store = await newStore(t)
    t.equal(await codeOf(store.open([journal])), 'INTERNAL')
  })

  t.test('malformed range queries are refused', async (t) => {
    const store = await newStore(t)
    await store.open([])
    for (const limit of [-1, 1.5, Number.NaN]) {
      t.equal(await codeOf(store.range({ table: orders, limit })), 'INTERNAL')
    }
    t.equal(await codeOf(store.range({ table: orders, limit: 1, from: '' })), 'INTERNAL')
  })
}

function testOrder(t: Test, newStore: NewStore): void {
  t.test(
    'commits that are not awaited one by one take effect in the order of the calls',
    async (t) => {
      const store = await newStore(t)
      await store.open([])
      const done: number[] = []
      const commits = Array.from({ length: 200 }, async (_, i) => {
        await store.commit({ entries: [entry(i + 1)], changes: [put('last', `${i + 1}`)] })
        done.push(i + 1)
      })
      await Promise.all(commits)
      t.strictSame(
        done,
        done.toSorted((a, b) => a - b),
      )
      const opened = await store.open([orders])
      t.strictSame([opened.seq, text(opened.tables.orders?.[0]?.value)], [200, '200'])
    },
  )

  t.test('any keys come back in the order of the keys', async (t) => {
    const key = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 80 }),
      fc.double({ noNaN: true, noDefaultInfinity: true }),
      fc.integer(),
    )
    const keys = fc.uniqueArray(key.filter(isKey), { maxLength: 30 })
    const isOrdered = fc.asyncProperty(keys, async (keys) => {
      const store = await newStore(t)
      await store.open([])
      await store.commit({ ...none, changes: keys.map((key) => put(key)) })
      const found = await keysOf(store, {})
      t.strictSame(found, keys.toSorted(compareKeys))
    })
    await fc.assert(isOrdered, { numRuns: 30 })
  })
}
