import t from 'tap'
import { post, serve } from '../service/fixture.ts'
import { HELD, linesOf, MONDAY, Stage } from '../service/fixtures/ticks.ts'
import {
  confirm,
  type Dom,
  go,
  seriousFindings,
  settle,
  sidewaysScroll,
  startBrowser,
  visit,
} from './pages.ts'

declare const document: Dom

const browser = await startBrowser(t)
const SCREENS = [
  '',
  'positions',
  'orders',
  'trades',
  'earnings',
  'grid',
  'exits',
  'risk',
  'reconcile',
  'jobs',
  'audit',
  'replay',
  'latency',
  'settings',
] as const

t.test(
  'every screen, both languages, both themes, wide and narrow: nothing to complain of',
  async (t) => {
    const { direct } = await serve(t)
    const looks = [
      { language: 'zh-CN', theme: 'light', width: 1_440 },
      { language: 'en', theme: 'dark', width: 390 },
    ] as const
    await Promise.all(
      looks.map(async (look) => {
        const { page, context, complaints, strays } = await visit(browser, direct[0] ?? '', {
          ...look,
        })
        await page
          .getByText(look.language === 'en' ? 'PAPER' : '内置柜台', { exact: true })
          .waitFor()
        await page.waitForFunction(() => /10000001.*\d+\.\d+\.\d+/.test(document.title))
        for (const screen of SCREENS) {
          await settle(page, screen)
          t.strictSame(await seriousFindings(page), [], `${screen} ${look.language} for everybody`)
          const overflow = await sidewaysScroll(page)
          t.ok(overflow <= 0, `${screen} at ${look.width} needs no sideways scrolling`)
        }
        t.strictSame(complaints, [], 'a quiet console')
        t.strictSame(strays, [], 'nothing from another host')
        await context.close()
      }),
    )
  },
)

t.test(
  'each gate is switched by its switch, after a question, and shows what the service says',
  async (t) => {
    const { direct } = await serve(t)
    const { page, complaints } = await visit(browser, direct[0] ?? '')
    for (const name of ['总开关', '自动止盈止损', '自动网格', '允许买入', '允许卖出']) {
      const gate = page.getByRole('switch', { name, exact: true }).first()
      await gate.waitFor({ state: 'attached' })
      const before = await gate.getAttribute('aria-checked')
      const after = before === 'true' ? 'false' : 'true'
      await page.locator('.el-switch', { has: gate }).first().click()
      t.equal(await gate.getAttribute('aria-checked'), before, `${name} waits for the answer`)
      await confirm(page)
      await page
        .locator(`input[role=switch][aria-label="${name}"][aria-checked=${after}]`)
        .first()
        .waitFor({ state: 'attached' })
    }
    await page.getByText('不会下单：自动网格已关闭。').waitFor()
    t.strictSame(complaints, [])
  },
)

t.test('how long an order takes on its way, and each route, can be looked up', async (t) => {
  const { direct } = await serve(t)
  const base = String(direct[0])
  const bought = await post(`${base}/api/actions/execute_buy`, {
    strategy: 'custom_stock',
    quantity: 100,
    stocks: ['600036'],
  })
  t.match(bought.body, { success_count: 1 })
  const { page, complaints, requests } = await visit(browser, `${base}/#/latency`)
  const row = page.locator('[data-latency=durable_to_submit]')
  await row.getByText('落盘 → 报出').waitFor()
  await row.locator('td').first().getByText('1', { exact: true }).waitFor()
  await row
    .locator('td')
    .nth(1)
    .getByText(/^[\d.]+ (µs|ms|s)$/)
    .waitFor()
  const route = page.locator('[data-latency="direct POST /api/actions/execute_buy"]')
  await page.locator('[data-test=all-routes]').click()
  await route.getByText('直连').waitFor()
  const isAsked = ({ url }: { readonly url: string }) => url.endsWith('/api/latency')
  const jobs = () => page.waitForRequest((request) => request.url().endsWith('/api/jobs'))
  const shown = jobs() // until it is, the other screen is the one that asks
  await settle(page, 'jobs')
  await shown
  const before = requests.filter(isAsked).length
  await jobs()
  await jobs()
  t.equal(requests.filter(isAsked).length, before, 'nobody asks for what is not shown')
  t.strictSame(complaints, [])
})

t.test('the kill switch stops new orders and says so everywhere', async (t) => {
  const { direct } = await serve(t)
  const { page, context } = await visit(browser, direct[0] ?? '')
  await page.getByRole('heading', { name: '总览' }).waitFor()
  await page.keyboard.press('k')
  await page.locator('input[name=reason]').fill('午休')
  const late = { status: 504, json: { success: false, code: 'DEADLINE_EXCEEDED', message: 'late' } }
  await context.route('**/api/kill-switch', (route) =>
    route.request().method() === 'POST' ? route.fulfill(late) : route.continue(),
  )
  await page.locator('[data-level=all]').click()
  await confirm(page)
  await page.getByText('DEADLINE_EXCEEDED').waitFor()
  t.equal(
    await page.locator('input[name=reason]').inputValue(),
    '午休',
    'it need not be typed again',
  )
  await context.unroute('**/api/kill-switch')
  await page.locator('[data-level=all]').click()
  await confirm(page)
  await page.locator('header').getByText('急停：停止全部新委托').waitFor()
  await go(page, '')
  await page.getByText('急停生效：午休').waitFor()
  t.pass('shown in the header and among what needs attention')
})

t.test('the simulation cannot be mistaken: banner, frame, title and icon change', async (t) => {
  const { direct } = await serve(t)
  const { page, complaints } = await visit(browser, `${direct[0]}/#/settings`)
  await page.locator('[data-test=simulation]').click()
  t.ok(
    await page.locator('[data-test=confirm]').isDisabled(),
    'the digits of the account are asked for',
  )
  await page.locator('input[name=confirm-word]').fill('0001')
  await confirm(page)
  await page.locator('.strip.simulation').getByText('模拟', { exact: true }).waitFor()
  await page.waitForFunction(() => document.title.startsWith('模拟'))
  await page.locator('link[rel=icon][href*=simulation]').waitFor({ state: 'attached' })
  t.strictSame(complaints, [])
})

t.test('F937 whether the market is a replay is asked once where it is none', async (t) => {
  const { direct } = await serve(t)
  const { page, context, requests } = await visit(browser, 'about:blank')
  t.teardown(() => context.close())
  await page.clock.install()
  await page.goto(`${direct[0]}/#/replay`)
  await page.getByText('现在的行情不是回放').waitFor()
  for (const _ of [1, 2, 3]) {
    await page.clock.runFor(4_000)
    await page.evaluate("fetch('/api/status').then((answer) => answer.text())")
  }
  const asked = (path: string) => requests.filter(({ url }) => url.endsWith(path)).length
  t.equal(asked('/api/settings'), 1)
  t.equal(asked('/api/replay/status'), 0, 'which would be refused')
  t.equal(asked('/api/decisions'), 0, 'nor for what is not shown')
})

t.test('a recording is played from the replay screen', async (t) => {
  const lines = linesOf({ day: MONDAY, prices: Array(5).fill(10.1) })
  const stage = await Stage.open(t, { lines, positions: [HELD] })
  const { page, complaints } = await visit(browser, `${stage.direct}/#/replay`)
  await page.getByText('0 / 8 条行情').waitFor()
  await page.getByRole('button', { name: '播放', exact: true }).click()
  await page.getByText('8 / 8 条行情').waitFor()
  t.strictSame(complaints, [])
})
