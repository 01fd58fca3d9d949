import t from 'tap'
import type { Effect } from '../../../../src/account/turn/turn.ts'
import type { BrokerOrder } from '../../../../src/domain/order.ts'
import type { AccountRequest } from '../../../../src/protocol/account.ts'
import { BANK, brokerOrder, commands, policy, quote, yuan } from '../../fixture.ts'
import { count, said } from '../../play.ts'
import { Holder } from './holder.ts'

type Request = Extract<AccountRequest, { kind: 'saveConfig' | 'setStopProfit' }>

/** A stop of 1,000 shares that rests at 9.20, above the price of now. */
class Resting extends Holder {
  constructor() {
    super()
    this.ticks(9.2)
    this.report({ orderId: '7001', status: 50, price: yuan(9.2) })
    this.sellable = 0
    this.list()
  }
  report(row: Partial<BrokerOrder>): readonly Effect[] {
    const [order] = this.bench.state.orders.values()
    if (order === undefined) throw new Error('no order')
    const { clientOrderId, orderId, side, quantity, price, createdMs } = order
    const own = { clientOrderId, orderId, side, quantity, price, timeMs: createdMs }
    return this.bench.input(said({ kind: 'orderPushed', order: brokerOrder({ ...own, ...row }) }))
  }
  ask(request: Request): void {
    this.bench.input({ kind: 'request', ref: 9, request })
  }
  /** Its time limit has passed. */
  timeIsUp(): readonly string[] {
    this.later(policy.pending.stopLossTimeoutMs)
    this.bench.quotes.set(BANK, quote(9.1, this.bench.nowMs))
    return commands(this.bench.input({ kind: 'alarm' })).map(({ kind }) => kind)
  }
  /** It was canceled, and a list shows its shares as free. */
  isGone(): this {
    this.report({ status: 54 })
    this.sellable = 1_000
    return this.later(policy.limits.holdingsLagMs + 1_000).list()
  }
}

const saved = (changes: Record<string, boolean>): Request => ({
  kind: 'saveConfig',
  changes,
  source: 'user',
})
const SWITCHES = [
  [
    'the master switch',
    saved({ globalAutoOperation: false }),
    saved({ globalAutoOperation: true }),
  ],
  [
    'the switch of the strategy',
    saved({ globalAllowBuySell: false }),
    saved({ globalAllowBuySell: true }),
  ],
  [
    'the switch of the stock',
    { kind: 'setStopProfit', code: BANK, enabled: false, source: 'user' },
    { kind: 'setStopProfit', code: BANK, enabled: true, source: 'user' },
  ],
] as const satisfies readonly (readonly [string, Request, Request])[]

for (const [name, off, on] of SWITCHES) {
  t.test(`nothing is sent in the place of an order while ${name} is off`, async (t) => {
    const held = new Resting()
    held.ask(off)
    t.strictSame(held.timeIsUp(), [], 'it is not canceled for nothing')
    held.ask(on)
    t.strictSame(held.timeIsUp(), ['cancel'])
    held.ask(off)
    t.strictSame(held.isGone().sent, ['stop_loss 1000'])
    t.equal(count(held.bench, 'reorderDropped'), 1)
  })
}

t.test('once they are on again the stop is found anew', async (t) => {
  const held = new Resting()
  t.strictSame(held.timeIsUp(), ['cancel'])
  held.ask(saved({ globalAutoOperation: false }))
  held.isGone().ask(saved({ globalAutoOperation: true }))
  t.strictSame(held.sent, ['stop_loss 1000', 'stop_loss 1000'])
})

t.test('automatic trading that is turned on begins without what waited before', async (t) => {
  const ask = (held: Holder, request: Request) =>
    held.bench.input({ kind: 'request', ref: 9, request })
  const cases = [
    ['it was off for a moment', true, []],
    ['it was on all the time', false, ['auto_partial 600']],
  ] as const
  for (const [name, isSwitched, sent] of cases) {
    const held = new Holder()
    ask(held, saved({ allowSell: false }))
    held.ticks(10.6, 10.8, 10.74) // its first take-profit is found, and waits
    held.bench.quotes.delete(BANK) // so that nobody sees a closed gate
    if (isSwitched) {
      ask(held, saved({ globalAllowBuySell: false }))
      ask(held, saved({ globalAllowBuySell: true }))
    }
    ask(held, saved({ allowSell: true }))
    t.strictSame(held.ticks(10.75).sent, sent, name)
  }
})
