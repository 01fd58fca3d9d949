import type { Page } from 'playwright-core'
import t from 'tap'
import { account, post, serve } from '../service/fixture.ts'
import { drawn, rewrite, settle, sidewaysScroll, startBrowser, visit } from './pages.ts'

const browser = await startBrowser(t)
const HELD = { stock_code: '600519', volume: 12_300, cost_price: 1_435.1, stock_name: '贵州茅台' }
const FUND = { stock_code: '510300', volume: 12_000, cost_price: 4.126, stock_name: '沪深300ETF' }
const accounts = [account('10000001', [HELD, FUND], 1_000_000)]
const UPRIGHT = 768

interface Part {
  readonly textContent: string
  contains(other: Part | null): boolean
  getBoundingClientRect(): {
    readonly left: number
    readonly right: number
    readonly top: number
    readonly bottom: number
  }
}
declare const document: { elementFromPoint(x: number, y: number): Part | null }
/** Parts of which the right end is not what is seen in its place: something lies over it, or it is outside. */
const covered = (page: Page, selector: string): Promise<string[]> =>
  page.locator(`main ${selector}`).evaluateAll((parts) =>
    (parts as unknown as Part[])
      .filter((part) => {
        const { right, top, bottom } = part.getBoundingClientRect()
        return !part.contains(document.elementFromPoint(right - 2, (top + bottom) / 2))
      })
      .map(({ textContent }) => textContent),
  )

t.test('F667 the switch of a holding is seen and turned on a tablet held upright', async (t) => {
  const { direct } = await serve(t, { overrides: { accounts } })
  for (const language of ['zh-CN', 'en'] as const) {
    const url = `${direct[0]}/#/positions`
    const { page, context } = await visit(browser, url, { language, width: UPRIGHT })
    await page.locator('tr[data-code] .el-switch').first().waitFor()
    await drawn(page)
    t.strictSame(await covered(page, 'tr[data-code] :is(.el-switch, .acts)'), [], language)
    await context.close()
  }
})

t.test('F668 no button covers how much of an order is filled, on a tablet', async (t) => {
  const { direct } = await serve(t, { overrides: { accounts } })
  const base = direct[0] ?? ''
  const order = { stock_code: '510300', order_volume: 100 }
  await post(`${base}/api/actions/place_order`, { ...order, order_type: 24, price_type: 5 })
  const resting = { ...order, order_type: 23, price_type: 11, price: 3.9 }
  await post(`${base}/api/actions/place_order`, resting)
  for (const language of ['zh-CN', 'en'] as const) {
    const url = `${base}/#/orders`
    const { page, context } = await visit(browser, url, { language, width: UPRIGHT })
    await page.locator('[data-cancel]').waitFor()
    await drawn(page)
    t.strictSame(await covered(page, 'tr[data-order] > .traded'), [], language)
    const over = 'tr[data-order]:not(:has([data-cancel])) .state .badge'
    t.strictSame(await covered(page, over), [], `an order that is over, ${language}`)
    await context.close()
  }
})

t.test('F669 nothing of a grid is covered by its buttons on a notebook', async (t) => {
  const { direct } = await serve(t, { overrides: { accounts } })
  const base = direct[0] ?? ''
  const config = { price_interval: 0.05, max_investment: 20_000 }
  await post(`${base}/api/grid/start`, { stock_code: '510300', config })
  for (const language of ['zh-CN', 'en'] as const) {
    const { page, context } = await visit(browser, `${base}/#/orders`, { language })
    await settle(page, 'grid')
    await page.locator('tr[data-session]').waitFor()
    for (const width of [1_366, 1_200, 1_161, 1_100, 1_024]) {
      await page.setViewportSize({ width, height: 900 })
      await drawn(page)
      t.strictSame(await covered(page, 'tr[data-session] > td'), [], `${language}, ${width}`)
    }
    await context.close()
  }
})

