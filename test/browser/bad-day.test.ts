import t from 'tap'
import { account, post, serve } from '../service/fixture.ts'
import { confirm, rewrite, startBrowser, visit } from './pages.ts'

const browser = await startBrowser(t)
const BANK = { stock_code: '600036', volume: 1_000, cost_price: 35.1, stock_name: '招商银行' }
const LIQUOR = { stock_code: '600519', volume: 100, cost_price: 1_435.1, stock_name: '贵州茅台' }

t.test('a draft of the exits says what another tab has made of the same, and asks', async (t) => {
  const { direct } = await serve(t)
  const base = direct[0] ?? ''
  const { page, complaints } = await visit(browser, `${base}/#/exits`)
  const stop = page.locator('input[name=stockStopLoss]')
  const first = page.locator('input[name=firstProfitSell]')
  await stop.fill('8')
  const before = await first.inputValue()
  await first.fill('9')
  await first.fill(before)
  await post(`${base}/api/config/save`, { stockStopLoss: 5, firstProfitSell: 10 })
  await page.locator('[data-test=save]').click()
  const question = page.locator('[role=dialog]', { hasText: '5 → 8' })
  await question.getByText('已被改为 5，本次填写基于 7.5').waitFor()
  t.notMatch(await question.textContent(), /10 →/, 'what was put back is no wish')
  await confirm(page)
  await page.locator('[data-overtaken]').waitFor({ state: 'detached' })
  t.strictSame([await stop.inputValue(), await first.inputValue()], ['8', '10'])
  t.strictSame(complaints, [])
})

t.test('on a phone the exits of one stock are turned off where the stock is shown', async (t) => {
  const { direct } = await serve(t, { overrides: { accounts: [account('10000001', [BANK])] } })
  const { page } = await visit(browser, `${direct[0]}/#/positions`, { width: 390, height: 844 })
  await page.locator('tr[data-code="600036"] .stock-cell').click()
  const turn = page.locator('.el-drawer [data-test=stop-profit]')
  await turn.click()
  await confirm(page)
  await page.locator('.el-drawer [data-test=stop-profit]:not(.is-checked)').waitFor()
})

t.test('a letter in a window is no command to the screen behind it', async (t) => {
  const { direct } = await serve(t, { overrides: { accounts: [account('10000001', [BANK])] } })
  const { page } = await visit(browser, `${direct[0]}/#/positions`)
  await page.locator('tr[data-code="600036"]').waitFor()
  await page.locator('header').getByText('显示设置').click()
  const preferences = page.getByRole('dialog', { name: '显示设置' })
  await preferences.waitFor()
  for (const key of ['k', 'g', 'b']) await page.keyboard.press(key)
  t.equal(await page.locator('form.ticket').count(), 0)
  t.match(page.url(), /#\/positions$/)
  await page.keyboard.press('Escape')
  await preferences.waitFor({ state: 'hidden' })
  await page.keyboard.press('b')
  await page.locator('form.ticket').waitFor()
})

t.test('a holding whose cost nobody has told leaves the profit of the others', async (t) => {
  const { direct } = await serve(t, {
    overrides: { accounts: [account('10000001', [BANK, LIQUOR])] },
  })
  const { page, context } = await visit(browser, 'about:blank', { expected: /Access/ })
  await rewrite(context, '**/api/positions-all*', (body) => ({
    ...body,
    data: (body['data'] as { stock_code: string }[]).map((row) =>
      row.stock_code === '600519' ? { ...row, is_cost_known: false, cost_price: 0.01 } : row,
    ),
  }))
  await page.goto(`${direct[0]}/#/`)
  const profit = page.locator('[data-test=profit]')
  await profit.getByText('2 只中 1 只成本未知，盈亏不含它们').waitFor()
  await profit.filter({ hasText: /^\s*[+-]?\d/ }).waitFor() // once both have a price
})
