import t from 'tap'
import { emptyState } from '../../../../src/account/model/state.ts'
import type { MemoryQuestion } from '../../../../src/account/strategies/grid/answers/questions.ts'
import { gridAnswer } from '../../../../src/account/strategies/grid/answers/questions.ts'
import { nextEvaluationMs } from '../../../../src/account/strategies/run.ts'
import type { GridFields } from '../../../../src/domain/grid-fields.ts'
import type { Quantity } from '../../../../src/domain/money.ts'
import type { SignalType } from '../../../../src/domain/order.ts'
import { BANK, brokerDeal, brokerPosition, policy, yuan } from '../../fixture.ts'
import { answered, DIP, gridOn, only, RISE, refusedWith, Scene, withGrid } from './scene.ts'

const codes = (effects: Parameters<typeof refusedWith>[0]) =>
  refusedWith(effects).map(({ code }) => code)

t.test(
  'a start is refused without a holding, twice, without a center, or with wrong fields',
  async (t) => {
    const none = new Scene()
    none.holds(0)
    t.strictSame(codes(none.start()), ['GRID_NO_POSITION'])
    const scene = withGrid()
    t.strictSame(codes(scene.start()), ['GRID_SESSION_EXISTS'])
    t.strictSame(codes(new Scene().start({ price_interval: 9 })), ['VALIDATION'])
    const [error] = refusedWith(new Scene().start({ price_interval: 9, stop_loss: 1 }))
    t.strictSame(Object.keys(error?.details ?? {}), ['config.price_interval', 'config.stop_loss'])
    const strict = new Scene({ ...gridOn, grid: { ...gridOn.grid, isProfitTriggerRequired: true } })
    t.strictSame(codes(strict.start()), ['GRID_NOT_READY'])
  },
)

t.test('F967 what is wrong with a start is named where the caller has put it', async (t) => {
  const wrongIn = (top: GridFields, config: GridFields) => {
    const wanted = { code: '600036', top, config, source: 'test' } as const
    const all = (['gridStart', 'gridPreview'] as const).map((kind) => {
      const [error] = refusedWith(new Scene().ask({ kind, ...wanted }))
      return error?.details ?? {}
    })
    t.strictSame(all[0], all[1])
    return all[0] ?? {}
  }
  const top = wrongIn({ price_interval: 9, max_investment: 10_000 }, { stop_loss: 1 })
  t.strictSame(Object.keys(top), ['price_interval', 'config.stop_loss'])
  t.match(top['config.stop_loss'], [/^config\.stop_loss: /])
  t.match(top['price_interval'], [/^price_interval: /])
  const both = wrongIn({ price_interval: 9, max_investment: 10_000 }, { price_interval: 8 })
  t.strictSame(Object.keys(both), ['config.price_interval'], 'which goes before the other')
  t.strictSame(Object.keys(wrongIn({}, {})), ['max_investment'], 'given nowhere')
})

t.test('a start stores its risk level and template, and begins at the highest price', async (t) => {
  const scene = new Scene()
  const [answer] = answered(scene.start({ center_price: 0, risk_level: 'aggressive' }))
  t.match(answer, {
    session_id: 1,
    risk_level: 'aggressive',
    template_name: '激进型网格',
    config: { center_price: 10, price_interval: 0.03, trade_mode: 'amount', duration_days: 7 },
  })
  t.match(scene.session, { riskLevel: 'aggressive', templateName: '激进型网格' })
  t.equal(scene.session.endMs - scene.session.startMs, 7 * 86_400_000)
})

t.test('a cent that stands for a cost nobody has told is no center', async (t) => {
  const scene = new Scene(gridOn, emptyState(gridOn))
  scene.quotes.clear()
  scene.ready([brokerPosition({ costPrice: yuan(0) })])
  t.strictSame(codes(scene.start({ center_price: 0 })), ['GRID_NO_CENTER'])
  scene.start({ center_price: 10 })
  t.equal(scene.session.tracker.lastPrice, 0)
})

t.test('shares that are not given are a part of the holding', async (t) => {
  const scene = withGrid({ trade_mode: 'shares', position_ratio: 0.35 })
  t.equal(scene.session.fixedQuantity, 300)
})

