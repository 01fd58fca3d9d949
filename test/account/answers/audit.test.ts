import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { AUDIT_KINDS, auditEntry } from '../../../src/account/answers/audit.ts'
import type { AccountEvent, HoldingFields } from '../../../src/account/model/events.ts'
import type { Decision } from '../../../src/account/strategies/stop-profit/trace.ts'
import { isMarketMark } from '../../../src/domain/market-mark.ts'
import type { Money, Quantity } from '../../../src/domain/money.ts'
import type { OrderRecord } from '../../../src/domain/order.ts'
import type { Position } from '../../../src/domain/position.ts'
import { BANK, brokerDeal, brokerOrder, KEY, keyOf, MORNING_MS, yuan } from '../fixture.ts'
import { gridSamples } from '../strategies/grid/samples.ts'

type Kind = AccountEvent['kind']
type Samples = { readonly [K in Kind]: Extract<AccountEvent, { kind: K }> }

/** No amount of shares in the samples is that large: a number of this size is money that was not turned into yuan. */
const UNITS = 10_000

const order: OrderRecord = {
  clientOrderId: KEY,
  orderId: '1001',
  code: BANK,
  side: 'buy',
  quantity: 100 as Quantity,
  priceType: 11,
  price: yuan(36.5),
  strategy: 'manual',
  status: 'submitted',
  venueStatus: 48,
  statusMessage: '',
  filledQuantity: 100 as Quantity,
  filledAmount: yuan(3_650) as number as Money,
  createdMs: MORNING_MS,
  updatedMs: MORNING_MS,
  day: '2026-08-11',
  requestHash: 'h1',
}
const position: Position = {
  code: BANK,
  name: '招商银行',
  quantity: 1_000 as Quantity,
  sellable: 900 as Quantity,
  costPrice: yuan(35.1),
  baseCostPrice: yuan(35),
  highestPrice: yuan(37),
  stopLossPrice: yuan(33),
  profitTriggered: false,
  breakoutTriggered: false,
  breakoutHighestPrice: yuan(38),
  stopProfitEnabled: true,
  openDate: '2026-08-03 00:00:00',
  actedTickMs: MORNING_MS,
  updatedMs: MORNING_MS,
}
const record = {
  id: 1,
  code: BANK,
  name: '招商银行',
  timeMs: MORNING_MS,
  side: 'buy',
  price: yuan(36.5),
  quantity: 100 as Quantity,
  amount: yuan(3_650) as number as Money,
  fee: yuan(5) as number as Money,
  dealId: 'd1',
  orderId: '1001',
  strategy: 'manual',
} as const
const ORDERED = { clientOrderId: KEY } as const
const BY = { source: 'http/direct/127.0.0.1' } as const

const DECISION: Decision = {
  timeMs: MORNING_MS,
  code: BANK,
  cause: 'tick',
  health: 'healthy_enough',
  inputs: {
    price: yuan(32),
    quoteMs: MORNING_MS,
    costPrice: yuan(35.1),
    highestPrice: yuan(36),
    quantity: 100 as Quantity,
    sellable: 100 as Quantity,
    profitTriggered: false,
    breakoutTriggered: false,
    breakoutHighestPrice: yuan(0),
  },
  gates: {
    isInSession: true,
    isQuoteTrusted: true,
    isReady: true,
    isMasterOn: true,
    isModuleOn: true,
    isTradingOn: true,
    isStockOn: true,
    isFreeOfOrders: true,
  },
  isBreakerOpen: false,
  verdicts: [
    { code: 'stop_loss', price: yuan(32), threshold: yuan(32.4675) },
    { code: 'order_sell', price: yuan(32), threshold: yuan(0) },
  ],
}

