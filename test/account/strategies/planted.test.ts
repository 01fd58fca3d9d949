import t from 'tap'
import { decisions } from '../../../src/account/answers/strategies.ts'
import { emptyState } from '../../../src/account/model/state.ts'
import type { MemoryOf } from '../../../src/account/model/strategy-memory.ts'
import type { TraceEntry } from '../../../src/account/model/trace.ts'
import { submitIntent } from '../../../src/account/orders/order-intent.ts'
import { accountBand } from '../../../src/account/strategies/band.ts'
import type { StrategyManifest } from '../../../src/account/strategies/manifest.ts'
import { STRATEGIES } from '../../../src/account/strategies/registry.ts'
import { isWatched, nextEvaluationMs, watchedCodes } from '../../../src/account/strategies/run.ts'
import { inputsRow, sentRow } from '../../../src/account/strategies/trace-row.ts'
import { positionsOf } from '../../../src/account/turn/holding.ts'
import { exchangeTime } from '../../../src/domain/exchange-time.ts'
import type { StockCode } from '../../../src/domain/instrument.ts'
import { type Price, type Quantity, toYuan } from '../../../src/domain/money.ts'
import { ANY_PRICE } from '../../../src/strategy/band.ts'
import { BANK, Bench, brokerPosition, commands, policy, quote, set, yuan } from '../fixture.ts'

/** A strategy of a few lines, which the house does not have: it sells once, from one price on. */
const THRESHOLD = yuan(37)
const OTHER = '000001.SZ' as StockCode

interface Memory {
  looks: number
  isSold: boolean
}
const MEMORY: MemoryOf<Memory> = { fresh: () => ({ looks: 0, isSold: false }) }

interface Note extends TraceEntry {
  readonly price: Price
  readonly clientOrderId?: string
}
const OWN = { strategy: 'planted', source: 'planted' } as const
const SOLD = { side: 'sell', quantity: 100 as Quantity, priceType: 5, price: yuan(0) } as const

const planted: StrategyManifest = {
  name: 'planted',
  memory: MEMORY,
  codes: () => [OTHER],
  alarms: () => [[OTHER, Number.MAX_SAFE_INTEGER]],
  bandOf: (_state, code) =>
    code === BANK ? { ...ANY_PRICE, high: (THRESHOLD - 1) as Price } : ANY_PRICE,
  evaluate(turn, code, cause) {
    const { state, inputs } = turn
    const memory = state.memories.of(MEMORY)
    memory.looks += 1
    const price = inputs.quote(code)?.lastPrice ?? yuan(0)
    const isWanted = price >= THRESHOLD && !memory.isSold && positionsOf(state).has(code)
    const outcome = isWanted
      ? submitIntent(turn, { ...SOLD, ...OWN, code, signalPrice: price, terms: {} })
      : undefined
    const clientOrderId = outcome?.kind === 'sent' ? outcome.clientOrderId : undefined
    memory.isSold ||= clientOrderId !== undefined
    const entry = { timeMs: inputs.nowMs, code, cause, price }
    const note: Note = clientOrderId === undefined ? entry : { ...entry, clientOrderId }
    state.trace.note('planted', note)
  },
  traceRow({ timeMs, code, cause, price, clientOrderId }: Note) {
    const verdict = clientOrderId === undefined ? 'planted_low' : 'planted_order'
    const message = '测试策略 (a planted strategy)'
    return {
      time: exchangeTime(timeMs),
      stock_code: code,
      cause,
      verdict,
      message,
      steps: [{ code: verdict, price: toYuan(price), threshold: toYuan(THRESHOLD), message }],
      inputs: inputsRow({ price, quoteMs: timeMs }, undefined),
      gates: {},
      order: clientOrderId === undefined ? null : sentRow({ ...SOLD, clientOrderId }, 'planted'),
      refusal: null,
    }
  },
}
const WITH_IT = [...STRATEGIES, planted]

