import t from 'tap'
import { AUDIT_KINDS } from '../../src/account/answers/audit.ts'
import { ordersIn, readable, subjectOf } from '../../web/console/audit-words.ts'
import { events } from '../../web/console/texts/events.ts'
import { rooms } from '../../web/console/texts/rooms.ts'

const KEY = '01M7VAXQ4R8ZT2B6C9D1E3F5G7'
const OTHER = '01M7VAXQ4R8ZT2B6C9D1E3F5H8'

t.test('every event of the journal is named in both languages', async (t) => {
  t.strictSame(Object.keys(events).sort(), AUDIT_KINDS.map((kind) => `event.${kind}`).sort())
  for (const [kind, [zh, en]] of Object.entries(events)) {
    t.match(zh, /^[\u3400-\u9fff]{2,9}$/, kind)
    t.match(en, /^[A-Z][\w :-]+$/, kind)
  }
})

t.test('F865 what the service does by itself is told with who did it, in words', async (t) => {
  for (const source of ['unheard_fill', 'service/stop', 'service/follower-left'])
    t.match(rooms[`source.${source}` as keyof typeof rooms]?.[0], /^[\u3400-\u9fff]+$/, source)
})

t.test('orders are known by what any entry tells of them', async (t) => {
  const known = ordersIn([
    { order: { clientOrderId: KEY, code: '600036.SH', orderId: '' } },
    { clientOrderId: KEY, report: { orderId: '1000001' } },
    { clientOrderId: OTHER, stockCode: '000001.SZ' },
    null,
    'text',
  ])
  t.strictSame(known.get(KEY), { orderId: '1000001', code: '600036.SH' })
  t.strictSame(known.get(OTHER), { orderId: '', code: '000001.SZ' })
  t.strictSame(subjectOf({ clientOrderId: KEY }, known), { orderId: '1000001', code: '600036.SH' })
  t.strictSame(subjectOf({ position: { code: '000001.SZ' } }, known), {
    orderId: '',
    code: '000001.SZ',
  })
  const denied = { code: 'LOT_SIZE', stockCode: '600036.SH' }
  t.strictSame(subjectOf(denied, known), { orderId: '', code: '600036.SH' })
  t.strictSame(subjectOf({ day: '2026-08-11' }, known), { orderId: '', code: '' })
})

t.test('a summary names stocks and numbers, never our keys', async (t) => {
  const orders = ordersIn([{ clientOrderId: KEY, orderId: '1000001' }])
  const nameOf = (code: string) => (code.startsWith('600036') ? '招商银行' : code.slice(0, 6))
  const read = (summary: string) => readable(summary, { orders, nameOf })
  t.equal(
    read(`发出委托 ${KEY}：买入 600036.SH 100 股`),
    '发出委托 1000001：买入 招商银行 600036 100 股',
  )
  t.equal(read(`委托 ${OTHER} 已接受`), '委托 …E3F5H8 已接受')
  t.equal(read('持仓 000001.SZ 已清空'), '持仓 000001 已清空')
})
