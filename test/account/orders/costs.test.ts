import t from 'tap'
import { apply } from '../../../src/account/fold/apply.ts'
import { emptyState } from '../../../src/account/model/state.ts'
import { type AccountInput, step } from '../../../src/account/step.ts'
import type { Turn } from '../../../src/account/turn/turn.ts'
import { DAY_MS } from '../../../src/domain/exchange-time.ts'
import type { StockCode } from '../../../src/domain/instrument.ts'
import type { Money, Quantity } from '../../../src/domain/money.ts'
import type { BrokerDeal, BrokerPosition } from '../../../src/domain/order.ts'
import type { Sale } from '../../../src/domain/sale.ts'
import {
  BANK,
  Bench,
  brokerDeal,
  brokerPosition,
  commands,
  MORNING_MS,
  policy,
  quote,
  yuan,
} from '../fixture.ts'
import { dealt, gone, reborn, said, started, timer } from '../play.ts'

/** What a life of an account has written of sales and closed holdings. */
class Watched extends Bench {
  readonly rows: Turn['dirtyRows'][number][] = []

  override turn(): Turn {
    const turn = super.turn()
    const { dirtyRows } = turn
    const push = dirtyRows.push.bind(dirtyRows)
    dirtyRows.push = (...rows) => {
      this.rows.push(...rows)
      return push(...rows)
    }
    return turn
  }

  written<Row>(table: 'sales' | 'closedPositions'): readonly Row[] {
    return this.rows.flatMap((row) => (row.table === table ? [row.row as Row] : []))
  }

  /** The client shows these holdings, and its cash, in a list that was asked for now. */
  listed(positions: readonly BrokerPosition[]): void {
    this.wallMs += 10_000
    const asked = commands(this.input(timer('poll')))
    this.answerQueries(asked, { positions })
  }
}

const sale = (row: Parameters<typeof dealt>[0] = {}): AccountInput =>
  dealt({ side: 'sell', orderId: '7', clientOrderId: '', dealId: 's1', ...row })

const held = (quantity: number, costPrice = 35.1) =>
  brokerPosition({
    quantity: quantity as Quantity,
    sellable: quantity as Quantity,
    costPrice: yuan(costPrice),
  })

t.test('what was there before has the cost that the client tells', (t) => {
  const bench = new Watched().ready([brokerPosition()])
  const book = bench.state.costs.books.get(BANK)
  t.match(book, { quantity: 1_000, cost: yuan(35_100), costFrom: 'client' })
  t.equal(bench.state.earnings.sinceMs, MORNING_MS)
  t.equal(bench.journal.filter(({ event }) => event.kind === 'costsTaken').length, 1, 'said once')
  t.end()
})

t.test('F374 deals that are listed newest first are booked as they were made', (t) => {
  const bench = new Watched().ready()
  bench.input(gone)
  const [connect] = commands(bench.input(timer('reconnect')))
  const callId = connect?.callId ?? 0
  const result = { ok: true, value: null } as const
  const asked = commands(
    bench.input({ kind: 'driver', event: { kind: 'connectAnswered', callId, result } }),
  )
  const bond = { code: '113050.SH' as StockCode, clientOrderId: '' }
  const amount = (value: number) => ({
    price: yuan(value),
    quantity: 100 as Quantity,
    amount: yuan(value * 100) as number as Money,
  })
  const bought = { ...bond, ...amount(120), side: 'buy', orderId: '6', dealId: 'b1' } as const
  const sold = { ...bond, ...amount(121), side: 'sell', orderId: '7', dealId: 's1' } as const
  const deals = [
    brokerDeal({ ...sold, timeMs: MORNING_MS + 60_000 }),
    brokerDeal({ ...bought, timeMs: MORNING_MS }),
  ]
  bench.answerQueries(asked, { deals })
  const realized = yuan((121 - 120) * 100 - 5 - 5)
  t.match(bench.written<Sale>('sales'), [{ realized, costFrom: 'deals' }])
  t.end()
})

