import type { Page } from 'playwright-core'
import t, { type Test } from 'tap'
import { post, serve, until } from '../service/fixture.ts'
import { confirm, drawn, settle, startBrowser, visit } from './pages.ts'

declare const scrollY: number
const browser = await startBrowser(t)
const RESTING = { stock_code: '600036', order_type: 23, order_volume: 100, price_type: 11 }

/** Two orders that rest, and the screen that shows them. */
async function twoOrders(t: Test) {
  const { direct } = await serve(t)
  const base = direct[0] ?? ''
  const ids = []
  for (const price of [32.5, 32.4]) {
    const { body } = await post(`${base}/api/actions/place_order`, { ...RESTING, price })
    ids.push(String(body['client_order_id']))
  }
  const { page, complaints } = await visit(browser, `${base}/#/orders`)
  const row = (price: string) => page.locator('tbody tr', { hasText: price })
  await row('32.50').locator('[data-cancel]').waitFor()
  await row('32.40').locator('[data-cancel]').waitFor()
  return { base, page, row, ids, complaints }
}
const heading = (page: Page, name: string) =>
  page.locator('main h1:focus', { hasText: name }).waitFor()

t.test('F551 the focus stays in the row of an order that can be canceled no more', async (t) => {
  const { page, row, complaints } = await twoOrders(t)
  await row('32.50').locator('[data-cancel]').focus()
  await page.keyboard.press('Enter')
  await confirm(page)
  await row('32.50').getByText('已撤', { exact: true }).first().waitFor()
  await row('32.50').and(page.locator(':focus')).waitFor()
  await page.keyboard.press('Shift+Tab')
  await page.locator(':focus').and(page.locator('button')).waitFor()
  t.strictSame(complaints, [])
})

t.test(
  'F551 where its row goes too, the focus is in the next one, or at the heading',
  async (t) => {
    const { page, row } = await twoOrders(t)
    await page.getByRole('switch', { name: '只看在途' }).focus()
    await page.keyboard.press('Space')
    for (const price of ['32.50', '32.40']) {
      await row(price).locator('[data-cancel]').focus()
      await page.keyboard.press('Enter')
      await confirm(page)
      await row(price).waitFor({ state: 'detached' })
      if (price === '32.50') await row('32.40').and(page.locator(':focus')).waitFor()
    }
    await heading(page, '委托')
  },
)

t.test(
  'F551 an order that ends while its cancel is asked about leaves the focus there',
  async (t) => {
    const { base, page, row, ids } = await twoOrders(t)
    await row('32.50').locator('[data-cancel]').focus()
    await page.keyboard.press('Enter')
    await page.locator('[data-test=confirm]:enabled').waitFor()
    await post(`${base}/api/orders/${ids[0]}/cancel`, {})
    await row('32.50').getByText('已撤', { exact: true }).first().waitFor()
    await page.keyboard.press('Escape')
    await page.locator('[data-test=confirm]').waitFor({ state: 'hidden' })
    await row('32.50').and(page.locator(':focus')).waitFor()
  },
)

t.test('F574 the window that changes an order gives the focus back to its row', async (t) => {
  const { base, page, row, ids } = await twoOrders(t)
  await row('32.50').locator('[data-test=open-amend]').focus()
  await page.keyboard.press('Enter')
  await page.locator('[name=amend-volume]').waitFor()
  await post(`${base}/api/orders/${ids[0]}/cancel`, {})
  await row('32.50').getByText('已撤', { exact: true }).first().waitFor()
  await page.keyboard.press('Escape')
  await page.locator('[name=amend-volume]').waitFor({ state: 'hidden' })
  await row('32.50').and(page.locator(':focus')).waitFor()
})

