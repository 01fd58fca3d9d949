import t from 'tap'
import { call, post } from '../fixtures/client.ts'
import { FakeLink } from '../fixtures/fake-service.ts'
import { directFront } from '../fixtures/fronts.ts'

const PATH = '/api/risk/limits'
const change = (port: number, body: object) => post(port, PATH, body)

t.test('limits are shown as the account tells them', async (t) => {
  const { front } = await directFront(t, new FakeLink('A'))
  const { status, body } = await call(front.port, PATH)
  t.equal(status, 200)
  t.match(body, {
    status: 'success',
    data: { is_real: false, limits: [{ name: 'max_order_value', value: 50_000, file_value: 0 }] },
  })
})

t.test('a change goes to the account in whole parts, with who asked', async (t) => {
  const link = new FakeLink('A')
  const { front } = await directFront(t, link)
  const { status, body } = await change(front.port, {
    limits: {
      max_order_value: { from: 0.1, to: 50_000.25 },
      price_deviation: { from: 0.1, to: null },
      stale_quote_seconds: { from: 60, to: 1.5 },
      max_orders_per_day: { from: 500, to: 0 },
      refuse_duplicates: { from: false, to: true },
    },
    confirm: '0001',
  })
  t.match(
    [status, body],
    [200, { changed_count: 1, message: /已修改 1 项/, message_en: /changed/ }],
  )
  t.match(link.asked.at(-1), {
    kind: 'setRiskLimits',
    limits: [
      { name: 'max_orders_per_day', from: 500, to: 0 },
      { name: 'max_order_value', from: 1_000, to: 500_002_500 },
      { name: 'price_deviation', from: 100_000, to: null },
      { name: 'stale_quote_seconds', from: 60_000, to: 1_500 },
      { name: 'refuse_duplicates', from: false, to: true },
    ],
    confirm: '0001',
    source: String,
  })
})

t.test('what is wrong is named with its mend, and nothing is asked of the account', async (t) => {
  const link = new FakeLink('A')
  const { front } = await directFront(t, link)
  const value = (to: unknown) => ({ limits: { max_order_value: { from: 0, to } } })
  const rows: readonly (readonly [body: object, field: string, text: RegExp])[] = [
    [{}, 'limits', /./],
    [{ limits: {} }, 'limits', /至少要有一项 \(name at least one limit\)/],
    [{ limits: { max_order_valeu: { from: 0, to: 1 } } }, 'limits', /没有这项.*max_order_valeu/],
    [value(-1), 'limits.max_order_value.to', /须为 0 至 100000000000 的数/],
    [value(1e12), 'limits.max_order_value.to', /from 0 to 100000000000/],
    [value('5000'), 'limits.max_order_value.to', /must be a number/],
    [
      value(0.123_45),
      'limits.max_order_value.to',
      /最多 4 位小数 \(must have at most 4 decimals\)/,
    ],
    [value(undefined), 'limits.max_order_value.to', /./],
    [{ limits: { max_order_value: { to: 1 } } }, 'limits.max_order_value.from', /./],
    [
      { limits: { max_orders_per_day: { from: 0, to: 1.5 } } },
      'limits.max_orders_per_day.to',
      /整数 \(must be a whole number from 0 to 1000000\)/,
    ],
    [
      { limits: { refuse_duplicates: { from: false, to: 1 } } },
      'limits.refuse_duplicates.to',
      /true 或 false/,
    ],
    [{ ...value(1), confirm: 1 }, 'confirm', /./],
    [{ ...value(1), confirmed: true }, 'body', /confirmed/],
  ]
  for (const [body, field, text] of rows) {
    const refused = await change(front.port, body)
    t.match([refused.status, refused.body['code']], [400, 'VALIDATION'], field)
    const { [field]: texts = [] } = refused.body['details'] as Record<string, string[]>
    t.match(texts.join(), text, `${field} of ${JSON.stringify(body)}`)
  }
  t.strictSame(
    link.asked.filter(({ kind }) => kind === 'setRiskLimits'),
    [],
  )
})

t.test('F547 a limit that nobody knows is named in both languages', async (t) => {
  const { front } = await directFront(t, new FakeLink('A'))
  const { status, body } = await change(front.port, { limits: { max_order_valu: 1 } })
  t.equal(status, 400)
  t.match(body.message_zh, /没有这项风控上限：“max_order_valu”/)
  t.match(body.message_en, /no such limit of risk: “max_order_valu”/)
  t.notMatch(body.message_en, /[一-鿿]/)
})
