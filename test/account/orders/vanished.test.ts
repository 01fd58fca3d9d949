import t from 'tap'
import { verdictOf } from '../../../src/account/orders/vanished.ts'
import type { Price, Quantity } from '../../../src/domain/money.ts'
import type { BrokerAsset, BrokerPosition, OrderRecord } from '../../../src/domain/order.ts'
import type { QueryKind, QueryRows } from '../../../src/protocol/driver.ts'
import { Bench, brokerPosition, KEY, policy, yuan } from '../fixture.ts'

const NO_PRICE = 0 as Price
const shares = (count: number) => count as Quantity

interface Shown {
  readonly frozen?: number
  readonly positions?: readonly BrokerPosition[]
}

/** The four reports of a client that lists no order. */
function reportsOf({ frozen = 0, positions = [brokerPosition()] }: Shown) {
  const asset = { available: yuan(1_000_000), frozen, marketValue: 0, total: 0 }
  const all = {
    orders: [],
    deals: [],
    positions,
    asset: [asset as unknown as BrokerAsset],
  }
  return new Map(
    (['orders', 'deals', 'positions', 'asset'] as const).map((what): [QueryKind, QueryRows] => [
      what,
      { what, rows: all[what] } as never,
    ]),
  )
}

/** 100 shares at 36.5, taken by the broker, and listed no more. */
function placed(side: 'buy' | 'sell', fields: Partial<OrderRecord>): OrderRecord {
  const bench = new Bench().ready([brokerPosition()])
  bench.place({ side })
  const order = bench.state.orders.get(KEY)
  if (order === undefined) throw new Error('no order')
  return { ...order, ...fields }
}

const UNPRICED = { priceType: 5, price: NO_PRICE }
const NEED = yuan(3_650)
type Terms = { readonly isHeld?: boolean; readonly isLike?: boolean }

const CASES: readonly (readonly [string, OrderRecord, Shown, Terms, string])[] = [
  ['a purchase for which nothing is frozen', placed('buy', {}), {}, {}, 'ended'],
  ['cash is frozen for it', placed('buy', {}), { frozen: NEED }, {}, 'frozen'],
  [
    'cash is frozen for the part that is left',
    placed('buy', { filledQuantity: shares(60) }),
    { frozen: NEED * 0.4 },
    {},
    'frozen',
  ],
  ['a purchase whose price nobody knows', placed('buy', UNPRICED), {}, {}, 'unpriced'],
  [
    'one that was sent at the latest price',
    placed('buy', { ...UNPRICED, quotedPrice: yuan(36.5) }),
    {},
    {},
    'ended',
  ],
  [
    'and cash is frozen at that',
    placed('buy', { ...UNPRICED, quotedPrice: yuan(36.5) }),
    { frozen: NEED },
    {},
    'frozen',
  ],
  ['a sale without a price', placed('sell', UNPRICED), {}, {}, 'ended'],
  [
    'shares are frozen for it',
    placed('sell', {}),
    { positions: [brokerPosition({ sellable: shares(900) })] },
    {},
    'frozen',
  ],
  ['a list lacks its holding', placed('sell', {}), { positions: [] }, {}, 'unclear'],
  ['nothing is held of it', placed('sell', {}), { positions: [] }, { isHeld: false }, 'ended'],
  ['a purchase of what no list shows', placed('buy', {}), { positions: [] }, {}, 'ended'],
  [
    'fills were counted that no deal tells',
    placed('buy', { venueFilledQuantity: shares(40) }),
    {},
    { isLike: true },
    'unfilled',
  ],
  ['somebody else’s order may be it', placed('buy', {}), {}, { isLike: true }, 'alike'],
]

t.test('what reports say of an order that is listed no more', async (t) => {
  const terms = { rates: policy.feeRates, day: '2026-08-11', isHeld: true, isLike: false }
  for (const [name, order, shown, others, expected] of CASES) {
    t.equal(verdictOf(order, reportsOf(shown), { ...terms, ...others }), expected, name)
  }
})
