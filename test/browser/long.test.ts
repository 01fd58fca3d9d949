import type { Page } from 'playwright-core'
import t from 'tap'
import { account, post, serve } from '../service/fixture.ts'
import { drawn, rewrite, settle, startBrowser, visit } from './pages.ts'

// Names of twelve characters and amounts of hundreds of millions, as funds have them.
const browser = await startBrowser(t)
const FUND = {
  stock_code: '510300',
  volume: 99_999_900,
  cost_price: 4.126,
  stock_name: '沪深三百交易型开放式指数',
}
const BANK = {
  stock_code: '600036',
  volume: 12_345_600,
  cost_price: 35.1,
  stock_name: '上海浦东发展银行股份公司',
}
const accounts = [account('10000001', [FUND, BANK], 9_876_543_210)]

interface Box {
  readonly textContent: string
  readonly scrollWidth: number
  readonly clientWidth: number
}
/** Figures that are cut at the edge of their tile: those that are left are read as another figure. */
const cutFigures = (page: Page): Promise<string[]> =>
  page
    .locator('main .tile')
    .evaluateAll((tiles) =>
      (tiles as unknown as Box[])
        .filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth)
        .map(({ textContent }) => textContent),
    )

t.test('F641 no figure is cut at the edge of its tile', async (t) => {
  const { direct, gateway } = await serve(t, { overrides: { accounts } })
  const base = direct[0] ?? ''
  for (const width of [1_366, 683, 390, 320]) {
    const { page, context } = await visit(browser, `${base}/#/overview`, { width })
    await page.locator('[data-test=total]', { hasText: /\d,\d{3}\.\d\d/ }).waitFor()
    await drawn(page)
    t.strictSame(await cutFigures(page), [], `overview, ${width}`)
    await rewrite(context, '**/api/earnings?**', (body) => ({
      ...body,
      today: { ...(body['today'] as object), pnl: -358_259_604.1 },
    }))
    await settle(page, 'earnings')
    await page.locator('.tile').getByText('-358,259,604.10').waitFor()
    await drawn(page)
    t.strictSame(await cutFigures(page), [], `earnings, ${width}`)
    await page.goto(gateway)
    await page.locator('[data-test=total] dd', { hasText: /\d,\d{3}\.\d\d/ }).waitFor()
    await drawn(page)
    t.strictSame(await cutFigures(page), [], `monitor, ${width}`)
    await context.close()
  }
})

/** Notes each figure that begins left of its picture. */
const WATCH_FIGURES = `{
  const draw = CanvasRenderingContext2D.prototype.fillText
  globalThis.figures = []
  CanvasRenderingContext2D.prototype.fillText = function (text, x, ...more) {
    const wide = this.measureText(text).width
    const from = this.textAlign === 'right' ? x - wide : x
    globalThis.figures.push({ text, from })
    return draw.call(this, text, x, ...more)
  }
}`

t.test('F641 nor beside the curve of the day', async (t) => {
  const { direct } = await serve(t, { overrides: { accounts } })
  const { page, context } = await visit(browser, 'about:blank', { width: 390 })
  t.teardown(() => context.close())
  await page.addInitScript(WATCH_FIGURES)
  await page.goto(`${direct[0]}/#/overview`)
  await page.locator('.curve canvas').waitFor()
  await page.waitForFunction(`figures.some(({ text }) => /^\\d{1,3}(,\\d{3}){3}$/.test(text))`)
  const cut = await page.evaluate('figures.filter(({ from }) => from < 0)')
  t.strictSame(cut, [])
})

t.test(
  'F642 a holding can be sold and a grid stopped, however long what stands before',
  async (t) => {
    const { direct } = await serve(t, { overrides: { accounts } })
    const base = direct[0] ?? ''
    const config = { price_interval: 0.05, max_investment: 10_000_000 }
    const started = await post(`${base}/api/grid/start`, { stock_code: '510300', config })
    t.match(started.body, { success: true })
    for (const width of [1_366, 1_024, 800]) {
      const { page, context } = await visit(browser, `${base}/#/positions`, { width })
      const sell = page.locator('tr[data-code="510300"] .actions button').last()
      await sell.waitFor()
      await drawn(page)
      const isIn = (box: { x: number; width: number } | null) =>
        box !== null && box.x >= 0 && box.x + box.width <= width
      t.ok(isIn(await sell.boundingBox()), `sell, ${width}`)
      await settle(page, 'grid')
      const stop = page.locator('tr[data-session] button').last()
      await stop.waitFor()
      await drawn(page)
      t.ok(isIn(await stop.boundingBox()), `stop, ${width}`)
      await stop.click()
      await page.locator('form.question').waitFor()
      await context.close()
    }
  },
)

t.test('F642 what a holding has earned is in the window of a phone', async (t) => {
  const { direct } = await serve(t, { overrides: { accounts } })
  const { page, context } = await visit(browser, 'about:blank', { width: 390 })
  t.teardown(() => context.close())
  const profit_amount = -12_345_678.9
  await rewrite(context, '**/api/positions-all', (body) => ({
    ...body,
    data: (body['data'] as object[]).map((row) => ({ ...row, profit_amount })),
  }))
  await page.goto(`${direct[0]}/#/positions`)
  const row = page.locator('tr[data-code="510300"]')
  await row.waitFor()
  await drawn(page)
  const wrap = page.locator('main .table-wrap')
  t.ok(await wrap.evaluate((it) => it.scrollWidth <= it.clientWidth))
})

t.test('F643 how accounts stand is in the window of a phone beside a long name', async (t) => {
  const alias = '华东一号私募证券投资基金第三期专用账户'
  const { gateway } = await serve(t, { overrides: { accounts: [{ ...accounts[0], alias }] } })
  const { page, context } = await visit(browser, 'about:blank', { width: 390 })
  t.teardown(() => context.close())
  const ids = ['10000001', ...Array.from({ length: 59 }, (_, n) => `${66_600_000 + n * 37}`)]
  await rewrite(context, '**/api/v1/accounts', (body) => ({
    ...body,
    data: { ...(body['data'] as object), accounts: ids },
  }))
  await rewrite(context, '**/api/v1/overview', (body) => {
    const [first] = (body['data'] as { accounts: object[] }).accounts
    return { ...body, data: { accounts: ids.map((id) => ({ ...first, account_id: id })) } }
  })
  await page.goto(gateway)
  const row = page.locator('tr[data-account]').first()
  await row.waitFor()
  await drawn(page)
  const state = await row.locator('td .badge').last().boundingBox()
  const pnl = await row.locator('[data-test=pnl]').boundingBox()
  for (const box of [state, pnl]) t.ok(box && box.x + box.width <= 390)
})
