import t from 'tap'
import type { StockCode } from '../../src/domain/instrument.ts'
import type { Price } from '../../src/domain/money.ts'
import { PRICE_TYPES } from '../../src/domain/order.ts'
import {
  auctionFault,
  boundedBy,
  isTakenBy,
  priceTypeFault,
  protectionOf,
  takesProtection,
} from '../../src/domain/price-type.ts'
import { limitsInForce } from '../../src/domain/rules.ts'

const CODES = {
  SH: '600036.SH',
  STAR: '688981.SH',
  CDR: '689009.SH',
  SZ: '000001.SZ',
  BJ: '920118.BJ',
  fund: '588000.SH',
  bond: '113050.SH',
} as const satisfies Record<string, string>
const code = (name: keyof typeof CODES) => CODES[name] as StockCode
const yuan = (value: number) => Math.round(value * 10_000) as Price

t.test('each exchange takes its own kinds of price', async (t) => {
  const taken = {
    SH: [5, 11, 42, 43, 44, 45],
    STAR: [5, 11, 42, 43, 44, 45],
    SZ: [5, 11, 44, 45, 46, 47, 48],
    BJ: [5, 11, 42, 43, 44, 45],
  } as const
  for (const [name, types] of Object.entries(taken)) {
    const found = [...PRICE_TYPES].filter((type) =>
      isTakenBy(code(name as keyof typeof CODES), type),
    )
    t.strictSame(found, types, name)
  }
})

t.test('a refusal names where the type works and what works here, in both languages', async (t) => {
  t.equal(
    priceTypeFault(code('SH'), 47),
    '报价类型 47 仅适用于深圳；上海请用 42，或用 11 并给出 price (price type 47 works in Shenzhen; in Shanghai use 42, or 11 with a price)',
  )
  t.equal(
    priceTypeFault(code('BJ'), 48),
    '报价类型 48 仅适用于深圳；北京请用 11 并给出 price (price type 48 works in Shenzhen; in Beijing use 11 with a price)',
  )
  for (const name of ['SH', 'SZ', 'BJ'] as const) {
    for (const type of PRICE_TYPES) {
      const fault = priceTypeFault(code(name), type)
      t.equal(fault === undefined, isTakenBy(code(name), type))
      const instead = /请用 (\d+)，/.exec(fault ?? '')?.[1]
      if (instead !== undefined) t.ok(isTakenBy(code(name), Number(instead)), `${name} ${fault}`)
    }
  }
})

t.test('F395 the closing auction takes limits only, and says so', async (t) => {
  const closingMs = Date.parse('2026-08-11T14:58:00+08:00')
  for (const type of PRICE_TYPES) {
    const isLimit = type === 5 || type === 11
    t.equal(auctionFault(code('SZ'), type, closingMs) === undefined, isLimit, `${type}`)
    t.equal(auctionFault(code('SZ'), type, closingMs - 2 * 60_000), undefined)
    t.equal(auctionFault(code('fund'), type, closingMs), undefined, 'Shanghai has none for funds')
  }
  t.equal(
    auctionFault(code('SH'), 42, closingMs),
    '收盘集合竞价（14:57-15:00）不接受市价委托 42；请用 11 并给出 price，或用 5 (the closing auction, 14:57-15:00, takes no market order, price type 42; use 11 with a price, or 5)',
  )
})

t.test('a worst price goes along with market orders on STAR and in Beijing only', async (t) => {
  for (const type of [42, 43, 44, 45]) {
    for (const name of ['STAR', 'CDR', 'BJ'] as const) t.ok(takesProtection(code(name), type))
    for (const name of ['SH', 'SZ', 'fund', 'bond'] as const)
      t.notOk(takesProtection(code(name), type))
  }
  t.notOk(takesProtection(code('STAR'), 5))
  t.notOk(takesProtection(code('STAR'), 11))
})

t.test('without one it is the limit of the day, if there is one', async (t) => {
  const close = { lastClose: yuan(50), lastPrice: yuan(51), name: '' }
  const limits = limitsInForce(code('STAR'), '2026-08-11', close)
  t.equal(protectionOf('buy', limits), yuan(60))
  t.equal(protectionOf('sell', limits), yuan(40))
  const first = limitsInForce(code('STAR'), '2026-08-11', { ...close, lastPrice: yuan(90) })
  t.equal(protectionOf('buy', first), 0, 'first days of a listing')
})

t.test('nothing trades beyond a worst price', async (t) => {
  t.equal(boundedBy('buy', yuan(51), yuan(50)), yuan(50))
  t.equal(boundedBy('buy', yuan(49), yuan(50)), yuan(49))
  t.equal(boundedBy('sell', yuan(49), yuan(50)), yuan(50))
  t.equal(boundedBy('sell', yuan(51), yuan(50)), yuan(51))
  t.equal(boundedBy('buy', yuan(51), yuan(0)), yuan(51), 'none')
})
