import type { Page } from 'playwright-core'
import t from 'tap'
import { serve } from '../service/fixture.ts'
import { type Dom, settle, startBrowser, visit } from './pages.ts'

declare const document: Dom

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
const announced = (page: Page): Promise<unknown> => page.evaluate('announced')

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
  t.strictSame(await announced(page), [])
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
  t.strictSame(await announced(page), [])
})

t.test('F513 what was done is said where a screen reader already listens', async (t) => {
  const { direct } = await serve(t)
  const { page } = await visit(browser, direct[0] ?? '')
  await page.locator('.notices[aria-live=polite]').waitFor({ state: 'attached' })
})
