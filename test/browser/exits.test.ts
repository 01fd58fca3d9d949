import type { Route } from 'playwright-core'
import t from 'tap'
import { get, post, serve } from '../service/fixture.ts'
import { confirm, drawn, rewrite, startBrowser, visit } from './pages.ts'

const browser = await startBrowser(t)
const ORDER = {
  stock_code: '600036',
  order_type: 23,
  order_volume: 100,
  price_type: 11,
  price: 32.5,
}

t.test('an order that is refused while the day is looked at is seen there', async (t) => {
  const { direct } = await serve(t)
  const base = direct[0] ?? ''
  const { page } = await visit(browser, `${base}/#/exits`)
  await page.getByText('今天还没有委托或拒单').waitFor()
  await post(`${base}/api/kill-switch`, { level: 'entries', reason: '午间检查' })
  t.equal((await post(`${base}/api/actions/place_order`, ORDER)).status, 409)
  const refused = page.locator('[data-kind=refused]')
  await refused.getByText(/急停.*午间检查/).waitFor()
})

t.test('a day of many fills still shows what was refused', async (t) => {
  const { direct } = await serve(t)
  const base = direct[0] ?? ''
  await post(`${base}/api/kill-switch`, { level: 'entries', reason: '午间检查' })
  await post(`${base}/api/actions/place_order`, ORDER)
  const { page, context } = await visit(browser, 'about:blank', { expected: /Access/ })
  await rewrite(context, '**/api/fills?from=*', (body) => {
    const data = body['data'] as Record<string, unknown>
    const fillOf = (id: number) => ({
      id,
      stock_code: '600036',
      stock_name: '招商银行',
      trade_time: `${data['from']} 09:40:00`,
      trade_type: 'BUY',
      price: 35,
      volume: 100,
      amount: 3_500,
      trade_id: `d${id}`,
      order_id: `${id}`,
      commission: 5,
      strategy: 'grid',
      strategy_label: '网格',
      note: null,
    })
    const real = { count: 120, buy: 0, sell: 0, net: 0, fees: 0, without_fee: 0 }
    const fills = Array.from({ length: 120 }, (_, at) => fillOf(120 - at))
    return { ...body, data: { ...data, fills, sums: { ...(data['sums'] as object), real } } }
  })
  await page.goto(`${base}/#/exits`)
  await page.locator('[data-kind=fill]').nth(49).waitFor()
  await page.locator('[data-kind=refused]').getByText(/急停/).waitFor()
  await page.locator('[data-test=happened-left]').getByText('另有 70 项').waitFor()
})

t.test('holdings that nobody has told yet are not called none', async (t) => {
  const NOBODY = 'http://127.0.0.1:9'
  const account = { account_id: '10000003', qmt_path: 'there', driver: 'gateway' }
  const { direct } = await serve(t, {
    overrides: {
      accounts: [{ ...account, gateway: { url: NOBODY } }],
      market: { source: 'gateway', url: NOBODY },
      strategy: { ENABLE_SIMULATION_MODE: false },
    },
  })
  const { page } = await visit(browser, `${direct[0]}/#/exits`)
  await page.getByText('持仓未知').waitFor()
  t.equal(await page.getByText('没有持仓').count(), 0)
})

t.test('F473 a slow service is asked once, and the question is there at once', async (t) => {
  const { direct } = await serve(t)
  const base = direct[0] ?? ''
  const { page, requests } = await visit(browser, `${base}/#/exits`, { isPatient: true })
  const stop = page.locator('input[name=stockStopLoss]')
  await stop.fill('8')
  const held: Route[] = []
  let isHeld = true
  await page.route(/\/api\/config(\/save)?$/, (route) => {
    if (isHeld) held.push(route)
    else void route.continue()
  })
  const release = async (): Promise<void> => {
    isHeld = false
    for (const route of held.splice(0)) await route.continue()
  }
  await page.locator('[data-test=save]').click()
  const question = page.locator('form.question')
  await question.getByText('7.5 → 8').waitFor()
  await page.locator('[data-test=blocked]').getByText('正在读取').waitFor()
  t.equal(await page.locator('[data-test=confirm]').isEnabled(), false)
  await post(`${base}/api/config/save`, { stockStopLoss: 5 })
  await release()
  await question.getByText('5 → 8 · 已被改为 5').waitFor()

  isHeld = true
  await page.locator('[data-test=confirm]:enabled').click()
  await question.waitFor({ state: 'detached' })
  await page.locator('[data-test=save].is-loading').waitFor()
  await stop.press('Enter')
  t.equal(await question.count(), 0, 'one question, and one change')
  await release()
  await page.locator('[data-test=save]:not(.is-loading)').waitFor()
  t.equal(requests.filter(({ url }) => url.endsWith('/api/config/save')).length, 1)
  t.match((await get(`${base}/api/config`)).body, { data: { stockStopLoss: 8 } })
})