t.test('every exit ends the session with its reason, and sells nothing', async (t) => {
  const far = withGrid({ max_deviation: 0.05 })
  t.strictSame(far.ticks(10.51), [])
  t.match(far.session, { status: 'stopped', stopReason: 'deviation' })

  const profit = withGrid({ target_profit: 0.02, stop_loss: -0.02, price_interval: 0.02 })
  profit.fill(only(profit, RISE))
  profit.settle()
  profit.fill(only(profit, [10.3, 10.2, 10.26]))
  profit.settle()
  profit.nowMs += 400_000
  profit.fill(only(profit, [10.04, 10, 10.06]))
  profit.ticks(11)
  t.match(profit.session, { status: 'stopped', stopReason: 'target_profit' })

  const loss = withGrid({ stop_loss: -0.005, price_interval: 0.02 })
  loss.fill(only(loss, DIP))
  t.strictSame(loss.ticks(9.19), [])
  t.match(loss.session, { status: 'stopped', stopReason: 'stop_loss' }, 'also without a sale')

  const old = withGrid({ duration_days: 1 })
  old.enable(false)
  old.later(86_400_000)
  t.equal(old.session.status, 'active', 'the last moment belongs to it')
  old.later(1)
  t.match(old.session, { status: 'stopped', stopReason: 'expired' }, 'also while paused')
})

t.test(
  'a holding that is gone ends it at the second look; a look without news is none',
  async (t) => {
    const scene = withGrid()
    scene.holds(0)
    t.ok(scene.session.missingSinceMs > 0)
    const { nowMs, state } = scene
    t.equal(nextEvaluationMs(state, nowMs), nowMs + policy.grid.checkEveryMs, 'without a tick')
    t.equal(scene.session.status, 'active')
    scene.input({ kind: 'driver', event: { kind: 'disconnected', reason: 'gone' } })
    t.equal(scene.session.missingSinceMs, 0, 'a failed look begins the count anew')
    const other = withGrid()
    other.holds(0)
    other.later(2_999)
    t.equal(other.session.status, 'active')
    other.later(1)
    t.match(other.session, { status: 'stopped', stopReason: 'position_cleared' })
    const back = withGrid()
    back.holds(0)
    back.holds(100)
    back.later(10_000)
    t.equal(back.session.status, 'active')
  },
)

t.test('a paused session is not ended by its price or its holding', async (t) => {
  const scene = withGrid({ max_deviation: 0.05 })
  scene.enable(false)
  scene.holds(0)
  scene.ticks(8, 12)
  scene.later(10_000)
  t.match(scene.session, { status: 'active', isEnabled: false })
  scene.holds(1_000)
  scene.price(10.2)
  t.match(answered(scene.enable(true)), [{ enabled: true, session: { session_id: 1 } }])
  t.match(scene.session, { isEnabled: true, tracker: { lastPrice: yuan(10.2), isWaiting: false } })
})

t.test('a confirmed full exit pauses the grid of its stock, if that is wanted', async (t) => {
  for (const [signalType, isWanted, expected] of [
    ['take_profit_full', true, false],
    ['stop_loss', true, false],
    ['take_profit_half', true, true],
    ['take_profit_full', false, true],
  ] as const) {
    const scene = withGrid()
    const changes = { pauseGridAfterTakeProfitFull: isWanted }
    const request = { kind: 'saveConfig' as const, changes, source: 'test' }
    scene.input({ kind: 'request', ref: 5, request })
    const effects = scene.signal(exit(signalType, 100))
    const submit = effects.flatMap((effect) =>
      effect.kind === 'call' && effect.command.kind === 'submit' ? [effect.command] : [],
    )[0]
    t.equal(scene.session.isEnabled, true, 'not by the order')
    const deal = brokerDeal({
      clientOrderId: submit?.order.clientOrderId ?? '',
      side: 'sell',
      price: yuan(10),
      timeMs: scene.nowMs,
    })
    scene.input({ kind: 'driver', event: { kind: 'dealPushed', deal } })
    t.equal(scene.session.isEnabled, expected, `${signalType} ${isWanted}`)
    t.equal(scene.session.status, 'active')
  }
})

t.test('stopping one, by number or by stock, and stopping all', async (t) => {
  const stop = (scene: Scene, target: object) =>
    scene.ask({ kind: 'gridStop', target: target as { by: 'all' }, source: 'test' })
  const scene = withGrid()
  t.strictSame(codes(stop(scene, { by: 'id', sessionId: 7 })), ['UNKNOWN_GRID_SESSION'])
  t.match(answered(stop(scene, { by: 'id', sessionId: 1 })), [
    { final_stats: { stop_reason: 'manual', trade_count: 0, pnl_snapshot: { session_id: 1 } } },
  ])
  t.strictSame(codes(stop(scene, { by: 'id', sessionId: 1 })), ['UNKNOWN_GRID_SESSION'])
  const byCode = withGrid()
  t.match(answered(stop(byCode, { by: 'code', code: '600036' })), [
    { stats: { stop_reason: 'manual_stop' } },
  ])
  const busy = withGrid()
  busy.take(only(busy, DIP))
  t.match(answered(busy.stop()), [
    {
      stopped: 1,
      results: [{ status: 'stopping', final_stats: { pending_orders: 1, cancel_requested: 1 } }],
    },
  ])
  t.match(answered(new Scene().stop()), [{ stopped: 0, results: [] }])
})

