import t from 'tap'
import { KeptAnswers } from '../../../src/cluster/nats/kept-answers.ts'
import { turnsUntil } from '../../in-time.ts'

const LIMITS = { partBytesMax: 4, keptBytesMax: 20, keepMs: 60_000 }
const bytes = (length: number) => Uint8Array.from({ length }, (_, i) => i)

t.test('an answer is fetched in parts, and is gone with the last', async (t) => {
  const kept = new KeptAnswers(LIMITS)
  const { id, parts } = kept.keep(bytes(10)) ?? { id: '', parts: 0 }
  t.equal(parts, 3)
  const read = [0, 1, 1, 2].map((index) => kept.part(id, index))
  t.strictSame(read, [
    bytes(4),
    new Uint8Array([4, 5, 6, 7]),
    new Uint8Array([4, 5, 6, 7]),
    new Uint8Array([8, 9]),
  ])
  for (const index of [0, 1, 2]) t.equal(kept.part(id, index), undefined)
})

t.test('what is no part of it is nothing', async (t) => {
  const kept = new KeptAnswers(LIMITS)
  const { id } = kept.keep(bytes(8)) ?? { id: '' }
  for (const index of [-1, 0.5, 2, Number.NaN, Number.POSITIVE_INFINITY]) {
    t.equal(kept.part(id, index), undefined, `${index}`)
  }
  t.equal(kept.part('other', 0), undefined)
  t.ok(kept.part(id, 1))
})

t.test('F205 what waits is bounded in bytes and in time', async (t) => {
  const kept = new KeptAnswers({ ...LIMITS, keepMs: 5 })
  const first = kept.keep(bytes(12))
  t.ok(first)
  t.equal(kept.keep(bytes(9)), undefined)
  await turnsUntil(() => kept.keep(bytes(20)) !== undefined, 'the first to be forgotten')
  t.equal(kept.part(first?.id ?? '', 0), undefined)
})
