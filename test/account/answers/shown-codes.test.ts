import t from 'tap'
import { v1Orders, v1PositionRow, v1Trades } from '../../../src/account/answers/gateway.ts'
import { positionRow } from '../../../src/account/answers/rows.ts'
import type { View, ViewInputs } from '../../../src/account/answers/view.ts'
import { NOTHING_THOUGHT } from '../../../src/account/answers/why.ts'
import { normalizeCode, type StockCode } from '../../../src/domain/instrument.ts'
import { dealOf, orderOf, positionOf } from '../../../src/drivers/gateway/rows.ts'
import { Bench, brokerDeal, brokerOrder, brokerPosition, driver } from '../fixture.ts'

/** A convertible bond of Shanghai, whose digits alone name a bond of Shenzhen. */
const BOND = '111010.SH' as StockCode

/** The rows that an account shows of it: as it holds, has ordered and has traded it. */
function rowsOfBond() {
  const bench = new Bench().ready([brokerPosition({ code: BOND, name: '立昂转债' })])
  const theirs = { code: BOND, clientOrderId: '', orderId: '77' }
  driver(bench, { kind: 'orderPushed', order: brokerOrder(theirs) })
  driver(bench, { kind: 'dealPushed', deal: brokerDeal(theirs) })
  const { state, nowMs } = bench
  const inputs = { state, nowMs } as unknown as ViewInputs
  const shown = (view: View) => JSON.parse(JSON.stringify(view(inputs))).data
  const [held] = state.positions.values()
  if (held === undefined) throw new Error('nothing is held')
  const marks = { isGridActive: false, name: '立昂转债', why: NOTHING_THOUGHT }
  return {
    nowMs,
    held: v1PositionRow(state)(positionRow(held, undefined, marks)),
    order: shown(v1Orders).orders[0],
    trade: shown(v1Trades).trades[0],
  }
}

t.test('F506 what a row calls a stock means that stock when it is sent back', async (t) => {
  const { held, order, trade } = rowsOfBond()
  for (const row of [held, order, trade]) {
    for (const column of ['stock_code', '证券代码']) {
      t.match(normalizeCode(row[column]), { ok: true, value: BOND }, column)
    }
  }
})

t.test('F506 an account at another gateway takes none for another stock', async (t) => {
  const { held, order, trade, nowMs } = rowsOfBond()
  const nobody = () => undefined
  t.match(positionOf(held), { code: BOND })
  t.match(orderOf(order, nowMs, nobody), { code: BOND })
  t.match(dealOf(trade, nowMs, nobody), { code: BOND })
})
