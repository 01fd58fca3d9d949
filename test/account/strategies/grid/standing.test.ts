import t from 'tap'
import { sessionsAnswer } from '../../../../src/account/strategies/grid/answers/questions.ts'
import { gridStanding } from '../../../../src/account/strategies/grid/standing.ts'
import type { Outlook } from '../../../../src/account/strategies/standing.ts'
import type { Quantity } from '../../../../src/domain/money.ts'
import type { BrokerOrder } from '../../../../src/domain/order.ts'
import { BANK, policy, quote } from '../../fixture.ts'
import { look } from '../../play.ts'
import { canceled, DIP, gridOn, only, RISE, Scene, withGrid } from './scene.ts'

const outlook = ({ nowMs, quotes }: Scene, more: Partial<Outlook> = {}): Outlook => ({
  nowMs,
  quote: (code) => quotes.get(code),
  ...more,
})
const standing = (scene: Scene, more: Partial<Outlook> = {}) =>
  gridStanding(scene.state, scene.session, outlook(scene, more))

function started(): Scene {
  const scene = new Scene()
  scene.start()
  scene.tick(10)
  return scene
}

t.test('a grid says what it waits for: a level, and then the turn', async (t) => {
  const scene = started()
  t.match(standing(scene), {
    code: 'waits_level',
    zh: '等待越档：跌到 9.49 后回升买入 200 股，涨到 10.51 后回落卖出 200 股',
    en: 'waits for a level: buys 200 shares on the turn after 9.49, sells 200 shares on the turn after 10.51',
    reasons: [],
  })
  scene.ticks(RISE[0], RISE[1])
  t.match(standing(scene), {
    code: 'waits_callback',
    zh: '已越上档，等待回落：最高 10.60，跌到 10.54 卖出 200 股',
    en: 'above its level, waits for the turn: high 10.60, sells 200 shares at 10.54',
  })
  const other = started()
  other.ticks(DIP[0], DIP[1])
  t.match(standing(other).zh, '已越下档，等待回升：最低 9.40，升到 9.45 买入 200 股')
})

t.test('F769 shares of a grid are told in thousands', async (t) => {
  const scene = new Scene()
  scene.start({ trade_mode: 'shares', fixed_volume: 1_000, max_investment: 100_000 })
  scene.tick(10)
  t.match(standing(scene), {
    zh: /买入 1,000 股，.*卖出 1,000 股$/,
    en: /buys 1,000 shares .*, sells 1,000 shares /,
  })
  scene.take(only(scene, DIP))
  t.match(standing(scene), { zh: /在途：1,000 股/, en: /resting: 1,000 shares/ })
})

t.test('an order that rests is told with price, since when, and when it is canceled', async (t) => {
  const scene = started()
  scene.take(only(scene, DIP))
  t.match(standing(scene), {
    code: 'order_open',
    zh: '买入委托在途：200 股，价格 36.50，自 10:00:12，最迟 10:01:42 撤单',
    en: 'purchase resting: 200 shares at 36.50, since 10:00:12, canceled at 10:01:42 at the latest',
  })
})

t.test('a paused grid says since when, by whom, and that a person lets it go on', async (t) => {
  const scene = started()
  scene.enable(false)
  t.match(standing(scene), {
    code: 'paused',
    pause: { by: 'person', since: { source: 'test' } },
    zh: '人工暂停，自 2026-08-11 10:00:03。需人工恢复该网格',
    en: 'paused by a person since 2026-08-11 10:00:03. To go on: a person resumes the grid',
  })
  t.match(standing(scene).next?.buy, { quantity: 200 }, 'what it would do then')
  scene.enable(true)
  t.match(standing(scene), { code: 'waits_level', pause: undefined })
  t.notOk('pause' in scene.session, 'a pause that is over is forgotten')
})

t.test('by a rule, and by a release that did not note it', async (t) => {
  const scene = started()
  scene.enable(false)
  const { session } = scene
  const by = (source: string) => ({ ...session, pause: { sinceMs: scene.nowMs, source } })
  const of = (one: typeof session) => gridStanding(scene.state, one, outlook(scene))
  t.match(of(by('take_profit_full')).zh, /^动态止盈清仓后自动暂停，自 /)
  t.match(of(by('stop_loss')), {
    pause: { by: 'stop_loss' },
    en: /^paused by rule, after the stop-loss/,
  })
  t.match(of(by('unheard_fill')), {
    pause: { by: 'unheard_fill' },
    zh: /^委托过夜后成交不明，自动暂停，请在交易客户端核对成交，自 /,
  })
  const { pause: _, ...old } = session
  t.match(of(old), {
    pause: { by: 'unknown', since: undefined },
    zh: '已暂停。需人工恢复该网格',
  })
})

t.test('switches, kill switch, hours and quotes: why, and what would let it go on', async (t) => {
  const TABLE: readonly (readonly [string, (scene: Scene) => void, RegExp])[] = [
    [
      'grid_off',
      ({ state }) => {
        state.settings = { ...state.settings, ENABLE_GRID_TRADING: false }
      },
      /^自动网格已关闭。需打开自动网格$/,
    ],
    [
      'kill_switch',
      ({ state }) => {
        state.killSwitch = { ...state.killSwitch, level: 'all' }
      },
      /^急停生效（停止全部新委托）。需人工降低急停级别$/,
    ],
    [
      'outside_session',
      (scene) => {
        scene.nowMs += 8 * 3_600_000
      },
      /^非交易时段。恢复后自动继续$/,
    ],
    ['no_quote', ({ quotes }) => quotes.clear(), /^没有行情。/],
    ['no_price', ({ quotes }) => quotes.set(BANK, quote(0)), /^停牌或无最新价。/],
    ['holding_missing', (scene) => scene.holds(0), /^持仓已不在。/],
    [
      'not_ready',
      ({ state }) => {
        state.isReady = false
      },
      /^交易客户端未就绪。/,
    ],
  ]
  for (const [code, change, zh] of TABLE) {
    const scene = started()
    change(scene)
    const found = standing(scene)
    t.strictSame(
      found.reasons.map((reason) => reason.code),
      [code],
    )
    t.match(found, { code: 'held_back', zh }, code)
  }
  const suspended = standing(started(), { resting: 'suspended' })
  t.match(suspended.reasons, [{ code: 'suspended' }])
})

