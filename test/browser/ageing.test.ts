import type { Page } from 'playwright-core'
import t from 'tap'
import { post, serve } from '../service/fixture.ts'
import { go, rewrite, settle, startBrowser, visit } from './pages.ts'

const browser = await startBrowser(t)
/** Requests that fail because nobody is there any more. */
const GONE = /Failed to load resource|ERR_|network error/i

/** The page as it is so long after the last answer; its timers are due then. */
const later = (page: Page, seconds: number) => page.clock.fastForward(seconds * 1_000)
const colours = (page: Page, what: string): Promise<string> =>
  page
    .locator(what)
    .first()
    .evaluate((it) => getComputedStyle(it).filter)

declare const getComputedStyle: (of: unknown) => { readonly filter: string }

t.test('a service that is gone: nothing is claimed any more, in either page', async (t) => {
  const { direct, gateway, service } = await serve(t)
  const base = direct[0] ?? ''
  await post(`${base}/api/monitor/start`)
  const desk = await visit(browser, base, { expected: GONE })
  await desk.page.clock.install()
  await desk.page.reload()
  await desk.page.locator('header').getByText('实时', { exact: true }).waitFor()
  // A screen whose script was never fetched cannot be opened without the service.
  for (const screen of ['risk', 'positions', '']) await settle(desk.page, screen)
  await desk.page.getByText('正常', { exact: true }).waitFor()
  await desk.page.locator('[data-of=grid]').getByText('没有运行中的网格').waitFor()
  const wall = await visit(browser, gateway, { expected: GONE })
  await wall.page.clock.install()
  await wall.page.reload()
  await wall.page.getByText('2 / 2 已连接').waitFor()
  await wall.page.locator('[data-test=standing]').nth(1).waitFor()

  await service.stop()
  await later(desk.page, 40)
  await later(wall.page, 40)
  await desk.page.locator('header .age.warn').waitFor()
  await desk.page.locator('main .is-stale').waitFor()
  t.match(await colours(desk.page, 'main .el-switch'), /saturate/)
  await wall.page.locator('article.is-stale').first().waitFor()

  await later(desk.page, 60)
  await desk.page.locator('[data-test=lost]').waitFor()
  t.equal(await desk.page.locator('main .el-switch').count(), 0, 'no switch claims a position')
  t.equal(await desk.page.getByText('正常', { exact: true }).count(), 0)
  await desk.page.locator('[data-test=standing]').getByText('无法判断').first().waitFor()
  t.strictSame(
    (await desk.page.locator('.facts dd').allTextContents()).map((text) => text.slice(0, 2)),
    ['--', '--', '--', '--'],
    'the counts of the day',
  )
  await desk.page.locator('.strip').getByText('模式未知').waitFor()
  await desk.page.getByText('未知：有些状态读不到').waitFor()
  await desk.page.locator('header').getByText('急停：未知 ?').waitFor()
  t.match(await colours(desk.page, 'main .badge:not(.age)'), /grayscale/)
  await go(desk.page, 'risk')
  await desk.page.locator('main h1').getByText('风控').waitFor()
  t.equal(await desk.page.locator('.level.now').count(), 0, 'no level is claimed')
  await go(desk.page, 'positions')
  await desk.page.locator('tr[data-code="600036"]').getByText('未知 ?').waitFor()

  await later(wall.page, 60)
  await wall.page.getByText('0 / 2 已连接').waitFor()
  await wall.page.getByText('2 个未知').waitFor()
  t.match(await wall.page.locator('[data-test=total] dd').textContent(), /^--.*2 个账户中 0 个已知/)
  for (const text of ['总开关：未知 ?', '急停：未知 ?', '连接未知 ?']) {
    t.equal(await wall.page.getByText(text).count(), 2, text)
  }
  t.equal(await wall.page.locator('article .badge.ok').count(), 0, 'nothing is called well')
  await wall.page.locator('[data-test=standing]').getByText('无法判断').first().waitFor()
})

t.test('a price in the drawer of a stock is as old as it says', async (t) => {
  const { direct, service } = await serve(t)
  const { page } = await visit(browser, `${direct[0]}/#/positions`, { expected: GONE })
  await page.clock.install()
  await page.reload()
  await page.locator('tr[data-code="600036"] .stock-cell').click()
  const quoted = page.locator('.el-drawer [data-test=quoted]')
  await quoted.getByText(/行情 (\d\d-\d\d )?\d\d:\d\d:\d\d/).waitFor()
  await quoted.locator('.age.ok').waitFor()
  await service.stop()
  await later(page, 40)
  await quoted.locator('.age.warn').waitFor()
  await later(page, 60)
  await quoted.getByText('失联').waitFor()
  t.match(await colours(page, '.el-drawer .price-now'), /saturate/)
})

