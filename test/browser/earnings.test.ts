import t from 'tap'
import { get, post, serve, until } from '../service/fixture.ts'
import {
  arrive,
  go,
  rewrite,
  seriousFindings,
  sidewaysScroll,
  startBrowser,
  visit,
} from './pages.ts'

const browser = await startBrowser(t)
const SALE = { stock_code: '600036', order_type: 24, order_volume: 100, price_type: 11, price: 34 }

t.test('what a sale has earned stands there, and in no other span', async (t) => {
  const { direct, gateway } = await serve(t)
  const url = direct[0] ?? ''
  await until(
    () => post(`${gateway}/api/v1/accounts/10000001/orders`, SALE, { 'Idempotency-Key': 'sale' }),
    ({ status }) => status === 201,
  )
  const { body } = await until(
    () => get(`${url}/api/earnings/sales`),
    ({ body }) => (body['sales'] as unknown as object[] | undefined)?.length === 1,
  )
  const [sale] = body['sales'] as unknown as readonly { readonly realized: number }[]
  const shown = sale?.realized.toLocaleString('en-US', { minimumFractionDigits: 2 }) ?? ''
  const { page, complaints } = await visit(browser, url)
  await arrive(page, 'earnings')
  const realized = page.locator('[data-test="realized"]')
  await realized.getByText(shown).waitFor()
  const rows = page.getByRole('table', { name: '卖出明细' }).getByRole('row')
  await rows.nth(1).waitFor()
  t.equal(await rows.count(), 2, 'its head and the sale')
  await page.getByRole('button', { name: '上月' }).click()
  await page.getByText('区间内没有卖出').waitFor()
  await realized.getByText('0.00', { exact: true }).waitFor()
  await page.getByRole('button', { name: '今日', exact: true }).click()
  await realized.getByText(shown).waitFor()
  await page.locator('header').getByText('…0001').waitFor() // by now the fill is reported
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.locator('[data-test="csv"]').click(),
  ])
  t.match(download.suggestedFilename(), /^statement-10000001-\d{4}-\d{2}\.csv$/)
  t.strictSame(complaints, [])
})

t.test('what nobody knows is --, with how much of it is known', async (t) => {
  const { direct } = await serve(t)
  const { page, context } = await visit(browser, direct[0] ?? '')
  await rewrite(context, '**/api/earnings?from=*', (body) => {
    const { total, today } = body as Record<string, object>
    const unknown = { realized: null, realized_reason: 'unknown_cost', unknown_sales: 2 }
    return {
      ...body,
      total: { ...total, ...unknown, sales: 3, realized_known: 12.5 },
      today: { ...today, pnl: null, pnl_reason: 'equity_unknown', method: null },
    }
  })
  await go(page, 'earnings')
  const realized = page.locator('[data-test="realized"]')
  await realized.getByText('另有 2 笔成本未知；已知部分 12.50').waitFor()
  t.match(await realized.innerText(), /^--/)
  t.match(await page.locator('[data-test="today"]').innerText(), /^--\s+有价格或资金未知/)
  await go(page, '')
  await page.locator('[data-test="today"]').getByText('--').waitFor()
})

t.test(
  'F524 the curve of a month is not shown as that of two that could not be read',
  async (t) => {
    const { direct } = await serve(t)
    const { page } = await visit(browser, direct[0] ?? '', { expected: /Failed to load/ })
    await page.route('**/api/equity?resolution=day*', (route) => {
      if (!route.request().url().includes('from=2020-02-01')) {
        const json = { status: 'error', code: 'OVERLOADED', message: '繁忙' }
        return route.fulfill({ status: 503, json })
      }
      const points = ['03', '04', '05'].map((day) => ({ time: `2020-02-${day}`, equity: 1_000 }))
      return route.fulfill({ json: { status: 'success', resolution: 'day', points } })
    })
    await arrive(page, 'earnings')
    const from = page.locator('.spans input[type=date]').first()
    const curve = page.locator('section.panel', { hasText: '每日总资产' })
    await from.fill('2020-02-01')
    await curve.locator('canvas').waitFor()
    await from.fill('2020-01-01')
    await curve.getByText('繁忙').waitFor()
    t.equal(await curve.locator('canvas').count(), 0)
  },
)

t.test('the monitor shows the same of each account, and only reads', async (t) => {
  const { gateway } = await serve(t)
  await until(
    () => post(`${gateway}/api/v1/accounts/10000001/orders`, SALE, { 'Idempotency-Key': 'sale' }),
    ({ status }) => status === 201,
  )
  const { body } = await until(
    () => get(`${gateway}/api/v1/accounts/10000001/earnings/sales`),
    ({ body }) => (body['data']?.['sales'] as unknown as object[] | undefined)?.length === 1,
  )
  const [sale] = (body['data']?.['sales'] ?? []) as unknown as readonly {
    readonly realized: number
  }[]
  const shown = sale?.realized.toLocaleString('en-US', { minimumFractionDigits: 2 }) ?? ''
  const { page, complaints, requests } = await visit(browser, `${gateway}/account/10000001`)
  await page.locator('[data-test=earnings]').click()
  await page.locator('[data-test=realized]').getByText(shown).waitFor()
  await page.getByRole('table', { name: '卖出明细' }).getByRole('row').nth(1).waitFor()
  t.match(await page.locator('main h1').textContent(), /…0001 · 收益/)
  t.strictSame(await seriousFindings(page), [])
  t.ok((await sidewaysScroll(page)) <= 0)
  await page.goto(`${gateway}/account/10000002/earnings`)
  await page.getByText('区间内没有卖出').waitFor()
  t.strictSame([...new Set(requests.map(({ method }) => method))], ['GET'])
  t.strictSame(complaints, [])
})
