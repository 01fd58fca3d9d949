import t from 'tap'
import { post, serve } from '../service/fixture.ts'
import { rewrite, startBrowser, visit } from './pages.ts'

const browser = await startBrowser(t)
const ORDER = {
  stock_code: '600036',
  order_type: 23,
  order_volume: 100,
  price_type: 11,
  price: 32.5,
}

t.test('an order that is refused while the day is looked at is seen there', async (t) => {
  const { direct } = await serve(t)
  const base = direct[0] ?? ''
  const { page } = await visit(browser, `${base}/#/exits`)
  await page.getByText('今天还没有委托或拒单').waitFor()
  await post(`${base}/api/kill-switch`, { level: 'entries', reason: '午间检查' })
  t.equal((await post(`${base}/api/actions/place_order`, ORDER)).status, 409)
  const refused = page.locator('[data-kind=refused]')
  await refused.getByText(/急停.*午间检查/).waitFor()
})

t.test('a day of many fills still shows what was refused', async (t) => {
  const { direct } = await serve(t)
  const base = direct[0] ?? ''
  await post(`${base}/api/kill-switch`, { level: 'entries', reason: '午间检查' })
  await post(`${base}/api/actions/place_order`, ORDER)
  const { page, context } = await visit(browser, 'about:blank', { expected: /Access/ })
  await rewrite(context, '**/api/fills?from=*', (body) => {
    const data = body['data'] as Record<string, unknown>
    const fillOf = (id: number) => ({
      id,
      stock_code: '600036',
      stock_name: '招商银行',
      trade_time: `${data['from']} 09:40:00`,
      trade_type: 'BUY',
      price: 35,
      volume: 100,
      amount: 3_500,
      trade_id: `d${id}`,
      order_id: `${id}`,
      commission: 5,
      strategy: 'grid',
      strategy_label: '网格',
      note: null,
    })
    const real = { count: 120, buy: 0, sell: 0, net: 0, fees: 0, without_fee: 0 }
    const fills = Array.from({ length: 120 }, (_, at) => fillOf(120 - at))
    return { ...body, data: { ...data, fills, sums: { ...(data['sums'] as object), real } } }
  })
  await page.goto(`${base}/#/exits`)
  await page.locator('[data-kind=fill]').nth(49).waitFor()
  await page.locator('[data-kind=refused]').getByText(/急停/).waitFor()
  await page.locator('[data-test=happened-left]').getByText('另有 70 项').waitFor()
})

t.test('holdings that nobody has told yet are not called none', async (t) => {
  const NOBODY = 'http://127.0.0.1:9'
  const account = { account_id: '10000003', qmt_path: 'there', driver: 'gateway' }
  const { direct } = await serve(t, {
    overrides: {
      accounts: [{ ...account, gateway: { url: NOBODY } }],
      market: { source: 'gateway', url: NOBODY },
      strategy: { ENABLE_SIMULATION_MODE: false },
    },
  })
  const { page } = await visit(browser, `${direct[0]}/#/exits`)
  await page.getByText('持仓未知').waitFor()
  t.equal(await page.getByText('没有持仓').count(), 0)
})
