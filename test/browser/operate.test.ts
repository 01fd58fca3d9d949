import { type AddressInfo, connect, createServer } from 'node:net'
import type { Page, Route } from 'playwright-core'
import t, { type Test } from 'tap'
import { heard } from '../in-time.ts'
import { account, get, post, serve, until } from '../service/fixture.ts'
import { confirm, go, PATIENCE_MS, rewrite, startBrowser, visit } from './pages.ts'

const browser = await startBrowser(t)
const BANK = { stock_code: '600036', volume: 1_000, cost_price: 35.1, stock_name: '招商银行' }

/** Writes a whole order and sends it, with no hand on the mouse. */
async function typeOrder(page: Page, price: string): Promise<void> {
  const at = (name: string) =>
    page.locator(`[name=${name}]:focus, [data-test=${name}]:focus`).waitFor()
  await page.keyboard.press('b')
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
    await page.getByText('可卖数量不足: 委托 5000，可卖 1000').waitFor()
    const why = page.locator('details', { hasText: 'INSUFFICIENT_SELLABLE' })
    t.equal(await why.locator('code').isVisible(), false, 'its code is for those who ask')
    t.ok(await page.locator('[data-test=place]').isDisabled())
  },
)

t.test('a grid is started with a preview, paused, resumed and stopped', async (t) => {
  const { direct } = await serve(t, {
    overrides: { accounts: [account('10000001', [BANK])] },
  })
  const { page, complaints } = await visit(browser, `${direct[0]}/#/grid`)
  await page.getByText('没有网格会话').waitFor()
  await page.locator('[data-test=new-grid]').click()
  await page.locator('select[name=risk]').selectOption('aggressive')
  await page.getByRole('heading', { name: '会怎样买卖' }).waitFor()
  await page.locator('[data-test=start-grid]:enabled').click()
  await confirm(page)
  const row = page.locator('tr[data-session]').first()
  await row.getByText('运行', { exact: true }).waitFor()
  await page.getByRole('heading', { name: /招商银行 · 会话/ }).waitFor()
  await row.getByRole('button', { name: '暂停' }).click()
  await confirm(page)
  await row.getByText('暂停', { exact: true }).first().waitFor()
  await row.getByRole('button', { name: '恢复' }).click()
  await confirm(page)
  await row.getByText('运行', { exact: true }).waitFor()
  await row.getByRole('button', { name: '停止' }).click()
  await confirm(page)
  await page.getByRole('heading', { name: '已结束的会话' }).waitFor()
  t.strictSame(complaints, [])
})

t.test('a preview that fails late takes nothing from that of the grid as it stands', async (t) => {
  const { direct } = await serve(t)
  const { page } = await visit(browser, `${direct[0]}/#/grid`, { expected: /ERR_FAILED/ })
  const late: Route[] = []
  await page.route('**/api/grid/preview', (route) => {
    if (route.request().postDataJSON().config.max_investment === 7_777) late.push(route)
    else void route.continue()
  })
  await page.locator('[data-test=new-grid]').click()
  await page.locator('[data-test=start-grid]:enabled').waitFor()
  await page.locator('input[name=max_investment]').fill('7777')
  await until(
    async () => late.length,
    (count) => count > 0,
  )
  await page.locator('input[name=max_investment]').fill('20000')
  await page.locator('[data-test=start-grid]:enabled').waitFor()
  const failed = page.waitForEvent('requestfailed')
  for (const route of late) await route.abort()
  await failed
  t.ok(await page.locator('[data-test=start-grid]').isEnabled())
  t.equal(await page.locator('.wizard .note.error').count(), 0)
})

t.test('a backtest shows its outcome, also after a reload', async (t) => {
  const { direct } = await serve(t)
  const { page, complaints } = await visit(browser, `${direct[0]}/#/grid?code=600036`)
  await page.locator('[data-test=backtest]').click()
  await page.getByText('回测结果').waitFor()
  await page.reload()
  await page.getByText('回测结果').waitFor()
  await go(page, 'jobs')
  await page.locator('tr[data-job]').getByText('完成').waitFor()
  t.strictSame(complaints, [])
})

