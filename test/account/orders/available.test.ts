import t from 'tap'
import { freeCash, freeShares } from '../../../src/account/orders/available.ts'
import type { Effect } from '../../../src/account/turn/turn.ts'
import { type Money, type Quantity, toYuan } from '../../../src/domain/money.ts'
import type { DriverCommand } from '../../../src/protocol/driver.ts'
import {
  BANK,
  Bench,
  brokerOrder,
  brokerPosition,
  commands,
  keyOf,
  MORNING_MS,
  policy,
  quote,
  refusals,
  replies,
  withRisk,
  yuan,
} from '../fixture.ts'
import { accepted, dealt, pushed, reborn, said, started, timer } from '../play.ts'

/** 1,050 shares that may be sold, and cash of a million. */
function holder(): Bench {
  const shares = 1_050 as Quantity
  const bench = new Bench().ready([brokerPosition({ quantity: shares, sellable: shares })])
  bench.quotes.set(BANK, quote(36, MORNING_MS))
  return bench
}

const sellRatio = (bench: Bench, n: number, ratio = 0.5): readonly Effect[] =>
  bench.input({
    kind: 'request',
    ref: n,
    request: {
      kind: 'executeSell',
      key: keyOf(n),
      requestHash: `h${n}`,
      code: BANK,
      ratio,
      priceType: 5,
      price: 0,
      source: 'test',
    },
  })

const sent = (effects: readonly Effect[]) =>
  commands(effects).flatMap((command) => (command.kind === 'submit' ? [command] : []))

/** The answer to a sale with its number, and no more. */
function answered(bench: Bench, n: number, ratio = 0.5): number {
  const [submit] = sent(sellRatio(bench, n, ratio))
  if (submit === undefined) return 0
  bench.input(accepted(submit.callId, String(n), keyOf(n)))
  return submit.order.quantity
}

const ofOrder = (n: number) =>
  ({ orderId: String(n), clientOrderId: keyOf(n), side: 'sell' }) as const

function filled(bench: Bench, n: number, quantity: number): readonly Effect[] {
  return bench.input(dealt({ ...ofOrder(n), dealId: `d${n}`, quantity: quantity as Quantity }))
}

/** Sold and filled; the client tells of order and deal, and of nothing else. */
function sold(bench: Bench, n: number, ratio = 0.5): number {
  const quantity = answered(bench, n, ratio)
  if (quantity > 0) filled(bench, n, quantity)
  return quantity
}

const free = ({ state }: Bench): number => freeShares(state, BANK)
const row = (sellable: number, quantity = sellable) =>
  brokerPosition({ quantity: quantity as Quantity, sellable: sellable as Quantity })
/** Holdings and cash are asked for now; the answer is up to the test. */
const ask = (bench: Bench): readonly DriverCommand[] => commands(bench.input(timer('poll')))
const list = (bench: Bench, sellable: number, quantity = sellable, asked = ask(bench)) =>
  bench.answerQueries(asked, { positions: [row(sellable, quantity)] })
const push = (bench: Bench, sellable: number, quantity = sellable) =>
  bench.input(said({ kind: 'positionPushed', position: row(sellable, quantity) }))
const later = (bench: Bench, ms: number): void => {
  bench.nowMs += ms
  bench.wallMs += ms
}

t.test('own sales are taken off until a list that was asked after them has come', async (t) => {
  const bench = holder()
  t.equal(sold(bench, 1), 500)
  t.equal(sold(bench, 2), 200, 'of 550 that are left')
  t.equal(sold(bench, 3, 0.9), 300, 'of 350 that are left: whole lots')
  t.equal(free(bench), 50)
  t.strictSame(refusals(sellRatio(bench, 4, 1)), [], 'the odd remainder')
  t.equal(free(bench), 0)
  t.strictSame(refusals(sellRatio(bench, 5, 1)), ['INSUFFICIENT_SELLABLE'])
})

t.test('an order counts as shown once it was answered before the list was asked', async (t) => {
  const bench = holder()
  const before = ask(bench)
  t.equal(sold(bench, 1), 500)
  list(bench, 1_050, 1_050, before)
  t.equal(free(bench), 550, 'asked before it: nothing is given back')
  t.equal(
    bench.state.positions.get(BANK)?.sellable,
    1_050,
    'what is shown is the word of the client',
  )
  list(bench, 550)
  t.equal(free(bench), 550, 'taken off once, by the client')
  t.equal(bench.state.unseen.size, 0)
})

t.test('a list that was asked before one which came is no news', async (t) => {
  const bench = holder()
  const before = ask(bench)
  answered(bench, 1)
  list(bench, 550, 1_050)
  list(bench, 1_050, 1_050, before)
  t.equal(free(bench), 550)
})

