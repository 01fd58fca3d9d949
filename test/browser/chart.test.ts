import t from 'tap'
import { post, serve, until } from '../service/fixture.ts'
import { HELD, linesOf, Stage } from '../service/fixtures/ticks.ts'
import { startBrowser, visit } from './pages.ts'

const browser = await startBrowser(t)
const DAY_MS = 86_400_000
/** The page has drawn some frames more. */
const FRAMES = `new Promise((done) => {
  let left = 12
  const next = () => (left-- > 0 ? requestAnimationFrame(next) : done())
  next()
})`
const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10).replaceAll('-', '')

t.test('a chart stays where its reader has gone while prices and levels move', async (t) => {
  const { direct } = await serve(t)
  const base = direct[0] ?? ''
  const { page, complaints } = await visit(browser, `${base}/#/positions`)
  const bars = Array.from({ length: 200 }, (_, at) => ({
    time: Number(`${dayOf(Date.UTC(2026, 0, 1) + at * DAY_MS)}000000000`),
    open: 35,
    high: 36,
    low: 34,
    close: 35 + (at % 3) / 10,
    volume: 1_000,
  }))
  await page.route('**/api/market/history?*', (route) =>
    route.fulfill({ json: { status: 'success', data: { '600036.SH': bars } } }),
  )
  await page.locator('tr[data-code="600036"] .stock-cell').click()
  const chart = page.locator('.el-drawer .chart')
  await chart.locator('canvas').first().waitFor()
  /** The days below the candles: which of them are in sight. */
  const days = (): Promise<string> =>
    chart.evaluate((root) => {
      const rows = (
        root as unknown as { querySelectorAll(of: string): ArrayLike<Row> }
      ).querySelectorAll('tr')
      const last = rows[rows.length - 1]
      return last?.querySelectorAll('canvas')[0]?.toDataURL() ?? ''
    })
  /** The same once it is drawn: a wheel turns the chart over some frames. */
  const drawn = async (): Promise<string> => {
    let before = ''
    return until(
      async () => {
        const now = await days()
        const isStill = now === before
        before = now
        await page.evaluate(FRAMES)
        return isStill ? now : ''
      },
      (seen) => seen !== '',
    )
  }
  const whole = await drawn()
  const box = await chart.boundingBox()
  await page.mouse.move((box?.x ?? 0) + 300, (box?.y ?? 0) + 100)
  for (let turn = 0; turn < 5; turn++) await page.mouse.wheel(0, -400)
  const closer = await until(drawn, (seen) => seen !== whole)
  // A level has moved: the chart gets it, and stays where it is.
  await post(`${base}/api/config/save`, { stockStopLoss: 5 })
  await page.locator('.el-drawer').getByText('33.34').first().waitFor()
  t.equal(await drawn(), closer)
  t.strictSame(complaints, [])
})

t.test('F522 days are not shown as the minutes that could not be read', async (t) => {
  const { direct, gateway } = await serve(t)
  const json = { status: 'error', code: 'OVERLOADED', message: '繁忙' }
  for (const url of [`${direct[0]}/#/positions`, `${gateway}/account/10000001/stock/600036`]) {
    const { page, context } = await visit(browser, url, { expected: /Failed to load/ })
    if (url.startsWith(gateway)) await page.locator('.price-now').waitFor()
    else await page.locator('tr[data-code="600036"] .stock-cell').click()
    const chart = page.locator('.chart')
    await chart.locator('canvas').first().waitFor()
    await page.route('**/market/history?*period=5m*', (route) =>
      route.fulfill({ status: 503, json }),
    )
    const period = page.locator('.panel', { has: page.locator('option[value="5m"]') })
    await period.locator('select').selectOption('5m')
    await period.getByText('繁忙').waitFor()
    t.equal(await chart.count(), 0)
    await page.unroute('**/market/history?*period=5m*')
    await period.getByRole('button', { name: '重试' }).click()
    await period.getByText('繁忙').waitFor({ state: 'detached' })
    await context.close()
  }
})

t.test('F908 the day under the pointer is written as a date', async (t) => {
  const { direct } = await serve(t)
  const { page, context } = await visit(browser, 'about:blank')
  t.teardown(() => context.close())
  await page.addInitScript(`{
    const { prototype } = CanvasRenderingContext2D
    const { fillText } = prototype
    globalThis.written = []
    prototype.fillText = function (text, ...rest) {
      globalThis.written.push(text)
      return fillText.call(this, text, ...rest)
    }
  }`)
  await page.goto(`${direct[0]}/#/positions`)
  await page.locator('tr[data-code="600036"] .stock-cell').click()
  const chart = page.locator('.el-drawer .chart')
  await chart.locator('canvas').first().waitFor()
  const box = await chart.boundingBox()
  await page.mouse.move((box?.x ?? 0) + 200, (box?.y ?? 0) + 100)
  await page.waitForFunction(() => written.some((text) => /^20\d\d-\d\d-\d\d$/.test(text)))
  const strange = await page.evaluate(() => written.filter((text) => text.includes("'")))
  t.strictSame(strange, [], 'as 20 11月 25, with a sign before the year')
})

/** What the test has the page note. */
declare const written: readonly string[]

interface Row {
  querySelectorAll(of: string): ArrayLike<{ toDataURL(): string }>
}

t.test('F989 the chart of minutes is not empty on the morning behind long holidays', async (t) => {
  const before = linesOf({ day: '2026-09-30', from: '14:30:00', prices: Array(60).fill(10.2) })
  const morning = linesOf({ day: '2026-10-09', from: '09:10:00', prices: [10.2] })
  const stage = await Stage.open(t, { lines: [...before, ...morning], positions: [HELD] })
  await stage.to()
  const { page } = await visit(browser, `${stage.direct}/#/positions`)
  await page.locator('tr[data-code="600036"] .stock-cell').click()
  await page.locator('.el-drawer select[name=period]').selectOption('1m')
  await page.locator('.el-drawer .chart canvas').first().waitFor()
})