t.test('one that ends, or has ended, says so and has no next order', async (t) => {
  const scene = started()
  scene.take(only(scene, DIP))
  scene.stop()
  t.match(standing(scene), { code: 'stopping', next: undefined })
  const over = started()
  over.stop()
  t.match(standing(over), { code: 'stopped', zh: '已停止：手动停止', en: 'stopped: by hand' })
})

t.test('the list tells it in money and codes', async (t) => {
  const scene = started()
  scene.enable(false)
  const answer = sessionsAnswer({ state: scene.state, ...outlook(scene) })
  t.match(answer, {
    sessions: [
      {
        why_en: /^paused by a person since/,
        why: {
          state: 'paused',
          reasons: ['paused'],
          paused_since: '2026-08-11 10:00:03',
          paused_by: 'person',
          pause_source: 'test',
          goes_on_zh: '人工恢复该网格',
        },
        next_buy: {
          phase: 'level',
          level: 9.5,
          price: 9.49,
          sends_at: 9.54,
          volume: 200,
          blocked: null,
        },
        next_sell: { phase: 'level', level: 10.5, price: 10.51, volume: 200 },
      },
    ],
  })
})

t.test(
  'F923 a grid whose price stays between its levels for long is told as it is judged',
  async (t) => {
    const scene = new Scene({ ...gridOn, health: { ...gridOn.health, isObserveOnly: false } })
    scene.start()
    scene.ticks(10, 10)
    t.match(standing(scene), { reasons: [{ code: 'too_few_looks' }] })
    scene.tick(10)
    t.match(standing(scene), { code: 'waits_level', reasons: [] })
    scene.nowMs += 400_000
    scene.price(10.01)
    t.match(standing(scene), { code: 'waits_level', reasons: [] })
  },
)

/** A purchase that rests, sent so long before half past eleven. */
function beforeNoon(ms: number) {
  const scene = new Scene()
  scene.nowMs += 5_400_000 - ms - 12_000
  scene.start()
  scene.tick(10)
  const order = only(scene, DIP)
  const { clientOrderId, side, quantity } = order
  const row = { clientOrderId, side, quantity, orderId: scene.take(order) }
  const end = (more: Partial<BrokerOrder> = {}) => scene.report({ ...row, status: 54, ...more })
  return { scene, end }
}

t.test('F940 the time limit of a grid that ends in the break at noon ends behind it', async (t) => {
  const { scene } = beforeNoon(30_000)
  const told = { zh: /，最迟 13:01:00 撤单/, en: /, canceled at 13:01:00 at the latest/ }
  t.match(standing(scene), told)
  t.strictSame(canceled(scene.later(90_000)), [])
  t.match(standing(scene), told)
  t.strictSame(canceled(scene.later(5_310_000)), [])
  t.match(standing(scene), told)
  t.strictSame(canceled(scene.later(90_000)), ['91'])
})

t.test('F941 an order of a grid that does not rest is not told as one', async (t) => {
  const { scene, end } = beforeNoon(91_000)
  scene.later(90_000)
  t.match(standing(scene), {
    code: 'order_open',
    zh: '买入委托撤单中：200 股，价格 36.50，自 11:28:29',
    en: 'purchase being canceled: 200 shares at 36.50, since 11:28:29',
  })
  scene.nowMs += 5_000
  end()
  t.match(standing(scene), {
    code: 'order_open',
    zh: /^买入委托已结束，剩余 200 股待委托；/,
    en: /^purchase has ended, its rest of 200 shares is still to be sent; /,
  })
  const untold = beforeNoon(600_000)
  untold.end({ filledQuantity: 100 as Quantity })
  t.match(standing(untold.scene), {
    zh: '买入委托已结束，等待成交回报',
    en: 'purchase has ended, its fills are still to be told',
  })
})

t.test(
  'F943 an order of a grid at which nobody looks is not told as one that is canceled',
  async (t) => {
    const { scene } = beforeNoon(600_000)
    t.match(standing(scene).en, /, canceled at 11:21:30 at the latest$/)
    t.match(standing(scene, { resting: 'suspended' }), {
      zh: /，自 11:20:00；/,
      en: /, since 11:20:00; /,
    })
  },
)

t.test(
  'F947 an order of a grid in doubt that nobody looks for any more is told as one for a person',
  async (t) => {
    const scene = withGrid()
    scene.input({ kind: 'callTimedOut', callId: only(scene, RISE).callId })
    look(scene)
    t.match(standing(scene).en, /^the sale is in doubt and looked for: 200 shares/)
    const { doubtQuarantineMs } = policy.limits
    scene.nowMs += doubtQuarantineMs
    scene.wallMs += doubtQuarantineMs
    look(scene)
    t.match(standing(scene), {
      code: 'order_open',
      zh: /^卖出委托结果未知，无法自动核实，请按该委托的说明处理：200 股/,
      en: /^the sale is in doubt and cannot be cleared up, do as the order says: 200 shares/,
    })
  },
)
