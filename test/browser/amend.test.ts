import type { Route } from 'playwright-core'
import t from 'tap'
import { post, serve } from '../service/fixture.ts'
import { seriousFindings, startBrowser, visit } from './pages.ts'

const browser = await startBrowser(t)

t.test(
  'an order that rests is changed: another takes its place, and both rows say so',
  async (t) => {
    const { direct } = await serve(t)
    const placed = await fetch(`${direct[0]}/api/actions/place_order`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({
        stock_code: '600036',
        order_type: 23,
        order_volume: 500,
        price_type: 11,
        price: 32.5,
      }),
    })
    t.equal(placed.status, 200)
    const { page, complaints } = await visit(browser, `${direct[0]}/#/orders`)
    const row = page.locator('tbody tr', { hasText: '32.50' })
    await row.locator('[data-test=open-amend]').click()
    const send = page.locator('[data-test=amend]')
    t.ok(await send.isDisabled(), 'nothing would change')
    await page.locator('[name=amend-volume]').fill('300')
    await page.locator('[name=amend-price]').fill('32.6')
    await page.getByText('余下 300 股以 32.60 另报一笔').waitFor()
    t.strictSame(await seriousFindings(page), [])
    await page.keyboard.press('Enter')
    await page.locator('tbody tr', { hasText: '0 / 300' }).getByText('已报').first().waitFor()
    await page.getByText('已改为新委托：32.60 × 300').waitFor()
    await row.getByText('已撤', { exact: true }).first().waitFor()
    t.strictSame(complaints, [])
  },
)

t.test('F785 the shares of a changed order are told in thousands', async (t) => {
  const { direct } = await serve(t)
  const order = { stock_code: '600036', order_type: 23, order_volume: 2_500, price_type: 11 }
  await post(`${direct[0]}/api/actions/place_order`, { ...order, price: 32.5 })
  const { page } = await visit(browser, `${direct[0]}/#/orders`)
  await page.locator('[data-test=open-amend]').click()
  await page.locator('[name=amend-volume]').fill('1200')
  await page.locator('[data-test=amend]:enabled').click()
  await page.getByText('已改为新委托：32.50 × 1,200').waitFor()
})

t.test('a change that a rule refused is judged anew when it is sent again', async (t) => {
  const { direct } = await serve(t)
  const resting = { stock_code: '600036', order_type: 23, price_type: 11, price: 32.5 }
  await post(`${direct[0]}/api/actions/place_order`, { ...resting, order_volume: 500 })
  const { page } = await visit(browser, `${direct[0]}/#/orders`, { expected: /409/ })
  const row = page.locator('tbody tr', { hasText: '32.50' })
  await row.locator('[data-test=open-amend]').click()
  await page.locator('[name=amend-volume]').fill('300')
  await post(`${direct[0]}/api/kill-switch`, { level: 'entries' })
  await page.locator('[data-test=amend]:enabled').click()
  await page.locator('.notices').getByText('急停').first().waitFor()
  await post(`${direct[0]}/api/kill-switch`, { level: 'off' })
  await page.locator('[data-test=amend]:enabled').click()
  await page.locator('tbody tr', { hasText: '0 / 300' }).getByText('已报').first().waitFor()
  await page.locator('[data-test=amend]').waitFor({ state: 'detached' })
})

t.test('F557 a change that is not answered keeps no other order waiting', async (t) => {
  const { direct } = await serve(t)
  const resting = { stock_code: '600036', order_type: 23, order_volume: 500, price_type: 11 }
  for (const price of [32.5, 32.4]) {
    await post(`${direct[0]}/api/actions/place_order`, { ...resting, price })
  }
  const { page } = await visit(browser, `${direct[0]}/#/orders`, {
    expected: /409|504/,
    isPatient: true,
  })
  const open = async (price: string): Promise<void> => {
    await page.locator('tbody tr', { hasText: price }).locator('[data-test=open-amend]').click()
    await page.locator('[name=amend-volume]').waitFor()
  }
  const send = page.locator('[data-test=amend]')
  const asked = Promise.withResolvers<Route>()
  await page.route('**/amend', (route) => asked.resolve(route), { times: 1 })
  await open('32.50')
  await page.locator('[name=amend-volume]').fill('300')
  await send.click()
  const route = await asked.promise
  t.ok(await send.isDisabled(), 'the same change is not sent twice')
  await page.keyboard.press('Escape')
  await send.waitFor({ state: 'detached' })
  await open('32.40')
  await page.locator('[name=amend-volume]').fill('200')
  const keys: (string | undefined)[] = []
  await page.route('**/amend', (other) => {
    keys.push(other.request().headers()['idempotency-key'])
    return other.fulfill({ status: 504, json: { status: 'error', code: 'TIMEOUT' } })
  })
  await send.and(page.locator(':enabled')).click()
  await send.and(page.locator(':enabled')).waitFor()
  const refusal = { success: false, status: 'error', code: 'RISK_DENIED', message: '急停' }
  await route.fulfill({ status: 409, json: refusal })
  await page.locator('.notices').getByText('急停').first().waitFor()
  t.equal(await page.locator('[name=amend-volume]').inputValue(), '200', 'it stays open')
  await send.click()
  await send.and(page.locator(':enabled')).waitFor()
  t.equal(keys.length, 2)
  t.equal(keys[0], keys[1], 'a refusal of the other one makes no second change of this one')
  await page.keyboard.press('Escape')
  await send.waitFor({ state: 'detached' })
  await open('32.50')
  t.ok(await send.isDisabled(), 'nothing would change')
})

