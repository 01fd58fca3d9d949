import type { Page, Route } from 'playwright-core'
import t from 'tap'
import { get, post, serve, until } from '../service/fixture.ts'
import { confirm, go, rewrite, startBrowser, visit } from './pages.ts'

const browser = await startBrowser(t)

/** Writes a whole order and sends it, with no hand on the mouse. */
async function typeOrder(page: Page, price: string): Promise<void> {
  const at = (name: string) =>
    page.locator(`[name=${name}]:focus, [data-test=${name}]:focus`).waitFor()
  await page.keyboard.press('b')
  await at('code')
  await page.keyboard.type('600036')
  await page.keyboard.press('Enter')
  await at('price')
  await page.keyboard.type(price)
  await page.keyboard.press('Enter')
  await at('volume')
  await page.keyboard.type('200')
  await page.keyboard.press('Enter')
  await at('place')
  await page.keyboard.press('Enter')
  await at('confirm')
  await page.keyboard.press('Enter')
  await page.locator('form.question').waitFor({ state: 'hidden' })
}

/** The same at the latest price, with the mouse. */
async function orderLatest(page: Page): Promise<void> {
  await page.keyboard.press('b')
  await page.locator('input[name=code]').fill('600036')
  await page.locator('select[name=type]').selectOption('5')
  await page.locator('input[name=volume]').fill('200')
  await page.locator('[data-test=place]:enabled').click()
  await confirm(page)
}

t.test('an order rests and is canceled, another is filled, and both can be watched', async (t) => {
  const { direct } = await serve(t)
  const { page, complaints } = await visit(browser, `${direct[0]}/#/orders`)
  await page.getByText('今天没有委托').waitFor()
  await typeOrder(page, '32.5')
  const row = page.locator('tbody tr', { hasText: '32.50' })
  await row.getByText('已报').first().waitFor()
  await row.getByRole('button', { name: '撤单' }).click()
  await page.locator('form.question').getByText('买入 招商银行 600036，32.50 × 200 股').waitFor()
  await confirm(page)
  await row.getByText('已撤', { exact: true }).first().waitFor()

  await orderLatest(page)
  const filled = page.locator('tbody tr', { hasText: '200 / 200' })
  await filled.getByText('已成').first().waitFor()
  await go(page, 'trades')
  await page.locator('tbody tr', { hasText: '招商银行' }).first().waitFor()
  t.match(await page.locator('tbody tr').first().textContent(), /买入.*200.*手动买入/)
  t.strictSame(complaints, [])
})

t.test('one cancel that is not answered keeps none of the others waiting', async (t) => {
  const { direct } = await serve(t)
  const buy = { stock_code: '600036', order_type: 23, order_volume: 100, price_type: 11 }
  const prices = Array.from({ length: 8 }, (_, index) => 32.5 - index / 10)
  for (const price of prices) {
    const placed = await post(`${direct[0]}/api/actions/place_order`, { ...buy, price })
    t.equal(placed.status, 200, JSON.stringify(placed.body))
  }
  const { page } = await visit(browser, `${direct[0]}/#/orders`)
  const held: Route[] = []
  await page.route('**/api/orders/*/cancel', (route) => {
    if (held.length === 0) held.push(route)
    else void route.continue()
  })
  await page.getByRole('button', { name: '撤销全部在途委托' }).click()
  await confirm(page)
  const canceled = page.locator('tbody tr', { hasText: '已撤' })
  await canceled.nth(prices.length - 2).waitFor()
  await held[0]?.continue()
  await canceled.nth(prices.length - 1).waitFor()
})

t.test('F474 all orders that are open when yes is said are canceled, late ones too', async (t) => {
  const { direct } = await serve(t)
  const base = direct[0] ?? ''
  const place = async (order: object) => {
    const body = { stock_code: '600036', order_volume: 100, price_type: 11, ...order }
    t.equal((await post(`${base}/api/actions/place_order`, body)).status, 200)
  }
  const [buy, sell] = [
    { order_type: 23, price: 32.5 },
    { order_type: 24, price: 38 },
  ]
  await place(buy)
  const { page } = await visit(browser, `${base}/#/orders`)
  await page.getByRole('button', { name: '撤销全部在途委托' }).click()
  const question = page.locator('form.question')
  await question.getByText('现有 1 笔在途委托（买入 1 笔，卖出 0 笔）').waitFor()
  await place(sell)
  await question.getByText('现有 2 笔在途委托（买入 1 笔，卖出 1 笔）').waitFor()
  // The page does not learn of the third one before yes is said.
  const held: Route[] = []
  let isHeld = true
  await page.route('**/api/orders', (route) => {
    if (isHeld) held.push(route)
    else void route.continue()
  })
  await until(
    async () => held.length,
    (count) => count > 0,
  )
  await place({ ...buy, price: 32.4 })
  await page.locator('[data-test=confirm]:enabled').click()
  isHeld = false
  for (const route of held) await route.continue()
  const CANCELED = 54
  const states = async () =>
    ((await get(`${base}/api/orders`)).body['data'] as unknown as { status: number }[]).map(
      ({ status }) => status,
    )
  await until(states, (all) => all.length === 3 && all.every((state) => state === CANCELED))
})

