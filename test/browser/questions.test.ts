import type { Route } from 'playwright-core'
import t from 'tap'
import { get, post, serve, until } from '../service/fixture.ts'
import { confirm, drawn, settle, startBrowser, visit } from './pages.ts'

const browser = await startBrowser(t)
const NEEDED = { success: false, status: 'error', code: 'CONFIRMATION_NEEDED', message: '须填写' }

t.test('F527 a question that comes late does not take the place of the kill switch', async (t) => {
  const { direct } = await serve(t)
  const base = direct[0] ?? ''
  const { page, context, complaints } = await visit(browser, `${base}/#/settings`, {
    expected: /400/,
  })
  await settle(page, 'settings')
  await page.locator('input[name=max_orders_per_day]').fill('900')
  await page.locator('[data-test=save-limits]').click()
  let held: Route | undefined
  await context.route('**/api/risk/limits', (route) => {
    if (route.request().method() !== 'POST') return route.continue()
    held = route
    return undefined
  })
  const sent = page.waitForRequest((one) => one.method() === 'POST' && /limits$/.test(one.url()))
  await confirm(page)
  await sent
  await settle(page, 'risk')
  await page.locator('[data-level=all]').click()
  const title = page.locator('.el-dialog__title:visible')
  await title.getByText('停止全部新委托').waitFor()
  const answered = page.waitForResponse((one) => one.status() === 400)
  await held?.fulfill({ status: 400, json: NEEDED })
  await (await answered).finished()
  await drawn(page)
  t.match(await title.textContent(), /停止全部新委托/)
  await page.locator('[data-test=confirm]:enabled').click()
  await title.getByText('放宽实盘账户的风控上限').waitFor()
  t.ok(await page.locator('[data-test=confirm]').isDisabled())
  await until(
    async () => (await get(`${base}/api/kill-switch`)).body['level'] as unknown,
    (level) => level === 'all',
  )
  await page.keyboard.press('Escape')
  await title.waitFor({ state: 'hidden' })
  await page.keyboard.press('?')
  await title.waitFor() // no question that nobody sees keeps the keys
  t.strictSame(complaints, [])
})

t.test('F559 yes and no to the cancel of an order are two different words', async (t) => {
  const { direct } = await serve(t)
  const base = direct[0] ?? ''
  const order = { stock_code: '600036', order_type: 23, order_volume: 100, price_type: 11 }
  await post(`${base}/api/actions/place_order`, { ...order, price: 32.5 })
  for (const language of ['en', 'zh-CN'] as const) {
    const { page, context } = await visit(browser, `${base}/#/orders`, { language })
    await page.locator('[data-cancel]').click()
    await page.locator('form.question .buttons button').first().waitFor()
    const words = await page.locator('form.question .buttons button').allTextContents()
    const [no, yes] = words.map((word) => word.trim())
    t.not(no, yes, `${language}: ${words}`)
    await page.locator('form.question .buttons button').first().click()
    await page.locator('form.question').waitFor({ state: 'hidden' })
    t.equal(await page.locator('[data-cancel]').count(), 1, 'no leaves it as it is')
    await context.close()
  }
})
