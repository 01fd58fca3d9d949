import t from 'tap'
import type { Effect } from '../../../src/account/turn/turn.ts'
import { inBoth } from '../../../src/domain/in-both.ts'
import type { Price, Quantity } from '../../../src/domain/money.ts'
import type { BrokerOrder } from '../../../src/domain/order.ts'
import {
  BANK,
  Bench,
  brokerDeal,
  commands,
  driver,
  keyOf,
  policy,
  push,
  quote,
  yuan,
} from '../fixture.ts'
import { reborn, started, timer } from '../play.ts'

// A row of the end says that a part was filled (53), and counts none.

const shares = (count: number) => count as Quantity
const show = (bench: Bench, row: Partial<BrokerOrder>): readonly Effect[] =>
  push(bench, { quantity: shares(1_000), ...row })
const row = (quantity: number, dealId: string) =>
  brokerDeal({ dealId, quantity: shares(quantity), amount: yuan(36.5 * quantity) as never })
const deal = (bench: Bench, quantity: number, dealId = 'd1') =>
  driver(bench, { kind: 'dealPushed', deal: row(quantity, dealId) })
const submits = (effects: readonly Effect[]) =>
  commands(effects).flatMap((command) => (command.kind === 'submit' ? [command.order] : []))

interface Asked {
  readonly callId: number
}
const dealsAsked = (effects: readonly Effect[]): readonly Asked[] =>
  commands(effects).filter((command) => command.kind === 'query' && command.what === 'deals')
interface Told {
  readonly deals?: readonly [dealId: string, quantity: number][]
  readonly leftOut?: readonly string[]
}
const listed = (bench: Bench, [asked]: readonly Asked[], { deals = [], leftOut = [] }: Told = {}) =>
  driver(bench, {
    kind: 'queryAnswered',
    callId: asked?.callId ?? 0,
    what: 'deals',
    result: {
      ok: true,
      value: {
        what: 'deals',
        rows: deals.map(([dealId, quantity]) => row(quantity, dealId)),
        leftOut,
      },
    },
  })

/** A purchase that is being changed. */
function amended(bench = new Bench().ready()): Bench {
  bench.quotes.set(BANK, quote(36.4))
  bench.place({ quantity: 1_000 })
  show(bench, {})
  const request = {
    kind: 'amendOrder',
    orderId: '1001',
    key: keyOf(77),
    requestHash: 'amended',
    price: yuan(36.2) as Price,
    source: 'desk',
  } as const
  bench.input({ kind: 'request', ref: 55, request })
  return bench
}

t.test(
  'F621 what was filled of an order that ends without saying how much is not bought twice',
  async (t) => {
    const bench = amended()
    const ended = show(bench, { status: 53 })
    t.strictSame(submits(ended), [])
    t.equal(dealsAsked(ended).length, 1, 'it is looked into at once')
    t.strictSame(submits(deal(bench, 400)), [])
    t.match(submits(listed(bench, dealsAsked(ended), { deals: [['d1', 400]] })), [
      { quantity: 600 },
    ])

    const counted = amended()
    show(counted, { status: 53 })
    t.strictSame(submits(show(counted, { status: 53, filledQuantity: shares(400) })), [])
    t.match(submits(deal(counted, 400)), [{ quantity: 600 }], 'a row says how much after all')
  },
)

t.test('F621 nor is it waited for longer than one list of deals takes', async (t) => {
  const bench = amended()
  const asked = dealsAsked(show(bench, { status: 53 }))
  t.match(submits(listed(bench, asked)), [{ quantity: 1_000 }], 'no deal knows of a part')

  const other = amended()
  show(other, { status: 53 })
  const next = reborn(other)
  next.answerQueries(commands(started(next)))
  next.nowMs += policy.limits.amendFreezeMs
  next.wallMs += policy.limits.amendFreezeMs
  next.quotes.set(BANK, quote(36.4, next.nowMs))
  t.match(submits(next.input(timer('amend'))), [{ quantity: 1_000 }], 'nor do the lists of a start')
})

