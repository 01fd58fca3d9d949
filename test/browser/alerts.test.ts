import t from 'tap'
import { serve } from '../service/fixture.ts'
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
  await page.waitForFunction(() => {
    const { told } = globalThis as unknown as { told: readonly (readonly [string])[] }
    return told.some(([title]) => title.includes('急停'))
  })
  const told = (await page.evaluate('told')) as readonly [string, unknown][]
  t.match(
    told.find(([title]) => title !== 'tone'),
    ['急停：停止全部新委托', /账户/],
  )
  t.ok(told.filter(([what]) => what === 'tone').length >= 4, 'the alarm of four tones')
  t.strictSame(complaints, [])
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