/** One event of every kind. The compiler asks for a new one when a kind is added. */
const SAMPLES: Samples = {
  actorStarted: { kind: 'actorStarted', incarnation: 3 },
  dayOpened: { kind: 'dayOpened', day: '2026-08-11', keepFromMs: MORNING_MS },
  restoreFound: { kind: 'restoreFound', mark: 'epoch 8', fromEpoch: 2, clientEpoch: 7 },
  restoreCompared: { kind: 'restoreCompared', mark: 'epoch 8', differences: 3 },
  restoreConfirmed: { kind: 'restoreConfirmed', mark: 'epoch 8', ...BY },
  dayTakenBack: { kind: 'dayTakenBack', day: '2026-08-11', before: '2026-08-15' },
  clockDoubted: { kind: 'clockDoubted', offMs: 345_600_000 },
  clockTrusted: { kind: 'clockTrusted', shiftMs: 0 },
  connected: { kind: 'connected' },
  disconnected: { kind: 'disconnected', reason: 'gone' },
  settingsChanged: {
    kind: 'settingsChanged',
    changes: [
      { setting: 'ENABLE_ALLOW_BUY', before: true, after: false },
      { setting: 'POSITION_UNIT', before: 1_000, after: 2_000 },
    ],
    ...BY,
  },
  fillNoted: {
    kind: 'fillNoted',
    recordId: 12,
    code: BANK,
    before: '试仓',
    note: '按计划\n减仓',
    ...BY,
  },
  riskChanged: {
    kind: 'riskChanged',
    changes: [
      { limit: 'max_order_value', before: 0, after: 25_000_000, isFiles: false },
      { limit: 'stale_quote_seconds', before: 30_000, after: 60_000, isFiles: true },
    ],
    ...BY,
  },
  orderDenied: {
    kind: 'orderDenied',
    ...ORDERED,
    stockCode: BANK,
    side: 'sell',
    quantity: 100,
    priceType: 11,
    price: yuan(36.5),
    strategy: 'manual',
    code: 'SELL_NOT_ALLOWED',
    message: '卖出权限已关闭',
    ...BY,
  },
  keyWithdrawn: { kind: 'keyWithdrawn', clientOrderId: KEY, ...BY },
  orderSubmitted: { kind: 'orderSubmitted', order, ...BY },
  batchAdvanced: {
    kind: 'batchAdvanced',
    key: KEY,
    clientOrderIds: [KEY],
    isSent: false,
    refusals: ['1 只未发出'],
    ...BY,
  },
  batchPlaced: {
    kind: 'batchPlaced',
    key: KEY,
    batch: {
      requestHash: 'h1',
      clientOrderIds: [KEY],
      total: 2,
      refusals: ['no price'],
      createdMs: MORNING_MS,
    },
    ...BY,
  },
  orderMoved: {
    kind: 'orderMoved',
    ...ORDERED,
    event: 'requestCancel',
    orderId: '',
    message: '',
    before: 'accepted',
    ...BY,
  },
  orderReported: {
    kind: 'orderReported',
    ...ORDERED,
    report: brokerOrder({ filledAmount: yuan(3_650) as number as Money, status: 57 }),
    before: 'accepted',
  },
  orderWarned: { kind: 'orderWarned', ...ORDERED, text: 'look' },
  orderUntold: { kind: 'orderUntold', clientOrderIds: [KEY], source: 'front' },
  orderTold: { kind: 'orderTold', clientOrderIds: [KEY], source: 'front' },
  orderQuarantined: { kind: 'orderQuarantined', ...ORDERED, candidates: ['7'], reason: 'two' },
  orderRenumbered: { kind: 'orderRenumbered', ...ORDERED, orderId: '9', formerId: '7' },
  doubtDecided: { kind: 'doubtDecided', ...ORDERED, orderId: '7', ...BY },
  tokenChanged: {
    kind: 'tokenChanged',
    number: 1,
    timeMs: 0,
    act: 'revoked',
    name: 'wall',
    scope: 'view',
    accounts: [],
    by: 'steward token/me',
  },
  gatewayModuleSet: {
    kind: 'gatewayModuleSet',
    isEnabled: true,
    ...BY,
    ratios: { stopLossRatio: -0.08, breakoutRatio: 0.05, pullbackRatio: 0.005, sellRatio: 0.6 },
  },
  orderSimulated: { kind: 'orderSimulated', ...ORDERED, record, signalType: 'stop_loss', ...BY },
  costsTaken: {
    kind: 'costsTaken',
    taken: [
      { code: BANK, name: '招商银行', quantity: 100 as Quantity, cost: null, reason: 'found' },
    ],
  },
  signalFilled: { kind: 'signalFilled', ...ORDERED },
  decisionMade: { kind: 'decisionMade', ...ORDERED, decision: DECISION },
  orderKept: { kind: 'orderKept', ...ORDERED, keptFor: 'place', reason: 'at the limit' },
  orderAmended: {
    kind: 'orderAmended',
    ...ORDERED,
    stockCode: BANK,
    amendment: {
      clientOrderId: keyOf(1),
      requestHash: 'h2',
      quantity: 300 as Quantity,
      priceType: 11,
      price: yuan(36.2),
      source: 'desk',
      until: { nowMs: MORNING_MS, wallMs: MORNING_MS },
      outcome: 'canceling',
      reason: '',
    },
    source: 'desk',
  },
  amendmentEnded: { kind: 'amendmentEnded', ...ORDERED, outcome: 'dropped', reason: 'too late' },
  reorderDropped: { kind: 'reorderDropped', ...ORDERED, reason: 'three times' },
  orderAdopted: { kind: 'orderAdopted', order },
  dealBooked: {
    kind: 'dealBooked',
    key: 'd',
    deal: brokerDeal(),
    ...ORDERED,
    record,
    before: { status: 'accepted', filledQuantity: 0 as Quantity },
  },
  positionReported: {
    kind: 'positionReported',
    position,
    before: { quantity: 900 as Quantity, sellable: 800 as Quantity, costPrice: yuan(35) },
  },
  positionClosed: { kind: 'positionClosed', code: BANK },
  holdingChanged: {
    kind: 'holdingChanged',
    code: BANK,
    fields: { highestPrice: yuan(37), stopLossPrice: yuan(34) },
    before: { highestPrice: yuan(36), stopLossPrice: yuan(33) },
    source: 'market',
  },
  exDayFollowed: {
    kind: 'exDayFollowed',
    code: BANK,
    fields: {
      highestPrice: yuan(32.73),
      breakoutHighestPrice: yuan(0),
      stopLossPrice: yuan(28.47),
      effectiveCost: yuan(31.91),
      exDay: {
        day: '2026-08-12',
        source: 'market',
        factor: { to: 327_300, of: 360_000 },
        isCostAdjusted: false,
        sinceMs: MORNING_MS,
        before: {
          highestPrice: yuan(36),
          breakoutHighestPrice: yuan(0),
          costPrice: yuan(35.1),
          thresholdCost: yuan(35.1),
          quantity: 1_000 as Quantity,
        },
      },
    },
    before: { highestPrice: yuan(36) },
  },
  recordsCleared: { kind: 'recordsCleared', scope: 'today', ids: [9, 8, 7], ...BY },
  killSwitchSet: {
    kind: 'killSwitchSet',
    before: 'off',
    level: 'entries',
    reason: 'loss',
    trigger: 'max_daily_loss',
    value: yuan(500),
    source: 'trigger:max_daily_loss',
  },
  protectiveLimitNeared: {
    kind: 'protectiveLimitNeared',
    day: '2026-08-11',
    stage: 'near',
    count: 800,
    limit: 1_000,
  },
  dayTotalSeen: {
    kind: 'dayTotalSeen',
    day: '2026-08-11',
    total: yuan(900) as number as Money,
  },
  differenceFound: {
    kind: 'differenceFound',
    difference: {
      id: 1,
      timeMs: MORNING_MS,
      kind: 'position',
      key: BANK,
      ours: '',
      theirs: '100 股',
      resolution: 'adopted',
      whileAway: true,
    },
    keepFromId: 0,
  },
  ...gridSamples(BY.source),
}