t.test('lists that are behind give nothing back before they could not be behind', async (t) => {
  const bench = holder()
  sold(bench, 1)
  list(bench, 1_050)
  t.equal(free(bench), 550)
  later(bench, policy.limits.holdingsLagMs - 1)
  list(bench, 1_050)
  t.equal(free(bench), 550)
  list(bench, 550)
  t.equal(free(bench), 550, 'shown: taken off once')
  later(bench, policy.limits.holdingsLagMs)
  list(bench, 800)
  t.equal(free(bench), 800, 'somebody gave shares')
})

t.test(
  'a client that never shows a sale is believed in the end, but for what is there',
  async (t) => {
    const bench = holder()
    answered(bench, 1)
    later(bench, policy.limits.holdingsLagMs)
    list(bench, 1_050)
    t.equal(free(bench), 550, 'an open sale cannot be free, whatever the list says')
    filled(bench, 1, 500)
    t.equal(free(bench), 550, 'nor what was sold since')
  },
)

t.test('a push lowers at once, and raises nothing by itself', async (t) => {
  const bench = holder()
  push(bench, 300, 1_050)
  t.equal(free(bench), 300)
  push(bench, 1_050)
  t.equal(free(bench), 1_050, 'as far as the list allows')
  sold(bench, 1)
  push(bench, 1_050)
  t.equal(free(bench), 550, 'it may have been on its way before the sale')
  push(bench, 550)
  t.equal(free(bench), 550)
  push(bench, 550, 550)
  list(bench, 550)
  push(bench, 1_050)
  t.equal(free(bench), 550, 'nor after the list that shows it')
})

t.test('sales that are on their way count on top of what is pushed', async (t) => {
  const bench = holder()
  const [submit] = sent(sellRatio(bench, 1))
  push(bench, 600, 600)
  t.equal(free(bench), 100, 'somebody sold 450, and ours is not in it yet')
  bench.input(accepted(submit?.callId ?? 0, '1', keyOf(1)))
  t.equal(free(bench), 100)
  list(bench, 100, 600)
  t.equal(free(bench), 100)
})

t.test('a canceled sale frees its rest: at once, or with the next list', async (t) => {
  const unlisted = holder()
  answered(unlisted, 1)
  unlisted.input(pushed({ ...ofOrder(1), quantity: 500 as Quantity, status: 54 }))
  t.equal(free(unlisted), 1_050, 'no list had taken it off')
  const listed = holder()
  answered(listed, 1)
  list(listed, 550, 1_050)
  const effects = listed.input(pushed({ ...ofOrder(1), quantity: 500 as Quantity, status: 54 }))
  t.equal(free(listed), 550)
  listed.answerQueries(commands(effects), { positions: [row(1_050)] })
  t.equal(free(listed), 1_050, 'it is asked for at once')
})

t.test('partly filled and canceled: what was filled stays off', async (t) => {
  const bench = holder()
  answered(bench, 1)
  filled(bench, 1, 200)
  t.equal(free(bench), 550)
  const partly = { status: 53, quantity: 500, filledQuantity: 300 } as const
  bench.input(pushed({ ...ofOrder(1), ...partly } as never))
  t.equal(free(bench), 750, 'by the word of the client, also before the last deal')
})

t.test('orders of others are taken off as well', async (t) => {
  const bench = holder()
  bench.input(pushed({ ...ofOrder(9), clientOrderId: '', quantity: 400 as Quantity }))
  t.equal(free(bench), 650)
  const own = bench.input(timer('poll'))
  bench.answerQueries(commands(own), { positions: [row(650, 1_050)] })
  t.equal(free(bench), 650)
})

t.test(
  'after a restart nothing is free before the reports, and what is on its way stays off',
  async (t) => {
    const bench = holder()
    answered(bench, 1)
    sellRatio(bench, 2)
    const next = reborn(bench)
    t.equal(free(next), 0)
    later(next, policy.limits.holdingsLagMs)
    const numbered = brokerOrder({ ...ofOrder(1), quantity: 500 as Quantity })
    started(next, { positions: [row(550, 1_050)], orders: [numbered] })
    t.equal(free(next), 350, 'the first is in the list, of the second nobody knows')
  },
)

t.test('lists right after a restart may be behind what was done before it', async (t) => {
  const bench = holder()
  sold(bench, 1)
  const next = reborn(bench)
  started(next, { positions: [row(1_050)] })
  t.equal(free(next), 0, 'nothing is known of what may be sold')
  later(next, policy.limits.holdingsLagMs)
  list(next, 550)
  t.equal(free(next), 550)
})

