import fc from 'fast-check'
import t from 'tap'
import { AuditPages, type AuditPagesLimits } from '../../actors/account/audit-pages.ts'
import type { AuditQuery } from '../../src/protocol/account.ts'
import { encode } from '../../src/protocol/codec.ts'
import type { RangeQuery } from '../../src/protocol/store.ts'
import { MemoryStore } from '../../src/storage/memory-store.ts'

const LIMITS: AuditPagesLimits = {
  auditPage: 7,
  auditScanMax: 20,
  auditReadsMax: 2,
  readsWaitingMax: 0,
}
const ROWS = 50

interface Page {
  readonly entries: readonly { readonly seq: number; readonly kind: string }[]
  readonly total: number
  readonly pagination: {
    readonly limit: number
    readonly next_before: number | null
    readonly next_after: number | null
    readonly has_more: boolean
  }
}

/** Every tenth entry is a lost connection, the others tell of a connection. */
const kindOf = (seq: number) => (seq % 10 === 0 ? 'disconnected' : 'connected')

async function rig(limits: Partial<AuditPagesLimits> = {}, rows = ROWS) {
  const store = new MemoryStore()
  const entries = Array.from({ length: rows }, (_, i) => {
    const [seq, body] = [i + 1, encode({ reason: `reason ${i + 1}` })]
    return { seq, timeMs: 1_786_413_600_000 + seq, kind: kindOf(seq), body }
  })
  await store.commit({ entries, changes: [] })
  const looks: RangeQuery[] = []
  const seen = {
    range: (query: RangeQuery) => {
      looks.push(query)
      return store.range(query)
    },
  }
  const pages = new AuditPages(seen, { ...LIMITS, ...limits })
  const read = async (query: Partial<AuditQuery> = {}, total = rows): Promise<Page> => {
    const { bytes } = await pages.read({ kind: 'audit', limit: 10, kinds: [], ...query }, total)
    return JSON.parse(Buffer.from(bytes).toString()) as Page
  }
  return { pages, read, looks, store }
}

const seqs = ({ entries }: Page) => entries.map(({ seq }) => seq)
const range = (from: number, to: number) =>
  Array.from({ length: Math.abs(to - from) + 1 }, (_, i) => from + (to < from ? -i : i))

t.test('a quiet page leaves out what the market moves, and goes on where it stopped', async (t) => {
  const { store, read } = await rig({ auditScanMax: 20 }, 0)
  const mark = encode({ kind: 'holdingChanged', code: '600036.SH', fields: {}, source: 'market' })
  const entries = Array.from({ length: ROWS }, (_, i) => ({
    seq: i + 1,
    timeMs: 1_786_413_600_000,
    body: mark,
    kind: i % 10 === 0 ? 'connected' : 'holdingChanged',
  }))
  await store.commit({ entries, changes: [] })
  t.strictSame(seqs(await read({ limit: 2 }, ROWS)), [50, 49])
  const quiet = await read({ quiet: true }, ROWS)
  t.strictSame(seqs(quiet), [41, 31])
  t.match(quiet.pagination, { next_before: 31, has_more: true })
  t.strictSame(seqs(await read({ quiet: true, before: 31 }, ROWS)), [21, 11])
  t.strictSame(seqs(await read({ quiet: true, kinds: ['holdingChanged'] }, ROWS)), [])
})

t.test('pages and their edges', async (t) => {
  const { read } = await rig()
  const table: [string, Partial<AuditQuery>, number[], Page['pagination']][] = [
    ['newest first', {}, range(50, 41), page(10, 41, null, true)],
    ['before', { before: 41 }, range(40, 31), page(10, 31, null, true)],
    ['the last page back', { before: 11 }, range(10, 1), page(10, null, null, false)],
    ['a part of a page', { before: 4 }, [3, 2, 1], page(10, null, null, false)],
    ['before the first', { before: 1 }, [], page(10, null, null, false)],
    ['before one to come', { before: 999, limit: 2 }, [50, 49], page(2, 49, null, true)],
    ['from the first', { after: 0, limit: 3 }, [1, 2, 3], page(3, null, 3, true)],
    ['after', { after: 45, limit: 5 }, range(46, 50), page(5, null, 50, false)],
    ['after the last', { after: 50 }, [], page(10, null, 50, false)],
    ['after one to come', { after: 80 }, [], page(10, null, 80, false)],
    ['one entry', { limit: 1 }, [50], page(1, 50, null, true)],
    ['more than one range', { limit: 20 }, range(50, 31), page(20, 31, null, true)],
  ]
  for (const [what, query, expected, pagination] of table) {
    const found = await read(query)
    t.strictSame(seqs(found), expected, what)
    t.strictSame(found.pagination, pagination, what)
    t.equal(found.total, ROWS, what)
  }
})

