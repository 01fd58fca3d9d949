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
  'F770 what is said below a figure stands in lines as close and as short as text',
  async (t) => {
    const { direct } = await serve(t)
    for (const language of ['zh-CN', 'en'] as const) {
      const { page, context } = await visit(browser, 'about:blank', { language, width: 1_024 })
      await rewrite(context, '**/api/earnings?from=*', (body) => {
        const { total } = body as Record<string, object>
        return { ...body, total: { ...total, sales: 3, sales_without_fee: 2, realized_known: 1 } }
      })
      await page.goto(`${direct[0]}/#/earnings`)
      const hints = page.locator('.tiles dd small:not(:empty)')
      await page.locator('.tiles > div:last-child dd small').waitFor()
      const all = await hints.all()
      const shown = await Promise.all(all.map((one) => one.evaluate(looked)))
      t.ok(
        shown.some(({ lines }) => lines > 1),
        'one of them has more than one line',
      )
      for (const { text, width, gap } of shown) {
        t.ok(gap <= 1.6, `${text}: ${gap} from line to line`)
        t.ok(width <= 36, `${text}: ${width} wide`)
      }
      await context.close()
    }
  },
)

t.test('F788 hints of one line stand as close below their figures as longer ones', async (t) => {
  const { direct } = await serve(t)
  const { page, context } = await visit(browser, 'about:blank')
  await rewrite(context, '**/api/earnings?from=*', (body) => {
    const { total } = body as Record<string, object>
    return { ...body, total: { ...total, sales: 3, sales_without_fee: 2 } }
  })
  await page.goto(`${direct[0]}/#/earnings`)
  await page.locator('.tiles > div:last-child dd small').waitFor()
  const hints = await page.locator('.tiles dd small:not(:empty)').all()
  const below = await Promise.all(
    hints.map(async (hint) => {
      const [own, figure] = [await hint.boundingBox(), await hint.locator('..').boundingBox()]
      return Math.round((own?.y ?? 0) - (figure?.y ?? 0))
    }),
  )
  t.ok(below.length > 2, 'some have one line, some have more')
  t.ok(Math.max(...below) - Math.min(...below) <= 1, below.join(', '))
})

declare const document: { createRange(): Ranged }
declare const getComputedStyle: (of: unknown) => { readonly fontSize: string }
interface Ranged {
  selectNodeContents(of: unknown): void
  getClientRects(): Iterable<{ readonly top: number; readonly width: number }>
}
/** How the lines of a text stand, in its own size. */
function looked(of: { readonly textContent: string | null }) {
  const size = Number.parseFloat(getComputedStyle(of).fontSize)
  const range = document.createRange()
  range.selectNodeContents(of)
  const rects = [...range.getClientRects()].filter(({ width }) => width > 0)
  const tops = [...new Set(rects.map(({ top }) => Math.round(top)))]
  const gaps = tops.slice(1).map((top, n) => (top - (tops[n] ?? top)) / size)
  return {
    text: of.textContent,
    lines: tops.length,
    width: Math.max(0, ...rects.map(({ width }) => width)) / size,
    gap: Math.max(0, ...gaps),
  }
}

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

t.test('F805 days in the wrong order are said at their fields, and not asked for', async (t) => {
  const { direct } = await serve(t)
  const { page, complaints } = await visit(browser, direct[0] ?? '')
  const wrong: string[] = []
  page.on('response', (answer) => {
    if (answer.status() === 400) wrong.push(answer.url())
  })
  for (const [room, from, to] of [
    ['earnings', '从', '到'],
    ['trades', '起', '止'],
  ] as const) {
    await arrive(page, room)
    const [first, last] = [from, to].map((name) => page.getByLabel(name, { exact: true }))
    await last?.fill('2026-11-10')
    await first?.fill('2026-11-20')
    await page.getByRole('alert').getByText('开始日期晚于结束日期').waitFor()
    t.equal(await first?.getAttribute('aria-invalid'), 'true', room)
    await last?.fill('2026-11-21')
    await page.getByText('开始日期晚于结束日期').waitFor({ state: 'detached' })
  }
  t.strictSame(wrong, [])
  t.strictSame(complaints, [])
})

t.test('F825 with days that are no span it is said of which days the figures are', async (t) => {
  const { direct } = await serve(t)
  const { page, complaints } = await visit(browser, direct[0] ?? '')
  await arrive(page, 'earnings')
  await page.getByLabel('从', { exact: true }).fill('2026-11-10')
  await page.getByLabel('到', { exact: true }).fill('2026-11-20')
  await page.getByLabel('从', { exact: true }).fill('')
  await page.getByRole('alert').getByText('日期不完整；下面仍是：2026-11-10 – 2026-11-20').waitFor()
  await arrive(page, 'trades')
  const last = page.getByLabel('止', { exact: true })
  await last.fill('0202-11-30')
  await page.getByRole('alert').getByText('日期不完整；下面仍是：全部').waitFor()
  await last.fill('2026-11-30')
  await page.getByLabel('起', { exact: true }).fill('2026-12-01')
  await page.getByRole('alert').getByText('下面仍是：… – 2026-11-30').waitFor()
  t.strictSame(complaints, [])
})
