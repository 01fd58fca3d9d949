import t from 'tap'
import { orders, tradeRecords } from '../../../src/account/answers/direct.ts'
import type { View, ViewInputs } from '../../../src/account/answers/view.ts'
import { nameOf } from '../../../src/account/turn/holding.ts'
import type { StockCode } from '../../../src/domain/instrument.ts'
import type { Quantity } from '../../../src/domain/money.ts'
import { plainName } from '../../../src/domain/stock-filter.ts'
import { BANK, Bench, brokerPosition, KEY, ORDER, quote, refusals, yuan } from '../fixture.ts'
import { accepted, dealt } from '../play.ts'

const OTHER = '000001.SZ' as StockCode
const named = (bench: Bench, names: Record<string, string>) => bench.input({ kind: 'named', names })

t.test(
  'a stock is called as the broker calls it, else as the market data do, else by its digits',
  (t) => {
    const rows = [
      ['招行', { [BANK]: '招商银行' }, '招行'],
      ['', { [BANK]: '招商银行' }, '招商银行'],
      ['600036', { [BANK]: '招商银行' }, '招商银行'],
      ['600036.SH', { [BANK]: '招商银行' }, '招商银行'],
      ['', {}, '600036'],
      ['', { [OTHER]: '平安银行' }, '600036'],
    ] as const
    for (const [name, names, expected] of rows) {
      const bench = new Bench().ready([brokerPosition({ name })])
      named(bench, names)
      t.equal(nameOf(bench.state, BANK), expected, `${name} ${JSON.stringify(names)}`)
    }
    t.end()
  },
)

t.test('F93 names of the market data are in lists of orders and in new records', (t) => {
  const bench = new Bench().ready([brokerPosition({ name: '' })])
  const before = bench.state.dataVersion
  named(bench, { [BANK]: '招商银行' })
  t.ok(bench.state.dataVersion > before, 'readers look again')
  bench.place()
  bench.input(accepted(0))
  bench.input(dealt())
  const { state, nowMs } = bench
  const seen = (view: View, records: readonly unknown[] = []) =>
    JSON.parse(JSON.stringify(view({ state, nowMs, records } as unknown as ViewInputs))).data
  t.match(seen(orders), [{ client_order_id: KEY, stock_name: '招商银行' }])
  const [booked] = bench.journal.flatMap(({ event }) =>
    event.kind === 'dealBooked' ? [event.record] : [],
  )
  t.match(seen(tradeRecords, [booked]), [{ stock_name: '招商银行' }])
  t.end()
})

t.test('F140 a stock that was sold completely is called as it was', (t) => {
  const bench = new Bench().ready([brokerPosition({ name: '招商银行' })])
  const position = brokerPosition({ name: '招商银行', quantity: 0 as Quantity })
  bench.input({ kind: 'driver', event: { kind: 'positionPushed', position } })
  t.equal(bench.state.positions.has(BANK), false)
  t.equal(nameOf(bench.state, BANK), '招商银行')
  named(bench, { [BANK]: 'ST 招行' })
  t.equal(nameOf(bench.state, BANK), 'ST 招行', 'the market data know better')
  t.end()
})

t.test('F93 an order is judged by the limits that the terminal tells', (t) => {
  const limits = { lowerLimit: yuan(34.2), upperLimit: yuan(37.8) }
  const bench = new Bench().ready([brokerPosition({ sellable: 1_000 as Quantity })])
  const key = (n: number) => KEY.slice(0, -2) + String(n).padStart(2, '0')
  bench.quotes.set(BANK, { ...quote(36.5), ...limits })
  t.strictSame(refusals(bench.place({ ...ORDER, key: key(1), price: yuan(37.81) })), [
    'PRICE_LIMIT',
  ])
  t.strictSame(refusals(bench.place({ ...ORDER, key: key(2), price: yuan(37.8) })), [])
  const yesterday = { ...quote(36.5, bench.nowMs - 86_400_000), ...limits }
  bench.quotes.set(BANK, yesterday)
  t.notOk(
    refusals(bench.place({ ...ORDER, key: key(3), price: yuan(37.81) })).includes('PRICE_LIMIT'),
    'of yesterday: the table counts',
  )
  t.end()
})

t.test('F971 signs of a name that nobody sees turn no number behind it', (t) => {
  const hidden = '招商\u202e银\u200b行\u2066\t'
  const bench = new Bench().ready([brokerPosition({ name: hidden })])
  named(bench, { [OTHER]: '平安\u202e银行\u2028' })
  t.equal(nameOf(bench.state, BANK), '招商银行')
  t.equal(nameOf(bench.state, OTHER), '平安银行')
  const position = brokerPosition({ name: '招 行\u202d' })
  bench.input({ kind: 'driver', event: { kind: 'positionPushed', position } })
  t.equal(nameOf(bench.state, BANK), '招 行', 'blanks that are seen are left')
  const lost = brokerPosition({ name: '\u202e' })
  bench.input({ kind: 'driver', event: { kind: 'positionPushed', position: lost } })
  t.equal(nameOf(bench.state, BANK), '招 行', 'one of nothing else says nothing')
  t.equal(plainName('平\u202e安 银行\u200f'), '平安银行', 'that of a stock that is only looked for')
  t.end()
})
