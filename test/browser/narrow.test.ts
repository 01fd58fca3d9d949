import type { Page } from 'playwright-core'
import t from 'tap'
import { account, post, serve } from '../service/fixture.ts'
import { drawn, seriousFindings, settle, sidewaysScroll, startBrowser, visit } from './pages.ts'

const browser = await startBrowser(t)
const HELD = { stock_code: '600519', volume: 12_300, cost_price: 1_435.1, stock_name: '贵州茅台' }
const BANK = { stock_code: '600036', volume: 1_000, cost_price: 35.1, stock_name: '招商银行' }
const WIDTHS = [1_440, 1_360, 1_280, 1_200, 1_024, 900]

t.test('holdings need no sideways scrolling at any width, and can always be sold', async (t) => {
  const { direct } = await serve(t, {
    overrides: { accounts: [account('10000001', [HELD, BANK])] },
  })
  for (const language of ['zh-CN', 'en'] as const) {
    const { page, context } = await visit(browser, `${direct[0]}/#/positions`, { language })
    const sell = page.locator('tr[data-code="600519"] .actions button').last()
    await sell.waitFor()
    for (const width of WIDTHS) {
      await page.setViewportSize({ width, height: 900 })
      await drawn(page)
      const [inner, outer] = (await page
        .locator('.table-wrap')
        .evaluate((it) => [it.scrollWidth, it.clientWidth])) as [number, number]
      t.ok(inner <= outer, `${language} ${width}: ${inner} of ${outer}`)
      t.ok((await sidewaysScroll(page)) <= 0)
      const box = await sell.boundingBox()
      t.ok(box && box.x + box.width <= width, 'its button is in the window')
    }
    await context.close()
  }
})

t.test('F558 orders and grids with their buttons make the page of a phone no wider', async (t) => {
  const { direct } = await serve(t, { overrides: { accounts: [account('10000001', [BANK])] } })
  const base = direct[0] ?? ''
  const order = { stock_code: '600036', order_type: 23, order_volume: 100, price_type: 11 }
  await post(`${base}/api/actions/place_order`, { ...order, price: 32.5 })
  const config = { price_interval: 0.05, max_investment: 10_000 }
  await post(`${base}/api/grid/start`, { stock_code: '600036', config })
  for (const language of ['zh-CN', 'en'] as const) {
    const { page, context } = await visit(browser, `${base}/#/orders`, { language, width: 390 })
    await page.locator('[data-cancel]').waitFor()
    t.equal(await sidewaysScroll(page), 0, `orders, ${language}`)
    await settle(page, 'grid')
    await page.locator('tr[data-session]').first().waitFor()
    t.equal(await sidewaysScroll(page), 0, `grid, ${language}`)
    await context.close()
  }
})

t.test('F592 an order is read whole on a phone, and its buttons are in the window', async (t) => {
  const { direct, gateway } = await serve(t, {
    overrides: { accounts: [account('10000001', [BANK])] },
  })
  const base = direct[0] ?? ''
  const order = { stock_code: '600036', order_type: 23, order_volume: 100, price_type: 11 }
  await post(`${base}/api/actions/place_order`, { ...order, price: 32.5 })
  for (const language of ['zh-CN', 'en'] as const) {
    const { page, context } = await visit(browser, `${base}/#/orders`, { language, width: 360 })
    const row = page.locator('tr[data-order]')
    await row.waitFor()
    const wrap = page.locator('main .table-wrap')
    await drawn(page)
    const isNarrow = () => wrap.evaluate((it) => it.scrollWidth <= it.clientWidth)
    t.ok(await isNarrow(), `nothing to move sideways, ${language}`)
    for (const part of [
      row.locator('[data-cancel]'),
      row.locator('[data-test=open-amend]'),
      row.getByText('32.50'),
      row.getByText(language === 'en' ? 'Reported' : '已报', { exact: true }),
    ]) {
      const box = await part.boundingBox()
      t.ok(box && box.x >= 0 && box.x + box.width <= 360, `in the window, ${language}`)
    }
    t.strictSame(await seriousFindings(page), [])
    await page.setViewportSize({ width: 1_280, height: 800 })
    await page.locator('main thead th').first().waitFor()
    await context.close()
  }
  const { page, context } = await visit(browser, `${gateway}/account/10000001`, { width: 360 })
  await page.getByRole('tab', { name: '委托' }).click()
  await page.locator('tr[data-order]').waitFor()
  await drawn(page)
  const wrap = page.locator('.table-wrap', { has: page.locator('tr[data-order]') })
  t.ok(await wrap.evaluate((it) => it.scrollWidth <= it.clientWidth))
  await context.close()
})