class Scene extends Bench {
  constructor() {
    super(emptyState(policy), WITH_IT)
    this.quotes.set(BANK, quote(36, this.nowMs))
    this.ready([brokerPosition()])
  }
  tick(price: number) {
    this.nowMs += 3_000
    this.wallMs += 3_000
    this.quotes.set(BANK, quote(price, this.nowMs))
    return this.input({ kind: 'quotes', crossed: [BANK] })
  }
  told(limit = 500) {
    const query = { kind: 'decisions' as const, code: '600036', limit }
    return decisions(this.state, query, WITH_IT)
  }
  simulate(simulationMode: boolean) {
    const changes = { simulationMode }
    this.input({
      kind: 'request',
      ref: 1,
      request: { kind: 'saveConfig', changes, source: 'test' },
    })
  }
  get memory(): Memory {
    return this.state.memories.of(MEMORY)
  }
}

t.test('what a further strategy notes stands in the trace beside the others', async (t) => {
  const scene = new Scene()
  scene.tick(36.5)
  const [newest, before] = scene.told().decisions
  t.match(newest, { time: exchangeTime(scene.nowMs), verdict: 'master_off' }, 'first asked')
  t.match(before, {
    stock_code: BANK,
    cause: 'tick',
    verdict: 'planted_low',
    inputs: { price: 36.5 },
  })
  t.equal(scene.told(1).decisions.length, 1)
  for (let n = 0; n < 50; n++) scene.tick(36 + n / 100)
  const rows = scene.told().decisions.filter(({ verdict }) => verdict === 'planted_low')
  t.equal(rows.length, policy.limits.decisionsPerStockMax, 'the trace has an end for each strategy')
  const query = { kind: 'decisions' as const, code: '', limit: 500 }
  t.notOk(
    decisions(scene.state, query).decisions.some(({ verdict }) => verdict === 'planted_low'),
    'nobody else knows of it',
  )
})

t.test('its band narrows that of the account, its codes and alarms count', async (t) => {
  const scene = new Scene()
  scene.tick(36.5)
  const sight = { nowMs: scene.nowMs, quote: (code: StockCode) => scene.quotes.get(code), floor: 0 }
  const alone = accountBand(scene.state, BANK, sight)
  t.ok(alone.high < THRESHOLD, 'the house acts at a new high')
  scene.tick(38)
  const system = accountBand(scene.state, BANK, sight)
  t.ok(system.high > THRESHOLD)
  t.strictSame(accountBand(scene.state, BANK, sight, WITH_IT), { ...system, high: THRESHOLD - 1 })
  t.strictSame([...watchedCodes(scene.state, WITH_IT)], [BANK, OTHER])
  t.ok(isWatched(scene.state, OTHER, WITH_IT))
  t.notOk(isWatched(scene.state, OTHER))
  t.equal(nextEvaluationMs(scene.state, scene.nowMs, WITH_IT), Number.MAX_SAFE_INTEGER)
})

t.test('its order goes through the door, and is held back like any other', async (t) => {
  const scene = new Scene()
  const [sent] = commands(scene.tick(37))
  t.match(sent, { kind: 'submit', order: { code: BANK, side: 'sell', quantity: 100 } })
  const order = [...scene.state.orders.values()].at(-1)
  t.match(
    scene.told().decisions.find((row) => row.order !== null),
    {
      verdict: 'planted_order',
      order: { client_order_id: order?.clientOrderId, signal_type: 'planted', volume: 100 },
    },
  )
  t.strictSame(commands(scene.tick(37.5)), [], 'once')

  const stopped = new Scene()
  set(stopped, 'all')
  t.strictSame(commands(stopped.tick(37)), [])
  t.match(stopped.journal.at(-1)?.event, { kind: 'orderDenied', code: 'KILL_SWITCH' })
})

t.test('its memory begins anew with a simulation, and again when that ends', async (t) => {
  const scene = new Scene()
  for (let n = 0; n < 10; n++) scene.tick(36)
  t.ok(scene.memory.looks > 10)
  scene.simulate(true)
  t.equal(scene.memory.looks, 2, 'each stock that is watched, once')
  scene.tick(37)
  scene.tick(36)
  t.ok(scene.memory.isSold)
  scene.simulate(false)
  t.notOk(scene.memory.isSold)
})
