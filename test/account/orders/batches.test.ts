import t from 'tap'
import type { StockCode } from '../../../src/domain/instrument.ts'
import type { ExecuteBuy } from '../../../src/protocol/orders.ts'
import { BANK, Bench, commands, KEY, keyOf, quote, refusals, replies } from '../fixture.ts'
import { accepted, reborn, started } from '../play.ts'

const OTHER = '000001.SZ' as StockCode
const BUY: ExecuteBuy = {
  kind: 'executeBuy',
  key: KEY,
  keys: [keyOf(1), keyOf(2)],
  requestHash: 'h',
  strategy: 'custom_stock',
  count: 2,
  codes: [BANK, OTHER],
  source: 'test',
}
const buy = (bench: Bench, fields: Partial<ExecuteBuy> = {}) =>
  bench.input({ kind: 'request', ref: 1, request: { ...BUY, ...fields } })

/** Bought of two stocks the one that has a price. */
function half(): Bench {
  const bench = new Bench().ready()
  bench.quotes.set(BANK, quote(36))
  const [submit] = commands(buy(bench))
  if (submit?.kind !== 'submit') throw new Error('nothing was sent')
  bench.input(accepted(submit.callId, '1001', submit.order.clientOrderId))
  return bench
}

t.test(
  'what a purchase of several stocks led to is written in the turn of its orders',
  async (t) => {
    const bench = new Bench().ready()
    bench.quotes.set(BANK, quote(36))
    const before = bench.journal.length
    buy(bench)
    const written = bench.journal.slice(before).map(({ event }) => event)
    const submitted = written.flatMap((event) =>
      event.kind === 'orderSubmitted' ? event.order : [],
    )
    t.equal(submitted.length, 1)
    const clientOrderIds = submitted.map((order) => order.clientOrderId)
    t.match(written.at(-1), {
      kind: 'batchPlaced',
      key: KEY,
      batch: { requestHash: 'h', total: 2, clientOrderIds },
    })
  },
)

t.test('asked again, also after a restart, nothing is bought that could not be then', async (t) => {
  const first = half()
  const second = reborn(first)
  started(second)
  for (const bench of [first, second]) {
    bench.quotes.set(BANK, quote(36))
    bench.quotes.set(OTHER, quote(12))
    const again = buy(bench)
    t.strictSame(commands(again), [], 'the other one has a price now')
    t.match(replies(again), [{ successCount: 1, totalCount: 2 }])
    t.strictSame(refusals(buy(bench, { requestHash: 'other' })), ['IDEMPOTENCY_MISMATCH'])
  }
})