t.test('F604 an order can be canceled at any width, a phone on its side too', async (t) => {
  const { direct } = await serve(t, { overrides: { accounts: [account('10000001', [BANK])] } })
  const base = direct[0] ?? ''
  const order = { stock_code: '600036', order_type: 23, order_volume: 100, price_type: 11 }
  await post(`${base}/api/actions/place_order`, { ...order, price: 32.5 })
  for (const language of ['zh-CN', 'en'] as const) {
    const { page, context } = await visit(browser, `${base}/#/orders`, { language })
    const buttons = page.locator('tr[data-order] .actions')
    await buttons.waitFor()
    for (const width of [...WIDTHS, 844, 768]) {
      await page.setViewportSize({ width, height: 900 })
      await drawn(page)
      const box = await buttons.boundingBox()
      t.ok(box && box.x >= 0 && box.x + box.width <= width, `in the window, ${language} ${width}`)
    }
    await page.locator('[data-cancel]').click()
    await page.locator('form.question').waitFor()
    await context.close()
  }
})

t.test('F605 no button of an order lies over its source on a small phone', async (t) => {
  const { direct } = await serve(t, { overrides: { accounts: [account('10000001', [BANK])] } })
  const base = direct[0] ?? ''
  const order = { stock_code: '600036', order_type: 23, order_volume: 100, price_type: 11 }
  await post(`${base}/api/actions/place_order`, { ...order, price: 32.5 })
  const { page, context } = await visit(browser, `${base}/#/orders`, { language: 'en', width: 320 })
  t.teardown(() => context.close())
  const row = page.locator('tr[data-order]')
  await row.waitFor()
  await drawn(page)
  const source = await row.getByText('Manual buy').boundingBox()
  const buttons = await row.locator('.actions').boundingBox()
  t.ok(source && buttons && source.x + source.width <= buttons.x)
  t.equal(await sidewaysScroll(page), 0)
})

/** What is to be read or pressed and does not lie in the window, and tables that move sideways. */
const outside = (page: Page): Promise<string[]> =>
  page.evaluate(() =>
    [...document.querySelectorAll('main :is(button, .badge, .side, .num), main .table-wrap')]
      .filter((it) => {
        const { right, width } = it.getBoundingClientRect()
        return right > innerWidth + 1 || (width > 0 && it.scrollWidth > it.clientWidth + 1)
      })
      .map((it) => `${it.className}: ${it.textContent}`),
  )
interface Seen {
  readonly className: string
  readonly textContent: string
  readonly scrollWidth: number
  readonly clientWidth: number
  getBoundingClientRect(): { readonly right: number; readonly width: number }
}
declare const document: { querySelectorAll(selector: string): Iterable<Seen> }
declare const innerWidth: number

t.test('F640 fills, grids, stops, rules and the audit are read whole on a phone', async (t) => {
  const { direct } = await serve(t, { overrides: { accounts: [account('10000001', [BANK])] } })
  const base = direct[0] ?? ''
  const config = { price_interval: 0.05, max_investment: 10_000 }
  await post(`${base}/api/grid/start`, { stock_code: '600036', config })
  const sale = { stock_code: '600036', order_type: 24, order_volume: 100, price_type: 5 }
  await post(`${base}/api/actions/place_order`, sale)
  for (const language of ['zh-CN', 'en'] as const) {
    const { page, context } = await visit(browser, `${base}/#/trades`, { language, width: 360 })
    const screens = {
      trades: 'tr [data-test=note]',
      earnings: 'tr[data-index]',
      grid: 'tr[data-session]',
      exits: 'tr[data-code]',
      risk: 'td .badge',
      audit: 'td details',
      latency: 'tr[data-latency]',
    }
    for (const [screen, row] of Object.entries(screens)) {
      await settle(page, screen)
      await page.locator(`main ${row}`).first().waitFor()
      await drawn(page)
      t.strictSame(await outside(page), [], `${screen}, ${language}`)
    }
    await settle(page, 'grid')
    await page
      .locator('tr[data-session]')
      .getByRole('button', { name: /^(停止|Stop)$/ })
      .click()
    await page.locator('form.question').waitFor()
    await context.close()
  }
})
