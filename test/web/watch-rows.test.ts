import t from 'tap'
import { listText, readable, rowOf, stocksIn, WATCHED_MAX } from '../../web/console/watch-rows.ts'

const BANK = { code: '600036.SH', name: '招商银行' }

t.test('what is no list in the browser is none', async (t) => {
  t.strictSame(readable(undefined), [])
  t.strictSame(readable({ code: '600036.SH' }), [])
  t.strictSame(readable([BANK, null, 7, { code: 'x' }, { code: '600036.SH' }]), [BANK])
  const many = Array.from({ length: WATCHED_MAX + 1 }, (_, i) => ({
    code: `${600_000 + i}.SH`,
    name: '',
  }))
  t.equal(readable(many).length, WATCHED_MAX)
})

t.test('a quote that says nothing is no price of nothing', async (t) => {
  t.match(rowOf(BANK, undefined), { price: undefined, change: undefined })
  const halted = {
    lastPrice: 0,
    lastClose: 36,
    open: 0,
    high: 0,
    low: 0,
    volume: 0,
    time: 1,
  } as never
  t.match(rowOf(BANK, halted), { price: undefined, change: undefined, open: undefined })
  const traded = { lastPrice: 45, lastClose: 36, open: 36, high: 46, low: 35, time: 1 } as never
  t.match(rowOf(BANK, traded), { price: 45, change: 25 })
})

t.test('a list goes to another browser as text and back', async (t) => {
  const list = [BANK, { code: '430047.BJ', name: '' }, { code: '000002.SZ', name: '万科A' }]
  t.equal(listText(list), '600036.SH 招商银行\n430047.BJ\n000002.SZ 万科A')
  t.strictSame(stocksIn(listText(list)), list)
  t.strictSame(stocksIn('sh600036，SZ.000002;600036.sh\t万科'), [
    { code: '600036.SH', name: '万科' },
    { code: '000002.SZ', name: '' },
  ])
  t.strictSame(
    stocksIn('招商银行 600036 12345678.SH <b>'),
    [],
    'a code without its exchange is none',
  )
  t.strictSame(stocksIn(''), [])
})

t.test('a name with blanks, as exchanges pad them, is taken along whole', async (t) => {
  const list = [
    { code: '000858.SZ', name: '五 粮 液' },
    { code: '000002.SZ', name: '万  科Ａ' },
  ]
  t.strictSame(
    stocksIn(listText(list)).map(({ name }) => name),
    ['五粮液', '万科Ａ'],
  )
})