t.test('old sessions are forgotten, the newest are kept', async (t) => {
  const scene = new Scene()
  for (let i = 0; i < 5; i++) {
    scene.start()
    scene.stop()
  }
  t.strictSame([...scene.state.grid.sessions.keys()], [3, 4, 5])
})

const ask = (scene: Scene, question: MemoryQuestion) =>
  gridAnswer(
    { state: scene.state, nowMs: scene.nowMs, quote: (code) => scene.quotes.get(code) },
    question,
  ) as Record<string, unknown>

t.test('a stock without a session shows what a start would begin with', async (t) => {
  const answer = ask(new Scene(), { about: 'stock', code: '600036' })
  t.match(answer, {
    has_session: false,
    config: { max_investment: 5_000, price_interval: 0.05, trade_mode: 'amount', fixed_volume: 0 },
  })
  t.match(ask(new Scene(), { about: 'defaults' }), { max_investment: 5_000, duration_days: 7 })
})

t.test('check states are found under every spelling', async (t) => {
  const scene = withGrid()
  const asked = ['600036', '600036.SH', '000001', 'nonsense']
  const { states, version } = ask(scene, { about: 'checkboxes', codes: asked })
  t.strictSame(states, {
    '600036': { active: true, session_id: 1 },
    '600036.SH': { active: true, session_id: 1 },
    '000001': { active: false, session_id: null },
    nonsense: { active: false, session_id: null },
  })
  t.equal(version, scene.state.dataVersion)
  t.match(ask(scene, { about: 'checkbox', code: 'sh.600036' }), { stock_code: BANK, active: true })
})

t.test('templates: saved, listed, made the default, used, deleted', async (t) => {
  const scene = new Scene()
  const source = 'test'
  const named = (
    kind: 'gridTemplateUse' | 'gridTemplateDelete' | 'gridTemplateDefault',
    name = '我的',
  ) => scene.ask({ kind, name, source })
  t.match(ask(scene, { about: 'riskTemplates' }), {
    templates: { moderate: { template_name: '稳健型网格', stop_loss: -0.1 } },
  })
  t.strictSame(codes(named('gridTemplateUse')), ['UNKNOWN_TEMPLATE'])
  const save = (fields: object) =>
    scene.ask({ kind: 'gridTemplateSave', template: { template_name: '我的', ...fields }, source })
  t.match(answered(save({ price_interval: 0.04 })), [{ template_id: 4 }])
  t.match(
    answered(save({ price_interval: 0.06 })),
    [{ template_id: 4 }],
    'the same name is updated',
  )
  t.strictSame(codes(save({ price_interval: 0.9 })), ['VALIDATION'])
  named('gridTemplateDefault')
  const { templates, total } = ask(scene, { about: 'templates' }) as {
    templates: object[]
    total: 4
  }
  t.equal(total, 4)
  t.match(templates[0], { template_name: '我的', is_default: 1, price_interval: 0.06 })
  t.equal(templates.filter((row) => 'is_default' in row && row.is_default === 1).length, 1)
  t.match(answered(named('gridTemplateUse')), [{ template: { usage_count: 1 } }])
  save({ price_interval: 0.05, template_name: '五' })
  t.strictSame(codes(save({ template_name: '六' })), ['CONFLICT'], 'there is a limit')
  scene.start({ template_name: '我的' })
  t.equal(scene.session.intervalPpm, 60_000, 'a start may name a template')
  t.strictSame(codes(named('gridTemplateDelete')), ['CONFLICT'], 'a session uses it')
  scene.stop()
  t.strictSame(codes(named('gridTemplateDelete')), [])
  t.strictSame(codes(named('gridTemplateDelete')), ['UNKNOWN_TEMPLATE'])
})

t.test('F730 a start by a template that there is not is refused, in both places', async (t) => {
  const scene = new Scene()
  const wanted = {
    code: '600036',
    top: { template_name: '我的' },
    config: { max_investment: 10_000 },
  }
  t.strictSame(codes(scene.start({ template_name: '我的' })), ['UNKNOWN_TEMPLATE'])
  t.strictSame(codes(scene.ask({ kind: 'gridPreview', ...wanted })), ['UNKNOWN_TEMPLATE'])
  t.strictSame(codes(scene.ask({ kind: 'gridBacktest', baseQuantity: null, ...wanted })), [
    'UNKNOWN_TEMPLATE',
  ])
  t.equal(scene.events('gridStarted').length, 0)
  scene.start({ template_name: '' })
  t.match(scene.session, { templateName: '稳健型网格' }, 'an empty name counts as none')
})

