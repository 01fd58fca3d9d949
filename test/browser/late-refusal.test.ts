import type { Page, Route } from 'playwright-core'
import t from 'tap'
import { serve, until } from '../service/fixture.ts'
import { drawn, patient, startBrowser, visit } from './pages.ts'

const browser = await startBrowser(t)
const TOKEN = 'a-token-of-thirty-two-characters'
const env = { SVC_API_TOKEN: TOKEN, GW_API_TOKEN: TOKEN }
const REFUSED = {
  status: 401,
  json: { success: false, code: 'UNAUTHORIZED', message: '令牌不正确' },
}
const gate = '.gate'

/** Lets the token in, and only then has the held answer to a question with the former one come. */
async function enterBefore(page: Page, held: Route): Promise<void> {
  await page.locator('#token').fill(TOKEN)
  await page.keyboard.press('Enter')
  await page.locator(gate).waitFor({ state: 'hidden' })
  const { pathname } = new URL(held.request().url())
  const answered = page.waitForResponse(
    (one) => one.url().includes(pathname) && one.status() === 401,
  )
  await held.fulfill(REFUSED)
  await answered
  await drawn(page)
}
const isHeld = (of: () => Route | undefined): Promise<Route | undefined> =>
  until(
    async () => of(),
    (route) => route !== undefined,
  )

t.test('a console is not shut by what is said late of its former token', async (t) => {
  const { direct } = await serve(t, { env })
  const { page, context } = await visit(browser, 'about:blank', { token: 'former', expected: /./ })
  await patient(page)
  let isRevoked = false
  let held: Route | undefined
  await context.route('**/api/**', (route) => {
    const headers = route.request().headers()
    if (headers['x-api-token'] !== 'former') return route.continue()
    if (!isRevoked) return route.continue({ headers: { ...headers, 'x-api-token': TOKEN } })
    if (held !== undefined || !route.request().url().endsWith('/api/orders')) {
      return route.fulfill(REFUSED)
    }
    held = route
    return undefined
  })
  await page.goto(direct[0] ?? '')
  await page.locator('header').getByText('实时', { exact: true }).waitFor()
  isRevoked = true
  await page.locator(gate).waitFor()
  const late = await isHeld(() => held)
  if (late !== undefined) await enterBefore(page, late)
  t.equal(await page.locator(gate).count(), 0)
})

t.test('nor is a monitor', async (t) => {
  const { gateway } = await serve(t, { env })
  const { page, context } = await visit(browser, 'about:blank', { expected: /./ })
  await patient(page)
  let held: Route | undefined
  await context.route('**/api/v1/overview', (route) => {
    if (held !== undefined || route.request().headers()['x-api-token'] !== undefined) {
      return route.continue()
    }
    held = route
    return undefined
  })
  await page.goto(gateway)
  await page.locator(gate).waitFor()
  const late = await isHeld(() => held)
  if (late !== undefined) await enterBefore(page, late)
  t.equal(await page.locator(gate).count(), 0)
})
