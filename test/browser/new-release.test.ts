import type { Page } from 'playwright-core'
import t from 'tap'
import { serve, until } from '../service/fixture.ts'
import { startBrowser, visit } from './pages.ts'

const browser = await startBrowser(t)
const SCRIPT = '**/assets/risk-screen-*.js'
/** As a service of another release answers, which has no such file. */
const NONE = { status: 404, json: { success: false, code: 'NOT_FOUND', message: '' } }

/** A console without the browser's own copy of its files, as over plain http, and how often it has been loaded since. */
async function opened(url: string) {
  const seen = await visit(browser, url, {
    expected: /404|dynamically imported|ERR_FAILED|Failed to fetch|blocked by Playwright/,
    serviceWorkers: 'block',
  })
  await seen.page.locator('header').getByText('实时', { exact: true }).waitFor()
  const loads = { count: 0 }
  seen.page.on('request', (request) => {
    if (request.isNavigationRequest()) loads.count += 1
  })
  return { ...seen, loads }
}
const toKillSwitch = (page: Page) => page.keyboard.press('k')

t.test('a page of the release before finds its way to the kill switch', async (t) => {
  const { direct } = await serve(t)
  const { page, loads, complaints } = await opened(direct[0] ?? '')
  await page.route(SCRIPT, (route) => (loads.count === 0 ? route.fulfill(NONE) : route.continue()))
  await toKillSwitch(page)
  await page.getByRole('heading', { name: '风控' }).first().waitFor()
  await page.locator('[data-level=all]').waitFor()
  t.equal(loads.count, 1)
  t.strictSame(complaints, [])
})

t.test('a page whose file is nowhere is loaded anew once, and not for ever', async (t) => {
  const { direct } = await serve(t)
  const { page, loads } = await opened(direct[0] ?? '')
  let isMissedAnew = false
  await page.route(SCRIPT, (route) => {
    isMissedAnew ||= loads.count > 0
    return route.fulfill(NONE)
  })
  await toKillSwitch(page)
  await until(
    async () => isMissedAnew,
    (isSo) => isSo,
  )
  await page.locator('header').getByText('实时', { exact: true }).waitFor()
  t.equal(loads.count, 1)
})

t.test('a chart of the release before says so in its place, and comes when asked', async (t) => {
  const { direct } = await serve(t)
  const { page, loads } = await opened(`${direct[0]}/#/positions`)
  await page.route('**/assets/candle-chart-*.js', (route) =>
    loads.count === 0 ? route.fulfill(NONE) : route.continue(),
  )
  const stock = () => page.locator('tr[data-code="600036"]').getByText('600036').first().click()
  await stock()
  const drawer = page.locator('.el-drawer')
  await drawer.getByText('这一部分未能载入').waitFor()
  t.ok(await drawer.getByRole('heading', { name: '持仓' }).isVisible(), 'the rest is there')
  await drawer.locator('[data-test=load-anew]').click()
  await stock()
  await drawer.locator('canvas').first().waitFor()
  t.equal(loads.count, 1, 'only when it was asked for')
})

t.test('while the service is gone, a page stays that cannot open another screen', async (t) => {
  const { direct } = await serve(t)
  const { page, context, loads } = await opened(direct[0] ?? '')
  await context.route('**/*', (route) => route.abort())
  const failed = page.waitForEvent('requestfailed', (request) => /shell.json/.test(request.url()))
  await toKillSwitch(page)
  await failed
  await context.unroute('**/*')
  t.equal(loads.count, 0, 'what was known is still shown')
  await toKillSwitch(page)
  await page.locator('[data-level=all]').waitFor()
})

t.test('the worker that keeps the page is another one with every release', async (t) => {
  const { direct, gateway } = await serve(t)
  for (const url of [direct[0] ?? '', gateway]) {
    const { digest } = (await (await fetch(`${url}/shell.json`)).json()) as { digest: string }
    const worker = await (await fetch(`${url}/sw.js`)).text()
    t.ok(worker.includes(digest), 'a browser asks for new files only where the worker has changed')
  }
})
