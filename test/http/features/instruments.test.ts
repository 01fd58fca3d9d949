import t from 'tap'
import type { ListedStock } from '../../../src/protocol/market.ts'
import { call } from '../fixtures/client.ts'
import { FakeLink } from '../fixtures/fake-service.ts'
import { directFront, gatewayFront } from '../fixtures/fronts.ts'

const SOUNDS = {
  招商银行: 'zhao shang yin hang/xing',
  平安银行: 'ping an yin hang/xing',
  重庆啤酒: 'chong/zhong qing pi jiu',
  '*ST长药': 'st chang/zhang yao',
  中芯国际: 'zhong xin guo ji',
}
const LISTED: readonly ListedStock[] = [
  ['600132.SH', '重庆啤酒'],
  ['300391.SZ', '*ST长药'],
  ['688981.SH', '中芯国际'],
  ['600036.SH', '招商银行'],
  ['000001.SZ', '平安银行'],
]

const account = (listed?: readonly ListedStock[]): FakeLink => {
  const link = new FakeLink('A', 0)
  if (listed !== undefined) {
    const version = `xt ${listed.length}`
    link.listing = (known) => {
      const told = { version, day: '2026-08-11' }
      return known === version ? told : { ...told, stocks: listed }
    }
  }
  return link
}
interface Found {
  readonly instruments: readonly { readonly stock_code: string }[]
}
const codesIn = (body: unknown): readonly string[] =>
  (body as { data: Found }).data.instruments.map(({ stock_code }) => stock_code)

t.test('a stock is found on both backends, with its board, lots and steps', async (t) => {
  const link = account(LISTED)
  const { front, service } = await gatewayFront(t, [link])
  service.sounds = SOUNDS
  const path = '/api/v1/accounts/A/instruments'
  const found = await call(front.port, `${path}?q=zsyh&limit=5`)
  const bank = {
    stock_code: '600036.SH',
    stock_name: '招商银行',
    market: 'SH',
    board: 'main',
    lot_min: 100,
    lot_step: 100,
    tick_size: 0.01,
    is_st: false,
    is_held: false,
  }
  t.match(found, { status: 200, body: { success: true, error: null } })
  t.strictSame((found.body as { data: unknown }).data, {
    instruments: [bank],
    source: 'market',
    day: '2026-08-11',
  })
  t.match(await call(front.port, `${path}?q=688981`), {
    body: { data: { instruments: [{ board: 'star', lot_min: 200, lot_step: 1 }] } },
  })
  t.match(await call(front.port, `${path}?q=stcy`), {
    body: { data: { instruments: [{ stock_code: '300391.SZ', is_st: true }] } },
  })

  const direct = await directFront(t, account(LISTED))
  direct.service.sounds = SOUNDS
  const same = await call(direct.front.port, '/api/instruments?q=%E6%8B%9B%E5%95%86')
  t.match(same, { status: 200, body: { status: 'success', instruments: [bank], source: 'market' } })
})

t.test('the list is told once and names are spoken once, however many ask', async (t) => {
  const link = account(LISTED)
  const { front, service } = await gatewayFront(t, [link])
  service.sounds = SOUNDS
  const ask = (q: string) => call(front.port, `/api/v1/accounts/A/instruments?q=${q}`)
  await Promise.all([ask('zsyh'), ask('cqpj'), ask('600')])
  await ask('yh')
  t.equal(service.spoken.length, 1)
  t.strictSame(link.marketAsked.at(-1), { kind: 'listing', known: 'xt 5' })
})

t.test('what an account has to do with is found too, under its name, and first', async (t) => {
  const link = account(LISTED)
  link.answers.stockNames = {
    stocks: [
      { code: '000001.SZ', name: '000001', isHeld: true },
      { code: '920002.BJ', name: '万达轴承', isHeld: false },
    ],
  }
  const { front, service } = await gatewayFront(t, [link])
  service.sounds = { ...SOUNDS, 万达轴承: 'wan da zhou cheng' }
  const ask = (q: string) => call(front.port, `/api/v1/accounts/A/instruments?q=${q}`)
  const banks = await ask('yh')
  t.strictSame(codesIn(banks.body), ['000001.SZ', '600036.SH'])
  t.match(banks.body, { data: { instruments: [{ stock_name: '平安银行', is_held: true }] } })
  t.strictSame(codesIn((await ask('wdzc')).body), ['920002.BJ'], 'in no list')
})

t.test('a market without a list has the shipped one, which says so', async (t) => {
  const { front, service } = await gatewayFront(t, [account()])
  service.sounds = SOUNDS
  const found = await call(front.port, '/api/v1/accounts/A/instruments?q=zsyh')
  t.match(found.body, { data: { source: 'shipped', day: null } })
  t.strictSame(codesIn(found.body), ['600036.SH'])
  const none = await call(front.port, '/api/v1/accounts/A/instruments?q=nothing')
  t.match(none, { status: 200, body: { data: { instruments: [] } } })
  const many = await call(front.port, '/api/v1/accounts/A/instruments?q=60')
  t.equal(codesIn(many.body).length, 10, 'ten where no limit is given')
})

t.test('a question that is none is 400 and says which field', async (t) => {
  const link = account(LISTED)
  const { front } = await gatewayFront(t, [link], { limits: { instrumentsFoundMax: 20 } })
  for (const [query, field] of [
    ['', 'q'],
    ['?q=', 'q'],
    [`?q=${'a'.repeat(33)}`, 'q'],
    ['?q=a&limit=0', 'limit'],
    ['?q=a&limit=21', 'limit'],
    ['?q=a&limit=1.5', 'limit'],
  ] as const) {
    const refused = await call(front.port, `/api/v1/accounts/A/instruments${query}`)
    t.match(refused, { status: 400, body: { code: 'VALIDATION' } }, query)
    t.match(JSON.stringify(refused.body), new RegExp(`"${field}"`), query)
  }
  t.strictSame(link.marketAsked, [], 'nobody was asked')
  t.match(await call(front.port, '/api/v1/accounts/X/instruments?q=a'), { status: 404 })
})
