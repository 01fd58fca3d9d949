import t from 'tap'
import { denialsPath, withDenials } from '../../web/console/denials.ts'
import type { AuditPage } from '../../web/console/wire.ts'

const page = (seqs: readonly number[], total: number, nextAfter: number | null = null) =>
  ({
    entries: seqs.map((seq) => ({ seq })),
    total,
    pagination: { limit: 100, next_before: null, next_after: nextAfter, has_more: false },
  }) as unknown as AuditPage
const seqsOf = (known: ReturnType<typeof withDenials>) => known?.entries.map(({ seq }) => seq)

t.test('refusals are looked for once, and then only those that are new', async (t) => {
  t.equal(denialsPath(undefined), '/api/audit?kind=orderDenied&limit=100')
  const first = withDenials(undefined, page([9, 4], 20))
  t.strictSame([seqsOf(first), first?.upTo], [[9, 4], 20])
  t.equal(denialsPath(first), '/api/audit?kind=orderDenied&limit=100&after=20')
  const next = withDenials(first, page([23], 40, 25))
  t.strictSame([seqsOf(next), next?.upTo], [[9, 4, 23], 25], 'a page that ended early goes on')
  const same = withDenials(next, page([], 25, 25))
  t.strictSame([seqsOf(same), same?.upTo], [[9, 4, 23], 25])
})

t.test('a journal that ends before what was known is another one', async (t) => {
  const known = withDenials(undefined, page([9], 20))
  t.equal(withDenials(known, page([], 3, 20)), undefined)
})

t.test('a long day forgets its oldest refusals, never its newest', async (t) => {
  let known = withDenials(undefined, page([], 0))
  for (let from = 1; from < 1_500; from += 100) {
    const seqs = Array.from({ length: 100 }, (_, at) => from + at)
    known = withDenials(known, page(seqs, from + 99, from + 99))
  }
  t.strictSame([known?.entries.length, known?.entries.at(-1)?.seq], [1_000, 1_500])
})
