import type { Page } from 'playwright-core'
import t from 'tap'
import { exchangeTime } from '../../src/domain/exchange-time.ts'
import { serve } from '../service/fixture.ts'
import { go, rewrite, settle, startBrowser, visit } from './pages.ts'

const browser = await startBrowser(t)
const DAY_MS = 86_400_000
const dayAt = (ms: number): string => exchangeTime(ms).slice(0, 10)
const asks = (page: Page, what: string) =>
  page.waitForRequest((request) => request.url().includes(what))

t.test('days are those of the exchange, also where the clock of the computer is not', async (t) => {
  const { direct, gateway } = await serve(t)
  const day = dayAt(Date.now())
  const { page } = await visit(browser, `${direct[0]}/#/settings`)
  await page.clock.install({ time: Date.now() + 2 * DAY_MS })
  const ofToday = asks(page, `/api/earnings?from=${day}&to=${day}`)
  await page.goto(`${direct[0]}/?again#/`)
  await ofToday
  const ofMonth = asks(page, `/api/earnings?from=${day.slice(0, 7)}-01&to=${day}`)
  await go(page, 'earnings')
  await ofMonth
  const inMonitor = asks(page, `/earnings?from=${day.slice(0, 7)}-01&to=${day}`)
  await page.goto(`${gateway}/account/10000001/earnings`)
  t.match((await inMonitor).url(), day)
})

t.test('F514 the fills of today are those of the next day once it has begun', async (t) => {
  const { direct } = await serve(t)
  const { page, context } = await visit(browser, `${direct[0]}/#/trades`)
  await settle(page, 'trades')
  const today = page.getByRole('button', { name: '今日', exact: true })
  await today.click()
  const next = dayAt(Date.now() + DAY_MS)
  const ofNext = asks(page, `from=${next}&to=${next}`)
  await rewrite(context, '**/api/status', (body) => ({
    ...body,
    timestamp: `${next}${String(body['timestamp']).slice(10)}`,
  }))
  await ofNext
  await page.locator('button[aria-pressed=true]', { hasText: '今日' }).waitFor()
})

t.test(
  'F861 a backtest ends on the day of the service, which a replay may have to itself',
  async (t) => {
    const { direct } = await serve(t)
    const { page, context } = await visit(browser, 'about:blank')
    t.teardown(() => context.close())
    await rewrite(context, '**/api/status', (answer) => ({
      ...answer,
      timestamp: '2024-03-15 10:00:00',
    }))
    await page.route('**/api/sse', (route) => route.abort())
    await page.goto(`${direct[0]}/#/grid`)
    await page.locator('[data-test=new-grid]').click()
    await page.locator('[data-test=start-grid]:enabled').waitFor()
    const asked = page.waitForRequest('**/api/grid/backtest')
    await page.locator('[data-test=backtest]').click()
    t.match((await asked).postDataJSON(), {
      start_time: '20240115',
      end_time: '20240315',
      days: 60,
    })
  },
)

t.test('F901 candles in the monitor are those up to the day of the service', async (t) => {
  const { gateway } = await serve(t)
  const { page, context } = await visit(browser, 'about:blank')
  t.teardown(() => context.close())
  await rewrite(context, '**/api/status', (answer) => ({
    ...answer,
    timestamp: '2024-03-15 10:00:00',
  }))
  const asked = asks(page, 'start_time=20230209')
  await page.goto(`${gateway}/account/10000001/stock/600036`)
  t.match((await asked).url(), 'period=1d')
})

t.test(
  'F1001 the fills of today are counted as soon as the day of the service is known',
  async (t) => {
    const { direct } = await serve(t)
    const { page, context } = await visit(browser, 'about:blank')
    t.teardown(() => context.close())
    const known = Promise.withResolvers<void>()
    await context.route('**/api/status', async (route) => {
      const response = await route.fetch()
      const body = { ...(await response.json()), timestamp: '2024-03-15 10:00:00' }
      await known.promise
      await route.fulfill({ response, json: body })
    })
    await page.route('**/api/sse', (route) => route.abort())
    // The next reading of the page by itself would be some ten seconds later.
    await page.addInitScript(() => {
      const [shortest, longest] = [8_500, 12_000]
      const later = globalThis.setTimeout
      const most = (run: () => void, ms = 0) => (ms < shortest || ms > longest ? later(run, ms) : 0)
      Object.assign(globalThis, { setTimeout: most })
    })
    const first = asks(page, '/api/fills?from=')
    await page.goto(`${direct[0]}/#/`)
    t.match((await first).url(), `from=${dayAt(Date.now())}`)
    const ofService = asks(page, '/api/fills?from=2024-03-15&to=2024-03-15')
    known.resolve()
    await ofService
  },
)
