import t from 'tap'
import { nextOrderMs } from '../../../../src/account/strategies/run.ts'
import type { SignalOrder } from '../../../../src/account/strategies/stop-profit/follow-up.ts'
import type { Price, Quantity } from '../../../../src/domain/money.ts'
import type { Quote } from '../../../../src/ports/quotes.port.ts'
import {
  BANK,
  brokerOrder,
  brokerPosition,
  commands,
  MORNING_MS,
  policy,
  quote,
  yuan,
} from '../../fixture.ts'
import { count, reborn, started } from '../../play.ts'
import { acting, BOOK, Chain, PURCHASE, SALE } from './chain.ts'

/** Locked at the lower limit of a close of 36: nobody buys. */
const FLOOR = 32.4
const at = (price: number, row: Partial<Quote> = {}): Quote => ({
  ...quote(price),
  bid: [],
  ...row,
})
const atCeiling: Quote = { ...quote(39.6), ask: [] }
const NONE = 0 as Price

/** A chain whose order rests at this price, with this quote from then on. */
function resting(price: number, now: Quote, signal: SignalOrder = SALE): Chain {
  const chain = new Chain(signal)
  chain.report({ price: yuan(price) })
  chain.bench.quotes.set(BANK, now)
  return chain
}

t.test('an order whose time is up keeps its place where a cancel helps nothing', async (t) => {
  const inBook = { ...BOOK, bid: [36.4, 36.3, 36.2].map(yuan) }
  const rows: readonly [string, Chain, string | undefined][] = [
    ['at the lower limit', resting(FLOOR, at(FLOOR)), 'place'],
    ['above it, while the market is locked there', resting(33, at(FLOOR)), undefined],
    ['below what it would get, but not at the limit', resting(36, BOOK), undefined],
    ['its rest would get the same price', resting(36.2, inBook), 'place'],
    ['at the limit, and the market opens above it', resting(FLOOR, at(32.9)), 'place'],
    ['at what would be the limit, and the market is below it', resting(FLOOR, at(32.3)), undefined],
    ['below what would be the limit, and the market lower still', resting(10, at(9.8)), undefined],
    ['a purchase at the upper limit', resting(39.6, atCeiling, PURCHASE), 'place'],
    ['a purchase below it', resting(39, atCeiling, PURCHASE), undefined],
    ['a halted stock', resting(36, at(0)), 'later'],
  ]
  for (const [name, chain, kept] of rows) {
    const sent = commands(chain.ring())
    t.equal(sent.length, kept === undefined ? 1 : 0, name)
    t.equal(chain.last.keptFor, kept === 'later' ? undefined : kept, name)
    if (kept === undefined) continue
    const { createdMs } = chain.last
    const limitMs = chain.bench.nowMs - createdMs
    t.equal(nextOrderMs(chain.bench.state, chain.bench.nowMs), createdMs + 2 * limitMs, 'later')
    t.equal(count(chain.bench, 'orderKept'), kept === 'place' ? 1 : 0)
  }
})

t.test('it is looked at with each time limit, told once, and follows when it helps', async (t) => {
  const chain = resting(FLOOR + 0.6, at(FLOOR + 0.6))
  for (let look = 1; look <= 40; look++) t.strictSame(commands(chain.ring()), [])
  t.equal(chain.bench.nowMs, MORNING_MS + 40 * 30_000)
  t.equal(count(chain.bench, 'orderKept'), 1)
  chain.bench.quotes.set(BANK, at(FLOOR))
  t.strictSame(commands(chain.bench.input({ kind: 'alarm' })), [], 'not between two looks')
  t.match(commands(chain.ring()), [{ kind: 'cancel' }])
  t.match(commands(chain.report({ status: 54 })), [
    { kind: 'submit', order: { price: yuan(FLOOR) } },
  ])
  chain.accept()
  chain.report({ price: yuan(FLOOR) })
  for (let look = 1; look <= 40; look++) t.strictSame(commands(chain.ring()), [])
  t.equal(chain.orders.length, 2, 'moved to the limit once')
})

t.test('in the break at noon nothing is canceled for its age', async (t) => {
  const chain = resting(36, BOOK)
  chain.bench.nowMs = Date.parse('2026-08-11T03:30:10Z')
  t.strictSame(commands(chain.bench.input({ kind: 'alarm' })), [])
  chain.bench.nowMs = Date.parse('2026-08-11T05:00:00Z')
  chain.bench.quotes.set(BANK, { ...BOOK, timeMs: chain.bench.nowMs })
  t.match(commands(chain.bench.input({ kind: 'alarm' })), [{ kind: 'cancel' }])
})

t.test(
  'F283 in the closing auction, which takes no cancels, nothing is canceled for its age',
  async (t) => {
    const alarmAt = (time: string) => {
      const chain = resting(36, BOOK)
      chain.bench.nowMs = Date.parse(`2026-08-11T${time}+08:00`)
      chain.bench.quotes.set(BANK, { ...BOOK, timeMs: chain.bench.nowMs })
      return commands(chain.bench.input({ kind: 'alarm' }))
    }
    t.strictSame(alarmAt('14:57:00'), [])
    t.strictSame(alarmAt('14:59:59'), [])
    t.match(alarmAt('14:56:59'), [{ kind: 'cancel' }])
  },
)

