import t from 'tap'
import { post, serve } from '../service/fixture.ts'
import { rewrite, startBrowser, visit } from './pages.ts'

const browser = await startBrowser(t)
const many = <T>(count: number, of: (n: number) => T): readonly T[] =>
  Array.from({ length: count }, (_, n) => of(n + 1))

t.test('a list that shows the newest alone says of how many', async (t) => {
  const { direct } = await serve(t)
  const base = direct[0] ?? ''
  const config = { price_interval: 0.05, max_investment: 10_000 }
  const started = await post(`${base}/api/grid/start`, { stock_code: '600036', config })
  t.equal(started.status, 200, JSON.stringify(started.body))
  const { page, context } = await visit(browser, 'about:blank', { expected: /Access/ })
  await rewrite(context, '**/api/grid/ledger/*', (body) => ({
    ...body,
    summary: { ...(body['summary'] as object), match_count: 25 },
    matches: many(25, (id) => ({
      id,
      match_type: 'matched',
      volume: 100,
      buy_price: 35,
      sell_price: 36,
      realized_pnl: 100,
      matched_at: '2026-08-11T10:00:00',
    })),
    trades: many(50, (id) => ({
      id,
      trade_type: 'BUY',
      volume: 100,
      trigger_price: 35,
      trade_time: '2026-08-11T10:00:00',
    })),
    total_count: 1_234,
  }))
  await page.goto(`${base}/#/grid?code=600036`)
  await page.locator('[data-test=matches-part]').getByText('最近 20 笔，共 25 笔').waitFor()
  await page.locator('[data-test=trades-part]').getByText('最近 20 笔，共 1,234 笔').waitFor()
})

t.test('the fills in the drawer of a stock say that there are more', async (t) => {
  const { direct } = await serve(t)
  const { page, context } = await visit(browser, 'about:blank', { expected: /Access/ })
  await rewrite(context, '**/api/fills?word=*', (body) => ({
    ...body,
    data: {
      ...(body['data'] as object),
      fills: many(30, (id) => ({
        id,
        stock_code: '600036',
        trade_time: '2026-08-11 10:00:00',
        trade_type: 'BUY',
        price: 35,
        volume: 100,
        strategy: 'grid',
        strategy_label: '网格',
      })),
      pagination: { limit: 500, next_before: 1, has_more: true },
    },
  }))
  await page.goto(`${direct[0]}/#/positions`)
  await page.locator('tr[data-code="600036"] .stock-cell').click()
  await page.locator('[data-test=fills-part]').getByText('最近 20 笔，共 30+ 笔').waitFor()
})
