import t from 'tap'
import { type AccountInput, step } from '../../../src/account/step.ts'
import { STRATEGIES } from '../../../src/account/strategies/registry.ts'
import { Turn } from '../../../src/account/turn/turn.ts'
import type { AccountRequest } from '../../../src/protocol/account.ts'
import { BANK, type Bench, commands, holder, ORDER, refusals, replies, rest } from '../fixture.ts'

/** Strategies that end the thread whenever they are asked anything. */
const POISON = STRATEGIES.map((strategy) => {
  const fail = () => {
    throw new Error(`${strategy.name} crashes`)
  }
  return { ...strategy, codes: fail, alarms: fail, evaluate: fail, onFilled: fail, bandOf: fail }
})

function whileSuspended(bench: Bench, input: AccountInput) {
  const { nowMs, wallMs } = bench
  const quote: Turn['inputs']['quote'] = (code) => bench.quotes.get(code)
  const turn = new Turn(bench.state, { nowMs, wallMs, quote, isSuspended: true })
  step(turn, input, POISON)
  return { kinds: turn.events.map(({ event }) => event.kind), effects: turn.effects }
}
const asked = (bench: Bench, request: AccountRequest) =>
  whileSuspended(bench, { kind: 'request', ref: 7, request } as AccountInput)

t.test(
  'a suspended account cancels and takes the kill switch; strategies are not asked',
  async (t) => {
    const bench = holder()
    rest(bench, 1)
    rest(bench, 2)
    const cancel = asked(bench, { kind: 'cancelOrder', orderId: '1', source: 'test' })
    t.match(commands(cancel.effects), [{ kind: 'cancel', orderId: '1' }])
    const level = 'cancel_all'
    const set = asked(bench, { kind: 'setKillSwitch', level, reason: 'crashes', source: 'test' })
    t.match(commands(set.effects), [{ kind: 'cancel', orderId: '2' }])
    t.equal(bench.state.killSwitch.level, 'cancel_all')
  },
)

t.test('it takes no order and nothing else, and writes nothing about it', async (t) => {
  const refused: readonly AccountRequest[] = [
    { ...ORDER, key: 'new' },
    { kind: 'setMaster', on: true, source: 'test' },
    { kind: 'setStopProfit', code: BANK, enabled: false, source: 'test' },
    { kind: 'gridStop', target: { by: 'all' }, source: 'test' } as AccountRequest,
  ]
  for (const request of refused) {
    const { kinds, effects } = asked(holder(), request)
    t.strictSame(refusals(effects), ['ACCOUNT_SUSPENDED'], request.kind)
    t.strictSame([kinds, commands(effects)], [[], []], request.kind)
  }
})

t.test('it still tells which stocks it knows, so that a page can look for them', async (t) => {
  const { effects } = asked(holder(), { kind: 'stockNames' })
  t.strictSame(refusals(effects), [])
  t.match(replies(effects), [{ stocks: [{ code: BANK, isHeld: true }] }])
})

t.test('a client that pushes nothing is asked how its orders stand', async (t) => {
  const bench = holder()
  rest(bench, 1)
  bench.state.isPushing = false
  bench.state.isWatchingOpen = false
  t.match(whileSuspended(bench, { kind: 'alarm' }).effects, [{ kind: 'timer', name: 'open' }])
})

t.test('ticks and alarms change nothing', async (t) => {
  const inputs = [{ kind: 'quotes', crossed: [BANK] }, { kind: 'alarm' }] as const
  for (const input of inputs) {
    const { kinds, effects } = whileSuspended(holder(), input)
    t.strictSame([kinds, commands(effects)], [[], []])
  }
})
