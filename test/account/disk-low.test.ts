import t from 'tap'
import { emptyState } from '../../src/account/model/state.ts'
import { type AccountInput, step } from '../../src/account/step.ts'
import { accountBand } from '../../src/account/strategies/band.ts'
import { type Effect, Turn } from '../../src/account/turn/turn.ts'
import type { AccountRequest } from '../../src/protocol/account.ts'
import {
  BANK,
  Bench,
  brokerPosition,
  commands,
  driver,
  holder,
  ORDER,
  policy,
  quote,
  refusals,
  replies,
  rest,
  yuan,
} from './fixture.ts'
import { gone, said, timer } from './play.ts'

/** One input while the disk is nearly full; what went into the journal, and what follows. */
function whileLow(bench: Bench, input: AccountInput) {
  const { nowMs, wallMs } = bench
  const turn = new Turn(bench.state, {
    nowMs,
    wallMs,
    quote: (code) => bench.quotes.get(code),
    isDiskLow: true,
  })
  step(turn, input)
  return { kinds: turn.events.map(({ event }) => event.kind), effects: turn.effects }
}
const asked = (bench: Bench, request: AccountRequest) =>
  whileLow(bench, { kind: 'request', ref: 7, request } as AccountInput)
const outcome = (effects: readonly Effect[]) => [...refusals(effects), ...replies(effects)]

const SELL: AccountRequest = {
  kind: 'executeSell',
  key: 'sold',
  requestHash: 'h',
  code: BANK,
  quantity: 100,
  priceType: 5,
  price: 0,
  source: 'test',
}
const BUY: AccountRequest = {
  kind: 'executeBuy',
  key: 'batch',
  keys: ['bought'],
  requestHash: 'h',
  strategy: 'custom_stock',
  count: 1,
  codes: [BANK],
  source: 'test',
}

t.test('below the floor nothing new is taken, and nothing is written about it', (t) => {
  const refused: readonly AccountRequest[] = [
    { ...ORDER, key: 'placed' },
    SELL,
    BUY,
    { kind: 'saveConfig', changes: { simulationMode: true }, source: 'test' },
    { kind: 'setMaster', on: true, source: 'test' },
    { kind: 'setStopProfit', code: BANK, enabled: false, source: 'test' },
    { kind: 'importData', source: 'test' } as AccountRequest,
    { kind: 'gridStop', target: { by: 'all' }, source: 'test' } as AccountRequest,
  ]
  for (const request of refused) {
    const bench = holder()
    const { kinds, effects } = asked(bench, request)
    t.strictSame(refusals(effects), ['DISK_FULL'], request.kind)
    t.strictSame([kinds, commands(effects)], [[], []], request.kind)
  }
  t.end()
})

t.test('below the floor cancels, the kill switch and previews are served', (t) => {
  const bench = holder()
  rest(bench, 1)
  const cancel = asked(bench, { kind: 'cancelOrder', orderId: '1', source: 'test' })
  t.match(commands(cancel.effects), [{ kind: 'cancel', orderId: '1' }])
  const source = 'operator'
  const set = asked(bench, { kind: 'setKillSwitch', level: 'all', reason: 'disk', source })
  t.match(set.kinds, ['killSwitchSet'])
  t.equal(bench.state.killSwitch.level, 'all')
  const other = holder()
  const preview = asked(other, { ...ORDER, kind: 'previewOrder' } as never)
  const [shown] = replies(preview.effects) as [{ rules: readonly { name: string }[] }]
  t.match(JSON.stringify(shown), /"disk_space".{0,40}DISK_FULL|DISK_FULL.{0,200}disk_space/)
  t.end()
})

t.test('an order that came before keeps its answer', (t) => {
  const bench = holder()
  rest(bench, 1)
  const [order] = bench.state.orders.open()
  const clientOrderId = order?.clientOrderId ?? ''
  const accepted = { kind: 'accepted', orderId: '1' } as const
  const callId = bench.state.nextCallId - 1
  driver(bench, { kind: 'submitAnswered', callId, clientOrderId, outcome: accepted })
  const again = asked(bench, { ...ORDER, key: clientOrderId })
  t.match(outcome(again.effects), [{ orderId: '1', replayed: true }])
  t.end()
})

