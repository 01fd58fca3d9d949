import t from 'tap'
import { get, post, serve } from '../service/fixture.ts'
import { confirm, settle, startBrowser, visit } from './pages.ts'

const browser = await startBrowser(t)

t.test(
  'F589 a command whose line broke is in doubt, and nobody is told that it goes on',
  async (t) => {
    const { direct } = await serve(t)
    const base = direct[0] ?? ''
    const { page, context } = await visit(browser, `${base}/#/risk`, { expected: /ERR_|502/ })
    t.teardown(() => context.close())
    await settle(page, 'risk')
    const isPost = (method: string) => method === 'POST'
    await page.route('**/api/kill-switch', async (route) => {
      if (!isPost(route.request().method())) return route.continue()
      await route.fetch() // it arrives, its answer does not
      return route.abort()
    })
    await page.locator('[data-level=all]').click()
    await confirm(page)
    const notice = page.locator('.notices .note').last()
    await notice.getByText('没有收到服务的应答').waitFor()
    t.match(await notice.textContent(), /可能已经执行，也可能没有，页面不会自动重发/)
    t.notMatch(await notice.textContent(), /自动重试/)
    await page.getByText('现在：停止全部新委托').first().waitFor()
    const { body } = await get(`${base}/api/kill-switch`)
    t.match(body, { level: 'all' })
  },
)

t.test(
  'F589 a proxy that answers in the place of the service knows nothing of a cancel',
  async (t) => {
    const { direct } = await serve(t)
    const base = direct[0] ?? ''
    const order = { stock_code: '600036', order_type: 23, order_volume: 100, price_type: 11 }
    await post(`${base}/api/actions/place_order`, { ...order, price: 32.5 })
    const { page, context } = await visit(browser, `${base}/#/orders`, { expected: /502/ })
    t.teardown(() => context.close())
    await page.route('**/cancel', (route) =>
      route.fulfill({ status: 502, contentType: 'text/html', body: '<h1>Bad Gateway</h1>' }),
    )
    await page.locator('[data-cancel]').click()
    await confirm(page)
    const notice = page.locator('.notices .note').last()
    await notice.getByText('收到的不是本服务的应答').waitFor()
    t.match(await notice.textContent(), /可能已经执行，也可能没有/)
    t.notMatch(await notice.textContent(), /自动重试/)
  },
)