function shown({ kind, ...body }: AccountEvent) {
  const place = { seq: 1, timeMs: MORNING_MS, epoch: 2, hash: 'aa', previous: '00' }
  return auditEntry({ ...place, kind, body })
}

/** Numbers of a JSON value with the name of their field. */
function numbers(value: unknown, name = ''): (readonly [string, number])[] {
  if (typeof value === 'number') return [[name, value]]
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, inner]) => numbers(inner, key))
}

t.test('every kind of event that the source names has a presentation and a sample', async (t) => {
  const room = join(import.meta.dirname, '..', '..', '..', 'src', 'account', 'model')
  const text = ['events.ts', 'grid-events.ts']
    .map((file) => readFileSync(join(room, file), 'utf8'))
    .join('\n')
  const named = [...text.matchAll(/readonly kind: '(\w+)'/g)]
  const kinds = named.map(([, kind]) => kind ?? '').sort()
  t.ok(kinds.length > 15)
  t.strictSame([...AUDIT_KINDS].sort(), kinds)
  t.strictSame(Object.keys(SAMPLES).sort(), kinds)
})

t.test('every event says who, when and what, Chinese first, with money in yuan', async (t) => {
  for (const event of Object.values(SAMPLES)) {
    const entry = shown(event)
    const { kind } = event
    t.match(entry, { seq: 1, time: '2026-08-11 10:00:00', epoch: 2, kind, hash: 'aa' })
    t.not(entry.source, '', `${kind}: source`)
    if ('source' in event) t.equal(entry.source, event.source)
    t.match(entry.summary, /^[\u4e00-\u9fff].* \([a-z ]+\)/, entry.summary)
    t.notMatch(entry.summary, /undefined|NaN|\[object/, `${kind}: ${entry.summary}`)
    t.strictSame(JSON.parse(JSON.stringify(entry.body)), entry.body, `${kind}: the body is JSON`)
    const units = numbers(entry.body).filter(([name, n]) => n >= UNITS && !name.endsWith('Ms'))
    t.strictSame(units, [], `${kind}: no number in ten-thousandths`)
  }
})

t.test('what changed is told with before and after', async (t) => {
  const table: [AccountEvent, RegExp][] = [
    [
      SAMPLES.riskChanged,
      /max_order_value 0 → 2500，stale_quote_seconds 30 → 60，恢复配置文件的值/,
    ],
    [SAMPLES.fillNoted, /成交 12（600036\.SH）的备注：“试仓” → “按计划 减仓” \(note/],
    [{ ...SAMPLES.fillNoted, note: '减仓 (as “planned”)' }, /→ “减仓 \(as 'planned'\)” \(note/],
    [{ ...SAMPLES.fillNoted, note: null }, /：“试仓” → 无 \(note/],
    [SAMPLES.settingsChanged, /ENABLE_ALLOW_BUY true → false，POSITION_UNIT 1000 → 2000/],
    [SAMPLES.holdingChanged, /最高价 36\.00 → 37\.00，止损价 33\.00 → 34\.00 /],
    [SAMPLES.positionReported, /900 → 1000 股/],
    [
      SAMPLES.exDayFollowed,
      /除权除息日 2026-08-12：前收盘 36\.00，昨收价 32\.73，最高价 36\.00 → 32\.73，止损按成本 31\.91 \(ex day\)/,
    ],
    [SAMPLES.killSwitchSet, /^急停：关闭 → 停止买入：loss \(kill switch\)$/],
    [
      SAMPLES.orderDenied,
      /卖出 600036\.SH 100 股，限价 36\.50：卖出权限已关闭 \[SELL_NOT_ALLOWED\]/,
    ],
    [SAMPLES.orderSubmitted, /买入 600036\.SH 100 股，限价 36\.5/],
    [SAMPLES.dealBooked, /价格 36\.50，金额 3,650\.00/],
  ]
  for (const [event, words] of table) t.match(shown(event).summary, words, event.kind)
  t.match(shown(SAMPLES.holdingChanged).body, {
    fields: { highestPrice: 37 },
    before: { highestPrice: 36 },
  })
  const told = (fields: HoldingFields, before: HoldingFields) =>
    shown({ kind: 'holdingChanged', code: BANK, fields, before, source: 'market' }).summary
  const [low, high] = [yuan(36), yuan(37)]
  t.match(
    told({ highestPrice: high, stopLossPrice: low, actedTickMs: 9 }, { stopLossPrice: low }),
    /：最高价 37\.00 \(holding/,
    'what stayed the same is not told, nor is the tick',
  )
  t.match(told({ actedTickMs: 0 }, {}), /：已处理行情 1970-01-01 08:00:00 \(/)
  t.match(told({ stopProfitEnabled: false }, { stopProfitEnabled: true }), /止盈止损 是 → 否/)
  const marks = Object.values(SAMPLES).filter((event) => isMarketMark(event.kind, event))
  t.strictSame(marks, [SAMPLES.holdingChanged], 'what the market moves by itself')
  t.notOk(isMarketMark('holdingChanged', { source: BY.source }), 'not what a person has changed')
  t.match(shown(SAMPLES.orderMoved).body, { before: 'accepted' })
  t.equal(shown(SAMPLES.orderMoved).source, BY.source, 'a cancel has somebody who wanted it')
})

t.test(
  'an entry is told in each language alone, and what a person has written stays whole',
  async (t) => {
    const by = { ...SAMPLES.killSwitchSet, reason: '吃饭 (back at one)', source: 'http/direct/::1' }
    t.match(shown(by), {
      summary: '急停：关闭 → 停止买入：“吃饭 (back at one)” (kill switch)',
      summary_zh: '急停：关闭 → 停止买入：“吃饭 (back at one)”',
      summary_en: 'kill switch: “吃饭 (back at one)”',
    })
    t.match(shown(SAMPLES.orderDenied), {
      summary_zh: /：卖出权限已关闭 \[SELL_NOT_ALLOWED\]$/,
      summary_en: /^order denied/,
    })
    for (const event of Object.values(SAMPLES)) {
      const { summary_zh: zh, summary_en: en } = shown(event)
      t.notMatch(zh, /[\u3400-\u9fff][^“]* \([^)]*[a-z]{2}/, event.kind)
      t.ok(zh.length > 0 && en.length > 0, event.kind)
    }
  },
)

t.test('what a trigger counted is money only where it counts money', async (t) => {
  t.match(shown(SAMPLES.killSwitchSet).body, { value: 500 })
  const trigger = { trigger: 'max_rejects_in_row', value: 10 } as const
  t.match(shown({ ...SAMPLES.killSwitchSet, ...trigger }).body, { value: 10 })
})

t.test('thousands of cleared records are counted, not listed', async (t) => {
  t.strictSame(shown(SAMPLES.recordsCleared).body, {
    scope: 'today',
    count: 3,
    from: 7,
    to: 9,
    ...BY,
  })
})

t.test('an event of another release is shown as it is', async (t) => {
  const place = { seq: 1, timeMs: MORNING_MS, epoch: 2, hash: 'aa', previous: '00' }
  for (const [kind, body] of [
    ['futureEvent', { price: 365_000 }],
    ['orderSubmitted', { price: 365_000 }],
    ['toString', { price: 365_000 }],
  ] as const) {
    t.match(auditEntry({ ...place, kind, body }), {
      kind,
      summary: /无法识别/,
      body: { price: 36.5 },
    })
  }
})
