import t from 'tap'
import { decisions } from '../../../../src/account/answers/strategies.ts'
import type { AccountCommand } from '../../../../src/account/commands/on-request.ts'
import type { AccountPolicy } from '../../../../src/account/model/policy.ts'
import { emptyState } from '../../../../src/account/model/state.ts'
import { memoryOf } from '../../../../src/account/strategies/stop-profit/memory.ts'
import { type Decision, NAME } from '../../../../src/account/strategies/stop-profit/trace.ts'
import { exchangeTime } from '../../../../src/domain/exchange-time.ts'
import type { StockCode } from '../../../../src/domain/instrument.ts'
import type { Quantity } from '../../../../src/domain/money.ts'
import type { BrokerPosition, OrderRecord } from '../../../../src/domain/order.ts'
import type { Settings } from '../../../../src/domain/settings/table.ts'
import {
  BANK,
  Bench,
  brokerDeal,
  brokerOrder,
  brokerPosition,
  policy,
  quote,
  yuan,
} from '../../fixture.ts'
import { count, said } from '../../play.ts'

const ON = { ENABLE_AUTO_OPERATION: true, ENABLE_AUTO_TRADING: true }

/** An account with 1,000 shares at a cost of 10 yuan, whose strategy is on. */
class Holder {
  readonly bench: Bench

  constructor(settings: Partial<Settings> = {}, other: Partial<AccountPolicy> = {}) {
    const own = { ...policy, ...other, settings: { ...policy.settings, ...ON, ...settings } }
    this.bench = new Bench(emptyState(own))
    this.bench.quotes.set(BANK, quote(10, this.bench.nowMs))
    this.bench.ready([this.position()])
  }

  position(row: Partial<BrokerPosition> = {}): BrokerPosition {
    return brokerPosition({ costPrice: yuan(10), ...row })
  }
  /** One tick after the other, three seconds apart. */
  ticks(...prices: readonly number[]): this {
    for (const price of prices) {
      this.wait(3_000)
      this.bench.quotes.set(BANK, { ...quote(price, this.bench.nowMs), lastClose: yuan(10) })
      this.bench.input({ kind: 'quotes', crossed: [BANK] })
    }
    return this
  }
  wait(ms: number): this {
    this.bench.nowMs += ms
    this.bench.wallMs += ms
    return this
  }
  set(changes: Record<string, number | boolean>): this {
    const request = { kind: 'saveConfig', changes, source: 'test' } as const
    this.bench.input({ kind: 'request', ref: 1, request })
    return this
  }
  /** The broker takes the newest order, fills so much of it, and says what is left. */
  fill(quantity: number, left: number): this {
    const { clientOrderId, quantity: all, filledQuantity } = this.last
    const own = { clientOrderId, orderId: '7001', side: 'sell' as const, timeMs: this.bench.nowMs }
    const order = brokerOrder({ ...own, quantity: all, priceType: 5 })
    this.bench.input(said({ kind: 'orderPushed', order }))
    const dealId = `d${filledQuantity}`
    const deal = brokerDeal({ ...own, dealId, quantity: quantity as Quantity })
    this.bench.input(said({ kind: 'dealPushed', deal }))
    const shares = left as Quantity
    const position = this.position({ quantity: shares, sellable: shares })
    this.bench.input(said({ kind: 'positionPushed', position }))
    return this
  }
  get orders(): readonly OrderRecord[] {
    return [...this.bench.state.orders.values()]
  }
  get last(): OrderRecord {
    const order = this.orders.at(-1)
    if (order === undefined) throw new Error('no order')
    return order
  }
  get sold(): readonly string[] {
    return this.orders.map(({ signalType, quantity }) => `${signalType} ${quantity}`)
  }
  get held() {
    return this.bench.state.positions.get(BANK)
  }
  get verdicts(): readonly (string | undefined)[] {
    const noted = this.bench.state.trace.of(NAME).get(BANK) ?? []
    return noted.map((entry) => (entry as Decision).verdicts.at(-1)?.code)
  }
}

t.test('the breakout itself never sells; the pullback does, once', async (t) => {
  const holder = new Holder().ticks(10.61, 10.7)
  t.strictSame(holder.sold, [])
  holder.ticks(10.64, 10.63, 10.62)
  t.strictSame(holder.sold, ['take_profit_half 600'], 'one order while it is under way')
})

t.test('a pullback below the floor ends the breakout instead of selling late', async (t) => {
  const holder = new Holder().ticks(10.61, 10.45)
  t.strictSame(holder.sold, [])
  t.match(holder.held, { breakoutTriggered: false, breakoutHighestPrice: 0 })
  t.strictSame(new Holder().ticks(10.61, 10.54).sold, ['take_profit_half 600'])
})