t.test('what was saved stays in its field while the service has not told it back', async (t) => {
  const { direct } = await serve(t)
  const { page, complaints } = await visit(browser, `${direct[0]}/#/exits`, { isPatient: true })
  const stop = page.locator('input[name=stockStopLoss]')
  await stop.fill('8')
  await page.locator('[data-test=save]').click()
  await page.locator('[data-test=confirm]:enabled').waitFor()
  const held = Promise.withResolvers<Route>()
  await page.route('**/api/config', (route) => held.resolve(route), { times: 1 })
  // It goes by itself.
  const told = page.locator('.notices > *').first().waitFor()
  await confirm(page)
  await told
  const read = await held.promise
  t.equal(await stop.inputValue(), '8', 'not the value of before')
  await read.continue()
  await page.locator('[data-test=save]:not(.is-loading)').waitFor()
  t.equal(await stop.inputValue(), '8')
  t.strictSame(complaints, [])
})

t.test(
  'F512 what was saved stays in its field where it could not be read back either',
  async (t) => {
    const { direct } = await serve(t)
    const expected = /Failed to load/
    const { page, complaints } = await visit(browser, `${direct[0]}/#/exits`, {
      expected,
      isPatient: true,
    })
    const stop = page.locator('input[name=stockStopLoss]')
    await stop.fill('8')
    await page.locator('[data-test=save]').click()
    await page.locator('[data-test=confirm]:enabled').waitFor()
    const held: Route[] = []
    let answering: 'busy' | 'late' | 'well' = 'busy'
    await page.route('**/api/config', (route) => {
      if (answering === 'well') return route.continue()
      if (answering === 'late') return void held.push(route)
      const json = { status: 'error', code: 'OVERLOADED', message: '繁忙' }
      return route.fulfill({ status: 503, json })
    })
    await confirm(page)
    await page.locator('main .note').getByText('繁忙').waitFor()
    await page.locator('[data-test=save]:not(.is-loading)').waitFor()
    t.equal(await stop.inputValue(), '8', 'not the value of before')
    answering = 'late' // the page asks again by itself: the button is to be there still
    await page.getByRole('button', { name: '重试' }).click()
    answering = 'well'
    for (const route of held) await route.continue()
    await page.locator('[data-test=save]:disabled').waitFor() // nothing is changed any more
    t.equal(await stop.inputValue(), '8')
    t.equal(await page.locator('[data-overtaken]').count(), 0)
    t.strictSame(complaints, [])
  },
)

t.test('a question whose old values could not be read again says so', async (t) => {
  const { direct } = await serve(t)
  const { page } = await visit(browser, `${direct[0]}/#/exits`, { expected: /Failed to load/ })
  await page.locator('input[name=stockStopLoss]').fill('8')
  await page.route('**/api/config', (route) =>
    route.fulfill({ status: 503, json: { status: 'error', code: 'OVERLOADED', message: '繁忙' } }),
  )
  await page.locator('[data-test=save]').click()
  const question = page.locator('form.question')
  await question.getByText('7.5 → 8').waitFor()
  await question.getByText('没能读到服务上的现值').waitFor()
  await page.locator('[data-test=confirm]:enabled').waitFor()
})

t.test('what is said of a holding takes a phone no more than a line or two', async (t) => {
  const { direct } = await serve(t)
  const { page } = await visit(browser, `${direct[0]}/#/exits`, { width: 390 })
  const row = page.locator('tr[data-code="600036"]')
  const line = row.locator('.why-line > span')
  await line.first().waitFor()
  await drawn(page)
  const { height = Number.NaN } = (await line.first().boundingBox()) ?? {}
  t.ok(height < 60, `${height} px`)
  const ground = await page.evaluate(
    'getComputedStyle(document.querySelector("tr[data-code] > th")).backgroundColor',
  )
  t.equal(ground, 'rgba(0, 0, 0, 0)', 'that of its row')
})

t.test('F477 holdings that cannot be read any more say how old their stops are', async (t) => {
  const { direct } = await serve(t)
  const { page } = await visit(browser, `${direct[0]}/#/exits`, { expected: /Failed to load/ })
  await page.clock.install()
  await page.reload()
  const holdings = page.locator('section.panel', { hasText: '每只持仓的下一次卖出' })
  await holdings.locator('tr[data-code="600036"]').getByRole('cell', { name: '32.46' }).waitFor()
  await holdings.locator('.age.ok').waitFor()
  await page.route('**/api/positions-all', (route) =>
    route.fulfill({ status: 503, json: { status: 'error', code: 'OVERLOADED', message: '繁忙' } }),
  )
  await page.clock.runFor(100_000)
  await holdings.getByText('繁忙').waitFor()
  await holdings.locator('.age.error').waitFor()
  t.match(await holdings.getAttribute('class'), /is-lost/)
})

t.test('F532 what the exits do not do stays on the screen until it is closed', async (t) => {
  const { direct } = await serve(t)
  const { page } = await visit(browser, `${direct[0]}/#/exits`)
  await page.clock.install()
  await page.locator('input[name=stockStopLoss]').fill('5')
  await page.locator('input[name=stopLossBuy]').fill('6')
  await page.locator('[data-test=save]').click()
  await page.locator('[data-test=confirm]:enabled').click()
  const warning = page.locator('.notices .warn', { hasText: '从不补仓' })
  await warning.waitFor()
  await page.clock.fastForward(60_000)
  t.equal(await warning.count(), 1)
  await page.locator('.notices .plain-button').click()
  await warning.waitFor({ state: 'detached' })
})
