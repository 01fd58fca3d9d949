import t from 'tap'
import { account, post, serve } from '../service/fixture.ts'
import { arrive, type Dom, drawn, go, rewrite, startBrowser, visit } from './pages.ts'

declare const document: Dom

const browser = await startBrowser(t)
const NOBODY = 'http://127.0.0.1:9'
/** A real account whose trading client never comes. */
const NEVER = {
  account_id: '10000003',
  qmt_path: 'there',
  driver: 'gateway',
  gateway: { url: NOBODY },
}
const overrides = (more: object = {}) => ({
  accounts: [{ ...account('10000001', []), driver: 'paper' }, NEVER],
  market: { source: 'gateway', url: NOBODY },
  ...more,
})
const numberOf = (text: string | null): number =>
  Number(/[\d,]+\.\d{2}/.exec(text ?? '')?.[0].replaceAll(',', ''))

t.test('a trading client that never came: no money is shown, plotted or added up', async (t) => {
  const strategy = { ENABLE_SIMULATION_MODE: false }
  const { direct, gateway } = await serve(t, { overrides: overrides({ strategy }) })
  const { page, complaints } = await visit(browser, direct[1] ?? '')
  await page.locator('header').getByText('实时', { exact: true }).waitFor()
  const pushes = page.waitForResponse((response) => response.url().endsWith('/api/orders'))
  await pushes // some pushes have come by then
  await page.locator('.tile dd').nth(3).waitFor()
  const tiles = await page.locator('.tile dd').allTextContents()
  t.strictSame(tiles.slice(0, 3), ['--今日盈亏 --', '--', '--'])
  t.match(tiles[3], /^-- --.*-- 盈 \/ -- 亏/)
  t.equal(await page.locator('.curve').count(), 0, 'nothing is plotted')
  await go(page, 'positions')
  await page.getByText('持仓未知').waitFor()
  t.equal(await page.getByText('没有持仓').count(), 0)
  await go(page, 'orders')
  await page.getByText('当日委托未知').waitFor()
  await go(page, 'reconcile')
  await page.getByText('未能核对').waitFor()
  t.equal(await page.getByText('没有差异').count(), 0)
  t.strictSame(complaints, [])

  const monitor = await visit(browser, gateway)
  await monitor.page.locator('article', { hasText: '0003' }).waitFor()
  await monitor.page.locator('[data-test=total]').getByText('1 个账户中 0 个已知').waitFor()
  for (const name of ['total', 'profit']) {
    t.match(await monitor.page.locator(`[data-test=${name}] dd`).textContent(), /^--/)
  }
})

t.test('reports that failed are no agreement', async (t) => {
  const { direct } = await serve(t)
  const { page, context } = await visit(browser, direct[0] ?? '')
  const failed = ['orders', 'deals', 'positions', 'asset'].map((report) => ({
    report,
    reason: 'no answer within call_timeout',
  }))
  await rewrite(context, '**/api/reconcile', (body) => {
    const run = { ...Object(body['last_run']), result: 'unavailable', failed_reports: failed }
    return { ...body, result: 'unavailable', last_run: run }
  })
  await page.reload()
  await arrive(page, 'reconcile')
  await page.getByText('未能核对').waitFor()
  await page.getByText('no answer').nth(3).waitFor()
  t.equal(await page.getByText('没有差异').count(), 0)
})

t.test('the simulated million of a real account is in no sum of the monitor', async (t) => {
  const { gateway } = await serve(t, { overrides: overrides() })
  const { page } = await visit(browser, gateway)
  const total = page.locator('[data-test=total] dd')
  // The real account may be heard of last; until then there is no sum.
  await total.filter({ hasText: /\d\.\d{2}.*不含 1 个模拟账户/ }).waitFor()
  await page.locator('article', { hasText: '0003' }).getByText('1,000,000.00').first().waitFor()
  t.ok(numberOf(await total.textContent()) < 1_100_000)
})

