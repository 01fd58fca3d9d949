import type { Route } from 'playwright-core'
import t from 'tap'
import { serve, until } from '../service/fixture.ts'
import { startBrowser, visit } from './pages.ts'

const browser = await startBrowser(t)

const fillOf = (id: number) => ({
  id,
  stock_code: '600036',
  stock_name: '招商银行',
  trade_time: '2026-08-11 10:00:00',
  trade_type: 'BUY',
  price: id,
  volume: 100,
  amount: 100 * id,
  trade_id: `d${id}`,
  order_id: `${id}`,
  commission: 5,
  strategy: 'grid',
  strategy_label: '网格',
  is_simulated: false,
  note: null,
})
const pageOf = (ids: readonly number[], next: number | null) => ({
  status: 'success',
  data: {
    from: null,
    to: null,
    fills: ids.map(fillOf),
    sums: null,
    sums_reason: 'later_page',
    strategies: [],
    pagination: { limit: 200, next_before: next, has_more: next !== null },
  },
})

t.test(
  'F523 an order over all fills has all that match, whatever was on its way before',
  async (t) => {
    const { direct } = await serve(t)
    const { page, complaints } = await visit(browser, 'about:blank', {
      expected: /Access|ERR_FAILED/,
      isPatient: true,
    })
    const late: Route[] = []
    await page.route('**/api/fills?*', (route) => {
      const query = new URL(route.request().url()).searchParams
      if (query.get('side') === 'BUY') {
        const json = query.has('before') ? pageOf([16], null) : pageOf([20, 18], 18)
        return route.fulfill({ json })
      }
      if (query.has('before')) return void late.push(route)
      return route.fulfill({ json: pageOf([40, 39], 39) })
    })
    await page.goto(`${direct[0]}/#/trades`)
    const table = page.getByRole('table', { name: '成交' })
    await table.getByText('40.00', { exact: true }).waitFor()
    await table.getByRole('button', { name: '成交价' }).click()
    await until(
      async () => late.length,
      (count) => count > 0,
    )
    await page.locator('select', { hasText: '卖出' }).selectOption('BUY')
    await table.getByText('16.00', { exact: true }).waitFor()
    const failed = page.waitForEvent('requestfailed')
    for (const route of late) await route.abort()
    await failed
    t.equal(await page.locator('.notices > *').count(), 0, 'nobody waits for those of before')
    t.strictSame(complaints, [])
  },
)
