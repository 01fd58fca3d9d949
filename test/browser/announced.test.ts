import type { Page } from 'playwright-core'
import t from 'tap'
import { post, serve } from '../service/fixture.ts'
import { confirm, type Dom, settle, startBrowser, visit } from './pages.ts'

declare const document: Dom
declare const announced: readonly string[]

const browser = await startBrowser(t)

/** Notes from now on what a screen reader says by itself there: whatever changes within a part that is read aloud. */
const listen = (page: Page, there = 'body'): Promise<unknown> =>
  page.evaluate(`globalThis.announced = []
    new MutationObserver((changes) => {
      for (const { target } of changes) {
        const at = target instanceof Element ? target : target.parentElement
        const part = at?.closest('[aria-live], [role=alert], [role=status]')
        const isAloud = part?.closest('${there}') && part.getAttribute('aria-live') !== 'off'
        if (isAloud) announced.push(part.textContent)
      }
    }).observe(document.body, { subtree: true, childList: true, characterData: true })`)
const heardBy = (page: Page): Promise<unknown> => page.evaluate('announced')

t.test('F513 a fault that lasts is read aloud once, and not with each question', async (t) => {
  const { direct } = await serve(t)
  const { page } = await visit(browser, `${direct[0]}/#/orders`, { expected: /Failed to load/ })
  let asked = 0
  await page.route('**/api/orders', (route) => {
    asked += 1
    return route.fulfill({
      status: 503,
      headers: { 'X-Request-Id': `request-${asked}` },
      json: { status: 'error', code: 'OVERLOADED', message: '繁忙' },
    })
  })
  await page.locator('main').getByRole('alert').filter({ hasText: '繁忙' }).waitFor()
  await listen(page)
  // One of them may be gone before it is looked for.
  await page.waitForFunction((least) => {
    const shown = /request-(\d+)/.exec(document.querySelector('main')?.textContent ?? '')
    return Number(shown?.[1]) >= least
  }, asked + 2)
  t.strictSame(await heardBy(page), [])
})

t.test('F513 nor is the age of what it is about, second by second', async (t) => {
  const { direct } = await serve(t)
  const { page, context } = await visit(browser, direct[0] ?? '', { expected: /./ })
  await page.clock.install()
  await page.reload()
  await settle(page, '')
  const standing = page.locator('[data-test=standing]')
  await standing.locator('.age.ok').waitFor() // all of it has been read
  await context.route('**/api/**', (route) => route.abort())
  await page.clock.pauseAt(Date.now() + 35_000)
  await standing.locator('.age.warn').waitFor()
  const age = standing.locator('.age')
  const before = await age.textContent()
  await listen(page, '[data-test=standing]')
  await page.clock.runFor(5_000)
  t.not(await age.textContent(), before, 'it counts')
  t.strictSame(await heardBy(page), [])
})

t.test('F513 what was done is said where a screen reader already listens', async (t) => {
  const { direct } = await serve(t)
  const { page } = await visit(browser, direct[0] ?? '')
  await page.locator('.notices[aria-live=polite]').waitFor({ state: 'attached' })
})

/** Notes the words themselves: all of an alert, of anything else what is new. */
const hear = (page: Page): Promise<unknown> =>
  page.evaluate(`globalThis.announced = []
    const WHOLE = '[role=alert], [role=status]'
    new MutationObserver((changes) => {
      for (const { type, target, addedNodes } of changes) {
        const at = target instanceof Element ? target : target.parentElement
        const part = at?.closest('[aria-live], ' + WHOLE)
        if (part == null || part.getAttribute('aria-live') === 'off') continue
        const fresh = type === 'characterData' ? [target] : [...addedNodes]
        announced.push(...(part.matches(WHOLE) ? [part] : fresh).map((one) => one.textContent.trim()))
      }
    }).observe(document.body, { subtree: true, childList: true, characterData: true })`)

const RESTING = { stock_code: '600036', order_type: 23, order_volume: 500, price_type: 11 }

t.test('F771 of a fault that befell more it is read aloud what, and not all again', async (t) => {
  const { direct } = await serve(t)
  for (const price of [32.5, 32.4]) {
    await post(`${direct[0]}/api/actions/place_order`, { ...RESTING, price })
  }
  const { page } = await visit(browser, `${direct[0]}/#/orders`, { expected: /Failed to load/ })
  let asked = 0
  await page.route('**/cancel', (route) => {
    asked += 1
    return route.fulfill({
      status: 503,
      headers: { 'X-Request-Id': `request-${asked}` },
      json: { status: 'error', code: 'NOT_CONNECTED', message: '未连接' },
    })
  })
  const cancel = async (price: string): Promise<string> => {
    await page.locator('tbody tr', { hasText: price }).locator('[data-cancel]').click()
    await confirm(page)
    const name = `撤单 买入 招商银行 600036，${price} × 500 股`
    await page.locator('.notices li', { hasText: name }).waitFor()
    return name
  }
  const first = await cancel('32.50')
  await hear(page)
  const second = await cancel('32.40')
  const heard = (await heardBy(page)) as readonly string[]
  t.strictSame(
    heard.filter((text) => text !== ''),
    [second],
  )
  const told = heard.length
  await cancel('32.50')
  await page.waitForFunction((told) => announced.length > told, told)
  const again = ((await heardBy(page)) as readonly string[]).slice(told).join(' ')
  t.match(again, first, 'what fails once more is read again: silence would be taken for a success')
  t.match(again, second)
})