t.test(
  'a stock that nobody quotes has no price, no profit, and makes the sum unknown',
  async (t) => {
    const { direct } = await serve(t)
    const { page, context } = await visit(browser, direct[0] ?? '')
    const unpriced = (row: object) => ({ ...row, is_priced: false, current_price: 35.1 })
    await rewrite(context, '**/api/positions-all**', (body) => ({
      ...body,
      no_change: false,
      data: Array.from(body['data'] as object[], unpriced),
    }))
    await page.reload()
    await page.getByText('1 只中 1 只没有价格').waitFor()
    t.match(await page.locator('[data-test=profit]').textContent(), /^-- --/)
    await go(page, 'positions')
    const row = page.locator('tr[data-code="600036"]')
    await row.waitFor()
    t.match(await row.locator('td').first().textContent(), /^----$/)
  },
)

t.test('while a purchase rests, cash, frozen cash and holdings are the total', async (t) => {
  const { direct, gateway } = await serve(t)
  const base = direct[0] ?? ''
  const order = { stock_code: '600036', order_type: 23, order_volume: 1_000, price_type: 11 }
  const { body } = await post(`${gateway}/api/v1/accounts/10000001/orders`, { ...order, price: 33 })
  t.match(body, { success: true })
  const { page } = await visit(browser, base)
  const frozen = page.locator('[data-test=frozen]')
  await frozen.waitFor()
  /** All at one moment: a price may move between two looks. */
  const read = async () => {
    const texts = await page.evaluate(
      (names) =>
        names.map((name) => document.querySelector(`[data-test=${name}]`)?.textContent ?? ''),
      ['total', 'cash', 'market', 'frozen'],
    )
    return texts.map(numberOf)
  }
  const [total = 0, cash = 0, market = 0, rest = 0] = await read()
  const off = Math.abs(total - cash - market - rest)
  t.ok(off < 0.02, `the parts are the whole, off by ${off}`)
  t.ok(rest >= 33_000)
})

t.test('an account whose money is not known for a moment keeps its number', async (t) => {
  const { direct } = await serve(t)
  const { page, context } = await visit(browser, direct[0] ?? '')
  const number = page.locator('header').getByText('…0001')
  await number.waitFor()
  const unknown = { id: '--', isKnown: false, isTotalKnown: false }
  await rewrite(context, '**/api/status', (body) => ({
    ...body,
    account: { ...(body['account'] as object), ...unknown },
  }))
  const told = await page.waitForResponse(
    async (one) => one.url().endsWith('/api/status') && (await one.text()).includes('"id":"--"'),
  )
  await told.finished()
  await drawn(page)
  await page.locator('header').getByText('最新').waitFor()
  t.equal(await number.count(), 1)
})

t.test('F863 the total of an account is of the moment of the result beside it', async (t) => {
  const { gateway } = await serve(t)
  const { page, context } = await visit(browser, 'about:blank')
  t.teardown(() => context.close())
  type Row = { readonly overview: { readonly account: object; readonly today: object } }
  await rewrite(context, '**/api/v1/overview', (body) => {
    const { accounts } = body['data'] as { accounts: readonly Row[] }
    const told = accounts.map(({ overview, ...row }) => ({
      ...row,
      overview: {
        ...overview,
        account: { ...overview.account, totalAssets: 555_555 },
        today: { ...overview.today, pnl: 5 },
      },
    }))
    return { ...body, data: { ...(body['data'] as object), accounts: told } }
  })
  await page.goto(gateway)
  const cards = page.locator('article')
  await cards.nth(1).getByText('555,555.00').waitFor()
  await page.locator('[data-test=total]').getByText('1,111,110.00').waitFor()
  await page.locator('[data-test=day-sum]').getByText('10.00').first().waitFor()
  // What is not read any more says nothing of the total.
  await context.route('**/api/v1/overview', (route) => route.abort())
  await cards.nth(1).getByText('555,555.00').waitFor({ state: 'hidden' })
  await page.locator('[data-test=total]').getByText('1,111,110.00').waitFor({ state: 'hidden' })
})