t.test('F938 how far a changed price is from the market is told before it is sent', async (t) => {
  const { direct } = await serve(t)
  const order = { stock_code: '600036', order_type: 23, order_volume: 500, price_type: 11 }
  await post(`${direct[0]}/api/actions/place_order`, { ...order, price: 32.5 })
  const { page, complaints } = await visit(browser, `${direct[0]}/#/orders`)
  await page.locator('[data-test=open-amend]').click()
  const last = page.locator('[data-test=amend-last]')
  await last.getByText(/最新价 \d+\.\d\d（.+），委托价与它相差 -/).waitFor()
  await page.locator('[name=amend-price]').fill('325')
  await last.getByText(/相差 \+8\d\d\.\d\d%/).waitFor()
  await page.locator('[name=amend-price]').fill('')
  await last.getByText(/^最新价 \d+\.\d\d（[^，]+）$/).waitFor()
  t.strictSame(complaints, [])
})

t.test('F990 what a change sends is told with its amount, and by its button', async (t) => {
  const { direct } = await serve(t)
  const order = { stock_code: '600036', order_type: 23, order_volume: 500, price_type: 11 }
  await post(`${direct[0]}/api/actions/place_order`, { ...order, price: 32.5 })
  const { page, complaints } = await visit(browser, `${direct[0]}/#/orders`)
  await page.locator('[data-test=open-amend]').click()
  const send = page.locator('[data-test=amend]')
  await page.locator('[name=amend-volume]').fill('5000')
  await page.locator('[data-test=amend-means]', { hasText: '（约 162,500.00）' }).waitFor()
  await send.filter({ hasText: '撤单，另报买入 32.50 × 5,000 股' }).waitFor()
  await page.locator('[name=amend-volume]').fill('300')
  await page.locator('[name=amend-price]').fill('32.6')
  await page.locator('[data-test=amend-means]', { hasText: '（约 9,780.00）' }).waitFor()
  await send.filter({ hasText: '撤单，另报买入 32.60 × 300 股' }).waitFor()
  t.strictSame(complaints, [])
})

/** Closes the window by a way of its own, and presses what sends the change as it fades. */
const closeThenSend = (close: string) => `new Promise((done) => {
  const send = document.querySelector('[data-test=amend]')
  ${close}
  setTimeout(() => done(send.click()), 0)
})`

t.test('F1029 a change whose window was closed is not sent as it fades', async (t) => {
  const { direct } = await serve(t)
  const resting = { stock_code: '600036', order_type: 23, price_type: 11, price: 32.5 }
  await post(`${direct[0]}/api/actions/place_order`, { ...resting, order_volume: 500 })
  const { page } = await visit(browser, `${direct[0]}/#/orders`)
  await page.emulateMedia({ reducedMotion: 'no-preference' })
  let sent = 0
  page.on('request', (one) => {
    if (one.url().endsWith('/amend')) sent += 1
  })
  const row = page.locator('tbody tr', { hasText: '32.50' })
  for (const close of [
    `document.dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape', code: 'Escape' }))`,
    `send.closest('.el-dialog').querySelector('.el-dialog__headerbtn').click()`,
  ]) {
    await row.locator('[data-test=open-amend]').click()
    await page.locator('[name=amend-volume]').fill('300')
    await page.locator('[data-test=amend]:enabled').waitFor()
    await page.evaluate(closeThenSend(close))
    await page.locator('form.amend').waitFor({ state: 'detached' })
    t.equal(sent, 0, close)
  }
})
