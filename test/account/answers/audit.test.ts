import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { AUDIT_KINDS, auditEntry } from '../../../src/account/answers/audit.ts'
import type { AccountEvent, HoldingFields } from '../../../src/account/model/events.ts'
import { inBoth } from '../../../src/domain/in-both.ts'
import type { StockCode } from '../../../src/domain/instrument.ts'
import { isMarketMark } from '../../../src/domain/market-mark.ts'
import type { Quantity } from '../../../src/domain/money.ts'
import { VENUE_STATUS, type VenueStatus } from '../../../src/domain/order.ts'
import { BANK, MORNING_MS, yuan } from '../fixture.ts'
import { BY, SAMPLES } from './event-samples.ts'

/** No amount of shares in the samples is that large: a number of this size is money that was not turned into yuan. */
const UNITS = 10_000

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
  const text = ['events.ts', 'grid-events.ts', 'order-moved.ts']
    .map((file) => readFileSync(join(room, file), 'utf8'))
    .join('\n')
  const named = [...text.matchAll(/readonly kind: '(\w+)'/g)]
  const kinds = named.map(([, kind]) => kind ?? '').sort()
  t.ok(kinds.length > 15)
  t.strictSame([...AUDIT_KINDS].sort(), kinds)
  t.strictSame(Object.keys(SAMPLES).sort(), kinds)
})

t.test('F528 an order that was never sent is the doing of the service', async (t) => {
  const moved = { ...SAMPLES.orderMoved, event: 'reject', message: '', source: undefined } as const
  const { source: _, ...refused } = moved
  const [told, never] = [shown(refused), shown({ ...refused, isTooLate: true })]
  t.match(told, { source: 'broker', summary: /被交易客户端拒绝/ })
  t.match(never, { source: 'service', summary: /未发往交易客户端/ })
})

t.test('every event says who, when and what, Chinese first, with money in yuan', async (t) => {
  for (const event of Object.values(SAMPLES)) {
    const entry = shown(event)
    const { kind } = event
    t.match(entry, { seq: 1, time: '2026-08-11 10:00:00', epoch: 2, kind, hash: 'aa' })
    t.not(entry.source, '', `${kind}: source`)
    if ('source' in event) t.equal(entry.source, event.source)
    t.match(entry.summary, /^[\u4e00-\u9fff].* \([a-z].*\)/, entry.summary)
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
    [SAMPLES.positionReported, /900 → 1,000 股/],
    [
      SAMPLES.exDayFollowed,
      /除权除息日 2026-08-12：前收盘 36\.00，昨收价 32\.73，最高价 36\.00 → 32\.73，止损按成本 31\.91 \(ex day of/,
    ],
    [SAMPLES.killSwitchSet, /^急停：关闭 → 停止买入：loss \(kill switch, off → entries\)$/],
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
      summary: '急停：关闭 → 停止买入：“吃饭 (back at one)” (kill switch, off → entries)',
      summary_zh: '急停：关闭 → 停止买入：“吃饭 (back at one)”',
      summary_en: 'kill switch, off → entries: “吃饭 (back at one)”',
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

t.test('F809 every figure of an entry is told in English too', async (t) => {
  const KEYS = /\b[0-9A-HJKMNP-TV-Z]{26}\b/g
  for (const event of Object.values(SAMPLES)) {
    const { summary_zh: zh, summary_en: en } = shown(event)
    const figures = zh.replace(KEYS, '').match(/\d[\d,.:-]*/g) ?? []
    t.strictSame(
      figures.filter((figure) => !en.includes(figure)),
      [],
      `${event.kind}: ${zh} | ${en}`,
    )
  }
  const message = '卖出权限已关闭 (allowSell is off)'
  t.equal(
    shown({ ...SAMPLES.orderDenied, message }).summary_en,
    'order denied, sell 100 shares of 600036.SH at 36.50: allowSell is off [SELL_NOT_ALLOWED]',
  )
  t.equal(
    shown(SAMPLES.holdingChanged).summary_en,
    'holding changed, 600036.SH: high 36.00 → 37.00, stop 33.00 → 34.00',
  )
})

t.test(
  'F911 what the client reports of an order, and why, is told in words of both languages',
  async (t) => {
    const { report } = SAMPLES.orderReported
    const said = (status: VenueStatus, statusMessage: string) =>
      inBoth(
        shown({ ...SAMPLES.orderReported, report: { ...report, status, statusMessage } }).summary,
      )
    t.match(said(57, '资金不足'), {
      zh: /回报 57 废单：“资金不足”$/,
      en: 'reported: 57, rejected: “资金不足”',
    })
    const moved = { ...SAMPLES.orderMoved, event: 'reject', message: '资金不足' } as const
    t.equal(inBoth(shown(moved).summary).en, 'rejected: “资金不足”')
    t.match(said(56, VENUE_STATUS[56]), { zh: /回报 56 已成$/, en: 'reported: 56, filled' })
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

t.test('F739 shares are told with the thousands apart, as money is', async (t) => {
  const { position } = SAMPLES.positionReported
  const many = { ...position, quantity: 12_300 as Quantity, sellable: 12_000 as Quantity }
  const summary = (event: AccountEvent) => shown(event).summary
  t.match(summary({ kind: 'positionReported', position: many }), /：12,300 股，可卖 12,000 /)
  const deal = { ...SAMPLES.dealBooked.deal, quantity: 1_000 as Quantity }
  t.match(summary({ ...SAMPLES.dealBooked, deal }), / 1,000 股，/)
})

t.test('F751 shares of a grid, too, are told with the thousands apart', async (t) => {
  const { gridOrderPlaced: placed, gridBooked: booked } = SAMPLES
  const order = { ...placed.order, requested: 12_300 as Quantity }
  t.match(shown({ ...placed, order }).summary, / 12,300 股 /)
  const trade = { ...booked.trade, quantity: 1_000 as Quantity }
  t.match(shown({ ...booked, trade }).summary, / 1,000 股，/)
})

t.test('F944 of many holdings whose costs are taken at once some are named', async (t) => {
  const takenOf = (count: number) =>
    Array.from({ length: count }, (_, at) =>
      SAMPLES.costsTaken.taken.map((one) => ({ ...one, code: `${600_000 + at}.SH` as StockCode })),
    ).flat()
  const read = (count: number) => shown({ ...SAMPLES.costsTaken, taken: takenOf(count) })
  const few = read(8).summary
  t.match(
    few,
    /客户端：600000\.SH、.+600007\.SH \(.+client tells them: 600000\.SH, .+600007\.SH\)$/,
  )
  const { summary, body } = read(100)
  t.match(summary, /600007\.SH 等 100 只 \(.+600007\.SH and others, 100 holdings\)$/)
  t.notMatch(summary, /600008/)
  t.match(body, { taken: { length: 100 } }, 'the entry itself has them all')
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
