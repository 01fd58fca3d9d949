import t from 'tap'
import { post, serve, until } from '../service/fixture.ts'
import { rewrite, startBrowser, visit } from './pages.ts'

const ID = '10000001'

const browser = await startBrowser(t)
const standing = '[data-test=standing]'

t.test('kill switch up: neither page says that a strategy may trade', async (t) => {
  const { direct, gateway } = await serve(t)
  const base = direct[0] ?? ''
  await post(`${base}/api/monitor/start`)
  await post(`${base}/api/config/save`, { globalAllowBuySell: true, globalAllowGridTrading: true })
  const desk = await visit(browser, base)
  await desk.page.locator(standing).getByText('止盈止损 可以下单。').waitFor()
  await desk.page.locator(standing).getByText('不会下单：没有运行中的网格。').waitFor()

  await post(`${base}/api/kill-switch`, { level: 'all', reason: '午间检查' })
  await desk.page.reload()
  const said = desk.page.locator(standing).getByText('急停“停止全部新委托”生效（午间检查）')
  await said.waitFor()
  t.equal(await desk.page.getByText(/可以下单|都开着/).count(), 0)
  t.strictSame(desk.complaints, [])

  const monitor = await visit(browser, gateway)
  const card = (tail: string) => monitor.page.locator('article', { hasText: tail })
  await card('0001').getByText('急停：停止全部新委托').waitFor()
  await card('0001').locator(standing).getByText('策略 不会下单：急停').waitFor()
  await card('0002').getByText('急停：关闭').waitFor()
  t.strictSame(monitor.complaints, [])
})

t.test('a paused grid and a switch that nobody knows are no licence to trade', async (t) => {
  const { direct, gateway } = await serve(t)
  for (const path of ['monitor/start', 'config/save']) {
    await post(`${direct[0]}/api/${path}`, {
      globalAllowBuySell: true,
      globalAllowGridTrading: true,
    })
  }
  const { page, context } = await visit(browser, `${gateway}/connection`)
  await rewrite(context, '**/kill-switch', (body) => ({ ...body, data: {} }))
  await page.goto(`${gateway}/account/10000001`)
  const exits = page.locator(standing).locator('[data-of=exits]')
  await exits.getByText('无法判断：急停未知。').waitFor()
  await page.getByText('急停：未知 ?').waitFor()
  t.equal(await page.getByText('可以下单').count(), 0)

  const desk = await visit(browser, direct[0] ?? '')
  await desk.context.route('**/api/grid/sessions', (route) =>
    route.fulfill({
      json: { success: true, sessions: [{ session_id: 1, status: 'active', enabled: false }] },
    }),
  )
  await rewrite(desk.context, '**/api/kill-switch', (body) => ({ ...body, is_in_session: true }))
  await desk.page.reload()
  await desk.page.locator(standing).getByText('不会下单：全部网格已暂停。').waitFor()
  t.equal(await desk.page.getByText('0 / 1 个运行').count(), 1)
})

t.test('an account that crashed too often does not claim that it trades', async (t) => {
  const runtime = { restart_intensity: 1, restart_backoff_min_ms: 1, restart_backoff_max_ms: 10 }
  const { direct, gateway, service } = await serve(t, { overrides: { limits: { runtime } } })
  const base = direct[0] ?? ''
  await post(`${base}/api/monitor/start`)
  await post(`${base}/api/config/save`, { globalAllowBuySell: true })
  const { board, supervisor } = service.system
  const slot = service.accounts.accounts().find(({ accountId }) => accountId === ID)?.slot ?? 0
  for (const _crash of [1, 2]) {
    const life = board.incarnation(slot)
    supervisor.fault(`account/${ID}`, 'throw')
    await until(
      async () => board.incarnation(slot),
      (next) => next > life,
    )
    await until(
      async () => board.status(slot),
      (status) => status === 'ready' || status === 'suspended',
    )
  }
  t.equal(board.status(slot), 'suspended')
  const expected = /503|504/
  const desk = await visit(browser, base, { expected })
  await desk.page.locator(standing).getByText('策略 不会下单：账户多次异常，已降级运行').waitFor()
  await desk.page.locator('a.note.error').getByText('止盈止损和网格都停了').waitFor()
  t.equal(await desk.page.getByText('可以下单。').count(), 0)
  const monitor = await visit(browser, gateway, { expected })
  const card = monitor.page.locator('article', { hasText: '0001' })
  await card.locator(standing).getByText('账户多次异常，已降级运行').waitFor()
})