interface Shown {
  readonly buys: readonly {
    readonly price: number
    readonly volume: number
    readonly cash: number
  }[]
  readonly worst_case: { readonly volume: number; readonly loss: number }
  readonly round_trip: { readonly fee_ratio: number }
  readonly warnings: readonly string[]
}

t.test('a preview shows steps, worst case and fees, and changes nothing', async (t) => {
  const scene = new Scene()
  const before = scene.journal.length
  const config = { max_investment: 10_000, center_price: 10, price_interval: 0.03 }
  const [answer] = answered(scene.ask({ kind: 'gridPreview', code: '600036', top: {}, config }))
  t.equal(scene.journal.length, before)
  const { buys, worst_case, round_trip } = answer as unknown as Shown
  t.strictSame(
    buys.map(({ price, volume }) => `${volume}@${price}`),
    ['200@9.69', '200@9.39', '200@9.1', '200@8.82', '200@8.55', '100@8.29'],
    'each from the center that the one before has set',
  )
  t.ok(buys.every(({ cash }) => cash <= 10_100))
  t.equal(worst_case.volume, 1_000)
  t.ok(worst_case.loss > 0)
  t.match(round_trip, { volume: 200, gain: 58 })
  t.ok(round_trip.fee_ratio > 0.1, 'two least commissions and the duty')
  const off = new Scene(policy)
  const [unheld] = answered(
    off.ask({
      kind: 'gridPreview',
      code: '000001',
      top: {},
      config: { ...config, max_investment: 900 },
    }),
  )
  const texts = (unheld as unknown as Shown).warnings.join('\n')
  for (const words of [/未持有/, /总开关关闭/, /没有行情/, /不足一次买入/]) t.match(texts, words)
})

const exit = (signalType: SignalType, quantity: number) => ({
  signalType,
  code: BANK,
  side: 'sell' as const,
  quantity: quantity as Quantity,
  priceType: 11,
  price: yuan(10),
  signalPrice: yuan(10),
})

t.test('in simulation mode a full exit pauses the simulated grid, by the same rule', async (t) => {
  for (const [signalType, isWanted, expected] of [
    ['take_profit_full', true, false],
    ['stop_loss', true, false],
    ['take_profit_half', true, true],
    ['take_profit_full', false, true],
  ] as const) {
    const scene = withGrid()
    inSimulation(scene, true)
    scene.start()
    const changes = { pauseGridAfterTakeProfitFull: isWanted }
    const request = { kind: 'saveConfig' as const, changes, source: 'test' }
    scene.input({ kind: 'request', ref: 5, request })
    scene.signal(exit(signalType, 100))
    const simulated = scene.journal.map(({ event }) => event)
    t.match(
      simulated.filter(({ kind }) => kind === 'orderSimulated'),
      [{ signalType }],
    )
    t.match(scene.session, { isSimulated: true, isEnabled: expected, status: 'active' })
    t.match(scene.state.grid.sessions.get(1), { isEnabled: true }, 'not the other one')
    const switched = scene.events('gridSwitched')
    t.match(switched, expected ? [] : [{ isEnabled: false, source: signalType }])
    t.equal(switched.length, expected ? 0 : 1, 'once')
  }
})

const inSimulation = (scene: Scene, simulationMode: boolean) =>
  scene.input({
    kind: 'request',
    ref: 6,
    request: { kind: 'saveConfig', changes: { simulationMode }, source: 'test' },
  })

t.test(
  'a simulated order is booked at once, and changes simulated holdings, cash and records',
  async (t) => {
    const scene = new Scene()
    scene.start()
    inSimulation(scene, true)
    scene.start()
    const cash = Number(scene.state.simulation?.cash)
    t.strictSame(scene.ticks(...RISE), [], 'nothing reaches the trading client')
    const tradeId = `GRID_SIM_SELL_${scene.nowMs}`
    t.match(scene.events('gridBooked'), [
      { trade: { sessionId: 2, tradeId, quantity: 200, price: yuan(10.54) } },
    ])
    t.match(scene.session, { isSimulated: true, sellCount: 1, currentCenter: yuan(10.54) })
    t.equal(scene.state.grid.open.size, 0)
    t.equal(scene.state.simulation?.positions.get(BANK)?.quantity, 800)
    t.equal(scene.state.positions.get(BANK)?.quantity, 1_000)
    t.ok(Number(scene.state.simulation?.cash) > cash)
    const records = scene.journal.flatMap(({ event }) =>
      event.kind === 'orderSimulated' ? [event.record] : [],
    )
    t.match(records, [{ strategy: 'grid', dealId: tradeId, orderId: tradeId, quantity: 200 }])
    t.match(scene.state.grid.sessions.get(1), { sellCount: 0, isSimulated: false }, 'not the other')
    inSimulation(scene, false)
    t.match(ask(scene, { about: 'status', code: '600036', echo: '600036' }), { session_id: 1 })
  },
)
