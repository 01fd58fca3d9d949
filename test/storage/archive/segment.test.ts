import t from 'tap'
import type { StoredEntry } from '../../../src/protocol/store.ts'
import {
  JOURNAL_BEGIN,
  packSegment,
  parseSegmentHead,
  readSegment,
} from '../../../src/storage/archive/segment.ts'
import { chainEntry, EMPTY_JOURNAL } from '../../../src/storage/journal-chain.ts'
import { ACCOUNT, entriesTo } from './fixtures/books.ts'

const epochOf = (seq: number) => (seq < 7 ? 1 : 3)

t.test('a segment gives back every entry, with its hashes, and says what it holds', async (t) => {
  const entries = entriesTo(40, epochOf)
  const bytes = await packSegment(ACCOUNT, JOURNAL_BEGIN, entries)
  const read = readSegment(bytes)
  t.strictSame(read.ok && read.value.entries, entries)
  const last = entries.at(-1)
  t.match(parseSegmentHead(bytes), {
    ok: true,
    value: {
      account: ACCOUNT,
      first: 1,
      last: 40,
      before: { seq: 0, epoch: 0 },
      end: { seq: 40, epoch: 3, hash: last?.hash },
      newestMs: last?.timeMs,
    },
  })
})

t.test('one that goes on from another carries where that one ended', async (t) => {
  const entries = entriesTo(31, epochOf)
  const [before] = entries.slice(9, 10)
  if (before === undefined) throw new Error('too few')
  const bytes = await packSegment(ACCOUNT, before, entries.slice(10))
  const read = readSegment(bytes)
  t.strictSame(read.ok && read.value.entries, entries.slice(10))
  t.match(read, {
    value: { head: { first: 11, before: { seq: 10, epoch: 3, hash: before.hash } } },
  })
})

t.test('a journal that is broken inside makes no segment that can be read', async (t) => {
  const entries = entriesTo(20)
  const forged = entries.map((entry) => (entry.seq === 7 ? { ...entry, timeMs: 1 } : entry))
  const read = readSegment(await packSegment(ACCOUNT, JOURNAL_BEGIN, forged))
  t.strictSame(read, { ok: false, error: 'an entry in it was changed' })
})

t.test('a segment that is cut anywhere, or changed in any byte, is not read', async (t) => {
  const bytes = await packSegment(ACCOUNT, JOURNAL_BEGIN, entriesTo(12, epochOf))
  for (let length = 0; length < bytes.length; length++) {
    if (readSegment(bytes.subarray(0, length)).ok) t.fail(`cut at ${length}`)
  }
  for (let at = 0; at < bytes.length; at++) {
    const changed = Buffer.from(bytes)
    changed[at] = (changed[at] ?? 0) ^ 0x10
    if (readSegment(changed).ok) t.fail(`changed at ${at}`)
  }
  t.notOk(readSegment(Buffer.concat([bytes, Buffer.alloc(1)])).ok, 'longer')
  t.ok(readSegment(bytes).ok)
})

t.test('kinds and bodies of any length survive', async (t) => {
  const odd = [0, 1, 70_000].map((length) => new Uint8Array(length).fill(length % 251))
  const entries: StoredEntry[] = []
  for (const [at, body] of odd.entries()) {
    const entry = { seq: at + 1, timeMs: -1.5, kind: at === 1 ? '' : '新高', body }
    entries.push(chainEntry(entries.at(-1) ?? EMPTY_JOURNAL, entry, 1))
  }
  const read = readSegment(await packSegment('Z_-9', JOURNAL_BEGIN, entries))
  t.strictSame(read.ok && read.value.entries, entries)
})
