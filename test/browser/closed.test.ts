import t from 'tap'
import { serve, until } from '../service/fixture.ts'
import { go, startBrowser, visit } from './pages.ts'

const browser = await startBrowser(t)

t.test('closed holdings go on to the very first one', async (t) => {
  const { direct } = await serve(t)
  const { page } = await visit(browser, direct[0] ?? '')
  const ALL = 620
  const rowOf = (id: number) => ({
    id,
    stock_code: String(600_000 + id),
    stock_name: `第 ${id} 只`,
    opened: '2026-08-03 09:30:00',
    closed: '2026-08-11 14:00:00',
    days_held: 8,
    bought: 1_000,
    sold: 1_100,
    fees: 1,
    realized: 99,
  })
  await page.route('**/api/earnings/closed?*', async (route) => {
    const query = new URL(route.request().url()).searchParams
    const before = query.get('before')
    const newest = before === null ? ALL : Number(before.slice(11)) - 1
    const ids = Array.from(
      { length: Math.min(Number(query.get('limit')), newest) },
      (_, at) => newest - at,
    )
    const last = ids.at(-1) ?? 0
    const next = last > 1 ? `2026-08-11/${String(last).padStart(9, '0')}` : null
    const pagination = { limit: ids.length, next_before: next, has_more: next !== null }
    const [from, to] = [query.get('from'), query.get('to')]
    await route.fulfill({
      json: { status: 'success', from, to, positions: ids.map(rowOf), pagination },
    })
  })
  await go(page, 'earnings')
  const panel = page.locator('[data-test=closed]')
  await panel.getByText(`第 ${ALL} 只`).waitFor()
  await panel.locator('[data-test=older]').click()
  // From then on older ones come as the reader comes to them.
  await until(
    async () => {
      await page.evaluate('scrollTo(0, document.body.scrollHeight)')
      return panel.locator('table').getAttribute('aria-rowcount')
    },
    (count) => count === String(ALL + 1),
  )
  t.equal(await panel.locator('[data-test=older]').count(), 0, 'there are no more')
})