t.test('what the trading client says is booked as ever', (t) => {
  const bench = holder()
  rest(bench, 1)
  const { kinds } = whileLow(bench, {
    kind: 'driver',
    event: { kind: 'disconnected', reason: 'gone' },
  })
  t.ok(kinds.length > 0)
  t.end()
})

t.test('a client that pushes nothing is asked how its orders stand', (t) => {
  const bench = holder()
  rest(bench, 1)
  bench.state.isPushing = false
  bench.state.isWatchingOpen = false
  const { effects } = whileLow(bench, { kind: 'alarm' })
  t.match(effects, [{ kind: 'timer', name: 'open' }])
  t.end()
})

t.test('strategies rest below the floor, and go on with the next quote after it', (t) => {
  const settings = { ...policy.settings, ENABLE_AUTO_OPERATION: true, ENABLE_AUTO_TRADING: true }
  const bench = new Bench(emptyState({ ...policy, settings }))
  bench.quotes.set(BANK, quote(10, bench.nowMs))
  bench.ready([brokerPosition({ costPrice: yuan(10) })])
  const fall = () => {
    bench.nowMs += 3_000
    bench.wallMs += 3_000
    bench.quotes.set(BANK, quote(9.2, bench.nowMs))
    return { kind: 'quotes', crossed: [BANK] } as const
  }
  for (let tick = 0; tick < 3; tick++) {
    const { kinds, effects } = whileLow(bench, fall())
    t.strictSame([kinds, commands(effects)], [[], []])
  }
  const sold = [fall(), fall()].flatMap((input) => commands(bench.input(input)))
  t.match(sold, [{ kind: 'submit', order: { side: 'sell' } }], 'the stop was only late')
  t.end()
})

/** An account whose disk may be nearly full for a while. */
class Filling extends Bench {
  isDiskLow = false

  override turn(): Turn {
    const { inputs } = super.turn()
    return new Turn(this.state, { ...inputs, isDiskLow: this.isDiskLow })
  }
  tick(price: number): void {
    this.nowMs += 3_000
    this.wallMs += 3_000
    this.quotes.set(BANK, { ...quote(price, this.nowMs), lastClose: yuan(10) })
    this.input({ kind: 'quotes', crossed: [BANK] })
  }
}

t.test('a stop that was set free below the floor is sent after it, without a tick', (t) => {
  const settings = { ...policy.settings, ENABLE_AUTO_OPERATION: true, ENABLE_AUTO_TRADING: true }
  const bench = new Filling(emptyState({ ...policy, settings }))
  const positions = [brokerPosition({ costPrice: yuan(10) })]
  bench.ready(positions)
  for (const price of [9.8, 9.8, 9.8]) bench.tick(price)
  bench.input(gone)
  bench.tick(9.2)
  const band = () => accountBand(bench.state, BANK, { ...bench.turn().inputs, floor: 0 })
  t.equal(band().low, yuan(9), 'it has been said once: nobody is woken at its price any more')
  bench.isDiskLow = true
  const [connect] = commands(bench.input(timer('reconnect')))
  const result = { ok: true, value: null } as const
  const answer = { kind: 'connectAnswered', callId: connect?.callId ?? 0, result } as const
  bench.answerQueries(commands(bench.input(said(answer))), { positions })
  t.ok(bench.state.isReady)
  t.strictSame([...bench.state.orders.values()], [])
  bench.isDiskLow = false
  const sent = commands(bench.input(timer('version')))
  t.match(sent, [{ kind: 'submit', order: { strategy: 'stop_loss' } }])
  t.end()
})

t.test('with space nothing is different', (t) => {
  const bench = new Bench().ready()
  t.match(commands(bench.place()), [{ kind: 'submit' }])
  t.end()
})
