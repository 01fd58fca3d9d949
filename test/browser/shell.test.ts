import type { Route } from 'playwright-core'
import t, { type Test } from 'tap'
import { serve } from '../service/fixture.ts'
import { drawn, patient, startBrowser, visit } from './pages.ts'

const browser = await startBrowser(t)
/** Requests that fail because nobody is there any more. */
const GONE = /Failed to load resource|ERR_|network error|Failed to fetch/i

/** Both pages, of a service that is gone. */
async function leftPages(t: Test) {
  const { direct, gateway, service } = await serve(t)
  const pages = []
  for (const url of [direct[0] ?? '', gateway]) {
    const seen = await visit(browser, url, { expected: GONE })
    if (seen.context.serviceWorkers().length === 0) await seen.context.waitForEvent('serviceworker')
    await seen.page.evaluate('navigator.serviceWorker.ready')
    pages.push(seen)
  }
  await service.stop()
  return pages
}

t.test('a page opens while the service is gone, and says so; no answer is kept', async (t) => {
  const pages = await leftPages(t)
  for (const { page, complaints } of pages) {
    await page.goto(`${new URL(page.url()).origin}/?again#/orders`)
    await page.locator('main#content').waitFor()
    await page
      .getByText(/没有应答|连接不上|无法连接/)
      .first()
      .waitFor()
    const kept = (await page.evaluate(async () => {
      const { caches } = globalThis as unknown as {
        caches: {
          keys(): Promise<string[]>
          open(name: string): Promise<{ keys(): Promise<{ url: string }[]> }>
        }
      }
      const names = await caches.keys()
      const all = await Promise.all(names.map(async (name) => (await caches.open(name)).keys()))
      return all.flat().map(({ url }) => new URL(url).pathname)
    })) as readonly string[]
    t.ok(kept.includes('/') && kept.some((path) => path.startsWith('/assets/')))
    t.notOk(
      kept.some((path) => path.startsWith('/api')),
      'answers are not in the shell',
    )
    t.strictSame(complaints, [])
  }
})

t.test('F853 a page that opens while the service is gone has its sign', async (t) => {
  const pages = await leftPages(t)
  for (const { page } of pages) {
    await page.goto(`${new URL(page.url()).origin}/?again`)
    const sign = page.locator('img[src="/favicon.svg"]')
    await sign.waitFor()
    const isDrawn = await sign.evaluate((image) =>
      (image as unknown as { decode(): Promise<void> }).decode().then(
        () => true,
        () => false,
      ),
    )
    t.ok(isDrawn)
  }
})

t.test("F867 so do the monitor's other addresses, as of an account", async (t) => {
  const { gateway, service } = await serve(t)
  const { page, context } = await visit(browser, `${gateway}/account/10000001`, { expected: GONE })
  t.teardown(() => context.close())
  if (context.serviceWorkers().length === 0) await context.waitForEvent('serviceworker')
  await page.evaluate('navigator.serviceWorker.ready')
  await service.stop()
  for (const path of ['/account/10000001', '/account/10000001/stock/600036', '/health']) {
    await page.goto(`${gateway}${path}?again`)
    await page.locator('header', { hasText: 'Steward 监视' }).waitFor()
    t.equal(new URL(page.url()).pathname, path)
  }
  await t.rejects(page.goto(`${gateway}/docs`), /ERR_/, 'no page of another kind')
})

t.test('what was last known is shown with its age, and forgotten with the token', async (t) => {
  const { direct, service } = await serve(t, { env: { SVC_API_TOKEN: 'let-me-in' } })
  const { page, context, complaints } = await visit(browser, `${direct[0]}/#/positions`, {
    expected: GONE,
    token: 'let-me-in',
  })
  if (context.serviceWorkers().length === 0) await context.waitForEvent('serviceworker')
  await page.evaluate('navigator.serviceWorker.ready')
  const stock = page.locator('tr[data-code="600036"]')
  await stock.waitFor()
  await service.stop()
  await page.goto(`${direct[0]}/?again#/positions`)
  await stock.waitFor()
  await page.getByText('连接不上服务').first().waitFor()
  await page.goto(`${direct[0]}/?again#/settings`)
  await page.getByRole('button', { name: '清除令牌' }).click()
  const left = await page.evaluate(
    'Object.keys(localStorage).filter((key) => key.includes(".kept."))',
  )
  t.strictSame(left, [])
  t.strictSame(complaints, [])
})

t.test('F526 nothing is kept of what was on its way when the token was cleared', async (t) => {
  const { direct } = await serve(t, { env: { SVC_API_TOKEN: 'let-me-in' } })
  const { page, context } = await visit(browser, 'about:blank', {
    token: 'let-me-in',
    expected: /Access|401/,
  })
  await patient(page)
  const POSITIONS = '**/api/positions-all'
  const held: Route[] = []
  await context.route(POSITIONS, (route) => void held.push(route))
  const asked = page.waitForRequest(POSITIONS)
  await page.goto(`${direct[0]}/#/settings`)
  await asked
  await page.getByRole('button', { name: '清除令牌' }).click()
  await page.locator('#token').waitFor()
  for (const route of held) {
    const response = await route.fetch()
    const answered = page.waitForResponse(POSITIONS)
    await route.fulfill({ response })
    await (await answered).finished()
  }
  await drawn(page)
  const left = await page.evaluate(
    'Object.keys(localStorage).filter((key) => key.includes(".kept."))',
  )
  t.strictSame(left, [])
})

t.test('a token that was cleared opens nothing any more, in this page or the next', async (t) => {
  const { direct } = await serve(t, { env: { SVC_API_TOKEN: 'let-me-in' } })
  const { page } = await visit(browser, `${direct[0]}/#/settings`, { token: 'let-me-in' })
  await page.getByRole('button', { name: '清除令牌' }).click()
  await page.locator('#token').waitFor()
  t.equal(await page.evaluate("localStorage.getItem('steward.token')"), '""')
  await page.reload()
  await page.locator('#token').waitFor()
})
