import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import type { Page, Route } from 'playwright-core'
import t, { type Test } from 'tap'
import { heard } from '../in-time.ts'
import { post, serve, until } from '../service/fixture.ts'
import { startBrowser, visit } from './pages.ts'

const browser = await startBrowser(t)
const HOUR_MS = 3_600_000
/** A page's time is stopped so far ahead, where it has not been by then; a stream is silent for longer before it is given up. */
const AHEAD_MS = 8_000
/** Counts from now on how often the page claims the position of a gate. */
const CLAIMS = `globalThis.claims = 0
  new MutationObserver(() => {
    if (document.querySelector('main li.open, main li.shut') !== null) claims += 1
  }).observe(document.body, { subtree: true, childList: true, attributes: true })`

/** A line to the service whose event stream can be held up: what comes meanwhile waits. */
async function line(t: Test, to: string) {
  const held: { isHeld: boolean; waiting: (() => void)[] } = { isHeld: false, waiting: [] }
  const sockets = new Set<Socket>()
  const server = createServer((client) => {
    const service = connect(Number(new URL(to).port), '127.0.0.1')
    sockets.add(client).add(service)
    let isStream = false
    client.on('data', (bytes) => {
      isStream ||= bytes.toString().startsWith('GET /api/sse')
      service.write(bytes)
    })
    service.on('data', (bytes) => {
      if (isStream && held.isHeld) held.waiting.push(() => client.write(bytes))
      else client.write(bytes)
    })
    for (const [one, other] of [
      [client, service],
      [service, client],
    ] as const) {
      one.on('error', () => other.destroy()).on('close', () => other.destroy())
    }
  })
  server.listen(0, '127.0.0.1')
  await heard(server, 'listening')
  t.teardown(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    hold: () => {
      held.isHeld = true
    },
    /** Lets through what waits, and holds on. */
    release: () => {
      for (const write of held.waiting.splice(0)) write()
    },
    waiting: () => held.waiting.length,
    /** Breaks it, and lets nobody in any more. */
    cut: () => {
      server.close()
      for (const socket of sockets) socket.destroy()
    },
  }
}

/** A console whose timers stand still, with the stream open. */
async function opened(t: Test, screen: string) {
  const { direct } = await serve(t)
  const base = direct[0] ?? ''
  await post(`${base}/api/monitor/start`)
  const way = await line(t, base)
  const seen = await visit(browser, `${way.url}/#/${screen}`, { expected: /./ })
  t.teardown(() => seen.context.close())
  await seen.page.clock.install()
  await seen.page.reload()
  await seen.page.locator('header').getByText('实时', { exact: true }).waitFor()
  return { ...seen, base, way }
}
const master = (page: Page, isOn: boolean) =>
  page.locator(`main li.${isOn ? 'open' : 'shut'}`, { hasText: '总开关' }).first()

t.test('a stream that stands still does not undo what was answered since', async (t) => {
  const { page, way } = await opened(t, '')
  await master(page, true).waitFor()
  way.hold()
  await page.clock.pauseAt(Date.now() + AHEAD_MS)
  await page.locator('main .el-switch').first().click()
  await page.clock.runFor(1_000)
  // The window fades by the clock, which stands.
  await page.locator('[data-test=confirm]:enabled').click()
  await master(page, false).waitFor()
  await page.locator('header').getByText('实时', { exact: true }).waitFor()
})

t.test('what came before a computer slept is not taken for now when it wakes up', async (t) => {
  const { page, context, way } = await opened(t, '')
  await master(page, true).waitFor()
  way.hold()
  await until(
    async () => way.waiting(),
    (count) => count > 0,
  )
  await context.route(/[/]api[/](?!sse)/, (route) => route.abort())
  // From here on its timers go by command: a stream that is given up for its silence would be another one.
  await page.clock.pauseAt(Date.now() + AHEAD_MS)
  await page.clock.setSystemTime(Date.now() + HOUR_MS)
  await page.clock.runFor(1_000)
  await page.locator('[data-test=lost]').waitFor()
  await page.evaluate(CLAIMS)
  const left = page.waitForEvent('requestfailed', (one) => /api.sse/.test(one.url()))
  way.release()
  await left
  const anew = page.waitForRequest(/api.sse/)
  await page.clock.runFor(2_000)
  await anew
  t.equal(await page.evaluate('claims'), 0, 'no switch claims a position')
})

t.test(
  'an answer that was on its way while a computer slept is as old as its question',
  async (t) => {
    const { page, way } = await opened(t, 'positions')
    const late: Route[] = []
    await page.locator('tr[data-code="600036"]').waitFor()
    way.hold()
    await page.route('**/api/positions-all', (route) => {
      if (late.length === 0) late.push(route)
      else void route.abort()
    })
    await until(
      async () => late[0],
      (route) => route !== undefined,
    )
    const response = await late[0]?.fetch()
    await page.clock.setSystemTime(Date.now() + HOUR_MS)
    const age = page.locator('.screen-head .age')
    if (response !== undefined) await late[0]?.fulfill({ response })
    await age.getByText(/1 小时/).waitFor()
    t.match(await age.textContent(), /1 小时/)
  },
)

t.test('F591 what was told last holds while the line is away, until it is told anew', async (t) => {
  const { page, context, base, way } = await opened(t, '')
  await master(page, true).waitFor()
  await context.route(/[/]api[/](?!sse)/, (route) => route.abort())
  await post(`${base}/api/monitor/stop`)
  await master(page, false).waitFor()
  const told = await page.locator('header .num').first().textContent()
  way.cut()
  await page.locator('header .badge', { hasText: /断开|正在连接/ }).waitFor()
  t.ok(await master(page, false).isVisible())
  t.ok(String(await page.locator('header .num').first().textContent()) >= String(told))
})