t.test('F670 tens of millions stand in one line on a small phone', async (t) => {
  const { direct } = await serve(t, { overrides: { accounts } })
  const { page, context } = await visit(browser, `${direct[0]}/#/overview`, { width: 320 })
  t.teardown(() => context.close())
  const value = page.locator('[data-test=market]')
  await value.filter({ hasText: /\d{2},\d{3},\d{3}\.\d\d/ }).waitFor()
  await drawn(page)
  const { height = Number.NaN } = (await value.boundingBox()) ?? {}
  t.ok(height < 40, `${height} px`)
})

// The longest names that exchanges list, and a large holding among them.
const LONG = [
  {
    stock_code: '510300',
    volume: 25_000,
    cost_price: 3.817,
    stock_name: '沪深300ETF华泰柏瑞增强版甲类',
  },
  { stock_code: '601318', volume: 12_345_600, cost_price: 48, stock_name: '中国平安' },
]
const long = { accounts: [account('10000001', LONG, 900_000_000)] }
const WIDTHS = [1_440, 1_366, 1_280, 1_180, 1_024, UPRIGHT]

t.test('F695 a long name has no figure of a holding, and no switch, covered', async (t) => {
  const { direct } = await serve(t, { overrides: long })
  for (const language of ['zh-CN', 'en'] as const) {
    const { page, context } = await visit(browser, `${direct[0]}/#/positions`, { language })
    await page.locator('tr[data-code] .el-switch').first().waitFor()
    for (const width of WIDTHS) {
      await page.setViewportSize({ width, height: 900 })
      await drawn(page)
      const parts = 'tr[data-code] > td > :is(small, .el-switch):visible'
      t.strictSame(await covered(page, parts), [], `${language}, ${width}`)
    }
    await context.close()
  }
})

t.test(
  'F696 how an order stands is read beside a long name, and what a grid waits for',
  async (t) => {
    const { direct } = await serve(t, { overrides: long })
    const base = direct[0] ?? ''
    const order = { order_type: 24, price_type: 11, price: 4.1, order_volume: 12_300 }
    await post(`${base}/api/actions/place_order`, { ...order, stock_code: '510300' })
    const config = { price_interval: 0.05, max_investment: 100_000 }
    await post(`${base}/api/grid/start`, { stock_code: '510300', config })
    for (const language of ['zh-CN', 'en'] as const) {
      const { page, context } = await visit(browser, `${base}/#/orders`, { language })
      await page.locator('[data-cancel]').waitFor()
      for (const width of WIDTHS) {
        await page.setViewportSize({ width, height: 900 })
        await drawn(page)
        const parts = 'tr[data-order] > :is(.traded, .price), tr[data-order] > .state > .badge'
        t.strictSame(await covered(page, parts), [], `orders, ${language}, ${width}`)
      }
      await settle(page, 'grid')
      await page.locator('.nexts > *').nth(1).waitFor()
      for (const width of WIDTHS) {
        await page.setViewportSize({ width, height: 900 })
        await drawn(page)
        const told = ':is(.next > span, tr[data-session] > .pair:visible)'
        t.strictSame(await covered(page, told), [], `grid, ${language}, ${width}`)
      }
      await context.close()
    }
  },
)

/** Figures of tiles that go on in a second line: read alone, each part of one is another figure. */
const BROKEN = `[...document.querySelectorAll('main .tile dd')].flatMap((dd) => {
  const texts = document.createTreeWalker(dd, NodeFilter.SHOW_TEXT)
  const broken = []
  for (let text = texts.nextNode(); text !== null; text = texts.nextNode()) {
    for (const { index, 0: figure } of text.data.matchAll(/[\\d,.+-]+/g)) {
      const range = document.createRange()
      range.setStart(text, index)
      range.setEnd(text, index + figure.length)
      if (new Set([...range.getClientRects()].map(({ top }) => top)).size > 1) broken.push(figure)
    }
  }
  return broken
})`