t.test('F627 a list of deals with a row that nobody can read says nothing of a part', async (t) => {
  const bench = amended()
  const asked = dealsAsked(show(bench, { status: 53 }))
  t.strictSame(
    submits(listed(bench, asked, { leftOut: ['traded_volume'] })),
    [],
    'it may be its deal',
  )
  bench.nowMs += policy.limits.doubtQueryIntervalMs
  bench.wallMs += policy.limits.doubtQueryIntervalMs
  const again = dealsAsked(bench.input(timer('fills')))
  t.equal(again.length, 1, 'it is asked for again')
  t.match(submits(listed(bench, again)), [{ quantity: 1_000 }])
})

t.test('F628 nor does an empty list, where the books have deals of the day', async (t) => {
  const busy = new Bench().ready()
  const other = { orderId: '1000', clientOrderId: '', strategy: 'external' } as const
  push(busy, { ...other, status: 56, filledQuantity: shares(100) })
  driver(busy, { kind: 'dealPushed', deal: brokerDeal({ ...other, dealId: 'd0' }) })
  busy.nowMs += policy.limits.doubtSettleMs
  busy.wallMs += policy.limits.doubtSettleMs
  const bench = amended(busy)
  const asked = dealsAsked(show(bench, { status: 53 }))
  t.equal(asked.length, 1)
  t.strictSame(submits(listed(bench, asked)), [], 'a client that is not ready sends that')
})

const BOTH: Told['deals'] = [
  ['d1', 400],
  ['d2', 300],
]

t.test('F674 a part may come in several deals, and some of it may be known by then', async (t) => {
  const bench = amended()
  const asked = dealsAsked(show(bench, { status: 53 }))
  t.strictSame(submits(deal(bench, 400, 'd1')), [], 'the first of them may not be all')
  t.strictSame(submits(deal(bench, 300, 'd2')), [])
  t.match(submits(listed(bench, asked, { deals: BOTH })), [{ quantity: 300 }])

  const known = amended()
  deal(known, 400, 'd1')
  const ended = show(known, { status: 53 })
  t.strictSame(submits(ended), [], 'a row that counts none says nothing of the rest either')
  t.match(submits(listed(known, dealsAsked(ended), { deals: BOTH })), [{ quantity: 300 }])
})

t.test('F674 a list of deals that lacks one which is known is behind', async (t) => {
  const bench = amended()
  const asked = dealsAsked(show(bench, { status: 53 }))
  deal(bench, 400, 'd1')
  t.strictSame(submits(listed(bench, asked)), [], 'it may lack the others too')
  bench.nowMs += policy.limits.doubtQueryIntervalMs
  bench.wallMs += policy.limits.doubtQueryIntervalMs
  const again = dealsAsked(bench.input(timer('fills')))
  t.match(submits(listed(bench, again, { deals: BOTH })), [{ quantity: 300 }])
})

t.test('F785 how many shares are filled already is told in thousands', async (t) => {
  const bench = new Bench().ready()
  bench.quotes.set(BANK, quote(36.4))
  bench.place({ quantity: 2_000 })
  push(bench, { quantity: shares(2_000), status: 55, filledQuantity: shares(1_200) })
  const fewer = { kind: 'amendOrder', orderId: '1001', key: keyOf(77) } as const
  const request = {
    ...fewer,
    requestHash: 'fewer',
    quantity: shares(1_200),
    source: 'desk',
  } as const
  const [refused] = bench.input({ kind: 'request', ref: 55, request })
  const { zh, en } = inBoth(refused?.kind === 'refuse' ? refused.error.message : '')
  t.match(zh, /须多于已成交的 1,200 股$/)
  t.match(en, /must be more than the 1,200 shares that are filled$/)
})
