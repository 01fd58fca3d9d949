import type { Page, Response } from 'playwright-core'
import t from 'tap'
import { serve } from '../service/fixture.ts'
import { type Dom, startBrowser, visit } from './pages.ts'

declare const document: Dom

const FIRST_LOAD_BYTES_MAX = 400 * 1_024
const UPDATE_MS_MAX = 16
const ROWS = 100
const UPDATES = 8
/** On a busy machine there may be no quiet one among so few. */
const UPDATES_MAX = 40

const browser = await startBrowser(t)

t.test('the first load of both pages stays under 400 KB, compressed', async (t) => {
  const { gateway, direct } = await serve(t)
  for (const url of [direct[0] ?? '', gateway]) {
    const { page, context } = await visit(browser, 'about:blank')
    const loaded: Response[] = []
    page.on('response', (response) => {
      if (!response.url().includes('/api/')) loaded.push(response)
    })
    await page.goto(url)
    await page.locator('main h1').waitFor()
    const lengths = await Promise.all(
      loaded.map(async (response) => Number((await response.allHeaders())['content-length'])),
    )
    const bytes = lengths.reduce((sum, length) => sum + length, 0)
    t.ok(bytes > 50_000 && bytes < FIRST_LOAD_BYTES_MAX, `${Math.round(bytes / 1_024)} KB`)
    await context.close()
  }
})

/** Script time of the page so far, in milliseconds. */
async function scriptMs(page: Page): Promise<() => Promise<number>> {
  const session = await page.context().newCDPSession(page)
  await session.send('Performance.enable')
  return async () => {
    const { metrics } = await session.send('Performance.getMetrics')
    return (metrics.find(({ name }) => name === 'ScriptDuration')?.value ?? 0) * 1_000
  }
}

t.test('100 changed positions are drawn within a frame', async (t) => {
  const { direct } = await serve(t)
  const { page } = await visit(browser, 'about:blank')
  let version = 0
  await page.route('**/api/positions-all**', async (route) => {
    version += 1
    const data = Array.from({ length: ROWS }, (_, index) => rowOf(index, version))
    await route.fulfill({
      json: { status: 'success', data, data_version: version, no_change: false },
    })
  })
  await page.goto(`${direct[0]}/#/positions`)
  await page.locator(`tr[data-code="600000"]`).waitFor()
  const measure = await scriptMs(page)
  const costs: number[] = []
  let before = await measure()
  let seen = version
  const isCheap = () => Math.min(...costs) < UPDATE_MS_MAX
  while (costs.length < (isCheap() ? UPDATES : UPDATES_MAX)) {
    const wanted = seen + 1
    await page.waitForFunction(
      (price) =>
        Number(document.querySelector('tr[data-code="600000"] td')?.firstChild?.textContent) >=
        price,
      10 + wanted / 100,
    )
    const now = await measure()
    costs.push((now - before) / Math.max(1, version - seen))
    before = now
    seen = version
  }
  // The quietest update counts: on a busy machine the others measure the machine.
  const best = Math.min(...costs)
  t.ok(best < UPDATE_MS_MAX, `${best.toFixed(1)} ms of script for ${ROWS} rows`)
})

const rowOf = (index: number, version: number) => ({
  stock_code: String(600_000 + index),
  stock_name: `股票${index}`,
  volume: 1_000,
  available: 1_000,
  cost_price: 9,
  base_cost_price: 9,
  current_price: 10 + version / 100,
  market_value: 10_000 + version,
  profit_amount: 1_000 + version,
  profit_ratio: 11 + version / 10,
  change_percentage: version / 10,
  open_date: '2026-08-03 00:00:00',
  profit_triggered: false,
  highest_price: 11,
  stop_loss_price: 8.3,
  stop_profit_enabled: true,
  grid_session_active: false,
})