t.test('F855 an account whose quotes stand still is not called healthy', async (t) => {
  const { direct } = await serve(t)
  const { page, context } = await visit(browser, 'about:blank')
  t.teardown(() => context.close())
  const quotes = { actual: 200, limit: 60 }
  await rewrite(context, '**/api/kill-switch', (answer) => ({
    ...answer,
    triggers: (answer['triggers'] as { name: string }[]).map((one) =>
      one.name === 'stale_market' ? { ...one, ...quotes } : one,
    ),
  }))
  await page.goto(`${direct[0]}/#/overview`)
  const health = page.locator('section.panel', {
    has: page.getByRole('heading', { name: '健康' }),
  })
  await health.locator('li', { hasText: '行情' }).locator('.badge.error').waitFor()
  await health.locator('.panel-head').getByText('异常').waitFor()
  quotes.actual = 1
  await health.locator('.panel-head').getByText('正常').waitFor()
  await context.route('**/api/kill-switch', (route) => route.abort())
  await page.reload()
  await health.locator('li', { hasText: '对账' }).locator('.badge.ok').waitFor()
  t.equal(await health.locator('.panel-head .badge').textContent(), '?', 'nobody knows')
})

t.test('F859 what the day has earned goes with the total that it stands below', async (t) => {
  const { direct } = await serve(t)
  const { page, context } = await visit(browser, 'about:blank')
  t.teardown(() => context.close())
  let totalAssets = 300_000
  await rewrite(context, '**/api/status', (answer) => ({
    ...answer,
    account: { ...(answer['account'] as object), totalAssets },
  }))
  await page.route('**/api/sse', (route) => route.abort())
  await page.clock.install()
  await page.goto(`${direct[0]}/#/overview`)
  await page.locator('[data-test=today]').getByText(/\d/).waitFor()
  await page.getByText('300,000.00').first().waitFor()
  const now = (await page.evaluate('Date.now()')) as number
  await page.clock.pauseAt(now + 1_000)
  // It moves while the figure of the day is being read, and not again.
  totalAssets = 300_001
  const read = page.waitForResponse('**/api/earnings?**')
  await page.evaluate("void document.dispatchEvent(new Event('visibilitychange'))")
  await (await read).finished()
  await page.getByText('300,001.00').first().waitFor()
  const again = page.waitForRequest('**/api/earnings?**')
  await page.clock.runFor(4_000) // it would be read by itself after fifteen seconds
  await again
  t.pass('it was read with the total that has moved')
})

t.test('F862 what is read every half minute is not called late in between', async (t) => {
  const { gateway } = await serve(t)
  const { page, context } = await visit(browser, 'about:blank')
  t.teardown(() => context.close())
  await page.addInitScript('Math.random = () => 0.999') // the longest pause there is
  await page.clock.install()
  const PATHS = ['/api/positions', '/api/grid/sessions', '/api/v1/accounts']
  const first = PATHS.map((path) => page.waitForResponse(`**${path}`))
  await page.goto(`${gateway}/account/10000001`)
  for (const answer of first) await (await answer).finished()
  await page.clock.pauseAt(((await page.evaluate('Date.now()')) as number) + 100)
  const again = PATHS.map((path) => page.waitForRequest(`**${path}`))
  await page.clock.runFor(29_000)
  await Promise.all(again)
  t.pass('they were read again before they were half a minute old')
})

t.test(
  'F907 that the holidays of a year are not known is told where an account is looked at',
  async (t) => {
    const { direct } = await serve(t)
    const { page, context } = await visit(browser, 'about:blank')
    t.teardown(() => context.close())
    const notice = { year: 2027, days: 31 }
    await rewrite(context, '**/api/status', (answer) => ({ ...answer, calendar_notice: notice }))
    await page.goto(`${direct[0]}/#/overview`)
    await page.getByText('2027 年的节假日程序还不知道，31 天后起工作日都当作交易日').waitFor()
    notice.days = 0
    await page.getByText('2027 年的节假日程序不知道，工作日都当作交易日').waitFor()
  },
)
