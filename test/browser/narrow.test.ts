import t from 'tap'
import { account, serve } from '../service/fixture.ts'
import { drawn, sidewaysScroll, startBrowser, visit } from './pages.ts'

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
