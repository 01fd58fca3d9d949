import t from 'tap'
import { post, serve } from '../service/fixture.ts'
import { seriousFindings, settle, sidewaysScroll, startBrowser, visit } from './pages.ts'

const browser = await startBrowser(t)
const line = ':is(.why-row, .why-line)'

t.test('every holding says what its sales wait for, or what keeps them back', async (t) => {
  const { direct, gateway } = await serve(t)
  const base = direct[0] ?? ''
  const { page, complaints } = await visit(browser, `${base}/#/positions`)
  await page
    .locator(line)
    .getByText(/^暂不止盈止损：总开关已关闭；/)
    .first()
    .waitFor()
  await post(`${base}/api/monitor/start`)
  await post(`${base}/api/config/save`, { globalAllowBuySell: true })
  await page
    .locator(line)
    .getByText(/^未卖出：首次止盈 [\d.]+，止损 [\d.]+$/)
    .first()
    .waitFor()
  await settle(page, 'exits')
  await page
    .locator(line)
    .getByText(/^未卖出：/)
    .first()
    .waitFor()
  await page.locator('.stock-cell, td').first().waitFor()

  await post(`${base}/api/kill-switch`, { level: 'all', reason: 'noon' })
  const phone = await visit(browser, `${base}/#/positions`, {
    language: 'en',
    theme: 'dark',
    width: 390,
    height: 844,
  })
  const held = phone.page
    .locator(`${line} .loud`)
    .getByText(/^held back: the kill switch is at all/)
  await held.first().waitFor()
  t.ok(
    (await sidewaysScroll(phone.page)) <= 0,
    'the line breaks, the page does not scroll sideways',
  )
  t.strictSame(await seriousFindings(phone.page), [])
  await phone.page.locator('.stock-cell').first().click()
  await phone.page
    .locator('.el-drawer .why.loud')
    .getByText(/^held back: /)
    .waitFor()

  const monitor = await visit(browser, `${gateway}/account/10000001`)
  await monitor.page
    .locator(line)
    .getByText(/^暂不止盈止损：急停生效（停止全部新委托）/)
    .first()
    .waitFor()
  t.strictSame([...complaints, ...phone.complaints, ...monitor.complaints], [])
})

t.test('a grid says what it sends next, why it is paused, and what lets it go on', async (t) => {
  const { direct, gateway } = await serve(t)
  const base = direct[0] ?? ''
  await post(`${base}/api/monitor/start`)
  const { stock_code, cost_price: center_price } = await firstHolding(base)
  const config = { center_price, max_investment: 1_000_000, price_interval: 0.1 }
  await post(`${base}/api/grid/start`, { stock_code, config })
  const { page, complaints } = await visit(browser, `${base}/#/grid`)
  await page
    .locator('[data-next=buy]')
    .getByText(/^跌到 [\d.]+ 后回升$/)
    .waitFor()
  await page
    .locator('[data-next=sell]')
    .getByText(/^距现价 /)
    .waitFor()
  await post(`${base}/api/grid/session/1/enabled`, { enabled: false })
  await page
    .locator(line)
    .getByText(/人工暂停，自 .+需人工恢复该网格$/)
    .waitFor()
  t.strictSame(await seriousFindings(page), [])

  const monitor = await visit(browser, `${gateway}/account/10000001`, {
    language: 'en',
    width: 390,
  })
  await monitor.page.getByRole('tab', { name: 'Grids' }).click()
  await monitor.page
    .locator(line)
    .getByText(/paused by a person since .+ a person resumes the grid$/)
    .waitFor()
  t.ok((await sidewaysScroll(monitor.page)) <= 0)
  t.strictSame([...complaints, ...monitor.complaints], [])
})

async function firstHolding(base: string) {
  const answer = await fetch(`${base}/api/positions-all`)
  const { data } = (await answer.json()) as {
    data: readonly { stock_code: string; cost_price: number }[]
  }
  const [held] = data
  if (held === undefined) throw new Error('nothing is held')
  return held
}

t.test('F697 the stop of a holding is one price wherever it stands', async (t) => {
  const overrides = { strategy: { ENABLE_AUTO_OPERATION: true } }
  const { direct, gateway } = await serve(t, { overrides })
  await post(`${direct[0]}/api/config/save`, { globalAllowBuySell: true })
  // 35.10 × 0.925 is 32.4675: 32.46 is the first price that sells, and 32.47 none
  const at = /(\d+\.\d\d)/
  const told = async (text: Promise<string | null>) => at.exec((await text) ?? '')?.[1]
  const { page, context } = await visit(browser, `${direct[0]}/#/positions`)
  t.teardown(() => context.close())
  const row = page.locator('tr[data-code="600036"]')
  await row.locator('.why-line > span', { hasText: '止损 32.46' }).waitFor()
  const stop = row.locator('td', { hasText: /^32\.4\d/ }).first()
  t.equal(await told(stop.textContent()), '32.46', 'positions')
  await settle(page, 'exits')
  const exit = page.locator('tbody tr', { hasText: '600036' }).first()
  t.equal(await told(exit.locator('[data-label="止损价"]').textContent()), '32.46', 'exits')
  await page.goto(`${gateway}/account/10000001/stock/600036`)
  await page.getByText('止损价').first().waitFor()
  const shown = page.locator('dl > div', { hasText: '止损价' }).locator('dd')
  t.equal(await told(shown.textContent()), '32.46', 'monitor')
})