t.test('a sale has its realized profit, after the fees of both sides', (t) => {
  const bench = new Watched().ready()
  bench.input(dealt())
  bench.input(sale({ quantity: 40 as Quantity, amount: (yuan(40) * 40) as Money, price: yuan(40) }))
  const cost = yuan((3_650 + 5) * 0.4)
  t.match(bench.written<Sale>('sales'), [
    { id: 1, quantity: 40, cost, realized: yuan(1_600 - 5) - cost, costFrom: 'deals' },
  ])
  t.equal(bench.state.costs.books.get(BANK)?.quantity, 60)
  bench.input(sale({ quantity: 60 as Quantity, dealId: 's2', amount: (yuan(30) * 60) as Money }))
  t.equal(bench.state.costs.books.has(BANK), false)
  const [closed] = bench.written<object>('closedPositions')
  const realized = yuan(1_600 + 1_800 - 10 - 3_655)
  t.match(closed, { id: 1, boughtQuantity: 100, soldQuantity: 100, realized, fees: yuan(15) })
  t.end()
})

t.test('shares that no deal explains are waited for, then taken at the client’s cost', (t) => {
  const bench = new Watched().ready([held(1_000)])
  bench.listed([held(1_200, 34)])
  t.equal(bench.state.costs.books.get(BANK)?.quantity, 1_000, 'its deal may still come')
  bench.nowMs += policy.limits.costSettleMs
  bench.listed([held(1_200, 34)])
  t.match(bench.state.costs.books.get(BANK), { quantity: 1_200, cost: yuan(40_800) })
  t.strictSame(bench.written('sales'), [])
  t.end()
})

t.test('a deal that comes late explains them', (t) => {
  const bench = new Watched().ready([held(1_000)])
  bench.listed([held(1_100, 35.2)])
  bench.input(dealt({ clientOrderId: '', orderId: '9' }))
  bench.listed([held(1_100, 35.2)])
  bench.nowMs += policy.limits.costSettleMs
  bench.listed([held(1_100, 35.2)])
  t.match(bench.state.costs.books.get(BANK), { quantity: 1_100, cost: yuan(35_100 + 3_655) })
  t.equal(bench.journal.filter(({ event }) => event.kind === 'costsTaken').length, 1)
  t.end()
})

t.test(
  'F956 a start, or a push before the first lists, forgets no shares that no deal explains',
  (t) => {
    const restarted = (cut: (bench: Watched) => void) => {
      const bench = new Watched().ready([held(1_000)])
      cut(bench)
      return bench
    }
    const listedAtCut = restarted((bench) => bench.listed([held(1_200, 34)]))
    const again = reborn(listedAtCut)
    started(again, { positions: [held(1_200, 34)] })
    const pushedBefore = restarted((bench) => {
      bench.input(gone)
      const [connect] = commands(bench.input(timer('reconnect')))
      const callId = connect?.callId ?? 0
      const result = { ok: true, value: null } as const
      const asked = commands(bench.input(said({ kind: 'connectAnswered', callId, result })))
      bench.input(said({ kind: 'positionPushed', position: held(1_200, 34) }))
      bench.answerQueries(asked, { positions: [held(1_200, 34)] })
    })
    for (const bench of [again, pushedBefore]) {
      const looked = () => {
        bench.wallMs += 10_000
        bench.answerQueries(commands(bench.input(timer('poll'))), { positions: [held(1_200, 34)] })
      }
      looked()
      t.equal(bench.state.costs.books.get(BANK)?.quantity, 1_000, 'its deal may still come')
      bench.nowMs += policy.limits.costSettleMs
      looked()
      t.match(bench.state.costs.books.get(BANK), { quantity: 1_200, cost: yuan(40_800) })
    }
    t.end()
  },
)

t.test('shares that have gone without a deal are a sale of which nothing is known', (t) => {
  const bench = new Watched().ready([held(1_000)])
  bench.listed([held(400)])
  bench.nowMs += policy.limits.costSettleMs
  bench.listed([held(400)])
  t.match(bench.written<Sale>('sales'), [{ quantity: 600, amount: null, realized: null }])
  t.end()
})

/** A holding that went without a right some trading days ago: 10 转 1, from 36.30 to 33.00. */
function afterExDay(trading: number): Watched {
  const bench = new Watched().ready([held(1_000, 35)])
  bench.nowMs += DAY_MS
  bench.input({ kind: 'dayOpened', day: '2026-08-12' })
  const closes = { lastClose: yuan(33), closeBefore: yuan(36.3), lastCloseBefore: yuan(36) }
  bench.quotes.set(BANK, { ...quote(33, bench.nowMs), ...closes })
  bench.input({ kind: 'quotes', crossed: [BANK] })
  bench.nowMs += trading * DAY_MS
  return bench
}

