import fc from 'fast-check'
import t from 'tap'
import { apply } from '../../../src/account/fold/apply.ts'
import { emptyState } from '../../../src/account/model/state.ts'
import type { AccountInput } from '../../../src/account/step.ts'
import type { SignalOrder } from '../../../src/account/strategies/stop-profit/follow-up.ts'
import { KILL_LEVELS } from '../../../src/domain/kill-level.ts'
import type { Money, Quantity } from '../../../src/domain/money.ts'
import { SIGNAL_TYPES } from '../../../src/domain/order.ts'
import { isOpen } from '../../../src/domain/order-state.ts'
import {
  BANK,
  Bench,
  brokerDeal,
  brokerOrder,
  brokerPosition,
  commands,
  KEY,
  policy,
  quote,
  yuan,
} from '../fixture.ts'

/** Every trigger is on; folding must not need to know. */
const guarded = {
  ...policy,
  risk: { ...policy.risk, maxRejectsInRow: 3, maxDailyLoss: 500 },
  settings: { ...policy.settings, ENABLE_AUTO_OPERATION: true, ENABLE_AUTO_TRADING: true },
}
const keyOf = (n: number) => KEY.slice(0, -1) + String(n)
const quantity = fc.integer({ min: 1, max: 120 })
const number = fc.integer({ min: 0, max: 4 })

const source = 'test'
const rates = { price_interval: 0.02, callback_ratio: 0.002, max_deviation: 0.5 }
const fields = { ...rates, center_price: 38, max_investment: 50_000 }
const GRID_REQUESTS = [
  { kind: 'saveConfig' as const, changes: { globalAutoOperation: true }, source },
  { kind: 'gridStart' as const, code: BANK, top: {}, config: fields, source },
  { kind: 'gridEnable' as const, sessionId: 1, enabled: false, source },
  { kind: 'gridEnable' as const, sessionId: 1, enabled: true, source },
  { kind: 'gridStop' as const, target: { by: 'all' as const }, source },
  {
    kind: 'gridTemplateSave' as const,
    template: { template_name: '新', is_default: true },
    source,
  },
  { kind: 'gridTemplateUse' as const, name: '新', source },
  { kind: 'gridTemplateDelete' as const, name: '新', source },
]
const LIMITS = [
  { name: 'max_rejects_in_row', from: 3, to: 2 },
  { name: 'max_rejects_in_row', from: 2, to: null },
  { name: 'max_order_value', from: 0, to: 60_000_000 },
  { name: 'max_order_value', from: 60_000_000, to: 30_000_000 },
] as const

/** Anything that can arrive, in any order, sensible or not. */
const usual = fc.oneof(
  fc
    .record({ n: number, side: fc.constantFrom('buy' as const, 'sell' as const) })
    .map(({ n, side }) => ({ place: keyOf(n), side })),
  fc
    .record({ n: number, status: fc.constantFrom(48, 50, 51, 52, 53, 54, 55, 56, 57, 255) })
    .map(({ n, status }) => ({
      kind: 'driver' as const,
      event: {
        kind: 'orderPushed' as const,
        order: brokerOrder({ orderId: `${n}`, clientOrderId: keyOf(n), status: status as 50 }),
      },
    })),
  // A remark that was lost, with more fills than any deal has told.
  fc.record({ n: number, status: fc.constantFrom(50, 53, 56), quantity }).map(({ n, ...row }) => ({
    kind: 'driver' as const,
    event: {
      kind: 'orderPushed' as const,
      order: brokerOrder({
        orderId: `${n}`,
        clientOrderId: '',
        status: row.status as 50,
        filledQuantity: row.quantity as Quantity,
      }),
    },
  })),
  fc.constantFrom(...SIGNAL_TYPES).map((signalType) => ({
    signal: {
      signalType,
      code: BANK,
      quantity: 100 as Quantity,
      priceType: 11,
      price: yuan(36.5),
      signalPrice: yuan(36.5),
      side: signalType === 'add_position' ? ('buy' as const) : ('sell' as const),
    },
  })),
  fc
    .constantFrom('fills' as const, 'cancels' as const)
    .map((name) => ({ kind: 'timer' as const, name })),
  fc.record({ n: number, deal: number, quantity }).map(({ n, deal, quantity }) => ({
    kind: 'driver' as const,
    event: {
      kind: 'dealPushed' as const,
      deal: brokerDeal({
        orderId: `${n}`,
        clientOrderId: keyOf(n),
        dealId: `d${deal}`,
        quantity: quantity as Quantity,
        amount: (quantity * yuan(36.5)) as Money,
      }),
    },
  })),
  fc
    .record({ volume: fc.integer({ min: 0, max: 500 }), cost: fc.integer({ min: 0, max: 50 }) })
    .map(({ volume, cost }) => ({
      kind: 'driver' as const,
      event: {
        kind: 'positionPushed' as const,
        position: brokerPosition({
          quantity: volume as Quantity,
          sellable: volume as Quantity,
          costPrice: yuan(cost),
        }),
      },
    })),
  fc.integer({ min: 1, max: 6 }).map((callId) => ({ kind: 'callTimedOut' as const, callId })),
  fc.constant({
    kind: 'driver' as const,
    event: { kind: 'disconnected' as const, reason: 'gone' },
  }),
  fc.constant({ kind: 'timer' as const, name: 'doubt' as const }),
  fc.constant({ kind: 'timer' as const, name: 'reconnect' as const }),
  fc.constant({ kind: 'terminalSeen' as const }),
  fc.constantFrom(...KILL_LEVELS).map((level) => ({
    kind: 'request' as const,
    ref: 0,
    request: { kind: 'setKillSwitch' as const, level, reason: 'drill', source: 'test' },
  })),
  fc
    .constantFrom(...GRID_REQUESTS)
    .map((request) => ({ kind: 'request' as const, ref: 1, request })),
  fc.constantFrom(...LIMITS).map((limit) => ({
    kind: 'request' as const,
    ref: 3,
    request: { kind: 'setRiskLimits' as const, limits: [limit], confirm: '', source },
  })),
  fc.tuple(fc.constantFrom('a', 'b', null), fc.constantFrom('a', null)).map(([note, expected]) => ({
    kind: 'request' as const,
    ref: 4,
    request: { kind: 'noteFill' as const, fillId: 1, code: BANK, note, expected, source },
  })),
  fc.constant({ kind: 'recordsCleared' as const, scope: 'all' as const, ids: [1], source }),
  fc.constant({ reconcile: true }),
  fc.constant({ kind: 'dayOpened' as const, day: '2026-08-12' }),
  fc.constant({ kind: 'quotes' as const, crossed: [BANK] }),
)

