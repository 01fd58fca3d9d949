import type { Page, Route } from 'playwright-core'
import t from 'tap'
import { serve, until } from '../service/fixture.ts'
import { go, patient, startBrowser, visit } from './pages.ts'

const browser = await startBrowser(t)
const watched = (page: Page, code: string) => page.locator(`tr[data-code="${code}"]`)

async function watch(page: Page, pinyin: string, code: string): Promise<void> {
  await page.locator('#watch-code').fill(pinyin)
  await page.locator(`#watch-code-choices [data-code="${code}"]`).click()
  await watched(page, code).waitFor()
}
const keptList = (page: Page): Promise<readonly string[]> =>
  page.evaluate("JSON.parse(localStorage.getItem('steward.watch')).map(({ code }) => code)")
/** A browser tells one tab in its time what another one has kept. */
const choicesOnce = (page: Page, isGood: (kept: Record<string, unknown>) => boolean) =>
  until(
    async () =>
      (await page.evaluate("JSON.parse(localStorage.getItem('steward.prefs'))")) as Record<
        string,
        unknown
      >,
    isGood,
  )

t.test('a watch list is one list in all tabs, and none undoes what another has done', async (t) => {
  const { direct } = await serve(t)
  const { page: one, context, complaints } = await visit(browser, `${direct[0]}/#/watch`)
  const two = await context.newPage()
  await two.goto(`${direct[0]}/#/watch`)
  await two.getByText('还没有自选股').waitFor()
  await watch(one, 'payh', '000001.SZ')
  await watched(two, '000001.SZ').getByText('平安银行').waitFor()
  await watch(two, 'zsyh', '600036.SH')
  await watched(one, '600036.SH').waitFor()
  await two.getByRole('button', { name: '移除 平安银行' }).click()
  await watched(one, '000001.SZ').waitFor({ state: 'detached' })

  const asleep = await context.newPage()
  await asleep.addInitScript(
    "addEventListener('storage', (event) => event.stopImmediatePropagation(), true)",
  )
  await asleep.goto(`${direct[0]}/#/watch`)
  await watched(asleep, '600036.SH').waitFor()
  await watch(one, 'gzmt', '600519.SH')
  await until(
    async () => (await keptList(asleep)).includes('600519.SH'),
    (isTold) => isTold,
  )
  await watch(asleep, 'payh', '000001.SZ')
  await watched(asleep, '600519.SH').waitFor()
  await until(
    async () => (await keptList(one)).join(),
    (kept) => kept === '600036.SH,600519.SH,000001.SZ',
  )
  t.strictSame(complaints, [])
})

t.test('what is chosen in one tab is chosen in the other, and no choice is lost', async (t) => {
  const { direct } = await serve(t)
  const { page: one, context, complaints } = await visit(browser, `${direct[0]}/#/settings`)
  const two = await context.newPage()
  await two.goto(`${direct[0]}/#/orders`)
  await two.getByRole('heading', { name: '委托' }).first().waitFor()
  await one.locator('select[name=language]').selectOption('en')
  await two.getByRole('heading', { name: 'Orders' }).first().waitFor()
  await go(two, 'settings')
  await two.locator('select[name=theme]').selectOption('dark')
  await one.locator('html.dark').waitFor()
  await until(
    () => one.locator('select[name=theme]').inputValue(),
    (theme) => theme === 'dark',
  )

  const asleep = await context.newPage()
  await asleep.addInitScript(
    "addEventListener('storage', (event) => event.stopImmediatePropagation(), true)",
  )
  await asleep.goto(`${direct[0]}/#/settings`)
  await asleep.locator('select[name=unit]').waitFor()
  await one.locator('select[name=unit]').selectOption('wan')
  await choicesOnce(asleep, ({ unit }) => unit === 'wan')
  await asleep.locator('select[name=rows]').selectOption({ index: 1 })
  const kept = await choicesOnce(one, ({ isDense }) => isDense === true)
  t.match(kept, { language: 'en', theme: 'dark', unit: 'wan' })
  t.strictSame(complaints, [])
})

t.test('a token that is cleared in one tab is cleared in all of them', async (t) => {
  const { direct } = await serve(t, { env: { SVC_API_TOKEN: 'let-me-in' } })
  const { page: one, context } = await visit(browser, `${direct[0]}/#/settings`, {
    token: 'let-me-in',
  })
  await one.getByRole('button', { name: '清除令牌' }).waitFor()
  const two = await context.newPage()
  await two.goto(`${direct[0]}/#/positions`)
  await two.locator('tr[data-code="600036"]').waitFor()
  await one.getByRole('button', { name: '清除令牌' }).click()
  await two.locator('#token').waitFor()
  t.equal(await two.locator('tr[data-code="600036"]').count(), 0)
  await one.locator('#token').fill('let-me-in')
  await one.keyboard.press('Enter')
  await two.locator('tr[data-code="600036"]').waitFor()
})

t.test('nor does a tab bring it back that was just being let in with it', async (t) => {
  const { direct } = await serve(t, { env: { SVC_API_TOKEN: 'let-me-in' } })
  const address = `${direct[0]}/#/settings`
  const { page: one, context } = await visit(browser, address)
  const two = await context.newPage()
  await patient(two)
  await two.goto(address)
  await two.locator('#token').waitFor()
  const knocks: Route[] = []
  const knock = '**/api/connection/status'
  await two.route(knock, async (route) => {
    if (knocks.length === 2) await route.continue()
    else knocks.push(route)
  })
  const heard = two.waitForRequest(knock)
  await one.locator('#token').fill('let-me-in')
  await one.keyboard.press('Enter')
  await heard
  const again = two.waitForRequest(knock)
  await one.getByRole('button', { name: '清除令牌' }).click()
  await again
  for (const route of knocks) {
    const answered = two.waitForResponse(knock)
    await route.continue()
    await answered
  }
  await one.locator('#token').waitFor()
  await two.locator('#token').waitFor()
  t.equal(await two.evaluate("localStorage.getItem('steward.token')"), '""')
})