t.test(
  'the shares of an ex-day cost its price, also when the client shows them days later',
  (t) => {
    for (const days of [0, 2]) {
      const bench = afterExDay(days)
      bench.listed([held(1_100, 31.8182)])
      bench.nowMs += policy.limits.costSettleMs
      bench.listed([held(1_100, 31.8182)])
      const cost = yuan(35_000 - 1_000 * 3.3 + 100 * 33)
      t.match(bench.state.costs.books.get(BANK), { quantity: 1_100, cost })
    }
    t.end()
  },
)

t.test(
  'shares of a price that was rounded to the tick are those of its ex-day all the same',
  (t) => {
    for (const [of, to, had, has] of [
      [2.05, 1.58, 1_000, 1_300], // 10 转 3: 1.5769, which explains 297 shares
      [13.05, 10.04, 10_000, 13_000], // 10.0385, and 2,998 shares
    ] as const) {
      const bench = new Watched().ready([held(had, 2 * of)])
      bench.nowMs += DAY_MS
      bench.input({ kind: 'dayOpened', day: '2026-08-12' })
      const closes = {
        lastClose: yuan(to),
        closeBefore: yuan(of),
        lastCloseBefore: yuan(of - 0.01),
      }
      bench.quotes.set(BANK, { ...quote(to, bench.nowMs), ...closes })
      bench.input({ kind: 'quotes', crossed: [BANK] })
      bench.listed([held(has, 2 * of)])
      bench.nowMs += policy.limits.costSettleMs
      bench.listed([held(has, 2 * of)])
      const cost = had * (2 * yuan(of) - yuan(of) + yuan(to)) + (has - had) * yuan(to)
      t.match(bench.state.costs.books.get(BANK), { quantity: has, cost, costFrom: 'client' })
    }
    t.end()
  },
)

t.test('F486 shares that come or go long after an ex-day are none of it', (t) => {
  const came = afterExDay(60)
  came.listed([held(1_100, 32.5)])
  came.nowMs += policy.limits.costSettleMs
  came.listed([held(1_100, 32.5)])
  const book = { quantity: 1_100, cost: yuan(32.5 * 1_100), costFrom: 'client' }
  t.match(came.state.costs.books.get(BANK), book, 'bought while nobody looked')
  const gone = afterExDay(60)
  gone.listed([held(400, 35)])
  gone.nowMs += policy.limits.costSettleMs
  gone.listed([held(400, 35)])
  t.match(gone.written<Sale>('sales'), [{ quantity: 600, amount: null, realized: null }])
  t.end()
})

t.test('F486 nor are more shares, or fewer, than its prices explain', (t) => {
  for (const [quantity, sales] of [
    [1_200, []],
    [900, [{ quantity: 100, amount: null }]],
  ] as const) {
    const bench = afterExDay(0)
    bench.listed([held(quantity, 31)])
    bench.nowMs += policy.limits.costSettleMs
    bench.listed([held(quantity, 31)])
    t.match(bench.state.costs.books.get(BANK), { quantity, cost: yuan(31) * quantity })
    t.match(bench.written<Sale>('sales'), sales)
  }
  t.end()
})

/** A start at 10:40 of an ex-day, 36.30 to 33.00, on which somebody has traded in the terminal before. */
function lateStart(
  deal: Partial<BrokerDeal>,
  { isQuoted }: { readonly isQuoted: boolean },
): Watched {
  const bench = new Watched().ready([held(1_000, 35)])
  bench.input(gone)
  bench.nowMs += DAY_MS
  bench.input({ kind: 'dayOpened', day: '2026-08-12' })
  const closes = { lastClose: yuan(33), closeBefore: yuan(36.3), lastCloseBefore: yuan(36) }
  const seen = { ...quote(33, bench.nowMs), ...closes }
  if (isQuoted) bench.quotes.set(BANK, seen)
  const [connect] = commands(bench.input(timer('reconnect')))
  const callId = connect?.callId ?? 0
  const result = { ok: true, value: null } as const
  const asked = commands(
    bench.input({ kind: 'driver', event: { kind: 'connectAnswered', callId, result } }),
  )
  const dealt = brokerDeal({
    clientOrderId: '',
    timeMs: bench.nowMs - 60_000,
    quantity: 500 as Quantity,
    price: yuan(33),
    amount: (yuan(33) * 500) as Money,
    ...deal,
  })
  const shown = dealt.side === 'buy' ? held(1_500, 34.3333) : held(500)
  bench.answerQueries(asked, { deals: [dealt], positions: [shown] })
  bench.listed([shown])
  bench.quotes.set(BANK, seen)
  bench.input({ kind: 'quotes', crossed: [BANK] })
  return bench
}

