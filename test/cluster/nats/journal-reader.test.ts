import t from 'tap'
import { EngineError } from '../../../src/cluster/nats/engine-error.ts'
import { readAhead } from '../../../src/cluster/nats/journal-reader.ts'
import type { Written } from '../../../src/cluster/node/engine.ts'
import { encode } from '../../../src/protocol/codec.ts'
import { recordOf } from '../protocol/fixtures/values.ts'

const LIMITS = { readersMax: 4, aheadMax: 8 }
const ACCT = 'a1'

/** A journal whose records lie at these places, and what it was asked. */
function journalAt(seqs: readonly number[], failsAt = 0) {
  const records: Written[] = seqs.map((seq, i) => ({ seq, bytes: encode(recordOf({ n: i + 1 })) }))
  let asked = 0
  let atOnce = 0
  let mostAtOnce = 0
  const answer = async (): Promise<void> => {
    asked++
    atOnce++
    mostAtOnce = Math.max(mostAtOnce, atOnce)
    await new Promise<void>((resolve) => setImmediate(resolve))
    atOnce--
  }
  return {
    records,
    counts: () => ({ asked, mostAtOnce }),
    log: {
      async tail() {
        await answer()
        return records.at(-1)
      },
      async *readFrom(_: string, from: number, before = Number.POSITIVE_INFINITY) {
        for (let next = from; next < before; ) {
          await answer()
          const record = records.find(({ seq }) => seq >= next)
          if (record === undefined || record.seq >= before) return
          if (record.seq === failsAt) throw new EngineError('ambiguous', 'no answer')
          yield record
          next = record.seq + 1
        }
      },
    },
  }
}

const read = async (journal: ReturnType<typeof journalAt>, from = 1) => {
  const seqs: number[] = []
  for await (const { seq } of readAhead(journal.log, { acct: ACCT, from }, LIMITS)) seqs.push(seq)
  return seqs
}
const upTo = (length: number, step = 1, from = 1) =>
  Array.from({ length }, (_, i) => from + i * step)

const JOURNALS: readonly (readonly [what: string, seqs: readonly number[]])[] = [
  ['nothing', []],
  ['one record', [7]],
  ['two', [7, 8]],
  ['few', upTo(5, 3)],
  ['many, one behind the other', upTo(500)],
  ['many, far apart', upTo(500, 17, 1_000_000)],
  ['most of them at its end', [1, ...upTo(400, 1, 1_000_000)]],
  ['most of them at its begin', [...upTo(400), 1_000_000]],
]

t.test('a journal is read whole and in its order, wherever its records lie', async (t) => {
  for (const [what, seqs] of JOURNALS) {
    t.strictSame(await read(journalAt(seqs)), seqs, what)
    const from = seqs[2] ?? 0
    t.strictSame(
      await read(journalAt(seqs), from),
      seqs.filter((seq) => seq >= from),
      what,
    )
  }
})

t.test('several questions are under way, and few more than one a record', async (t) => {
  const journal = journalAt(upTo(1_000))
  await read(journal)
  const { asked, mostAtOnce } = journal.counts()
  t.equal(mostAtOnce, LIMITS.readersMax)
  t.ok(asked < 1_050, `${asked} questions`)
})

t.test('what comes while it is read is read, too', async (t) => {
  const journal = journalAt(upTo(100))
  const seqs: number[] = []
  for await (const { seq } of readAhead(journal.log, { acct: ACCT, from: 1 }, LIMITS)) {
    seqs.push(seq)
    if (seq === 50) journal.records.push({ seq: 101, bytes: encode(recordOf({ n: 101 })) })
  }
  t.strictSame(seqs, upTo(101))
})

t.test('a question without an answer ends it where its record would be', async (t) => {
  const journal = journalAt(upTo(500), 300)
  const seqs: number[] = []
  await t.rejects(async () => {
    for await (const { seq } of readAhead(journal.log, { acct: ACCT, from: 1 }, LIMITS)) {
      seqs.push(seq)
    }
  }, EngineError)
  t.strictSame(seqs, upTo(299))
})

t.test('who stops reading leaves no reader behind', async (t) => {
  const journal = journalAt(upTo(1_000))
  for await (const { seq } of readAhead(journal.log, { acct: ACCT, from: 1 }, LIMITS)) {
    if (seq === 10) break
  }
  const { asked } = journal.counts()
  t.ok(asked < 100, `${asked} questions: nobody reads far ahead`)
})