t.test('F393 a first take-profit that had to wait is not sold late and cheap', async (t) => {
  const holder = new Holder()
  const sale = { side: 'sell', quantity: 100 as Quantity, price: yuan(11) } as const
  holder.bench.place(sale)
  const row = { ...sale, timeMs: holder.bench.nowMs }
  holder.bench.input(said({ kind: 'orderPushed', order: brokerOrder(row) }))
  holder.ticks(10.61, 10.7, 10.64)
  t.equal(holder.verdicts.at(-1), 'pending_order', "a person's order keeps it waiting")
  holder.ticks(9.6)
  holder.bench.input(said({ kind: 'orderPushed', order: brokerOrder({ ...row, status: 54 }) }))
  holder.ticks(9.6)
  t.strictSame(holder.sold, ['undefined 100'], 'below its cost it is no profit')
  t.match(holder.held, { profitTriggered: false, breakoutTriggered: false })
})

t.test('F401 a quote that bears a wrong time keeps no stop back', async (t) => {
  const holder = new Holder().ticks(10.1)
  const { bench } = holder
  const ahead = quote(10.3, bench.nowMs + 9 * 60_000)
  bench.quotes.set(BANK, { ...ahead, lastClose: yuan(10) })
  bench.input({ kind: 'quotes', crossed: [BANK] })
  t.match(holder.held, { highestPrice: yuan(10.3), actedTickMs: ahead.timeMs })
  holder.ticks(9.24)
  t.strictSame(holder.sold, ['stop_loss 1000'], 'the next one tells of now')
  const near = new Holder().ticks(10.1)
  const soon = quote(10.3, near.bench.nowMs + 30_000)
  near.bench.quotes.set(BANK, { ...soon, lastClose: yuan(10) })
  near.bench.input({ kind: 'quotes', crossed: [BANK] })
  near.ticks(9.24)
  t.strictSame(near.sold, [], 'two clocks may differ by so much: the older one is over')
})

t.test(
  'F429 a first profit that is cleared by hand waits for a new breakout, and sells nothing before',
  async (t) => {
    const cleared = { kind: 'updateHolding', code: BANK, profitTriggered: false } as const
    const clear = ({ bench }: Holder) =>
      bench.input({ kind: 'request', ref: 9, request: { ...cleared, source: 'test' } })
    const holder = new Holder().ticks(10.61, 11.5, 11.44).fill(600, 400).ticks(11.2)
    t.match(holder.held, { profitTriggered: true, breakoutHighestPrice: yuan(11.5) })
    clear(holder)
    t.match(holder.held, { profitTriggered: false, breakoutHighestPrice: yuan(11.2) }, 'a new one')
    t.strictSame(holder.ticks(11.16).sold, ['take_profit_half 600'], 'not for the high before')
    holder.ticks(11.14)
    t.strictSame(holder.sold.length, 2, 'for a fall from the high since then')
    const waits = new Holder().ticks(10.61, 10.7)
    clear(waits)
    t.match(waits.held, { breakoutTriggered: true }, 'what was not set takes nothing along')
  },
)

t.test(
  'F433 the stop that is shown is the one that is sold at, also while the gateway sells',
  async (t) => {
    const holder = new Holder({ ENABLE_AUTO_TRADING: false }).ticks(10)
    const tell = (isEnabled: boolean, stopLossRatio = -0.05) => {
      const ratios = { stopLossRatio, breakoutRatio: 0.06, pullbackRatio: 0.005, sellRatio: 0.6 }
      const module = { isEnabled, ...ratios, heldMs: 15_000 }
      const request = { kind: 'gatewayStopProfit', module, source: 'test' } as const
      holder.bench.input({ kind: 'request', ref: 9, request })
    }
    const shown = () => (holder.held?.stopLossPrice ?? 0) / 10_000
    t.equal(shown(), 9.25)
    tell(true)
    t.equal(shown(), 9.5, 'at once')
    t.match(holder.ticks(10.2).held, { highestPrice: yuan(10.2), stopLossPrice: yuan(9.5) })
    tell(true, -0.06)
    t.equal(shown(), 9.4)
    holder.set({ globalAllowBuySell: true })
    t.equal(shown(), 9.25, 'the account sells for itself')
    holder.set({ globalAllowBuySell: false })
    t.equal(shown(), 9.4)
    tell(false)
    t.equal(shown(), 9.25)
    tell(true)
    holder.wait(15_000).ticks(10.1)
    t.equal(shown(), 9.25, 'a gateway that is silent sells nothing')
  },
)

