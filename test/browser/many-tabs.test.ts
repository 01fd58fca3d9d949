import t from 'tap'
import { get, serve } from '../service/fixture.ts'
import { confirm, startBrowser, visit } from './pages.ts'

const browser = await startBrowser(t)
const TABS = 8

t.test('a browser with eight tabs of one account can still stop it', async (t) => {
  const { direct } = await serve(t)
  const base = direct[0] ?? ''
  const { page: first, context } = await visit(browser, `${base}/#/orders`)
  const live = first.locator('header').getByText('实时', { exact: true })
  await live.waitFor()
  let last = first
  for (let tab = 2; tab <= TABS; tab += 1) {
    last = await context.newPage()
    await last.goto(`${base}/#/risk`)
    await last.locator('[data-level=all]').waitFor()
  }
  await last
    .locator('header')
    .getByText(/定时刷新/)
    .waitFor()
  await last.locator('[data-level=all]').click()
  await confirm(last)
  await last.locator('header').getByText('急停：停止全部新委托').waitFor()
  t.equal((await get(`${base}/api/kill-switch`)).body['level'], 'all')
  await live.waitFor() // that of the first tab goes on

  await first.close()
  const second = context.pages()[0]
  for (const page of context.pages().slice(2, -1)) await page.close()
  await second?.locator('header').getByText('实时', { exact: true }).waitFor()
  await last.locator('header').getByText('实时', { exact: true }).waitFor()
})

t.test(
  'a browser that keeps no account of tabs has the stream while the page is seen',
  async (t) => {
    const { direct } = await serve(t)
    const { page } = await visit(browser, 'about:blank', { expected: /./ })
    await page.addInitScript("Object.defineProperty(Navigator.prototype, 'locks', { get() {} })")
    await page.goto(direct[0] ?? '')
    const live = page.locator('header').getByText('实时', { exact: true })
    const see = (isHidden: boolean) =>
      page.evaluate(`Object.defineProperty(document, 'hidden', { configurable: true, value: ${isHidden} })
      document.dispatchEvent(new Event('visibilitychange'))`)
    await live.waitFor()
    await see(true)
    await live.waitFor({ state: 'hidden' })
    await see(false)
    await live.waitFor()
  },
)

t.test('a browser that lets the page keep no account has the stream all the same', async (t) => {
  const { direct } = await serve(t)
  const { page } = await visit(browser, 'about:blank', { expected: /./ })
  await page.addInitScript(
    "LockManager.prototype.request = async () => { throw new DOMException('', 'SecurityError') }",
  )
  await page.goto(direct[0] ?? '')
  await page.locator('header').getByText('实时', { exact: true }).waitFor()
})