t.test('a backtest is not shown for another stock, nor as that of other parameters', async (t) => {
  const holdings = [BANK, { ...BANK, stock_code: '601318', stock_name: '中国平安' }]
  const overrides = { accounts: [account('10000001', holdings)] }
  const { direct } = await serve(t, { overrides })
  const { page } = await visit(browser, `${direct[0]}/#/grid?code=600036`)
  // What the service suggests may come late, and makes other parameters of those that were sent.
  await page.waitForFunction(() =>
    performance
      .getEntriesByType('resource')
      .some(({ name }) => name.endsWith('/api/grid/session/600036')),
  )
  await page.locator('[data-test=start-grid]:enabled').waitFor()
  await page.locator('[data-test=backtest]').click()
  const outcome = page.getByText('回测结果')
  await outcome.waitFor()
  const changed = page.locator('[data-test=backtest-changed]')
  t.equal(await changed.count(), 0)
  await page.locator('input[name=price_interval]').fill('7')
  await changed.waitFor()
  await page.locator('select[name=stock]').selectOption('601318')
  await outcome.waitFor({ state: 'hidden' })
  await page.reload()
  await page.locator('select[name=stock]').selectOption('601318')
  await page.getByRole('heading', { name: '会怎样买卖' }).waitFor()
  t.equal(await outcome.count(), 0)
  await page.locator('select[name=stock]').selectOption('600036')
  await outcome.waitFor()
})

t.test('a wizard that is closed asks nothing more of its backtest', async (t) => {
  const { direct } = await serve(t)
  const { page, requests } = await visit(browser, `${direct[0]}/#/grid?code=600036`)
  const asked = () => requests.filter(({ url }) => url.includes('/api/jobs/')).length
  await rewrite(page.context(), '**/api/jobs/*', (body) => ({
    ...body,
    job: { ...(body['job'] as object), state: 'running' },
    state: 'running',
  }))
  await page.locator('[data-test=backtest]').click()
  await until(
    async () => asked(),
    (count) => count > 1,
  )
  await page.keyboard.press('Escape')
  await page.locator('form.wizard').waitFor({ state: 'detached' })
  await page.clock.install()
  const before = asked()
  await page.clock.runFor(30_000)
  t.equal(asked(), before)
  await page.locator('[data-test=new-grid]').click()
  await until(
    async () => asked(),
    (count) => count > before,
  )
})

t.test('a backtest goes on after a question about it that was not answered', async (t) => {
  const { direct } = await serve(t)
  const { page } = await visit(browser, `${direct[0]}/#/grid?code=600036`, { expected: /ERR_/ })
  let asked = 0
  await page.route('**/api/jobs/*', (route) => {
    asked += 1
    return asked === 1 ? route.abort() : route.continue()
  })
  await page.locator('[data-test=backtest]').click()
  await page.getByText('回测结果').waitFor()
  t.ok(asked > 1)
})

t.test(
  'a backtest of which the service knows nothing any more does not run for ever',
  async (t) => {
    const { direct } = await serve(t)
    const { page } = await visit(browser, `${direct[0]}/#/grid?code=600036`, { expected: /404/ })
    let asked = 0
    await page.route('**/api/jobs/*', async (route) => {
      asked += 1
      if (asked > 1)
        return route.fulfill({ status: 404, json: { success: false, code: 'UNKNOWN_JOB' } })
      const job = { job_id: '1', state: 'running', progress: 0.4, done: 4, total: 10, error: null }
      return route.fulfill({ json: { status: 'success', ...job } })
    })
    await page.locator('[data-test=backtest]').click()
    await page.getByText('服务已经没有这次回测了').waitFor()
    t.equal(await page.locator('[data-test=backtest].is-loading').count(), 0, 'it can be run again')
  },
)

t.test('a result that could not be read says so, and is read when it is asked for', async (t) => {
  const { direct } = await serve(t)
  const { page, context } = await visit(browser, `${direct[0]}/#/grid?code=600036`, {
    expected: /ERR_/,
  })
  await page.locator('[data-test=backtest]').click()
  await page.getByText('回测结果').waitFor()
  await context.route('**/api/jobs/*', (route) => route.abort())
  await page.reload()
  await go(page, 'jobs')
  const row = page.locator('tr[data-job]')
  await row.locator('summary').click()
  await row.getByText('连接不上服务').waitFor()
  await context.unroute('**/api/jobs/*')
  await row.getByRole('button', { name: '重试' }).click()
  await row.getByText('net_profit').waitFor()
  await row.getByText(/只显示前 4,000 个字符，共/).waitFor()
})

