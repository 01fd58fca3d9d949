import t from 'tap'
import { apply } from '../../../src/account/fold/apply.ts'
import type { Difference } from '../../../src/account/model/differences.ts'
import { emptyState } from '../../../src/account/model/state.ts'
import type { StockCode } from '../../../src/domain/instrument.ts'
import type { Money, Quantity } from '../../../src/domain/money.ts'
import {
  type Client,
  cashOf,
  compare,
  DEAL_KEY,
  fill,
  rest,
  shown,
  tell,
  together,
} from '../client.ts'
import {
  BANK,
  type Bench,
  brokerDeal,
  brokerOrder,
  brokerPosition,
  policy,
  yuan,
} from '../fixture.ts'

const OTHER = '000001.SZ' as StockCode

interface Case {
  readonly name: string
  /** What happened at the client without a push. */
  readonly silently: (bench: Bench, client: Client) => void
  readonly differences: readonly Partial<Difference>[]
}

const CASES: readonly Case[] = [
  {
    name: 'an order that moved on is followed',
    silently: (bench, client) => {
      rest(bench, client)
      client.orders = [brokerOrder({ status: 54 })]
    },
    differences: [
      {
        kind: 'order',
        key: '1001',
        ours: '已报 0/100',
        theirs: '已撤 0/100',
        resolution: 'followed',
      },
    ],
  },
  {
    name: 'an order of somebody else is adopted',
    silently: (_, client) => {
      client.orders = [brokerOrder({ orderId: '77', clientOrderId: '' })]
    },
    differences: [
      { kind: 'order', key: '77', ours: '', theirs: '已报 0/100', resolution: 'adopted' },
    ],
  },
  {
    name: 'a deal that nobody told of is booked late, and explains holding and cash',
    silently: fill,
    differences: [
      {
        kind: 'order',
        key: '1001',
        ours: '已报 0/100',
        theirs: '已成 100/100',
        resolution: 'followed',
      },
      {
        kind: 'deal',
        key: DEAL_KEY,
        ours: '',
        theirs: '买入 100 @ 36.5',
        resolution: 'booked_late',
      },
    ],
  },
  {
    name: 'a deal of somebody else is adopted',
    silently: (_, client) => {
      client.orders = [
        brokerOrder({
          orderId: '77',
          clientOrderId: '',
          status: 56,
          filledQuantity: 100 as Quantity,
        }),
      ]
      client.deals = [brokerDeal({ orderId: '77', clientOrderId: '' })]
    },
    differences: [
      { kind: 'order', key: '77', resolution: 'adopted' },
      { kind: 'deal', key: DEAL_KEY, resolution: 'adopted' },
    ],
  },
  {
    name: 'a fill without its deal is shown as such',
    silently: (bench, client) => {
      rest(bench, client)
      client.orders = [brokerOrder({ status: 55, filledQuantity: 40 as Quantity })]
    },
    differences: [
      { kind: 'order', key: '1001', theirs: '部成 40/100', resolution: 'followed' },
      { kind: 'order', key: '1001', ours: '成交 0', theirs: '成交 40', resolution: 'kept' },
    ],
  },
  {
    name: 'an order that the client no longer shows is kept',
    silently: (bench, client) => {
      rest(bench, client)
      client.orders = [brokerOrder({ orderId: '77', clientOrderId: '', price: yuan(30) })]
    },
    differences: [
      { kind: 'order', key: '77', resolution: 'adopted' },
      { kind: 'order', key: '1001', ours: '已报 0/100', theirs: '', resolution: 'kept' },
    ],
  },
  {
    name: 'a deal that the client no longer shows stays booked',
    silently: (bench, client) => {
      fill(bench, client)
      tell(bench, client)
      client.deals = [brokerDeal({ dealId: 'd2', orderId: '77', clientOrderId: '' })]
    },
    differences: [
      { kind: 'deal', key: '2026-08-11|600036.SH|buy|d2', resolution: 'adopted' },
      { kind: 'deal', key: DEAL_KEY, ours: '买入 100 @ 36.5', theirs: '', resolution: 'kept' },
    ],
  },
  {
    name: 'a holding that changed without a deal is followed',
    silently: (_, client) => {
      client.positions = [brokerPosition({ quantity: 1_300 as Quantity })]
    },
    differences: [
      { kind: 'position', key: BANK, ours: '1000', theirs: '1300', resolution: 'followed' },
    ],
  },
  {
    name: 'a holding that nobody bought here is adopted',
    silently: (_, client) => {
      client.positions = [...client.positions, brokerPosition({ code: OTHER })]
    },
    differences: [
      { kind: 'position', key: OTHER, ours: '', theirs: '1000', resolution: 'adopted' },
    ],
  },
  {
    name: 'a holding that is gone without a sale is closed',
    silently: (_, client) => {
      client.positions = [brokerPosition({ quantity: 0 as Quantity })]
    },
    differences: [{ kind: 'position', key: BANK, ours: '1000', theirs: '', resolution: 'closed' }],
  },
  {
    name: 'what may be sold is theirs to say, and no difference',
    silently: (_, client) => {
      client.positions = [brokerPosition({ sellable: 0 as Quantity, costPrice: yuan(34) })]
    },
    differences: [],
  },
  {
    name: 'cash that moved without a deal is followed',
    silently: (_, client) => {
      client.asset = cashOf(950_000)
    },
    differences: [
      {
        kind: 'cash',
        key: 'cash',
        ours: '1000000.00',
        theirs: '950000.00',
        resolution: 'followed',
      },
    ],
  },
  {
    name: 'cash that an order froze is no difference',
    silently: (_, client) => {
      const frozen = yuan(3_650) as number as Money
      client.asset = {
        ...client.asset,
        available: (client.asset.available - frozen) as Money,
        frozen,
      }
    },
    differences: [],
  },
]

for (const { name, silently, differences } of CASES) {
  t.test(name, async (t) => {
    const { bench, client } = together()
    silently(bench, client)
    const seen = compare(bench, client)
    t.match(seen, differences)
    t.equal(seen.length, differences.length)
    t.ok(seen.every(({ whileAway }) => !whileAway))
    t.equal(shown(bench).result, differences.length > 0 ? 'differences' : 'ok')
    t.match(shown(bench).last_run, { differences: differences.length })
    t.strictSame(compare(bench, client), [], 'what stands is not written again')
    const folded = emptyState(policy)
    for (const event of bench.journal) apply(folded, event)
    t.strictSame(folded.differences, bench.state.differences)
  })
}
