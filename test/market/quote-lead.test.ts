import t from 'tap'
import { exchangeDay } from '../../src/domain/exchange-time.ts'
import { isOfBatch, type LeadNews, NO_LEAD, seeQuote } from '../../src/market/quote-lead.ts'
import { randomOf } from '../simulation/fixtures/random.ts'
import { at } from './fixtures/ticks.ts'

const RULES = { quoteLeadMs: 20_000, quoteLeadWindowMs: 60_000, dayOf: exchangeDay }
const OPEN_MS = at('2026-08-11', '09:31:00')
const DAY_MS = 86_400_000

/** Every three seconds from a moment of the exchange on, as the clock of the computer sees it. */
interface Span {
  readonly fromMs?: number
  readonly seconds?: number
  /** By which the clock is ahead of the exchange. */
  readonly aheadMs?: number
  /** Time of the quote that is seen at a moment of the exchange. */
  readonly quoteMs?: (exchangeMs: number) => number
}

function newsOf(...spans: readonly Span[]): readonly LeadNews[] {
  let lead = NO_LEAD
  const told: LeadNews[] = []
  for (const {
    fromMs = OPEN_MS,
    seconds = 300,
    aheadMs = 0,
    quoteMs = (ms: number) => ms,
  } of spans) {
    for (let ms = fromMs; ms < fromMs + seconds * 1_000; ms += 3_000) {
      const seen = seeQuote(lead, { timeMs: quoteMs(ms), nowMs: ms + 400 + aheadMs }, RULES)
      lead = seen.lead
      if (seen.news !== undefined) told.push(seen.news)
    }
  }
  return told
}

t.test('F509 a clock that is off against a stream of quotes is told once', async (t) => {
  t.strictSame(newsOf({ aheadMs: 90_000 }), [{ kind: 'off', leadMs: -90_400 }])
  t.strictSame(newsOf({ aheadMs: -180_000 }), [{ kind: 'off', leadMs: 179_600 }])
  t.strictSame(newsOf({ aheadMs: -900_000 }), [{ kind: 'off', leadMs: 899_600 }])
})

t.test('F509 it is told again on the next day, and when it is right', async (t) => {
  const off = { aheadMs: 90_000 }
  const kinds = newsOf(off, { ...off, fromMs: OPEN_MS + DAY_MS }, { fromMs: OPEN_MS + 2 * DAY_MS })
  t.strictSame(
    kinds.map(({ kind }) => kind),
    ['off', 'off', 'right'],
  )
})

t.test('F509 one that is about as much off as is told is told once', async (t) => {
  const nearly = [20_000, 19_000, 20_000, 19_000].map((aheadMs, i) => {
    return { aheadMs, seconds: 120, fromMs: OPEN_MS + i * 120_000 }
  })
  t.match(newsOf(...nearly), { length: 1, 0: { kind: 'off' } })
  const right = { aheadMs: 1_000, fromMs: OPEN_MS + 480_000 }
  t.match(newsOf(...nearly, right), { length: 2, 1: { kind: 'right' } })
})

t.test('F509 nothing is said of a clock that is right', async (t) => {
  const table: Readonly<Record<string, Span>> = {
    'some seconds on the way': { aheadMs: 4_000 },
    'a feed that stands still and repeats its last quote': { quoteMs: () => OPEN_MS },
    'a feed that was away, and catches up': {
      quoteMs: (ms) => ms - Math.max(0, 120_000 - (ms - OPEN_MS)),
    },
    'the lunch break': {
      fromMs: at('2026-08-11', '11:30:01'),
      quoteMs: () => at('2026-08-11', '11:30:00'),
    },
    'a stock that trades once a minute': { quoteMs: (ms) => ms - (ms % 60_000) },
    'one quote of a day to come': { quoteMs: (ms) => (ms === OPEN_MS + 30_000 ? ms + DAY_MS : ms) },
  }
  for (const [name, span] of Object.entries(table)) t.strictSame(newsOf(span), [], name)
})

t.test('what is passed over as one of a batch changes nothing', async (t) => {
  const below = randomOf(509)
  let lead = NO_LEAD
  let [nowMs, passed] = [OPEN_MS, 0]
  for (let step = 0; step < 5_000; step++) {
    nowMs += below(500) - 50
    const quote = { timeMs: nowMs - below(4_000), nowMs }
    const isPassed = isOfBatch(lead, quote, RULES)
    const seen = seeQuote(lead, quote, RULES)
    if (isPassed) t.strictSame(seen, { lead }, `step ${step}`)
    passed += Number(isPassed)
    lead = seen.lead
  }
  t.ok(passed > 1_000, `${passed} passed over`)
})
