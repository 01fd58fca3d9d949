import t from 'tap'
import { absentAnswer } from '../../../src/account/answers/absent.ts'
import { accountBlock, connection, events, positions } from '../../../src/account/answers/direct.ts'
import { heldCostRows } from '../../../src/account/answers/earnings-rows.ts'
import { v1PositionRow } from '../../../src/account/answers/gateway.ts'
import { HeldRow } from '../../../src/account/answers/held-rows.ts'
import { NOTHING_THOUGHT } from '../../../src/account/answers/why.ts'
import type { Quantity } from '../../../src/domain/money.ts'
import type { Position } from '../../../src/domain/position.ts'
import { BANK, Bench, brokerDeal, brokerPosition, driver, quote, yuan } from '../fixture.ts'
import { viewInputs } from './fixtures/view-inputs.ts'

/** What is answered of an account at this moment. */
function shown(bench: Bench) {
  const inputs = viewInputs(bench)
  const { account_info: push } = Object(events(inputs))
  const { data } = Object(positions(inputs))
  return {
    account: accountBlock(inputs),
    connection: connection(inputs),
    push,
    metrics: data.metrics,
    rows: data.positions_all,
  }
}

t.test('before the trading client has reported, nothing of money is known', async (t) => {
  const { account, push } = shown(new Bench())
  t.match(account, { id: '--', totalAssets: 0, isKnown: false, isTotalKnown: false })
  t.match(push, { total_asset: 0, is_known: false, is_total_known: false })
})

t.test(
  'whose connection it is, is known before the trading client has told anything',
  async (t) => {
    const bench = new Bench()
    const { accountId } = bench.state.policy
    t.match(shown(bench).connection, { account_id: accountId, connected: false })
    const absent = absentAnswer('connection', { accountId, alias: '', problem: 'it starts' })
    t.match(JSON.parse(`${Buffer.from(absent ?? '')}}`), {
      account_id: accountId,
      connected: false,
    })
  },
)

t.test(
  'F315 a holding, cost or quote that cannot be ends no account that reckons with it',
  async (t) => {
    const odd = [
      [brokerPosition({ quantity: (2 ** 50) as Quantity }), quote(36)],
      [brokerPosition({ quantity: 1_000_000 as Quantity }), quote(999_999)],
      [brokerPosition({ quantity: 1_000_000 as Quantity, costPrice: yuan(999_999) }), undefined],
    ] as const
    for (const [holding, seen] of odd) {
      const bench = new Bench().ready([holding])
      if (seen !== undefined) bench.quotes.set(BANK, seen)
      const sight = { nowMs: bench.nowMs, quote: () => seen }
      const { account, rows } = shown(bench)
      t.match(rows, [{ volume: holding.quantity, market_value: Number }])
      t.equal(account.isTotalKnown, seen !== undefined)
      t.match(heldCostRows(bench.state, sight), [{ volume: holding.quantity }])
      t.doesNotThrow(() => bench.input({ kind: 'quotes', crossed: [BANK] }))
    }
  },
)

t.test('what it keeps for open purchases is part of the total and is shown', async (t) => {
  const bench = new Bench().ready([brokerPosition()])
  bench.quotes.set(BANK, quote(36))
  const asset = { available: yuan(900_000), frozen: yuan(100_000) } as never
  driver(bench, { kind: 'assetPushed', asset })
  const { account, push } = shown(bench)
  t.match(account, { availableBalance: 900_000, frozenCash: 100_000, maxHoldingValue: 36_000 })
  t.equal(account.totalAssets, 1_036_000)
  t.match(push, { frozen_cash: 100_000, total_asset: 1_036_000, is_total_known: true })
})

t.test('a holding that nobody quotes has no price, and what it is part of is no sum', async (t) => {
  const bench = new Bench().ready([brokerPosition()])
  const { account, push, metrics, rows } = shown(bench)
  t.match(rows, [{ is_priced: false, current_price: 35.1, profit_amount: 0 }])
  t.match(metrics, { unpriced_positions: 1 })
  t.match(account, { isKnown: true, isTotalKnown: false })
  t.match(push, { is_known: true, is_total_known: false })
  bench.quotes.set(BANK, { ...quote(36), lastPrice: 0 as never })
  t.match(
    shown(bench).rows,
    [{ is_priced: true, current_price: 36 }],
    'the close of the day before',
  )
  t.match(shown(bench).metrics, { unpriced_positions: 0 })
})

t.test(
  'F430 a holding whose cost nobody has told has no profit, and makes none in the sums',
  async (t) => {
    const untold = brokerPosition({ code: '000001.SZ' as Position['code'], costPrice: yuan(-2.5) })
    const bench = new Bench().ready([brokerPosition(), untold])
    bench.quotes.set(BANK, quote(36))
    bench.quotes.set(untold.code, quote(36))
    const { rows, metrics } = shown(bench)
    t.match(rows, [
      {
        cost_price: 0.01,
        is_cost_known: false,
        market_value: 36_000,
        profit_amount: 0,
        profit_ratio: 0,
      },
      { cost_price: 35.1, is_cost_known: true, profit_amount: 900, profit_ratio: 2.56 },
    ])
    t.match(metrics, {
      total_market_value: 72_000,
      total_profit: 900,
      max_profit_ratio: 2.56,
      win_positions: 1,
      lose_positions: 0,
      uncosted_positions: 1,
    })
    driver(bench, { kind: 'positionPushed', position: { ...untold, costPrice: yuan(30) } })
    t.match(shown(bench).metrics, { total_profit: 6_900, uncosted_positions: 0 })
  },
)

t.test('between a fill and the reports of it there is no total', async (t) => {
  const bench = new Bench().ready([brokerPosition()])
  bench.quotes.set(BANK, quote(36))
  t.equal(shown(bench).account.isTotalKnown, true)
  driver(bench, { kind: 'dealPushed', deal: brokerDeal({ clientOrderId: '', orderId: '77' }) })
  t.match(shown(bench).account, { isKnown: true, isTotalKnown: false })
})

t.test('the text of a row follows when a price comes that is the cost', async (t) => {
  const bench = new Bench().ready([brokerPosition({ costPrice: yuan(36) })])
  const [position] = bench.state.positions.values()
  const row = HeldRow.of(position as Position, undefined, {
    marks: { isGridActive: false, name: '招商银行', why: NOTHING_THOUGHT },
    gatewayRow: v1PositionRow(bench.state),
  })
  const text = (of: HeldRow) => JSON.parse(Buffer.from(of.bytes('full')).toString())
  t.match(text(row), { current_price: 36, is_priced: false })
  const same = { ...quote(36), lastClose: yuan(36) }
  t.match(text(row.at(same)), { current_price: 36, is_priced: true })
})
