import t from 'tap'
import { get, post, serve } from '../service/fixture.ts'
import { settle, startBrowser, visit } from './pages.ts'

const browser = await startBrowser(t)

t.test('F590 Back is no to the question that is open', async (t) => {
  const { direct } = await serve(t)
  const base = direct[0] ?? ''
  const order = { stock_code: '600036', order_type: 23, order_volume: 100, price_type: 11 }
  await post(`${base}/api/actions/place_order`, { ...order, price: 32.5 })
  const { page, context, complaints, requests } = await visit(browser, `${base}/#/positions`)
  t.teardown(() => context.close())
  await settle(page, 'positions')
  await settle(page, 'orders')
  await page.locator('[data-cancel]').click()
  await page.locator('[data-test=confirm]:enabled').waitFor()
  await page.evaluate('history.back()')
  await page.locator('form.question').waitFor({ state: 'hidden' })
  await page.waitForURL(/#\/positions$/)

  await settle(page, 'orders')
  await page.keyboard.press('b')
  await page.locator('input[name=code]').fill('600036')
  await page.locator('[data-test=place]:enabled').click()
  await page.locator('[data-test=confirm]:enabled').waitFor()
  await page.evaluate('history.back()')
  await page.locator('form.question').waitFor({ state: 'hidden' })
  await page.locator('form.ticket').waitFor({ state: 'hidden' })
  await page.waitForURL(/#\/positions$/)
  const asked = requests.filter(({ url }) => /cancel$|place_order$/.test(url))
  t.strictSame(asked, [], 'nothing was done')
  const { body } = await get(`${base}/api/orders`)
  t.match(body, { data: [{ is_pending: true }] })
  t.strictSame(complaints, [])
})