t.test('a price that the broker has not shown is that of the quote it was sent at', async (t) => {
  const signal: SignalOrder = { ...SALE, priceType: 5 }
  const bench = acting().ready([brokerPosition()])
  const silent = new Chain(signal, bench, at(FLOOR), { price: NONE })
  t.match(silent.last, { quotedPrice: yuan(FLOOR) })
  t.strictSame(commands(silent.ring()), [])
  // Nobody knows where it rests: it is canceled once, and what follows it has a limit.
  const unknown = new Chain(signal, acting().ready([brokerPosition()]), null, {
    price: NONE,
  })
  t.equal(unknown.last.quotedPrice, undefined)
  unknown.bench.quotes.set(BANK, at(FLOOR))
  t.match(commands(unknown.ring()), [{ kind: 'cancel' }])
})

t.test('where no rest is sent again it is the price of a new signal that counts', async (t) => {
  const rows = [
    [FLOOR, at(FLOOR), 0],
    [36.4, { ...BOOK, bid: [36.4, 36.3, 36.2].map(yuan) }, 0],
    [36.45, { ...BOOK, bid: [36.4, 36.3, 36.2].map(yuan) }, 1],
  ] as const
  for (const [price, now, cancels] of rows) {
    const chain = new Chain(SALE, acting({ isAutoReorder: false }).ready([brokerPosition()]))
    chain.report({ price: yuan(price) })
    chain.bench.quotes.set(BANK, now)
    t.equal(commands(chain.ring()).length, cancels)
  }
})

/** Sends, and lets the broker cancel it, so many times. */
function canceled(chain: Chain, times: number, signal: SignalOrder = SALE): void {
  for (let i = 0; i < times; i++) {
    if (chain.last.status !== 'accepted') {
      chain.bench.nowMs += policy.limits.signalRetryMaxMs
      chain.bench.signal(signal)
      chain.accept()
    }
    chain.report({ status: 54 })
  }
}

t.test(
  'the limit of resubmissions holds for the day, over new detections and restarts',
  async (t) => {
    const chain = new Chain()
    canceled(chain, 3)
    chain.bench.signal(SALE)
    chain.accept()
    t.equal(chain.last.chain?.attempt, 0, 'a new chain')
    t.strictSame(
      commands(chain.ring()),
      [],
      'three orders were canceled today: this one is the last',
    )
    t.match(chain.last, { keptFor: 'used_up' })
    const { clientOrderId, orderId, side, quantity } = chain.last
    const next = reborn(chain.bench)
    const row = brokerOrder({ clientOrderId, orderId, side, quantity })
    started(next, { orders: [row], positions: [brokerPosition()] })
    next.quotes.set(BANK, BOOK)
    next.nowMs += 30_000
    t.strictSame(
      commands(next.input({ kind: 'alarm' })).filter(({ kind }) => kind === 'cancel'),
      [],
    )
    t.equal(count(next, 'orderKept'), 0, 'it has been told')
  },
)

t.test('another signal, another side and another day have limits of their own', async (t) => {
  const other = new Chain()
  canceled(other, 3)
  other.bench.signal({ ...SALE, signalType: 'take_profit_full' })
  other.accept()
  t.match(commands(other.ring()), [{ kind: 'cancel' }])

  const tomorrow = new Chain()
  canceled(tomorrow, 3)
  const { bench } = tomorrow
  bench.nowMs = MORNING_MS + 86_400_000
  bench.wallMs = bench.nowMs
  bench.input({ kind: 'dayOpened', day: '2026-08-12' })
  bench.quotes.set(BANK, { ...BOOK, timeMs: bench.nowMs })
  bench.signal(SALE)
  tomorrow.accept()
  t.match(commands(tomorrow.ring()), [{ kind: 'cancel' }])
})

t.test('a signal whose orders end unfilled again and again is sent ever more seldom', async (t) => {
  for (const status of [54, 57] as const) {
    const chain = new Chain({ ...SALE, quantity: 100 as Quantity })
    const { bench } = chain
    const endMs = Date.parse('2026-08-11T07:00:00Z')
    const sentMs: number[] = [bench.nowMs]
    for (; bench.nowMs < endMs; bench.nowMs += 3_000) {
      if (chain.last.status === 'accepted') chain.report({ status })
      const before = chain.orders.length
      bench.signal(SALE)
      if (chain.orders.length === before) continue
      sentMs.push(bench.nowMs)
      chain.accept()
    }
    t.ok(sentMs.length <= 30, `${sentMs.length} orders in five hours`)
    const last = sentMs.at(-1) ?? 0
    t.ok(endMs - last <= policy.limits.signalRetryMaxMs + 3_000, 'and never given up')
  }
})