t.test('with nothing sellable nothing is sold and the breakout stays', async (t) => {
  const holder = new Holder()
  const sellable = 0 as Quantity
  holder.bench.input(said({ kind: 'positionPushed', position: holder.position({ sellable }) }))
  holder.ticks(10.61, 10.54)
  t.strictSame(holder.sold, [])
  t.match(holder.held, { breakoutTriggered: true, breakoutHighestPrice: yuan(10.61) })
  holder.bench.input(said({ kind: 'positionPushed', position: holder.position() }))
  t.strictSame(holder.sold, ['take_profit_half 600'], 'the next day, without another tick')
})

t.test('the flag is set by the last fill of the order, in the commit that books it', async (t) => {
  const holder = new Holder().ticks(10.61, 10.54)
  t.match(holder.held, { profitTriggered: false })
  holder.fill(200, 800)
  t.match(holder.held, { profitTriggered: false, breakoutTriggered: true }, 'not by a part of it')
  const before = holder.bench.journal.length
  holder.fill(400, 400)
  t.match(holder.held, { profitTriggered: true, quantity: 400 })
  const turn = holder.bench.journal.slice(before).map(({ event }) => event.kind)
  t.match(turn.slice(0, 3), ['dealBooked', 'holdingChanged', 'signalFilled'])
})

t.test('a part that was filled before the order ended counts too, once', async (t) => {
  const holder = new Holder().ticks(10.61, 10.54).fill(200, 800)
  const { clientOrderId, quantity } = holder.last
  const row = { clientOrderId, orderId: '7001', side: 'sell' as const, quantity, priceType: 5 }
  const ended = brokerOrder({ ...row, status: 53, filledQuantity: 200 as Quantity })
  holder.bench.input(said({ kind: 'orderPushed', order: ended }))
  t.match(holder.held, { profitTriggered: true })
  holder.bench.input(said({ kind: 'orderPushed', order: { ...ended, statusMessage: 'again' } }))
  t.equal(count(holder.bench, 'signalFilled'), 1)
})

t.test(
  'the stop comes first, also after a first take-profit, with the present ratio',
  async (t) => {
    const holder = new Holder().ticks(10.61, 10.54).fill(600, 400)
    holder.set({ stockStopLoss: 2 }).ticks(9.8)
    t.strictSame(holder.sold, ['take_profit_half 600', 'stop_loss 400'])
  },
)

t.test('a stop within two percent waits for a loss of two percent', async (t) => {
  const holder = new Holder({ STOP_LOSS_RATIO: -0.01 }).ticks(9.9, 9.85)
  t.strictSame(holder.sold, [])
  t.strictSame(holder.verdicts.slice(-1), ['loss_ratio_too_small'])
  t.strictSame(holder.ticks(9.8).sold, ['stop_loss 1000'])
})

t.test('a half signal survives a retrace for 90 seconds, and no longer', async (t) => {
  const waiting = () => new Holder({ ENABLE_ALLOW_SELL: false }).ticks(10.61, 10.7, 10.64)
  const soon = waiting().wait(80_000).ticks(10.69)
  t.strictSame(soon.verdicts.slice(-2), ['sell_not_permitted', 'sell_not_permitted'], 'it waits')
  t.strictSame(soon.set({ allowSell: true }).sold, ['take_profit_half 600'])
  const late = waiting().wait(95_000).ticks(10.69)
  t.strictSame(late.set({ allowSell: true }).sold, [])
  const isKeptAlive = { stopProfit: { ...policy.stopProfit, isKeptAlive: false } }
  const off = new Holder({ ENABLE_ALLOW_SELL: false }, isKeptAlive).ticks(10.61, 10.7, 10.64, 10.69)
  t.strictSame(off.set({ allowSell: true }).sold, [])
})

t.test('automatic trading that is turned on begins without what waited', async (t) => {
  const holder = new Holder({ ENABLE_ALLOW_SELL: false }).ticks(10.61, 10.7, 10.64, 10.69)
  holder.set({ globalAllowBuySell: false }).set({ globalAllowBuySell: true, allowSell: true })
  t.strictSame(holder.sold, [])
})

t.test('the switch of a stock is its own; what is not permitted consumes no try', async (t) => {
  const holder = new Holder({ ENABLE_ALLOW_SELL: false }).ticks(10.61, 10.7)
  holder.ticks(10.64, 10.64, 10.64, 10.64, 10.64)
  t.equal(memoryOf(holder.bench.state).slots.get(BANK)?.failures, undefined)
  t.strictSame(holder.set({ allowSell: true }).sold, ['take_profit_half 600'])
})