/** Switches; the simulation mode seldom, because it lets the broker go. */
const save = (changes: Record<string, boolean>) =>
  fc.constant({
    kind: 'request' as const,
    ref: 2,
    request: { kind: 'saveConfig' as const, changes, source: 'test' },
  })
const anyInput = fc.oneof(
  { arbitrary: usual, weight: 60 },
  { arbitrary: save({ allowSell: false }), weight: 1 },
  { arbitrary: save({ allowSell: true }), weight: 1 },
  { arbitrary: save({ simulationMode: true }), weight: 1 },
  { arbitrary: save({ simulationMode: false }), weight: 1 },
)

/** The four reports of a client that knows more than its pushes told. */
function reconcile(bench: Bench): void {
  const queries = commands(bench.input({ kind: 'timer', name: 'reconcile' }))
  const quantity = 10 as Quantity
  const deal = { dealId: 'r1', orderId: '1', clientOrderId: keyOf(1) }
  const amount = (quantity * yuan(36.5)) as Money
  bench.answerQueries(queries, {
    deals: [brokerDeal({ ...deal, quantity, amount })],
    positions: [brokerPosition({ quantity: 300 as Quantity })],
  })
}

/** What is not an input of the account as it stands. */
interface Wanted {
  readonly place?: string
  readonly side: 'buy'
  readonly reconcile?: boolean
  readonly signal?: SignalOrder
}

function run(inputs: readonly unknown[]): Bench {
  const bench = new Bench(emptyState(guarded)).ready([brokerPosition()])
  inputs.forEach((input, i) => {
    bench.nowMs += 1_000
    bench.wallMs += 1_000
    bench.quotes.set(BANK, quote(35 + (i % 7), bench.nowMs))
    const wanted = input as Wanted
    if (wanted.reconcile) reconcile(bench)
    else if (wanted.signal !== undefined) bench.signal(wanted.signal)
    else if (wanted.place !== undefined) bench.place({ key: wanted.place, side: wanted.side })
    else bench.input(input as AccountInput)
  })
  return bench
}

t.test('folding the journal gives the state again', async () => {
  const same = fc.property(fc.array(anyInput, { maxLength: 60 }), (inputs) => {
    const bench = run(inputs)
    const folded = emptyState(policy)
    for (const event of bench.journal) apply(folded, event)
    for (const field of [
      'seq',
      'day',
      'nextRecordId',
      'idCounter',
      'orders',
      'deals',
      'batches',
      'denials',
      'positions',
      'lost',
      'stored',
      'changedLimits',
      'orderIds',
      'tracked',
      'killSwitch',
      'rejectsInRow',
      'dayTotal',
      'differences',
      'fillNotes',
      'grid',
    ] as const) {
      t.strictSame(folded[field], bench.state[field], field)
    }
  })
  fc.assert(same, { numRuns: 150 })
})

t.test(
  'whatever arrives: no order is sent twice, no deal booked twice, no order overfilled',
  async () => {
    const safe = fc.property(fc.array(anyInput, { maxLength: 80 }), (inputs) => {
      const bench = run(inputs)
      const submitted = bench.journal.flatMap(({ event }) =>
        event.kind === 'orderSubmitted' ? [event.order.clientOrderId] : [],
      )
      const booked = bench.journal.flatMap(({ event }) =>
        event.kind === 'dealBooked' ? [event.key] : [],
      )
      const isFilledRight = [...bench.state.orders.values()].every((order) => {
        const isWhole = order.filledQuantity === order.quantity
        return order.filledQuantity <= order.quantity && (order.status !== 'filled' || isWhole)
      })
      return (
        new Set(submitted).size === submitted.length &&
        new Set(booked).size === booked.length &&
        isFilledRight
      )
    })
    fc.assert(safe, { numRuns: 300 })
  },
)

t.test('every call to submit belongs to an intent that is open in the journal', async () => {
  const covered = fc.property(fc.array(number, { maxLength: 12 }), (keys) => {
    const bench = new Bench().ready()
    return keys.every((n) =>
      commands(bench.place({ key: keyOf(n) })).every((command) => {
        const order =
          command.kind === 'submit' && bench.state.orders.get(command.order.clientOrderId)
        return order && isOpen(order.status)
      }),
    )
  })
  fc.assert(covered)
})