t.test('it is said where nobody can tell which orders are open when yes is said', async (t) => {
  const { direct } = await serve(t)
  const base = direct[0] ?? ''
  const order = { stock_code: '600036', order_type: 23, order_volume: 100, price_type: 11 }
  await post(`${base}/api/actions/place_order`, { ...order, price: 32.5 })
  const { page } = await visit(browser, `${base}/#/orders`, { expected: /Failed to load/ })
  await page.getByRole('button', { name: '撤销全部在途委托' }).click()
  await page.route('**/api/orders', (route) =>
    route.fulfill({ status: 503, json: { status: 'error', code: 'OVERLOADED', message: '繁忙' } }),
  )
  await page.locator('[data-test=confirm]:enabled').click()
  await page.getByText('没能读到最新的委托').first().waitFor()
  const CANCELED = 54
  await until(
    async () => (await get(`${base}/api/orders`)).body['data']?.[0]?.['status'],
    (status) => (status as unknown) === CANCELED,
  )
})

t.test('a cancel that the trading client refuses is not called requested', async (t) => {
  const { direct } = await serve(t)
  const { page } = await visit(browser, `${direct[0]}/#/orders`)
  await page.getByText('今天没有委托').waitFor()
  await typeOrder(page, '32.5')
  const row = page.locator('tbody tr', { hasText: '32.50' })
  await row.getByText('已报').first().waitFor()
  await page.route('**/cancel', (route) =>
    route.fulfill({
      json: { status: 'error', message: '撤单失败：非交易时间', result: -1, order_id: '1' },
    }),
  )
  await row.getByRole('button', { name: '撤单' }).click()
  await confirm(page)
  await page.getByText('撤单失败：非交易时间').waitFor()
  t.equal(await page.getByText('撤单请求已受理').count(), 0)
})

t.test(
  'a sale of what is not sellable is refused before it is sent, with the reason',
  async (t) => {
    const { direct } = await serve(t)
    const { page } = await visit(browser, `${direct[0]}/#/positions`)
    await page.locator('tr[data-code="600036"]').getByRole('button', { name: '卖出' }).click()
    await page.locator('input[name=volume]').fill('5000')
    await page.getByText('可卖数量不足: 委托 5,000，可卖 1,000').waitFor()
    const why = page.locator('details', { hasText: 'INSUFFICIENT_SELLABLE' })
    t.equal(await why.locator('code').isVisible(), false, 'its code is for those who ask')
    t.ok(await page.locator('[data-test=place]').isDisabled())
  },
)

t.test('the switch of a stock says what follows, and is not turned without a yes', async (t) => {
  const { direct } = await serve(t)
  const base = direct[0] ?? ''
  const { page } = await visit(browser, `${base}/#/positions`)
  const row = page.locator('tr[data-code="600036"]')
  await row.locator('.el-switch').click()
  const question = page.locator('form.question')
  await question.getByText(/招商银行 600036：跌到止损价 [\d.]+ 也不会自动卖出/).waitFor()
  await page.locator('[data-test=confirm]:enabled').waitFor()
  await question.getByRole('button', { name: '取消' }).click()
  const isOn = async () =>
    (await get(`${base}/api/positions-all`)).body['data']?.[0]?.['stop_profit_enabled']
  t.equal(await isOn(), true)
  await row.locator('.el-switch').click()
  await confirm(page)
  await row.locator('.el-switch:not(.is-checked)').waitFor()
  t.equal(await isOn(), false)

  await rewrite(page.context(), '**/api/positions-all', (body) => {
    const [first] = body['data'] as Record<string, unknown>[]
    return { ...body, data: [{ ...first, current_price: 30, stop_loss_price: 32.47 }] }
  })
  await row
    .locator('td', { hasText: /^30\.00/ })
    .first()
    .waitFor()
  await row.locator('.el-switch').click()
  await question
    .getByText('现价 30.00 已到或低于止损价、止盈卖出价：其他开关都开着时会立即卖出')
    .waitFor()
  await page.keyboard.press('Escape')
  await question.waitFor({ state: 'hidden' })

  // So does whatever lets its stop through, or draws it tighter (F905).
  const atOnce = question.getByText(
    /^现价已到或低于止损价、止盈卖出价的持仓（1 只）：招商银行 600036。/,
  )
  const asks = async (screen: string, press: () => Promise<unknown>) => {
    await go(page, screen)
    await press()
    await atOnce.waitFor()
    await page.keyboard.press('Escape')
    await question.waitFor({ state: 'hidden' })
  }
  const first = { current_price: 34, stop_loss_price: 32.47, stop_profit_enabled: true }
  await rewrite(page.context(), '**/api/positions-all', (body) => {
    const [row] = body['data'] as Record<string, unknown>[]
    return { ...body, data: [{ ...row, ...first }] }
  })
  await row.locator('.el-switch.is-checked').waitFor()
  await asks('exits', async () => {
    await page.locator('input[name=stockStopLoss]').fill('2')
    await page.locator('[data-test=save]').click()
  })
  first.current_price = 30
  await asks('overview', () =>
    page.locator('.chain li', { hasText: '总开关' }).first().locator('.el-switch').click(),
  )
  await post(`${base}/api/kill-switch`, { level: 'all' })
  await go(page, 'risk')
  await page.locator('[data-level=all][aria-pressed=true]').waitFor()
  await asks('risk', () => page.locator('[data-level=off]').click())
})

t.test('a day of which a part could not be read is not called quiet', async (t) => {
  const { direct } = await serve(t)
  const { page, context } = await visit(browser, 'about:blank', { expected: /Access|503|ERR_/ })
  await context.route('**/api/fills?from=*', (route) =>
    route.fulfill({ status: 503, json: { success: false, code: 'OVERLOADED', message: '忙' } }),
  )
  await page.goto(`${direct[0]}/#/exits`)
  await page.locator('main .note').getByText('忙').waitFor()
  t.equal(await page.getByText('今天还没有委托或拒单').count(), 0)
})