t.test('F699 a sum of billions stands in one line, on a phone and on a tablet', async (t) => {
  const accounts = [account('10000001', LONG, 9_876_543_210)]
  const { direct, gateway } = await serve(t, { overrides: { accounts } })
  const { page, context } = await visit(browser, `${direct[0]}/#/overview`)
  t.teardown(() => context.close())
  for (const url of [`${direct[0]}/#/overview`, gateway]) {
    await page.goto(url)
    await page
      .locator('.tile dd', { hasText: /\d,\d{3},\d{3},\d{3}\.\d\d/ })
      .first()
      .waitFor()
    for (const width of [320, 390, 800, UPRIGHT, 1_024, 1_366]) {
      await page.setViewportSize({ width, height: 900 })
      await drawn(page)
      t.strictSame(await page.evaluate(BROKEN), [], `${url}, ${width}`)
    }
  }
})

/** Figures of an account that end where the next one begins, or behind it: the two read as one. */
const MERGED = `[...document.querySelectorAll('main .facts')].flatMap((facts) => {
  const ends = [...facts.children].map((one) => {
    const range = document.createRange()
    range.selectNodeContents(one.querySelector('dd'))
    return { text: range.toString(), right: range.getBoundingClientRect().right, at: one.getBoundingClientRect() }
  })
  return ends.flatMap(({ text, right, at }, index) => {
    const next = ends[index + 1]?.at
    return /\\d[.]\\d\\d$/.test(text) && next?.top === at.top && right > next.left - 4 ? [text] : []
  })
})`

t.test('F721 the sums of an account do not run into each other on the monitor', async (t) => {
  const accounts = [account('10000001', LONG, 9_876_543_210)]
  const { gateway } = await serve(t, { overrides: { accounts } })
  const { page, context } = await visit(browser, gateway)
  t.teardown(() => context.close())
  await page
    .locator('.facts dd', { hasText: /\d,\d{3},\d{3},\d{3}\.\d\d/ })
    .first()
    .waitFor()
  for (const width of [320, 360, 390, 480, 620, UPRIGHT, 800, 1_024, 1_366]) {
    await page.setViewportSize({ width, height: 900 })
    await drawn(page)
    t.strictSame(await page.evaluate(MERGED), [], `${width}`)
  }
})

t.test('F700 what a day has realized is read whole in the calendar, on a phone too', async (t) => {
  const { direct } = await serve(t, { overrides: { accounts } })
  const { page, context } = await visit(browser, 'about:blank')
  t.teardown(() => context.close())
  await rewrite(context, '**/api/earnings?**', (body) => {
    const month = String(body['to']).slice(0, 7)
    const day = (n: number) => ({ day: `${month}-${String(n).padStart(2, '0')}`, sales: 1 })
    const by_day = [day(1), day(2), day(3), day(4), day(5)].map((one, at) => ({
      ...one,
      realized: [-123_456.78, 1_234.56, -98_765.43, 7.5, 234_567.89][at],
      equity_change: null,
    }))
    return { ...body, from: `${month}-01`, by_day }
  })
  await page.goto(`${direct[0]}/#/earnings`)
  const figures = page.locator('.calendar td .num:not(.dim)', { hasText: /\d/ })
  await figures.nth(4).waitFor({ state: 'attached' })
  for (const width of [320, 390, UPRIGHT, 1_024, 1_366]) {
    await page.setViewportSize({ width, height: 900 })
    await drawn(page)
    const cut = await figures.evaluateAll((parts) =>
      (parts as unknown as { scrollWidth: number; clientWidth: number; textContent: string }[])
        .filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth)
        .map(({ textContent }) => textContent),
    )
    t.strictSame(cut, [], `${width}`)
    t.ok((await sidewaysScroll(page)) <= 0, `no wider than its window, ${width}`)
  }
})
