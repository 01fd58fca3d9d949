import t from 'tap'
import { serve } from '../service/fixture.ts'
import { go, startBrowser, visit } from './pages.ts'

const browser = await startBrowser(t)
const PNL = { total_pnl: 60, realized_pnl: 60, unrealized_pnl: 0, denominator: 10_000 }
const session = (id: number, pnl: object) => ({
  session_id: id,
  stock_code: '600036',
  status: 'active',
  enabled: true,
  profit_ratio: 0.006,
  grid_profit: 60,
  pnl_snapshot: { ...PNL, ...pnl },
  max_investment: 10_000,
  current_investment: 0,
  trade_count: 2,
  buy_count: 1,
  sell_count: 1,
})

t.test('the profit of a grid is after fees; the gross stands behind it', async (t) => {
  const { direct, gateway } = await serve(t)
  const sessions = [session(1, { fees: 10, net_pnl: 50 }), session(2, { net_pnl: null })]
  for (const [url, open] of [
    [`${direct[0]}/`, (page: Parameters<typeof go>[0]) => go(page, 'grid')],
    [
      `${gateway}/account/10000001`,
      (page: Parameters<typeof go>[0]) => page.getByRole('tab', { name: '网格' }).click(),
    ],
  ] as const) {
    const { page, context, complaints } = await visit(browser, url)
    await context.route('**/api/grid/sessions', (route) =>
      route.fulfill({ json: { success: true, sessions, total: 2 } }),
    )
    await page.reload()
    await open(page)
    const net = page.locator('tr[data-session="1"] [data-test=grid-net]')
    t.match(await net.textContent(), /^\+50\.00 \+0\.50%/)
    t.equal(await net.getAttribute('title'), '未扣费用 +60.00（+0.60%），费用 10.00')
    const unknown = page.locator('tr[data-session="2"] [data-test=grid-net]')
    t.match(await unknown.textContent(), /^-- --/, 'fees that nobody noted')
    await page.getByText('网格盈亏（扣费后）').first().waitFor()
    t.strictSame(complaints, [])
    await context.close()
  }
})
