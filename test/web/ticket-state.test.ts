import t from 'tap'
import {
  isWholeCode,
  quoteAgeMs,
  type TicketSight,
  type TicketState,
  type Told,
  ticketState,
} from '../../web/console/ticket-state.ts'
import { Fault } from '../../web/shared/fault.ts'

const NOW_MS = 1_786_413_600_000

interface Row {
  readonly last?: number
  readonly ageSeconds?: number
  readonly isAllowed?: boolean
  readonly agoMs?: number
}

function told({ last = 36, ageSeconds = 1, isAllowed = true, agoMs = 0 }: Row = {}): Told {
  const quote = {
    time: NOW_MS,
    age_seconds: ageSeconds,
    last_price: last,
    last_close: 36,
    limit_up: 39.6,
    limit_down: 32.4,
  }
  const answer = { allowed: isAllowed, quote: last < 0 ? null : quote }
  return { answer: answer as Told['answer'], atMs: NOW_MS - agoMs }
}

/** Everything is known, and good. */
const GOOD: TicketSight = {
  nowMs: NOW_MS,
  isWhole: true,
  isComplete: true,
  codeSinceMs: NOW_MS - 60_000,
  fault: undefined,
  isOrdersFault: true,
  facts: told(),
  check: told(),
}
const LATE = new Fault('late', '')
const SILENT = new Fault('connection', '', { code: 'TIMEOUT' })
const NONE = told({ last: -1 })
const both = (row: Row) => ({ facts: told(row), check: told(row) })

t.test('a ticket is good only while all that it needs is known and new', async (t) => {
  const rows: readonly [string, Partial<TicketSight>, TicketState][] = [
    ['all is there', {}, 'passed'],
    ['half a code', { isWhole: false }, 'noCode'],
    ['nothing told of the stock', { facts: undefined, check: undefined }, 'asking'],
    ['nor of the order', { check: undefined }, 'checking'],
    ['no price yet', { isComplete: false, check: undefined }, 'incomplete'],
    ['refused', { check: told({ isAllowed: false }) }, 'refused'],
    ['the service is away', { fault: new Fault('connection', '') }, 'failed'],
    ['it refuses to say', { fault: new Fault('refused', '') }, 'failed'],
    ['it says nothing in time', { fault: LATE }, 'unchecked'],
    ['nor does its computer', { fault: SILENT, facts: undefined }, 'unchecked'],
    ['of another order', { fault: LATE, isOrdersFault: false }, 'failed'],
    ['of no order yet', { fault: LATE, isComplete: false }, 'failed'],
    ['no answer for long', { check: told({ agoMs: 12_001 }) }, 'outdated'],
    ['the first quote is waited for', { facts: NONE, codeSinceMs: NOW_MS - 3_000 }, 'asking'],
    ['it does not come', { facts: NONE, check: NONE }, 'noQuote'],
    ['nor before there is an order', { facts: NONE, isComplete: false }, 'noQuote'],
    ['refused without a quote', { facts: NONE, check: told({ isAllowed: false }) }, 'refused'],
    ['halted', both({ last: 0 }), 'noQuote'],
    ['a quote of half a minute', both({ ageSeconds: 30 }), 'oldQuote'],
    ['which goes on ageing here', both({ ageSeconds: 25, agoMs: 5_000 }), 'oldQuote'],
  ]
  for (const [name, sight, wanted] of rows)
    t.equal(ticketState({ ...GOOD, ...sight }), wanted, name)
})

t.test('the age of a quote counts on, and never backwards', async (t) => {
  const facts = told({ ageSeconds: 2 })
  t.equal(quoteAgeMs({ facts, nowMs: NOW_MS + 3_000 }), 5_000)
  t.equal(quoteAgeMs({ facts, nowMs: NOW_MS - 3_000 }), 2_000)
  t.equal(quoteAgeMs({ facts: NONE, nowMs: NOW_MS }), undefined)
})

t.test('a code is one when it is whole', async (t) => {
  const codes = ['600036', 'sh.600036', '600036.SH', '920002.bj']
  t.strictSame(codes.filter(isWholeCode), codes)
  const none = ['', '60003', '6000361', '600036.', '600036.HK', 'a600036', '600036 600000']
  t.strictSame(none.filter(isWholeCode), [])
})
