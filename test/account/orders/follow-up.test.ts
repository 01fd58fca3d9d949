import t from 'tap'
import {
  type FollowUpPolicy,
  followUp,
  nextFollowUpMs,
} from '../../../src/account/orders/follow-up.ts'
import { submitIntent } from '../../../src/account/orders/order-intent.ts'
import type { Turn } from '../../../src/account/turn/turn.ts'
import type { Price, Quantity } from '../../../src/domain/money.ts'
import type { BrokerOrder, OrderRecord } from '../../../src/domain/order.ts'
import {
  BANK,
  Bench,
  brokerOrder,
  brokerPosition,
  commands,
  MORNING_MS,
  quote,
  set,
  yuan,
} from '../fixture.ts'
import { said } from '../play.ts'

/** What a strategy that nobody has written yet wants. */
const SALE = {
  code: BANK,
  side: 'sell',
  quantity: 300 as Quantity,
  priceType: 5,
  price: 0 as Price,
  signalPrice: yuan(36.4),
} as const

t.test('the policy that a strategy gives decides, whatever the strategy', async (t) => {
  const bench = new Bench().ready([brokerPosition()])
  bench.quotes.set(BANK, quote(36.5))
  const working = new Set<string>()
  const told: string[] = []
  const submit = (turn: Turn, follows?: OrderRecord) => {
    const [strategy, source] = ['later', 'later']
    const outcome = submitIntent(turn, { ...SALE, strategy, source, follows, terms: {} })
    if (outcome.kind === 'sent') working.add(outcome.clientOrderId)
    return outcome
  }
  const later: FollowUpPolicy = {
    working: () => working,
    timeLimitMs: () => 7_000,
    isFilledCanceled: false,
    timeoutSource: 'later_timeout',
    timedOut: () => false,
    cancelSource: (_, { orderId }) => (orderId === '2' ? 'later_switch' : undefined),
    book: (_, { orderId }) => told.push(`book ${orderId}`),
    restOf: (_, { quantity, orderId }) =>
      orderId === '1' ? { quantity, price: yuan(36) } : undefined,
    freezeMs: () => 7_000,
    retry: () => ({ triesMax: 2, intervalMs: 500 }),
    resubmit: (turn, order) => submit(turn, order),
    ended: (_, { clientOrderId, orderId }, { kind }) => {
      working.delete(clientOrderId)
      told.push(`${kind} ${orderId}`)
    },
  }
  const follow = (turn = bench.turn()) => {
    followUp(turn, later)
    bench.journal.push(...turn.events)
    return commands(turn.effects)
  }
  const next = () => nextFollowUpMs(bench.state, bench.nowMs, later)
  const report = (row: Partial<BrokerOrder>) => {
    const [clientOrderId = ''] = [...working]
    const order = brokerOrder({ clientOrderId, side: 'sell', quantity: SALE.quantity, ...row })
    bench.input(said({ kind: 'orderPushed', order }))
  }
  const first = bench.turn()
  submit(first)
  bench.journal.push(...first.events)
  report({ orderId: '1', status: 50 })
  t.equal(next(), MORNING_MS + 7_000)
  bench.nowMs = MORNING_MS + 6_999
  t.strictSame(follow(), [], 'it may wait')
  bench.nowMs += 1
  t.match(follow(), [{ kind: 'cancel', orderId: '1' }])
  t.match(bench.journal.at(-1)?.event, { kind: 'orderMoved', source: 'later_timeout' })
  report({ orderId: '1', status: 54 })
  set(bench, 'all')
  t.strictSame(follow(), [])
  t.strictSame(told.splice(0), ['book 1'], 'refused for now')
  t.equal(next(), bench.nowMs + 500)
  set(bench, 'off')
  t.strictSame(follow(), [], 'not before its moment')
  bench.nowMs += 500
  t.match(follow(), [{ kind: 'submit', order: { strategy: 'later', quantity: 300 } }])
  t.strictSame(told.splice(0), ['book 1', 'book 1', 'resubmitted 1'])
  report({ orderId: '2', status: 50 })
  t.match(follow(), [{ kind: 'cancel', orderId: '2' }], 'whatever its age')
  t.match(bench.journal.at(-1)?.event, { kind: 'orderMoved', source: 'later_switch' })
  report({ orderId: '2', status: 54 })
  t.strictSame(follow(), [])
  t.strictSame(told, ['book 2', 'over 2'])
  t.equal(next(), Number.POSITIVE_INFINITY)
})