t.test('F489 deals of the morning of an ex-day are on its scale, whatever is told first', (t) => {
  for (const isQuoted of [true, false]) {
    const bench = lateStart({ side: 'buy' }, { isQuoted })
    const cost = yuan(35_000 - 1_000 * 3.3 + 500 * 33 + 5)
    t.match(bench.state.costs.books.get(BANK), { quantity: 1_500, cost }, `quoted: ${isQuoted}`)
    const thresholds = bench.state.positions.get(BANK)?.effectiveCost ?? 0
    const mixed = (35_000 / 1.1 + 500 * 33) / 1_500
    t.ok(Math.abs(thresholds - yuan(mixed)) < yuan(0.02), `${thresholds}, for ${yuan(mixed)}`)
  }
  const seller = lateStart({ side: 'sell' }, { isQuoted: true })
  const realized = yuan(500 * 33 - 5 - (35_000 - 1_000 * 3.3) / 2)
  t.match(seller.written<Sale>('sales'), [{ realized }])
  t.end()
})

t.test('a tick of an ordinary day looks through no deals', (t) => {
  const bench = new Watched().ready([held(1_000, 35)])
  bench.input(dealt({ clientOrderId: '' }))
  bench.listed([held(1_100, 35)])
  const tick = (price: number) => {
    bench.quotes.set(BANK, { ...quote(price, bench.nowMs), closeBefore: yuan(35.2) })
    bench.input({ kind: 'quotes', crossed: [BANK] })
  }
  tick(35.5)
  const { deals } = bench.state
  let walks = 0
  deals.values = () => {
    walks += 1
    return new Map(deals.entries()).values()
  }
  for (const price of [35.6, 35.7, 35.8]) tick(price)
  t.equal(walks, 0, 'there may be thousands, and a tick each millisecond')
  t.end()
})

t.test('a client without a cost is not believed to have got them for nothing', (t) => {
  const bench = new Watched().ready([held(1_000, 0)])
  t.equal(bench.state.costs.books.get(BANK)?.cost, null)
  bench.input(sale())
  t.match(bench.written<Sale>('sales'), [{ cost: null, realized: null, costFrom: null }])
  t.end()
})

t.test('journals from before costs were followed explain no rows of them', (t) => {
  const bench = new Watched().ready()
  bench.input(dealt())
  bench.input(sale())
  const before = bench.journal.filter(({ event }) => event.kind !== 'costsTaken')
  const state = emptyState(policy)
  const tables = before.flatMap((journaled, index) =>
    apply(state, { ...journaled, seq: index + 1 }).map(({ table }) => table),
  )
  t.notOk(tables.some((table) => ['sales', 'costBooks', 'closedPositions'].includes(table)))
  t.end()
})

t.test('a reverse repo is no sale of anything', (t) => {
  const bench = new Watched().ready()
  bench.input(sale({ code: '204001.SH' as typeof BANK }))
  t.strictSame(bench.written('sales'), [])
  t.end()
})

t.test('a simulation earns by itself, also after it has spread a first profit', (t) => {
  const settings = { ...policy.settings, ENABLE_SIMULATION_MODE: true }
  const bench = new Watched(emptyState({ ...policy, settings }))
  bench.quotes.set(BANK, quote(36))
  bench.input({ kind: 'started', incarnation: 1, day: '2026-08-11' })
  bench.place({ quantity: 1_000, price: yuan(36) })
  const turn = bench.turn()
  const key = '01ARZ3NDEKTSV4RRFFQ69G5FAW'
  const request = { kind: 'placeOrder', key, requestHash: 'h2', code: BANK, side: 'sell' } as const
  step(turn, {
    kind: 'request',
    ref: 9,
    request: {
      ...request,
      quantity: 1_000,
      priceType: 11,
      price: yuan(37),
      strategy: 'manual',
      source: 'test',
    },
  })
  const [sold] = bench.written<Sale>('sales')
  const bought = yuan(36_000) + yuan(36_000) * 0.0003
  t.match(sold, { isSimulated: true, realized: yuan(37_000) - yuan(37_000) * 0.0013 - bought })
  t.end()
})
