import t from 'tap'
import type { Now } from '../../../src/cluster/protocol/effects.ts'
import {
  accountWord,
  allowEpoch,
  clearLease,
  passesOrderCheck,
  writeLease,
} from '../../../src/cluster/protocol/order-check.ts'
import { at } from './fixtures/values.ts'

const HOUR_MS = 3_600_000
const origin = at(5_000)

function wordsOf(sent: Now): Int32Array {
  const words = new Int32Array(new SharedArrayBuffer(4 * accountWord(2)))
  clearLease(words)
  const monoMs = sent.monoMs + 14_000
  writeLease(words, { monoMs, wallMs: sent.wallMs + 14_000 }, origin)
  return words
}

const far = (now: Now): Now => ({ monoMs: now.monoMs + HOUR_MS, wallMs: now.wallMs + HOUR_MS })
const passes = (words: Int32Array, now: Now, epoch = 7, deadline = far(now)) =>
  passesOrderCheck(words, { slot: 1, epoch, deadline }, now, origin)

t.test(
  'an order passes while the lease runs by both clocks, and not a moment longer',
  async (t) => {
    const words = wordsOf(at(10_000))
    t.notOk(passes(words, at(10_100)), 'the account is nobody’s')
    allowEpoch(words, 1, 7)
    t.ok(passes(words, at(10_000)))
    t.ok(passes(words, at(24_000)))
    t.notOk(passes(words, at(24_001)))
    t.notOk(passes(words, at(24_001, at(20_000).wallMs)), 'the monotonic clock alone')
    t.notOk(
      passes(words, at(20_000, at(24_001).wallMs)),
      'the computer slept: the wall clock alone',
    )
    t.ok(passes(words, at(20_000, at(19_550).wallMs)), 'clocks run apart')
    t.notOk(passes(words, at(20_000, at(19_400).wallMs)), 'the wall clock was set back')
  },
)

t.test('neither another epoch nor a late order passes', async (t) => {
  const words = wordsOf(at(10_000))
  allowEpoch(words, 1, 7)
  const now = at(11_000)
  t.notOk(passes(words, now, 6))
  t.notOk(passes(words, now, 8))
  t.ok(passes(words, now, 7, now))
  t.notOk(passes(words, now, 7, at(10_999, now.wallMs)))
  t.notOk(passes(words, now, 7, at(11_000, now.wallMs - 1)))
  allowEpoch(words, 1, 0)
  t.notOk(passes(words, now))
  t.notOk(passes(words, now, 0), 'no epoch is no right')
  allowEpoch(words, 1, 7)
  clearLease(words)
  t.notOk(passes(words, now))
})

t.test('words last for years and for any wall clock', async (t) => {
  const days = 1_000 * 24 * HOUR_MS
  const late = wordsOf(at(days))
  allowEpoch(late, 1, 7)
  t.ok(passes(late, at(days + 1_000)))
  t.notOk(passes(late, at(days + 14_001)))
  const sent = at(10_000, 0)
  const early = wordsOf(sent)
  allowEpoch(early, 1, 7)
  t.notOk(passes(early, at(11_000)), 'a clock that was wrong by decades stops, and nothing else')
  t.throws(() => wordsOf(at(-100_000)))
  t.throws(() => allowEpoch(late, 1, 2 ** 31))
})