t.test('F945 what holdings have earned is of the moment of what they are worth', async (t) => {
  const { gateway } = await serve(t)
  const { page, context } = await visit(browser, 'about:blank')
  t.teardown(() => context.close())
  const earned = { total_profit: -926.5, total_cost: 10_000, total_profit_ratio: -0.0927 }
  let isTold = true
  await rewrite(context, '**/api/v1/overview', (body) => {
    const { accounts } = body['data'] as { accounts: readonly { overview: object }[] }
    const told = accounts.map(({ overview, ...row }) => {
      const { holdings, ...older } = overview as { holdings: object }
      return {
        ...row,
        overview: isTold ? { ...older, holdings: { ...holdings, ...earned } } : older,
      }
    })
    return { ...body, data: { ...(body['data'] as object), accounts: told } }
  })
  await page.goto(gateway)
  const cards = page.locator('article')
  await cards.nth(1).getByText('-926.50').waitFor()
  await cards.nth(1).getByText('-9.27%').waitFor()
  await page.getByText('-1,853.00').waitFor() // of both
  isTold = false
  await page.reload()
  await cards.nth(1).getByText('查看账户').waitFor()
  await cards
    .nth(1)
    .getByText(/持仓盈亏\s*[-+]?\d/)
    .waitFor() // an older node tells it with the list of holdings
  t.equal(await cards.nth(1).getByText('-926.50').count(), 0)
})

t.test(
  'F906 an account without its trading client says why, and when it is tried again',
  async (t) => {
    const strategy = { ENABLE_SIMULATION_MODE: false }
    const { gateway } = await serve(t, { overrides: overrides({ strategy }) })
    const { page, context } = await visit(browser, gateway)
    t.teardown(() => context.close())
    const card = page.locator('article', { hasText: '0003' })
    const missed = card.locator('[data-test=missed]')
    await missed.filter({ hasText: /最近一次失败：.+下次尝试：\d\d:\d\d:\d\d/ }).waitFor()
    await page.locator('article', { hasText: '0001' }).getByText('已连接').waitFor()
    t.equal(
      await page.locator('[data-test=missed]').count(),
      1,
      'of the other there is nothing to say',
    )
    // What was never known is not from before.
    await page.goto(`${gateway}/?wall=1`)
    const tile = page.locator('[data-account="10000003"]')
    await tile.getByText('未连接').waitFor()
    t.equal((await tile.locator('.total dd').textContent())?.trim(), '--')
  },
)

t.test('F934 what the holdings have earned fits what they are worth', async (t) => {
  const { direct } = await serve(t)
  const { page, context } = await visit(browser, 'about:blank')
  t.teardown(() => context.close())
  const read = { current_price: 35.5, market_value: 35_500, profit_amount: 400, profit_ratio: 1.14 }
  let version = 7
  await rewrite(context, '**/api/positions-all', (body) => {
    const [row] = body['data'] as object[]
    return { ...body, data: [{ ...row, ...read }], data_version: version }
  })
  const account_info = {
    available: 1_000_000,
    market_value: 36_000,
    total_asset: 1_036_000,
    frozen_cash: 0,
    is_known: true,
    is_total_known: true,
  }
  const monitoring = { isMonitoring: false, autoTradingEnabled: false, gridTradingEnabled: false }
  const switches = { allowBuy: true, allowSell: true, simulationMode: false }
  const event = {
    account_info,
    monitoring: { ...monitoring, ...switches },
    positions_update: { version: 7, changed: false },
    timestamp: '2099-01-02 10:00:00',
  }
  await context.route('**/api/sse', (route) =>
    route.fulfill({ contentType: 'text/event-stream', body: `data: ${JSON.stringify(event)}\n\n` }),
  )
  await page.goto(direct[0] ?? '')
  await page.locator('[data-test=market]').getByText('36,000.00').waitFor()
  const profit = page.locator('[data-test=profit]')
  await profit.getByText('+900.00').waitFor()
  t.match(await profit.textContent(), /\+2\.56%/)
  version = 8
  await page.reload()
  await page.locator('[data-test=market]').getByText('36,000.00').waitFor()
  await profit.getByText('+400.00').waitFor() // of other holdings, maybe: as they were read
  version = 7
  await page.reload()
  await profit.getByText('+900.00').waitFor()
  // Other holdings are told of, and are on their way: until they are there nothing of before comes back.
  await context.route('**/api/positions-all', () => undefined)
  event.positions_update = { version: 9, changed: true }
  account_info.market_value = 36_100
  await page.locator('[data-test=market]').getByText('36,100.00').waitFor()
  t.match(await profit.textContent(), /\+900\.00/)
})