t.test('F552 another screen has the focus at its heading, and is shown from its top', async (t) => {
  const { direct, gateway } = await serve(t)
  const { page, complaints } = await visit(browser, `${direct[0]}/#/settings`, { height: 500 })
  await settle(page, 'settings')
  t.equal(await page.evaluate('document.activeElement === document.body'), true, 'none is stolen')
  t.match(await page.title(), /设置/)
  const end = page.locator('[data-test=advanced]')
  await end.scrollIntoViewIfNeeded()
  t.ok(Number(await page.evaluate('scrollY')) > 0)
  const orders = page.locator('.rail a[href="#/orders"]')
  await orders.focus()
  await page.keyboard.press('Enter')
  await heading(page, '委托')
  t.match(await page.title(), /委托/)
  t.equal(await page.evaluate('scrollY'), 0)
  await page.goBack()
  await heading(page, '设置')
  await page.keyboard.press('k')
  await page.locator('[data-level]:focus').waitFor() // what was asked for has it
  await page.keyboard.press('b')
  await page.locator('[name=code]:focus').waitFor()
  await page.keyboard.press('Escape')
  await page.locator('form.ticket').waitFor({ state: 'hidden' })
  t.strictSame(complaints, [])

  const monitor = await visit(browser, gateway)
  await monitor.page.getByRole('link', { name: '连接' }).click()
  await heading(monitor.page, '连接')
  await monitor.page.getByRole('link', { name: '大屏' }).click()
  await monitor.page.locator('.wall main:focus, .wall h1:focus').waitFor()
  t.strictSame(monitor.complaints, [])
})

t.test('F552 another part of the same screen takes no focus', async (t) => {
  const { direct } = await serve(t)
  const { page } = await visit(browser, `${direct[0]}/#/grid`)
  await settle(page, 'grid')
  const opener = page.locator('[data-test=new-grid]')
  await opener.focus()
  await page.evaluate("location.hash = '#/grid?code=600036'")
  const wizard = page.locator('form.wizard')
  await wizard.waitFor()
  await page.keyboard.press('Escape')
  await wizard.waitFor({ state: 'hidden' })
  await drawn(page)
  t.ok(await opener.evaluate((one) => one.matches(':focus')))
  await until(
    () => page.title(),
    (title) => title.includes('网格'),
  )
})

t.test('F572 a screen that somebody comes back to is shown where he has left it', async (t) => {
  const { direct } = await serve(t)
  const { page } = await visit(browser, `${direct[0]}/#/settings`, { height: 500, isPatient: true })
  await settle(page, 'settings')
  const held = Promise.withResolvers<() => Promise<void>>()
  // It may still grow, and is not that long before.
  await page.waitForFunction('scrollTo(0, 1500), scrollY === 1500')
  await page.locator('.rail a[href="#/orders"]').click()
  await heading(page, '委托')
  // As with a service that is slow: there is little to scroll yet.
  const described = '**/api/settings/described'
  await page.route(described, (route) => held.resolve(() => route.continue()), { times: 1 })
  await page.goBack()
  await heading(page, '设置')
  const release = await held.promise
  await drawn(page)
  t.ok(Number(await page.evaluate('scrollY')) < 1500)
  await release()
  await page.waitForFunction(() => scrollY === 1500)

  const again = Promise.withResolvers<() => Promise<void>>()
  await page.locator('.rail a[href="#/orders"]').click()
  await heading(page, '委托')
  await page.route(described, (route) => again.resolve(() => route.continue()), { times: 1 })
  await page.goBack()
  await heading(page, '设置')
  const releaseAgain = await again.promise
  await page.keyboard.press('Home')
  await page.waitForFunction(() => scrollY === 0)
  await releaseAgain()
  await settle(page, 'settings')
  await drawn(page)
  t.equal(await page.evaluate('scrollY'), 0, 'who has gone elsewhere since is not taken back')
})

t.test('F573 the way past the navigation leads into the screen that is shown', async (t) => {
  const { direct } = await serve(t)
  const { page } = await visit(browser, `${direct[0]}/#/orders`)
  await settle(page, 'orders')
  await page.locator('a.skip').focus()
  await page.keyboard.press('Enter')
  await heading(page, '委托')
  t.match(page.url(), /#\/orders$/)
})

t.test('F595 before its first screen is there a console has its name once', async (t) => {
  const { direct } = await serve(t)
  const { page, context } = await visit(browser, 'about:blank', { serviceWorkers: 'block' })
  t.teardown(() => context.close())
  let letThrough = (): void => undefined
  await context.route('**/orders-screen*.js', async (route) => {
    await new Promise<void>((resolve) => {
      letThrough = resolve
    })
    await route.continue()
  })
  await page.goto(`${direct[0]}/#/orders`, { waitUntil: 'commit' })
  const titled = (part: string) =>
    until(
      () => page.title(),
      (title) => title.includes('10000001') && title.includes(part),
    )
  t.notMatch(await titled('操作台'), /操作台.*操作台/)
  letThrough()
  await titled('委托')
})
