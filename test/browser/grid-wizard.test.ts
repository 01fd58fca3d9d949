import type { Page, Route } from 'playwright-core'
import t, { type Test } from 'tap'
import { account, serve, until } from '../service/fixture.ts'
import { arrive, confirm, drawn, go, rewrite, startBrowser, visit } from './pages.ts'

const browser = await startBrowser(t)
const BANK = { stock_code: '600036', volume: 1_000, cost_price: 35.1, stock_name: '招商银行' }

/** What the service suggests has come and stands in the fields: it makes other parameters of those that were there. */
async function suggestion(page: Page, code = '600036'): Promise<void> {
  const answer = await page.waitForResponse(`**/api/grid/session/${code}`)
  await answer.finished()
  await drawn(page)
}

t.test('a grid is started with a preview, paused, resumed and stopped', async (t) => {
  const { direct } = await serve(t, {
    overrides: { accounts: [account('10000001', [BANK])] },
  })
  const { page, complaints } = await visit(browser, `${direct[0]}/#/grid`)
  await page.getByText('没有网格会话').waitFor()
  const suggested = suggestion(page)
  await page.locator('[data-test=new-grid]').click()
  await page.locator('select[name=risk]').selectOption('aggressive')
  await suggested
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

t.test('F518 a wizard that is there before the holdings is of the first of them', async (t) => {
  const { direct } = await serve(t)
  const { page } = await visit(browser, 'about:blank', { expected: /Access/, isPatient: true })
  const held: Route[] = []
  let isHeld = true
  await page.route('**/api/positions-all', (route) => {
    if (isHeld) held.push(route)
    else void route.continue()
  })
  await page.goto(`${direct[0]}/#/grid`)
  await page.getByText('没有网格会话').waitFor()
  await page.locator('[data-test=new-grid]').click()
  const stock = page.locator('select[name=stock]')
  await stock.waitFor()
  t.equal(await stock.inputValue(), '')
  isHeld = false
  for (const route of held) await route.continue()
  await page.getByRole('heading', { name: '会怎样买卖' }).waitFor()
  t.equal(await stock.inputValue(), '600036')
})

/** The wizard of the first of two holdings, with what the service suggests for it. */
async function wizardOfTwo(t: Test) {
  const holdings = [BANK, { ...BANK, stock_code: '601318', stock_name: '中国平安' }]
  const overrides = { accounts: [account('10000001', holdings)] }
  const { direct } = await serve(t, { overrides })
  const { page } = await visit(browser, 'about:blank', { expected: /Access|Failed to load/ })
  const suggested = suggestion(page)
  await page.goto(`${direct[0]}/#/grid?code=600036`)
  await suggested
  return page
}

t.test('F519 with another stock the level that was chosen stays, and no price does', async (t) => {
  const page = await wizardOfTwo(t)
  const [interval, center] = ['price_interval', 'center_price'].map((name) =>
    page.locator(`input[name=${name}]`),
  )
  const moderate = await interval?.inputValue()
  await page.locator('select[name=risk]').selectOption('aggressive')
  const aggressive = await interval?.inputValue()
  t.not(aggressive, moderate)
  await center?.fill('35.5')
  const other = suggestion(page, '601318')
  await page.locator('select[name=stock]').selectOption('601318')
  await other
  t.equal(await interval?.inputValue(), aggressive, 'as the level says that is shown')
  t.equal(await center?.inputValue(), '', 'a price of the stock before')
})

t.test(
  'F520 what a wizard could not read is said as long as it is so, and read again',
  async (t) => {
    const { direct } = await serve(t)
    const { page } = await visit(browser, 'about:blank', { expected: /Access|Failed to load/ })
    const busy = { status: 503, json: { status: 'error', code: 'OVERLOADED', message: '繁忙' } }
    await page.route('**/api/grid/session/600036', (route) => route.fulfill(busy))
    await page.goto(`${direct[0]}/#/grid?code=600036`)
    const note = page.locator('.wizard .note', { hasText: '繁忙' })
    const start = page.locator('[data-test=start-grid]:enabled')
    await note.waitFor()
    await start.waitFor()
    await page.keyboard.press('Escape')
    await start.waitFor({ state: 'detached' })
    await page.locator('[data-test=new-grid]').click()
    await note.waitFor()
    await start.waitFor() // of the same fields
    const previewed = page.waitForResponse(
      (answer) => answer.request().postData()?.includes('15000') === true,
    )
    await page.locator('input[name=max_investment]').fill('15000')
    await previewed
    await start.waitFor()
    t.equal(await note.count(), 1, 'the fields are only those of the page')
    await page.route('**/api/grid/preview', (route) => route.fulfill(busy))
    await page.locator('input[name=max_investment]').fill('20000')
    await note.nth(1).waitFor()
    await page.unroute('**/api/grid/preview')
    await note.nth(1).getByRole('button', { name: '重试' }).click()
    await start.waitFor()
    await page.unroute('**/api/grid/session/600036')
    await note.getByRole('button', { name: '重试' }).click()
    await note.waitFor({ state: 'detached' })
  },
)

t.test('a preview that fails late takes nothing from that of the grid as it stands', async (t) => {
  const { direct } = await serve(t)
  const { page } = await visit(browser, `${direct[0]}/#/grid`, { expected: /ERR_FAILED/ })
  const late: Route[] = []
  await page.route('**/api/grid/preview', (route) => {
    if (route.request().postDataJSON().config.max_investment === 7_777) late.push(route)
    else void route.continue()
  })
  const suggested = suggestion(page)
  await page.locator('[data-test=new-grid]').click()
  await suggested
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
  await drawn(page)
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
  const page = await wizardOfTwo(t)
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

t.test('F555 what went wrong with a backtest is told of its own stock alone', async (t) => {
  const page = await wizardOfTwo(t)
  await page.locator('[data-test=start-grid]:enabled').waitFor()
  const refused = {
    status: 400,
    json: { success: false, code: 'BAD_REQUEST', message: '区间太小' },
  }
  await page.route('**/api/grid/backtest', (route) => route.fulfill(refused))
  await page.locator('[data-test=backtest]').click()
  const note = page.locator('.wizard .note', { hasText: '区间太小' })
  await note.waitFor()
  await page.unroute('**/api/grid/backtest')
  const stock = page.locator('select[name=stock]')
  await stock.selectOption('601318')
  await note.waitFor({ state: 'detached' })
  await stock.selectOption('600036')
  await note.waitFor()

  let asked = 0
  await page.route('**/api/jobs/*', async (route) => {
    asked += 1
    if (asked > 1)
      return route.fulfill({ status: 404, json: { success: false, code: 'UNKNOWN_JOB' } })
    const job = { job_id: '1', state: 'running', progress: 0.4, done: 4, total: 10, error: null }
    return route.fulfill({ json: { status: 'success', ...job } })
  })
  await page.locator('[data-test=backtest]').click()
  const gone = page.locator('[data-test=backtest-gone]')
  await gone.waitFor()
  await stock.selectOption('601318')
  await gone.waitFor({ state: 'detached' })
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
  await arrive(page, 'jobs')
  const row = page.locator('tr[data-job]')
  await row.locator('summary').click()
  await row.getByText('连接不上服务').waitFor()
  await context.unroute('**/api/jobs/*')
  await row.getByRole('button', { name: '重试' }).click()
  await row.getByText('net_profit').waitFor()
  await row.getByText(/只显示前 4,000 个字符，共/).waitFor()
})

/** A wizard whose grid of one of two holdings is on its way; `answer` lets it be started, and resolves when the page shows it. */
async function started(t: Test) {
  const INSURER = { stock_code: '601318', volume: 500, cost_price: 48, stock_name: '中国平安' }
  const { direct } = await serve(t, {
    overrides: { accounts: [account('10000001', [BANK, INSURER])] },
  })
  const { page, context } = await visit(browser, `${direct[0]}/#/grid`, { isPatient: true })
  t.teardown(() => context.close())
  await page.getByText('没有网格会话').waitFor()
  const held: Route[] = []
  await page.route('**/api/grid/start', (route) => void held.push(route))
  await page.locator('[data-test=new-grid]').click()
  const stock = page.locator('select[name=stock]')
  await stock.selectOption('600036')
  await page.locator('[data-test=start-grid]:enabled').click()
  await confirm(page)
  await until(
    async () => held.length,
    (n) => n === 1,
  )
  const answer = async () => {
    const answered = page.waitForResponse('**/api/grid/start')
    await held[0]?.continue()
    await (await answered).finished()
    await page.getByRole('heading', { name: /招商银行 · 会话/ }).waitFor({ state: 'attached' })
    await drawn(page)
  }
  return { page, stock, answer }
}

t.test('F854 a grid that is started late closes no wizard of another stock', async (t) => {
  const { page, stock, answer } = await started(t)
  // It is on its way, and is not sent beside itself.
  t.ok(await page.locator('[data-test=start-grid]').isDisabled())
  await page.keyboard.press('Escape')
  await stock.waitFor({ state: 'hidden' })
  await page.locator('[data-test=new-grid]').click()
  const suggested = suggestion(page, '601318')
  await stock.selectOption('601318')
  await suggested
  const funds = page.locator('input[name=max_investment]')
  await funds.fill('23000')
  await page.locator('[data-test=start-grid]:enabled').waitFor() // another one waits for none
  await answer()
  t.equal(await stock.inputValue(), '601318')
  t.equal(await funds.inputValue(), '23000')
})

t.test('F854 nor one that has gone on to another stock since it was sent', async (t) => {
  const { stock, answer } = await started(t)
  await stock.selectOption('601318')
  await answer()
  t.equal(await stock.inputValue(), '601318')
})

t.test('F858 the ladder of a new grid shows the prices at which it trades', async (t) => {
  const { direct } = await serve(t, { overrides: { accounts: [account('10000001', [BANK])] } })
  const { page, context } = await visit(browser, `${direct[0]}/#/grid`)
  t.teardown(() => context.close())
  await page.getByText('没有网格会话').waitFor()
  await page.locator('[data-test=new-grid]').click()
  const center = page.locator('input[name=center_price]')
  await center.fill('35.02') // 5 %: 33.269 and 36.771, of which neither is a price of the exchange
  const wizard = page.locator('form.wizard')
  for (const [side, at] of [
    ['买入', '33.26'],
    ['卖出', '36.78'],
  ] as const) {
    const first = wizard.locator('table', { hasText: side }).locator('tbody tr').first()
    await first.getByText(at, { exact: true }).waitFor()
    await wizard.locator('svg[role=img] text', { hasText: at }).first().waitFor()
  }
})
