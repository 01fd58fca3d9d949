import t from 'tap'
import {
  type Happening,
  happenings,
  SHOWN_MAX,
  type Sources,
  shownOf,
} from '../../web/console/happenings.ts'

const NOTHING: Sources = { today: '2026-08-11', fills: [], orders: [], refused: [], denials: [] }
const at = (clock: string, day = '2026-08-11') => `${day} ${clock}`
const refused = (fields: Partial<Sources['refused'][number]> = {}) =>
  ({
    stock_code: '600036.SH',
    stock_name: '招商银行',
    strategy: 'stop-profit',
    code: 'ORDER_VALUE',
    message: '委托金额超过单笔上限 (too much)',
    count: 37,
    first: at('09:31:00'),
    last: at('10:02:00'),
    ...fields,
  }) as Sources['refused'][number]
const denial = (time: string, body: object) => ({ time, body }) as Sources['denials'][number]
const fill = (clock: string, day?: string) =>
  ({
    stock_code: '600036',
    stock_name: '招商银行',
    trade_time: at(clock, day),
  }) as Sources['fills'][number]
const order = (clock: string) =>
  ({
    stock_code: '000001.SZ',
    stock_name: '平安银行',
    order_time: at(clock),
  }) as Sources['orders'][number]
const short = ({ kind, code, count, from, to }: Happening) =>
  `${kind} ${code} ${count} ${from.slice(11)}-${to.slice(11)}`

t.test('own fills come first, then orders and refusals, the newest first', async (t) => {
  const found = happenings({
    ...NOTHING,
    fills: [fill('09:40:00'), fill('09:50:00')],
    orders: [order('10:05:00'), order('09:30:01')],
    refused: [refused()],
  })
  t.strictSame(found.map(short), [
    'fill 600036 1 09:50:00-09:50:00',
    'fill 600036 1 09:40:00-09:40:00',
    'order 000001 1 10:05:00-10:05:00',
    'refused 600036 37 09:31:00-10:02:00',
    'order 000001 1 09:30:01-09:30:01',
  ])
})

t.test('only what is of today', async (t) => {
  const found = happenings({
    ...NOTHING,
    fills: [fill('09:40:00', '2026-08-10')],
    refused: [refused({ last: at('10:02:00', '2026-08-10') })],
    denials: [denial(at('10:00:00', '2026-08-10'), { stockCode: '600036.SH', code: 'X' })],
  })
  t.strictSame(found, [])
  t.strictSame(happenings({ ...NOTHING, today: '', fills: [fill('09:40:00')] }), [])
})

t.test('the audit adds what the service has not counted, merged in the same way', async (t) => {
  const body = { stockCode: '600036.SH', code: 'KILL_SWITCH', message: '急停生效' }
  const found = happenings({
    ...NOTHING,
    refused: [refused()],
    denials: [
      denial(at('10:00:09'), { ...body, message: '急停生效：二' }),
      denial(at('10:00:05'), body),
      denial(at('09:59:00'), { ...body, code: 'ORDER_VALUE' }),
      denial(at('09:58:00'), { ...body, stockCode: '000001.SZ' }),
    ],
  })
  t.strictSame(found.map(short), [
    'refused 600036 37 09:31:00-10:02:00',
    'refused 600036 2 10:00:05-10:00:09',
    'refused 000001 1 09:58:00-09:58:00',
  ])
  t.equal(found[1]?.message, '急停生效：二', 'the newest says how it stands')
})

t.test('F860 refusals of before a restart stay as the same refusal comes again', async (t) => {
  const denied = (clock: string, stockCode = '600036.SH') =>
    denial(at(clock), { stockCode, code: 'ORDER_VALUE', message: '委托金额超过单笔上限' })
  const found = happenings({
    ...NOTHING,
    refused: [refused({ count: 3, first: at('10:00:00') })],
    denials: [denied('09:31:00'), denied('09:35:00'), denied('10:00:00'), denied('10:01:00')],
  })
  t.strictSame(found.map(short), ['refused 600036 5 09:31:00-10:02:00'])
  const ofYesterday = refused({
    stock_code: '000001.SZ',
    first: at('14:00:00', '2026-08-10'),
    last: at('14:50:00', '2026-08-10'),
  })
  t.strictSame(
    happenings({
      ...NOTHING,
      refused: [ofYesterday],
      denials: [denied('09:31:00', '000001.SZ')],
    }).map(short),
    ['refused 000001 1 09:31:00-09:31:00'],
    'what was counted yesterday has not counted the one of today',
  )
})

t.test('an entry that says nothing of its body is no error', async (t) => {
  const found = happenings({ ...NOTHING, denials: [denial(at('10:00:00'), null as never)] })
  t.strictSame(found.map(short), ['refused  1 10:00:00-10:00:00'])
})

t.test(
  'many fills push out no order and no refusal, and what is not shown is counted',
  async (t) => {
    const fills = Array.from({ length: 200 }, () => fill('09:40:00'))
    const all = happenings({ ...NOTHING, fills, orders: [order('09:30:01')], refused: [refused()] })
    const sums = { real: { count: 230 }, simulated: { count: 0 } }
    const { shown, left } = shownOf(all, { fills, sums } as never)
    t.equal(shown.filter(({ kind }) => kind === 'fill').length, SHOWN_MAX)
    t.strictSame(
      shown.slice(SHOWN_MAX).map(({ kind }) => kind),
      ['refused', 'order'],
    )
    t.equal(left, 230 - SHOWN_MAX)
    t.strictSame(shownOf([], undefined), { shown: [], left: 0 })
  },
)
