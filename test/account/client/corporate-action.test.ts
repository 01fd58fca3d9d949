import t from 'tap'
import type { Quantity } from '../../../src/domain/money.ts'
import type { BrokerPosition } from '../../../src/domain/order.ts'
import { BANK, Bench, brokerPosition, keyOf, MORNING_MS, quote, replies, yuan } from '../fixture.ts'
import { dealt, said } from '../play.ts'

const DAY_MS = 86_400_000
const held = (bench: Bench) => bench.state.positions.get(BANK)
const pushed = (row: Partial<BrokerPosition>) =>
  said({ kind: 'positionPushed', position: brokerPosition(row) })

/** A holding at 35.1 that was at 40 once, on the morning of the next exchange day. */
function nextMorning(): Bench {
  const bench = new Bench().ready([brokerPosition()])
  bench.quotes.set(BANK, quote(40, MORNING_MS + 1))
  bench.input({ kind: 'quotes', crossed: [BANK] })
  bench.nowMs = MORNING_MS + DAY_MS
  bench.input({ kind: 'dayOpened', day: '2026-08-12' })
  return bench
}
const split = { quantity: 2_000 as Quantity, costPrice: yuan(17.55) }

t.test('F32 after a split the high follows the cost and the stop levels rest', async (t) => {
  const bench = nextMorning()
  bench.input(pushed(split))
  t.match(held(bench), {
    ...split,
    highestPrice: yuan(20),
    baseCostPrice: yuan(35.1),
    stopProfitEnabled: false,
  })
  t.ok((held(bench)?.stopLossPrice ?? 0) < yuan(20), 'the stop shown is one of the new prices')
  const change = bench.journal.find(
    ({ event }) => event.kind === 'holdingChanged' && event.source === 'corporate_action',
  )
  t.match(change, { event: { code: BANK, before: { highestPrice: yuan(40) } } }, 'the audit has it')
})

t.test('F32 a person turns the stop levels on again, and they stay on', async (t) => {
  const bench = nextMorning()
  bench.input(pushed(split))
  const request = { kind: 'setStopProfit', code: BANK, enabled: true, source: 'user' } as const
  t.match(replies(bench.input({ kind: 'request', ref: 1, request })), [{ enabled: true }])
  bench.input(pushed({ ...split, costPrice: yuan(17.54) }))
  t.match(held(bench), { stopProfitEnabled: true, highestPrice: yuan(20) })
})

const KEPT: readonly (readonly [string, (bench: Bench) => void])[] = [
  ['a cash dividend', (bench) => bench.input(pushed({ costPrice: yuan(34) }))],
  [
    'a purchase',
    (bench) => {
      bench.input(dealt({ orderId: '9', clientOrderId: keyOf(9), quantity: 1_000 as Quantity }))
      bench.input(pushed({ quantity: 2_000 as Quantity, costPrice: yuan(30) }))
    },
  ],
  ['a report without a cost', (bench) => bench.input(pushed({ costPrice: yuan(0) }))],
]
for (const [name, act] of KEPT) {
  t.test(`F32 ${name} is no corporate action`, async (t) => {
    const bench = nextMorning()
    act(bench)
    t.match(held(bench), { stopProfitEnabled: true, highestPrice: yuan(40) })
  })
}

t.test('F32 within a day no cost is taken for one', async (t) => {
  const bench = new Bench().ready([brokerPosition()])
  bench.input(pushed(split))
  t.match(held(bench), { ...split, stopProfitEnabled: true })
})
