import type { Route } from 'playwright-core'
import t from 'tap'
import { account, post, serve, until } from '../service/fixture.ts'
import { rewrite, startBrowser, visit } from './pages.ts'

const browser = await startBrowser(t)

t.test('an answer to what was asked before is not shown for what is asked now', async (t) => {
  const { direct } = await serve(t)
  const base = direct[0] ?? ''
  await post(`${base}/api/kill-switch`, { level: 'entries', reason: '午间检查' })
  const { page } = await visit(browser, `${base}/#/audit`, { isPatient: true })
  await page.locator('tbody tr').first().waitFor()
  const late: Route[] = []
  await page.route('**/api/audit?*kind=settingsChanged*', (route) => void late.push(route))
  const kinds = page.locator('select[name=kind]')
  await kinds.selectOption('settingsChanged')
  await until(
    async () => late.length,
    (count) => count > 0,
  )
  await kinds.selectOption('killSwitchSet')
  const first = page.locator('tbody tr').first().locator('summary')
  await first.getByText('午间检查').waitFor()
  const answered = page.waitForResponse(/kind=settingsChanged/)
  await late[0]?.fulfill({
    json: {
      status: 'success',
      entries: [],
      total: 1,
      pagination: { limit: 50, next_before: null, next_after: null, has_more: false },
    },
  })
  await answered
  await page.evaluate('new Promise((drawn) => requestAnimationFrame(() => setTimeout(drawn)))')
  await first.getByText('午间检查').waitFor()
  t.equal(await page.getByText('没有这样的记录').count(), 0)
})

t.test('a part of the journal without such an entry is not called all of it', async (t) => {
  const { direct } = await serve(t)
  const { page, context } = await visit(browser, 'about:blank', { expected: /Access/ })
  await rewrite(context, '**/api/audit?*', (body) => ({
    ...body,
    entries: [],
    pagination: { limit: 50, next_before: 7, next_after: null, has_more: true },
  }))
  await page.goto(`${direct[0]}/#/audit`)
  await page.getByText('用“更早”继续找').waitFor()
  t.equal(await page.getByText('没有这样的记录', { exact: true }).count(), 0)
})

t.test('F556 entries of another kind are not shown as those that are being read', async (t) => {
  const { direct } = await serve(t)
  const base = direct[0] ?? ''
  await post(`${base}/api/kill-switch`, { level: 'entries', reason: '午间检查' })
  const { page } = await visit(browser, `${base}/#/audit`, {
    expected: /Failed to load/,
    isPatient: true,
  })
  const rows = page.locator('tbody tr')
  await rows.first().waitFor()
  const asked = Promise.withResolvers<Route>()
  await page.route('**/api/audit?*kind=killSwitchSet*', (route) => asked.resolve(route))
  await page.locator('select[name=kind]').selectOption('killSwitchSet')
  const route = await asked.promise
  await rows.first().waitFor({ state: 'detached' })
  await page.locator('main').getByText('读取中').waitFor()
  const refusal = { status: 'error', code: 'OVERLOADED', message: '繁忙' }
  await route.fulfill({ status: 503, json: refusal })
  await page.locator('main').getByRole('alert').filter({ hasText: '繁忙' }).waitFor()
  t.equal(await rows.count(), 0)
  t.equal(await page.getByText('读取中').count(), 0, 'nothing is on its way')
  t.equal(await page.getByText('没有这样的记录').count(), 0, 'nor is it known')
  await page.unroute('**/api/audit?*kind=killSwitchSet*')
  await page.getByRole('button', { name: '重试' }).click()
  await rows.first().getByText('午间检查').first().waitFor()
})

t.test('F776 a code beside the name of a stock is not broken into two lines', async (t) => {
  const fund = { stock_code: '510300', volume: 1_000, cost_price: 4.1, stock_name: '沪深300ETF' }
  const { direct } = await serve(t, { overrides: { accounts: [account('10000001', [fund])] } })
  for (const width of [1_440, 1_024]) {
    const { page, context } = await visit(browser, `${direct[0]}/#/audit`, { width })
    const code = page.locator('td small', { hasText: /^510300$/ }).first()
    await code.waitFor()
    t.equal(await code.evaluate((one) => one.getClientRects().length), 1, `${width}`)
    await context.close()
  }
})
