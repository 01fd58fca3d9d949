import type { Page, Route } from 'playwright-core'
import t, { type Test } from 'tap'
import { account, post, serve } from '../service/fixture.ts'
import { go, seriousFindings, startBrowser, visit } from './pages.ts'

const browser = await startBrowser(t)
const SEARCH = '**/api/instruments?*'

async function desk(t: Test, screen: string) {
  const { direct } = await serve(t)
  const seen = await visit(browser, `${direct[0]}/#/${screen}`)
  t.teardown(() => seen.context.close())
  await seen.page.locator('header').getByText('实时', { exact: true }).waitFor()
  return seen
}
const code = (page: Page) => page.locator('input[name=code]').inputValue()
/** Until this field or button has the focus. */
const focused = (page: Page, name: string) =>
  page.locator(`[name=${name}]:focus, [data-test=${name}]:focus`).waitFor()
const option = (page: Page, stock: string) => page.locator(`[role=option][data-code="${stock}"]`)
/** Enter, once the question takes it. */
async function yes(page: Page): Promise<void> {
  await page.locator('[data-test=confirm]:enabled:focus').waitFor()
  await page.keyboard.press('Enter')
  await page.locator('[data-test=confirm]').waitFor({ state: 'hidden' })
}

t.test(
  'a purchase found by pinyin, its cancel and the kill switch, with no hand on the mouse',
  async (t) => {
    const { page, complaints } = await desk(t, 'orders')
    const opener = page.getByRole('button', { name: '买入' }).first()
    await opener.focus()
    await page.keyboard.press('b')
    await focused(page, 'code')
    await page.keyboard.type('payh')
    await option(page, '000001.SZ').waitFor()
    t.equal(await option(page, '000001.SZ').getAttribute('aria-selected'), 'true')
    t.strictSame(await seriousFindings(page), [])
    await page.keyboard.press('Enter')
    t.equal(await code(page), '000001.SZ')
    await focused(page, 'price')
    await page.getByText(/试算通过/).waitFor()
    t.equal(await page.locator('[data-test=ticket-name]').textContent(), '平安银行')
    const last = Number(await page.locator('input[name=price]').inputValue())
    const resting = (last * 0.95).toFixed(2)
    await page.keyboard.type(resting)
    await page.keyboard.press('Enter')
    await focused(page, 'volume')
    await page.keyboard.type('300')
    await page.keyboard.press('Enter')
    await focused(page, 'place')
    await page.keyboard.press('Enter')
    await yes(page)
    await page.locator('form.ticket').waitFor({ state: 'hidden' })
    const row = page.locator('tbody tr', { hasText: resting })
    await row.getByText('已报').first().waitFor()
    await page.getByRole('button', { name: '买入' }).and(page.locator(':focus')).waitFor()

    await page.keyboard.press('c')
    await yes(page)
    await row.getByText('已撤', { exact: true }).first().waitFor()

    await page.keyboard.press('k')
    await page.locator('[data-level]:focus').waitFor()
    await page.keyboard.press('Enter')
    await yes(page)
    await page
      .locator('header')
      .getByText(/急停：/)
      .waitFor()
    t.strictSame(complaints, [])
  },
)

t.test(
  'six digits typed at speed are their stock, whatever is answered about a part of them',
  async (t) => {
    const { page } = await desk(t, 'orders')
    const late: Route[] = []
    await page.route(SEARCH, (route) => void late.push(route))
    await page.keyboard.press('b')
    await focused(page, 'code')
    const asked = page.waitForRequest(SEARCH)
    await page.keyboard.type('60003')
    await asked
    await page.keyboard.type('6')
    for (const route of late.splice(0)) await route.continue()
    await page.keyboard.press('Enter')
    await focused(page, 'price')
    await page.getByText(/试算通过/).waitFor()
    t.equal(await code(page), '600036')
    t.equal(await page.locator('[role=option]:visible').count(), 0)
    await page.unroute(SEARCH)

    await page.locator('input[name=code]').fill('')
    await page.keyboard.type('60000')
    await option(page, '600000.SH').waitFor()
    await page.keyboard.press('Enter')
    t.equal(await code(page), '60000', 'a part of a code takes none that was not chosen')
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Escape')
    await page.locator('[role=listbox]').waitFor({ state: 'hidden' })
    t.ok(await page.locator('form.ticket').isVisible(), 'Esc closes the list alone')
    t.equal(await code(page), '60000')
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    t.equal(await code(page), '600000.SH')
    await page.keyboard.press('Escape')
    await page.locator('form.ticket').waitFor({ state: 'hidden' })
  },
)