const page = (
  limit: number,
  next_before: number | null,
  next_after: number | null,
  has_more: boolean,
) => ({ limit, next_before, next_after, has_more })

t.test('an account without a history has no entries', async (t) => {
  const { read } = await rig({}, 0)
  t.strictSame(await read(), { entries: [], total: 0, pagination: page(10, null, null, false) })
  t.strictSame(seqs(await read({ after: 0 })), [])
})

t.test('what was written after the question is not part of the answer', async (t) => {
  const { read } = await rig()
  t.strictSame(seqs(await read({ after: 28 }, 30)), [29, 30])
  t.strictSame(seqs(await read({ limit: 2 }, 30)), [30, 29])
})

t.test('a filter looks at so many entries and says where to go on', async (t) => {
  const { read, looks } = await rig()
  const first = await read({ kinds: ['disconnected'] })
  t.strictSame(seqs(first), [50, 40], 'of the twenty newest')
  t.strictSame(first.pagination, page(10, 31, null, true))
  t.ok(looks.every(({ limit }) => limit <= LIMITS.auditPage))
  const looked = looks.reduce((sum, { limit }) => sum + limit, 0)
  t.equal(looked, LIMITS.auditScanMax)
  const second = await read({ kinds: ['disconnected'], before: 31 })
  t.strictSame(seqs(second), [30, 20])
  const forth = await read({ kinds: ['disconnected', 'actorStarted'], after: 0 })
  t.strictSame(seqs(forth), [10, 20])
  t.strictSame(forth.pagination, page(10, null, 20, true))
  const none = await read({ kinds: ['actorStarted'] })
  t.strictSame(seqs(none), [])
  t.strictSame(none.pagination, page(10, 31, null, true), 'an empty page is not the end')
  t.strictSame(seqs(await read({ kinds: ['disconnected'], limit: 1 })), [50])
})

t.test('an unknown kind is refused and the known ones are named', async (t) => {
  const { read, looks } = await rig()
  const error = {
    code: 'VALIDATION',
    details: { kind: [/^kind: 没有这种记录：“conected”.*no such event: “conected”; known: .*con/] },
  }
  await t.rejects(() => read({ kinds: ['connected', 'conected'] }), error)
  t.strictSame(looks, [])
})

t.test('only so many pages are read at once', async (t) => {
  const { read } = await rig()
  const asked = [read(), read()]
  await t.rejects(() => read(), { code: 'OVERLOADED' })
  t.equal((await Promise.all(asked)).length, 2)
  t.equal((await read()).entries.length, 10, 'and then there is room again')
})

/** Asks on until the journal is at its end; a walk that does not come to it is cut off. */
async function walk(
  read: (query: Partial<AuditQuery>) => Promise<Page>,
  query: Partial<AuditQuery>,
  isForward: boolean,
): Promise<readonly Page[]> {
  const pages: Page[] = []
  let next: Partial<AuditQuery> = isForward ? { after: 0 } : {}
  while (pages.length <= ROWS + 1) {
    const found = await read({ ...query, ...next })
    pages.push(found)
    const { has_more, next_after, next_before } = found.pagination
    if (!has_more) break
    next = isForward ? { after: next_after ?? 0 } : { before: next_before ?? 0 }
  }
  return pages
}

const filters: readonly (readonly string[])[] = [
  [],
  ['disconnected'],
  ['connected', 'disconnected'],
  ['dayOpened'],
]

t.test('following the pages shows every entry once, in order, whatever the bounds', async () => {
  const some = fc.integer({ min: 1, max: 60 })
  const whole = fc.asyncProperty(
    fc.record({ limit: some, auditPage: some, auditScanMax: some }),
    fc.boolean(),
    fc.constantFrom(...filters),
    async ({ limit, ...limits }, isForward, kinds) => {
      const { read } = await rig(limits)
      const pages = await walk(read, { limit, kinds }, isForward)
      const all = isForward ? range(1, ROWS) : range(ROWS, 1)
      const expected = all.filter((seq) => kinds.length === 0 || kinds.includes(kindOf(seq)))
      const isRight = JSON.stringify(pages.flatMap(seqs)) === JSON.stringify(expected)
      return isRight && pages.every(({ entries }) => entries.length <= limit)
    },
  )
  await fc.assert(whole, { numRuns: 60 })
})

t.test('what was written lately is asked of whoever writes it', async (t) => {
  const { read, looks } = await rig()
  t.strictSame(seqs(await read({ after: 45, isRecent: true })), range(46, 50))
  t.strictSame(looks, [{ table: 'journal', from: 46, to: 50, limit: 7, isRecent: true }])
  const ahead = await read({ after: 50, isRecent: true }, 53)
  t.strictSame([ahead.entries, ahead.total], [[], 53], 'what is not on disk yet is left for later')
  t.match(ahead.pagination, { next_after: 50, has_more: false })
})
