import t from 'tap'
import type { Effect } from '../../../src/account/turn/turn.ts'
import type { StockCode } from '../../../src/domain/instrument.ts'
import type { Price, Quantity } from '../../../src/domain/money.ts'
import type { BrokerAsset, BrokerDeal, BrokerOrder } from '../../../src/domain/order.ts'
import {
  BANK,
  Bench,
  brokerDeal,
  brokerOrder,
  brokerPosition,
  commands,
  KEY,
  keyOf,
  policy,
  quote,
  yuan,
} from '../fixture.ts'
import { barred, barrierIn, timer } from '../play.ts'

const shares = (count: number) => count as Quantity
const MILLION = yuan(1_000_000)
const asset = (frozen: number): BrokerAsset =>
  ({
    available: MILLION - frozen,
    frozen,
    marketValue: 0,
    total: MILLION,
  }) as unknown as BrokerAsset

interface Shown {
  readonly orders?: readonly BrokerOrder[]
  readonly deals?: readonly BrokerDeal[]
  readonly frozen?: number
  readonly sellable?: number
}

/** A look for an order in doubt; the four reports show this. */
function doubtPoll(bench: Bench, { orders = [], deals = [], frozen = 0, sellable = 1_000 }: Shown) {
  const rows = {
    orders,
    deals,
    asset: [asset(frozen)],
    positions: [brokerPosition({ sellable: shares(sellable) })],
  }
  const answer = (asked: readonly Effect[]) => {
    for (const query of commands(asked)) {
      if (query.kind !== 'query') continue
      const { callId, what } = query
      const value = { what, rows: rows[what] } as never
      const result = { ok: true, value } as const
      bench.input({ kind: 'driver', event: { kind: 'queryAnswered', callId, what, result } })
    }
  }
  const asked = bench.input(timer('doubt'))
  answer(asked)
  const barrier = barrierIn(asked)
  if (barrier !== undefined) answer(bench.input(barred(barrier)))
}

/** 100 shares that were sent and not answered, and what two settled looks conclude. */
function concluded(side: 'buy' | 'sell', shown: Shown): Bench {
  const bench = new Bench().ready([brokerPosition()])
  conclude(bench, () => bench.place({ side }), shown)
  return bench
}
function conclude(bench: Bench, send: (bench: Bench) => readonly Effect[], shown: Shown): void {
  const [call] = commands(send(bench)).filter(({ kind }) => kind === 'submit')
  bench.input({ kind: 'callTimedOut', callId: call?.callId ?? 0 })
  doubtPoll(bench, shown)
  bench.wallMs += policy.limits.doubtSettleMs
  doubtPoll(bench, shown)
}
const status = (bench: Bench) => bench.state.orders.get(KEY)?.status

const other = (row: Partial<BrokerOrder>) =>
  brokerOrder({ orderId: '2002', clientOrderId: keyOf(77), ...row })
const LATEST = { priceType: 5, price: 0 as Price } as const
/** What 100 shares at 36.5 freeze, with their fees. */
const FREEZE = yuan(3_655)

const CASES: readonly (readonly [string, 'buy' | 'sell', Shown, string])[] = [
  ['no cash is frozen', 'buy', {}, 'rejected'],
  ['cash is frozen that no order explains', 'buy', { frozen: FREEZE }, 'inDoubt'],
  [
    'all frozen cash is that of another order',
    'buy',
    { frozen: FREEZE, orders: [other({ quantity: shares(100) })] },
    'rejected',
  ],
  [
    'an order that has ended explains nothing',
    'buy',
    { frozen: FREEZE, orders: [other({ status: 54 })] },
    'inDoubt',
  ],
  ['too little is frozen for it', 'buy', { frozen: yuan(3_000) }, 'rejected'],
  ['shares are frozen that no order explains', 'sell', { sellable: 900 }, 'inDoubt'],
  ['all shares are free', 'sell', {}, 'rejected'],
  [
    'the frozen shares are those of another order',
    'sell',
    { sellable: 900, orders: [other({ side: 'sell' })] },
    'rejected',
  ],
  [
    'shares bought today are not free before tomorrow',
    'sell',
    { sellable: 900, deals: [brokerDeal({ orderId: '7', clientOrderId: keyOf(7) })] },
    'rejected',
  ],
]

for (const [name, side, shown, expected] of CASES) {
  t.test(`a ${side} that is listed nowhere: ${name}`, async (t) => {
    t.equal(status(concluded(side, shown)), expected)
  })
}

t.test('F957 a purchase at the latest price has frozen what it was sent at', async (t) => {
  const cases = [
    ['nothing is frozen', {}, 'rejected'],
    ['too little is', { frozen: yuan(3_000) }, 'rejected'],
    ['enough is, and no order explains it', { frozen: FREEZE }, 'inDoubt'],
    [
      'another order explains it',
      { frozen: FREEZE, orders: [other({ price: yuan(36.5) })] },
      'rejected',
    ],
  ] as const
  const bySignal = (bench: Bench) => {
    const purchase = {
      code: BANK,
      side: 'buy',
      quantity: shares(100),
      signalType: 'add_position',
    } as const
    const effects = bench.signal({ ...purchase, ...LATEST, signalPrice: yuan(36.5) })
    bench.quotes.delete(BANK) // nor does anybody have to quote it any more
    return effects
  }
  const byHand = (bench: Bench) => bench.place(LATEST)
  for (const send of [bySignal, byHand]) {
    for (const [name, shown, expected] of cases) {
      const bench = new Bench()
      bench.quotes.set(BANK, quote(36.5))
      const found = () => [...bench.state.orders.values()].find(({ code }) => code === BANK)
      conclude(bench.ready([brokerPosition()]), send, shown)
      t.equal(found()?.status, expected, `${send.name}: ${name}`)
    }
  }
})

t.test('once nothing is frozen for it any more, it was never taken', async (t) => {
  const bench = concluded('buy', { frozen: FREEZE })
  doubtPoll(bench, {})
  t.equal(status(bench), 'rejected')
})

t.test('while something stays frozen for it, a person decides in the end', async (t) => {
  const bench = concluded('buy', { frozen: FREEZE })
  bench.wallMs += policy.limits.doubtQuarantineMs
  bench.input(timer('doubt'))
  t.match(bench.state.orders.get(KEY), { status: 'inDoubt', isQuarantined: true })
})

t.test('nothing is concluded without all four reports', async (t) => {
  const bench = concluded('buy', { frozen: FREEZE })
  const queries = commands(bench.input(timer('doubt')))
  bench.answerQueries(queries.filter((query) => query.kind === 'query' && query.what !== 'asset'))
  t.equal(status(bench), 'inDoubt')
})

t.test('F505 a subscription of new shares freezes nothing, and explains nothing', async (t) => {
  const subscription = { quantity: shares(60_000), clientOrderId: '' }
  for (const code of ['787001.SH' as StockCode, '001399.SZ' as StockCode]) {
    const orders = [other({ ...subscription, code })]
    t.equal(status(concluded('buy', { frozen: FREEZE, orders })), 'inDoubt')
    t.equal(status(concluded('buy', { orders })), 'rejected')
  }
})

t.test('F505 nor does one that is no more than what is frozen', async (t) => {
  const orders = [other({ code: '787001.SH' as StockCode, quantity: shares(100) })]
  t.equal(status(concluded('buy', { frozen: FREEZE, orders })), 'inDoubt')
})
