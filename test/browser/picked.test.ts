import t, { type Test } from 'tap'
import { account, get, post, serve, until } from '../service/fixture.ts'
import { settle, startBrowser, visit } from './pages.ts'

const browser = await startBrowser(t)
const HELD = [
  { stock_code: '600036', volume: 1_000, cost_price: 35.1, stock_name: '招商银行' },
  { stock_code: '601318', volume: 1_000, cost_price: 48, stock_name: '中国平安' },
]

/** The orders of an account: a purchase of each of its two stocks rests. */
async function resting(t: Test) {
  const { direct } = await serve(t, { overrides: { accounts: [account('10000001', HELD)] } })
  const base = direct[0] ?? ''
  const order = { order_type: 23, order_volume: 100, price_type: 11 }
  for (const [stock_code, price] of [
    ['600036', 32.5],
    ['601318', 44],
  ] as const) {
    await post(`${base}/api/actions/place_order`, { ...order, stock_code, price })
  }
  const { page, context } = await visit(browser, `${base}/#/orders`)
  t.teardown(() => context.close())
  const row = (code: string) => page.locator('tr[data-order]', { hasText: code })
  await row('601318').locator('[data-cancel]').waitFor()
  return { base, page, row }
}

t.test('F692 the key that cancels takes no other order for one that has ended', async (t) => {
  const { base, page, row } = await resting(t)
  await row('600036').locator('.stock').click()
  const { body } = await get(`${base}/api/orders`)
  const mine = (body['data'] as unknown as { stock_code: string; order_id: string }[]).find(
    ({ stock_code }) => stock_code.includes('600036'),
  )
  await post(`${base}/api/orders/${mine?.order_id}/cancel`, {})
  await row('600036').getByText('已撤', { exact: true }).waitFor()
  await page.keyboard.press('c')
  await page.locator('[data-cancel]:focus').or(page.locator('form.question')).waitFor()
  t.equal(await page.locator('form.question').count(), 0, 'nothing is asked about the other one')
  await page.keyboard.press('Enter')
  await page
    .locator('form.question')
    .getByText(/中国平安/)
    .waitFor()
})

t.test('F693 the keys act on the stock of the order that is picked', async (t) => {
  const { page, row } = await resting(t)
  await settle(page, 'positions')
  await page.locator('tr[data-code="601318"] .num').first().click()
  await settle(page, 'orders')
  await row('600036').locator('.stock').click()
  await page.locator('tr.picked[data-order]').waitFor()
  await page.keyboard.press('s')
  await page.locator('form.ticket').waitFor()
  const code = await until(
    () => page.locator('input[name=code]').inputValue(),
    (value) => value !== '',
  )
  t.equal(code, '600036')
})