t.test('an empty field offers what is held, and a search that fails says what to do', async (t) => {
  const { page } = await desk(t, 'positions')
  await page.locator('tr[data-code="600036"]').waitFor()
  await page.keyboard.press('s')
  await focused(page, 'code')
  await page.keyboard.press('ArrowDown')
  await option(page, '600036.SH').or(option(page, '600036')).waitFor()
  await page.route(SEARCH, (route) => route.fulfill({ status: 503, body: '{}' }))
  await page.keyboard.type('zs')
  await page.getByText('检索失败').waitFor()
})

t.test('a switch that has the focus takes no text: the keys still work there', async (t) => {
  const { page } = await desk(t, 'orders')
  const onlyPending = page.getByRole('switch', { name: '只看在途' })
  await onlyPending.focus()
  await page.keyboard.press('Space')
  await page.keyboard.press('k')
  await page.locator('[data-level]:focus').waitFor()
})

t.test('the grid of a stock is there whenever it is asked for', async (t) => {
  const { page } = await desk(t, 'positions')
  await page.locator('tr[data-code="600036"] td').first().click()
  const wizard = page.locator('form.wizard')
  for (const _time of [1, 2]) {
    await page.keyboard.press('g')
    await wizard.waitFor()
    t.equal(await wizard.locator('select[name=stock]').inputValue(), '600036')
    await page.keyboard.press('Escape')
    await wizard.waitFor({ state: 'hidden' })
  }
})

t.test(
  'the grid of another stock comes alone, without the one that was asked for before',
  async (t) => {
    const held = ['600036', '601318'].map((stock_code) => ({
      stock_code,
      volume: 1_000,
      cost_price: 35.1,
    }))
    const { direct } = await serve(t, { overrides: { accounts: [account('10000001', held)] } })
    const base = direct[0] ?? ''
    const config = { price_interval: 0.05, max_investment: 10_000 }
    t.equal((await post(`${base}/api/grid/start`, { stock_code: '601318', config })).status, 200)
    const { page, context } = await visit(browser, `${base}/#/grid?code=600036`)
    t.teardown(() => context.close())
    const wizard = page.locator('form.wizard')
    const close = async () => {
      await wizard.waitFor()
      await page.keyboard.press('Escape')
      await wizard.waitFor({ state: 'hidden' })
    }
    await close()
    await page.evaluate("location.hash = '#/positions'")
    await page.locator('tr[data-code="601318"] td').first().click()
    await page.goBack()
    await close()
    await page.keyboard.press('g')
    await page.getByRole('heading', { name: /601318 · / }).waitFor()
    await page.evaluate('new Promise((drawn) => requestAnimationFrame(() => setTimeout(drawn)))')
    t.equal(await wizard.isVisible(), false)
  },
)

t.test('F462 a ticket that is asked for while its screen is on the way stays open', async (t) => {
  const { direct } = await serve(t)
  const options = { serviceWorkers: 'block' } as const
  const { page, context } = await visit(browser, `${direct[0]}/#/`, options)
  t.teardown(() => context.close())
  await page.locator('header').getByText('实时', { exact: true }).waitFor()
  const held: Route[] = []
  await page.route('**/orders-screen-*.js', (route) => void held.push(route))
  const onTheWay = page.waitForRequest('**/orders-screen-*.js')
  await go(page, 'orders')
  await onTheWay
  await page.keyboard.press('b')
  await focused(page, 'code')
  for (const route of held) await route.continue()
  await page.locator('main h1', { hasText: '委托' }).waitFor()
  await page.keyboard.type('600036')
  t.equal(await code(page), '600036')
  await page.keyboard.press('Escape')
  await page.locator('form.ticket').waitFor({ state: 'hidden' })
  await page.keyboard.press('b')
  await focused(page, 'code')
  await go(page, 'risk')
  await page.locator('form.ticket').waitFor({ state: 'hidden' })
})
