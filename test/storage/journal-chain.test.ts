import fc from 'fast-check'
import t from 'tap'
import type { StoredEntry } from '../../src/protocol/store.ts'
import {
  chainEntry,
  chainHash,
  EMPTY_JOURNAL,
  type JournalHead,
  verifyChain,
} from '../../src/storage/journal-chain.ts'
import { bytes, entry } from './fixtures/store-thread.ts'

function chainOf(length: number): StoredEntry[] {
  let head: JournalHead = EMPTY_JOURNAL
  return Array.from({ length }, (_, i) => {
    const stored = chainEntry(head, entry(i + 1), 1)
    head = stored
    return stored
  })
}

t.test('a chain verifies, whole or after a known head', async (t) => {
  const chain = chainOf(5)
  t.match(verifyChain(chain), { ok: true, value: { seq: 5 } })
  t.match(verifyChain(chain.slice(2), chain[1]), { ok: true, value: { seq: 5 } })
  t.match(verifyChain([]), { ok: true, value: { seq: 0 } })
})

t.test('the hash is what the format says', async (t) => {
  const hash = chainHash({ ...entry(1), epoch: 1, previous: EMPTY_JOURNAL.hash })
  t.equal(Buffer.from(hash).toString('hex').length, 64)
  t.not(
    Buffer.from(
      chainHash({ ...entry(1), kind: 'ab', body: bytes('c'), epoch: 1, previous: hash }),
    ).toString('hex'),
    Buffer.from(
      chainHash({ ...entry(1), kind: 'a', body: bytes('bc'), epoch: 1, previous: hash }),
    ).toString('hex'),
    'kind and body are kept apart',
  )
})

t.test('a removed, moved or forged entry is found', async (t) => {
  const chain = chainOf(4)
  const [first, second, third, fourth] = chain as [
    StoredEntry,
    StoredEntry,
    StoredEntry,
    StoredEntry,
  ]
  const reSealed = { ...second, body: bytes('forged') }
  const cases: [string, StoredEntry[], object][] = [
    ['removed', [first, third, fourth], { seq: 3, problem: 'GAP' }],
    ['the start removed', [second, third], { seq: 2, problem: 'GAP' }],
    ['moved', [second, first], { seq: 2, problem: 'GAP' }],
    ['renumbered', [first, { ...third, seq: 2 }], { seq: 2, problem: 'WRONG_PREVIOUS' }],
    ['changed', [first, reSealed, third], { seq: 2, problem: 'WRONG_HASH' }],
    [
      'changed and hashed again',
      [first, { ...reSealed, hash: chainHash(reSealed) }, third],
      { seq: 3, problem: 'WRONG_PREVIOUS' },
    ],
    ['of an older epoch', [first, { ...second, epoch: 0 }], { seq: 2, problem: 'EPOCH_FELL' }],
  ]
  for (const [what, entries, error] of cases) {
    t.match(verifyChain(entries), { ok: false, error }, what)
  }
})

t.test('a flipped bit anywhere in an entry is found', async () => {
  const chain = chainOf(3)
  const isFound = fc.property(
    fc.nat(2),
    fc.constantFrom('body' as const, 'hash' as const, 'previous' as const),
    fc.nat(1_000),
    fc.nat(7),
    (index, field, position, bit) => {
      const bent = chain.map((stored, i) => {
        if (i !== index) return stored
        const changed = new Uint8Array(stored[field])
        const at = position % changed.length
        changed[at] = (changed[at] ?? 0) ^ (1 << bit)
        return { ...stored, [field]: changed }
      })
      return !verifyChain(bent).ok
    },
  )
  fc.assert(isFound)
})