t.test('F326 so long, and no longer, also under a clock that was set back', async (t) => {
  const bench = holder()
  sold(bench, 1)
  const next = reborn(bench)
  next.wallMs -= 8 * 3_600_000
  started(next, { positions: [row(1_050)] })
  t.equal(free(next), 0)
  later(next, policy.limits.holdingsLagMs - 1)
  list(next, 1_050)
  t.equal(free(next), 0, 'it may be behind still')
  later(next, 1)
  list(next, 550)
  t.equal(free(next), 550, 'what is left may be sold, by a stop too')
})

t.test('two purchases within a second share the cash', async (t) => {
  const bench = holder()
  const buy = (n: number) =>
    bench.place({ key: keyOf(n), quantity: 16_000, price: yuan(36), priceType: 11 })
  const [submit] = sent(buy(1))
  bench.input(accepted(submit?.callId ?? 0, '1', keyOf(1)))
  const bought = { orderId: '1', clientOrderId: keyOf(1), quantity: 16_000 as Quantity }
  const amount = (yuan(36) * 16_000) as Money
  bench.input(dealt({ ...bought, price: yuan(36), amount }))
  t.equal(toYuan(freeCash(bench.turn()) ?? (0 as Money)), 1_000_000 - 576_000 - 178.56)
  t.strictSame(refusals(buy(2)), ['INSUFFICIENT_CASH'])
  const effects = ask(bench)
  t.equal(bench.state.unseen.size, 1)
  bench.answerQueries(effects)
  t.strictSame(refusals(buy(3)), ['INSUFFICIENT_CASH'], 'a report that is behind')
  later(bench, policy.limits.holdingsLagMs)
  bench.answerQueries(ask(bench))
  t.strictSame(refusals(buy(4)), [], 'somebody paid in')
})

t.test('an asset that was asked before a deal does not count the deal twice', async (t) => {
  const bench = withRisk({ maxDailyLoss: 1_000 })
  bench.ready([row(1_050)])
  bench.quotes.set(BANK, quote(36, MORNING_MS))
  bench.input(timer('version'))
  const before = ask(bench)
  answered(bench, 1, 1)
  filled(bench, 1, 1_000)
  push(bench, 50)
  bench.answerQueries(before.filter((query) => query.kind === 'query' && query.what === 'asset'))
  t.equal(bench.state.killSwitch.level, 'off', 'shares gone and no money: that is no loss')
})

t.test('a list that was asked before a holding was sold does not bring it back', async (t) => {
  const bench = holder()
  const before = ask(bench)
  bench.input({
    kind: 'request',
    ref: 90,
    request: { kind: 'setStopProfit', code: BANK, enabled: false, source: 'test' },
  })
  answered(bench, 1, 1)
  filled(bench, 1, 1_000)
  answered(bench, 2, 1)
  filled(bench, 2, 50)
  push(bench, 0)
  t.notOk(bench.state.positions.has(BANK))
  list(bench, 1_050, 1_050, before)
  t.notOk(bench.state.positions.has(BANK), 'with its switches as new')
  t.strictSame(bench.state.differences.size, 0)
})

t.test('the rule, the preview and the strategies see one figure', async (t) => {
  const bench = holder()
  sold(bench, 1)
  const sale = { code: BANK, side: 'sell', quantity: 600, priceType: 5, price: 0 } as const
  const request = { kind: 'previewOrder', ...sale } as const
  const [shown] = replies(bench.input({ kind: 'request', ref: 1, request }))
  t.match(shown, { code: 'INSUFFICIENT_SELLABLE' })
  t.match(JSON.stringify(shown), /"limit":550/)
})

t.test(
  'a sale that ended with its day may be filled to the last share until a list shows it',
  async (t) => {
    const bench = holder()
    t.equal(answered(bench, 1), 500)
    bench.nowMs += 86_400_000
    bench.input({ kind: 'dayOpened', day: '2026-08-12' })
    t.match(bench.state.orders.get(keyOf(1)), { status: 'expired' })
    t.equal(freeShares(bench.state, BANK), 550, 'nobody has said what was filled of it')
    const rows = {
      positions: [brokerPosition({ quantity: 950 as Quantity, sellable: 950 as Quantity })],
    }
    bench.answerQueries(commands(bench.input(timer('poll'))), rows)
    bench.wallMs += policy.limits.holdingsLagMs
    bench.answerQueries(commands(bench.input(timer('poll'))), rows)
    t.equal(freeShares(bench.state, BANK), 950)
  },
)
