import t from 'tap'
import { post, serve } from '../service/fixture.ts'
import { seriousFindings, startBrowser, visit } from './pages.ts'

const browser = await startBrowser(t)

/** Notes what the page shows on the desktop and lets hear; nobody here can look at either. */
const LISTEN = `
  globalThis.told = []
  const real = Notification
  globalThis.Notification = new Proxy(real, {
    construct: (of, [title, options]) => (told.push([title, options.body]), new of(title, options)),
  })
  const show = ServiceWorkerRegistration.prototype.showNotification
  ServiceWorkerRegistration.prototype.showNotification = function (title, options) {
    told.push([title, options.body])
    return show.call(this, title, options)
  }
  const start = OscillatorNode.prototype.start
  OscillatorNode.prototype.start = function (at) {
    told.push(['tone', this.frequency.value])
    return start.call(this, at)
  }
`

declare const told: readonly (readonly [string, unknown])[]
/** Both run in the page. */
const isShown = (): boolean => told.some(([title]) => title.includes('急停'))
/** The alarm of four tones. */
const isHeard = (): boolean => told.filter(([what]) => what === 'tone').length >= 4

t.test('a kill switch that goes up is told on the desktop and heard, as chosen', async (t) => {
  const { direct } = await serve(t)
  const { page, context, complaints } = await visit(browser, `${direct[0]}/#/overview`)
  await context.addInitScript(LISTEN)
  await context.grantPermissions(['notifications'], { origin: new URL(direct[0] ?? '').origin })
  await page.reload()
  await page.getByRole('button', { name: '显示设置' }).click()
  const panel = page.locator('[data-test=alerts]')
  await panel.locator('select[name=alerts-critical]').selectOption('both')
  t.strictSame(await seriousFindings(page), [])
  await page.keyboard.press('Escape')
  await page.locator('[data-test=alerts]').waitFor({ state: 'hidden' })
  // What is unknown before is no news: the page has to have read how the switch was.
  await page.locator('main li.open', { hasText: '急停' }).first().waitFor()
  const raised = await fetch(`${direct[0]}/api/kill-switch`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ level: 'all', reason: 'lunch' }),
  })
  t.equal(raised.status, 200)
  await page.waitForFunction(isShown)
  await page.waitForFunction(isHeard)
  const all = (await page.evaluate('told')) as typeof told
  t.match(
    all.find(([title]) => title !== 'tone'),
    ['急停：停止全部新委托', /账户/],
  )
  t.strictSame(complaints, [])
})

t.test('F710 the master switch that is off is told on the desktop', async (t) => {
  const { direct } = await serve(t)
  await post(`${direct[0]}/api/monitor/start`, {})
  const { page, context, complaints } = await visit(browser, `${direct[0]}/#/overview`)
  await context.addInitScript(LISTEN)
  await context.grantPermissions(['notifications'], { origin: new URL(direct[0] ?? '').origin })
  await page.reload()
  await page.getByRole('button', { name: '显示设置' }).click()
  await page.locator('select[name=alerts-critical]').selectOption('desktop')
  await page.locator('main li.open', { hasText: '总开关' }).first().waitFor()
  await post(`${direct[0]}/api/monitor/stop`, {})
  await page.waitForFunction(() => told.some(([title]) => title.includes('总开关已关闭')))
  t.strictSame(complaints, [])
})

/** As browsers do in a page that nobody has touched, and to a site that may keep nothing. */
const UNTOUCHED = `
  Object.defineProperty(AudioContext.prototype, 'state', { get: () => 'suspended' })
  AudioContext.prototype.resume = () => new Promise(() => undefined)
  ServiceWorkerContainer.prototype.getRegistration = () => Promise.reject(new DOMException('', 'SecurityError'))
`

t.test('F515 what a page may not play is shown all the same', async (t) => {
  const { direct } = await serve(t)
  const { page, context } = await visit(browser, `${direct[0]}/#/overview`)
  await context.addInitScript(LISTEN)
  await context.addInitScript(UNTOUCHED)
  await context.grantPermissions(['notifications'], { origin: new URL(direct[0] ?? '').origin })
  await page.reload()
  await page.getByRole('button', { name: '显示设置' }).click()
  await page.locator('select[name=alerts-critical]').selectOption('both')
  await page.locator('main li.open', { hasText: '急停' }).first().waitFor()
  await post(`${direct[0]}/api/kill-switch`, { level: 'all', reason: 'lunch' })
  await page.waitForFunction(isShown)
})

t.test('nothing is told unless somebody wants it', async (t) => {
  const { direct } = await serve(t)
  const { page, context } = await visit(browser, `${direct[0]}/#/overview`)
  await context.addInitScript(LISTEN)
  await page.reload()
  await page.locator('header').getByText('实时').waitFor()
  await fetch(`${direct[0]}/api/kill-switch`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ level: 'all', reason: 'lunch' }),
  })
  await page.locator('header').getByText('急停：停止全部新委托').waitFor()
  t.strictSame(await page.evaluate('told'), [])
})