t.test('the switch of a stock says what follows, and is not turned without a yes', async (t) => {
  const { direct } = await serve(t)
  const base = direct[0] ?? ''
  const { page } = await visit(browser, `${base}/#/positions`)
  const row = page.locator('tr[data-code="600036"]')
  await row.locator('.el-switch').click()
  const question = page.locator('form.question')
  await question.getByText(/招商银行 600036：跌到止损价 [\d.]+ 也不会自动卖出/).waitFor()
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
  await question.getByText('现价 30.00 已到或低于止损价：其他开关都开着时会立即卖出').waitFor()
})

t.test(
  'without the token nothing is shown; a wrong one is refused, the right one stays',
  async (t) => {
    const { direct } = await serveWithToken(t, 'a-token-of-thirty-two-characters')
    const { page, requests } = await visit(browser, direct[0] ?? '', { expected: /401/ })
    await page.getByRole('heading', { name: '输入访问令牌' }).waitFor()
    await page.locator('#token').fill('wrong')
    await page.keyboard.press('Enter')
    await page.getByText('服务不接受这个令牌').waitFor()
    await page.locator('#token').fill('a-token-of-thirty-two-characters')
    await page.keyboard.press('Enter')
    await page.locator('header').getByText('实时', { exact: true }).waitFor()
    await page.reload()
    await page.locator('header').getByText('实时', { exact: true }).waitFor()
    t.notOk(
      requests.some(({ url }) => url.includes('a-token')),
      'the token is in no address',
    )
  },
)

t.test('a token that nobody could look at is not called wrong', async (t) => {
  const token = 'a-token-of-thirty-two-characters'
  const env = { SVC_API_TOKEN: token, GW_API_TOKEN: token }
  const { gateway } = await serve(t, { env })
  const { page } = await visit(browser, gateway, { expected: /401|ERR_/ })
  await page.locator('#token').fill(token)
  await page.route('**/api/v1/health', (route) => route.abort())
  await page.keyboard.press('Enter')
  await page.locator('.gate').getByText('连接不上服务').waitFor()
  t.equal(await page.getByText('服务不接受这个令牌').count(), 0)
  await page.unroute('**/api/v1/health')
  await page.locator('#token').press('Enter')
  await page.getByText('2 / 2 已连接').waitFor()
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

const serveWithToken = async (t: Test, token: string) => {
  const folder = t.testdir()
  return serve(t, { folder, env: { SVC_API_TOKEN: token } })
}

/** A fixed address before a service that comes and goes, so that the page can find it again. */
async function proxy(t: Test) {
  const behind = { port: 0 }
  const server = createServer((client) => {
    const upstream = connect(behind.port, '127.0.0.1')
    client.on('error', () => upstream.destroy()).on('close', () => upstream.destroy())
    upstream.on('error', () => client.destroy()).on('close', () => client.destroy())
    client.pipe(upstream).pipe(client)
  })
  server.listen(0, '127.0.0.1')
  await heard(server, 'listening')
  t.teardown(() => server.close())
  return { behind, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
}

t.test(
  'an account that restarts and a service that goes away come back by themselves',
  async (t) => {
    const folder = t.testdir()
    const overrides = { accounts: [account('10000001', [BANK])] }
    const { behind, url } = await proxy(t)
    const first = await serve(t, { folder, overrides })
    behind.port = Number(new URL(first.direct[0] ?? '').port)
    const { page, context } = await visit(browser, `${url}/#/positions`, { expected: /./ })
    const row = page.locator('tr[data-code="600036"]')
    const live = page.locator('header').getByText('实时', { exact: true })
    await row.waitFor()
    await fetch(`${first.gateway}/api/v1/accounts/10000001/restart`, { method: 'POST' })
    await live.waitFor()
    await row.waitFor()

    await first.service.stop()
    await page
      .locator('header')
      .getByText(/实时流断开|正在连接实时流/)
      .waitFor()
    await page.getByText('连接不上服务').first().waitFor()
    t.ok(await row.isVisible(), 'what was known stays, marked as old')
    const second = await serve(t, { folder, overrides })
    behind.port = Number(new URL(second.direct[0] ?? '').port)
    await live.waitFor({ timeout: 2 * PATIENCE_MS })
    await page.getByText('连接不上服务').first().waitFor({ state: 'hidden' })
    await context.close()
  },
)