t.test('quotes without a price are passed over, and the next one with a price sells', async (t) => {
  const holder = new Holder().ticks(10.1, 0, 0, 0, 9.2)
  t.strictSame(holder.sold, ['stop_loss 1000'])
  t.strictSame(holder.verdicts.slice(-2), ['no_price', 'order_sell'])
})

t.test('a refusal that repeats is written into the journal once a minute', async (t) => {
  const holder = new Holder()
  const request = { kind: 'setKillSwitch', level: 'all', reason: 'drill', source: 'test' } as const
  holder.bench.input({ kind: 'request', ref: 2, request })
  holder.ticks(9.2, 9.19, 9.18, 9.17)
  t.equal(count(holder.bench, 'orderDenied'), 1)
  t.strictSame(holder.verdicts.slice(-1), ['order_refused'])
  holder.wait(60_000).ticks(9.16)
  t.equal(count(holder.bench, 'orderDenied'), 2)
  holder.bench.input({ kind: 'request', ref: 3, request: { ...request, level: 'off' } })
  t.strictSame(holder.sold, ['stop_loss 1000'], 'it goes as soon as it may')
})

t.test('between a fill and the report of the holding nothing is sold', async (t) => {
  const holder = new Holder().ticks(10.61, 10.54)
  const { clientOrderId, quantity } = holder.last
  const own = { clientOrderId, orderId: '7001', side: 'sell' as const, timeMs: holder.bench.nowMs }
  holder.bench.input(
    said({ kind: 'orderPushed', order: brokerOrder({ ...own, quantity, priceType: 5 }) }),
  )
  holder.bench.input(said({ kind: 'dealPushed', deal: brokerDeal({ ...own, quantity }) }))
  holder.ticks(9.2)
  t.strictSame(holder.sold, ['take_profit_half 600'], 'what may be sold is not known')
  const left = 400 as Quantity
  const position = holder.position({ quantity: left, sellable: left })
  holder.bench.input(said({ kind: 'positionPushed', position }))
  t.strictSame(holder.sold, ['take_profit_half 600', 'stop_loss 400'])
})

t.test(
  'a partial sale by hand keeps what is remembered; a closed holding forgets it',
  async (t) => {
    const holder = new Holder().ticks(10.61, 10.7)
    const part = 900 as Quantity
    const fewer = holder.position({ quantity: part, sellable: part })
    holder.bench.input(said({ kind: 'positionPushed', position: fewer }))
    t.match(holder.held, { breakoutTriggered: true, highestPrice: yuan(10.7) })
    const none = 0 as Quantity
    const gone = holder.position({ quantity: none, sellable: none })
    holder.bench.input(said({ kind: 'positionPushed', position: gone }))
    holder.bench.quotes.set(BANK, quote(10.3, holder.bench.nowMs))
    holder.bench.input(said({ kind: 'positionPushed', position: holder.position() }))
    t.match(holder.held, { breakoutTriggered: false, highestPrice: yuan(10.3) })
    t.strictSame(holder.sold, [])
  },
)

t.test('the trace says since when the switch of a stock is off', async (t) => {
  const holder = new Holder()
  const { bench } = holder
  const request = { kind: 'setStopProfit', code: BANK, enabled: false, source: 'test' } as const
  bench.input({ kind: 'request', ref: 1, request })
  const since = exchangeTime(bench.nowMs)
  holder.ticks(9.2)
  const query = { kind: 'decisions', code: BANK, limit: 1 } as const
  const [row] = decisions(bench.state, query).decisions
  t.equal(row?.verdict, 'stock_off')
  t.ok(row?.message.endsWith(`，自 ${since} 起`))
})

t.test('what only a simulation holds is judged when its switch is turned on', async (t) => {
  const { bench } = new Holder().set({ simulationMode: true })
  const code = '000001.SZ' as StockCode
  const ask = (request: AccountCommand) => bench.input({ kind: 'request', ref: 1, request })
  const tick = (price: number) => {
    bench.nowMs += 3_000
    bench.quotes.set(code, quote(price, bench.nowMs))
    bench.input({ kind: 'quotes', crossed: [code] })
  }
  const source = 'test'
  tick(10)
  const terms = {
    side: 'buy',
    quantity: 1_000,
    priceType: 5,
    price: 0,
    strategy: 'manual',
  } as const
  ask({ kind: 'placeOrder', key: 'k', requestHash: 'h', code, ...terms, source })
  ask({ kind: 'setStopProfit', code, enabled: false, source })
  tick(9.2)
  t.equal(bench.state.simulation?.positions.get(code)?.quantity, 1_000)
  ask({ kind: 'setStopProfit', code, enabled: true, source })
  t.equal(bench.state.simulation?.positions.has(code), false, 'the stop-loss goes out')
})
