import type { Page, Route } from 'playwright-core'
import t, { type Test } from 'tap'
import { confirm, patient, startBrowser } from './pages.ts'
import { button, openDesk, PLACE, passes, typed, until } from './tickets.ts'

// What becomes of an order once it has been sent from its ticket, and its answer is late or never comes.
const browser = await startBrowser(t)
const desk = (t: Test) => openDesk(t, browser, 'orders', { expected: /./ })

/** A desk whose orders are taken and never answered. */
async function unanswering(t: Test) {
  const { page } = await desk(t)
  await patient(page)
  const sent: Route[] = []
  await page.route(PLACE, (route) => void sent.push(route))
  return { page, sent }
}

/** An order of 100 shares that is confirmed and left without an answer, its ticket closed. */
async function leaveUnanswered(page: Page, sent: readonly Route[], price: string): Promise<void> {
  const before = sent.length
  await write(page, '600036', price)
  await page.locator('[data-test=place]:enabled').click()
  await confirm(page)
  await until(() => sent[before])
  await page.keyboard.press('Escape')
  await page.locator('form.ticket').waitFor({ state: 'hidden' })
}
async function write(page: Page, code: string, price: string): Promise<void> {
  await page.keyboard.press('b')
  await page.locator('input[name=code]').fill(code)
  await page.locator('[data-test=lots]').waitFor()
  await page.locator('input[name=price]').fill(price)
  await passes(page).waitFor()
}

t.test('an order without an answer is called neither sent nor failed', async (t) => {
  const { page } = await desk(t)
  const keys: (string | undefined)[] = []
  await page.route(PLACE, async (route) => {
    keys.push(route.request().headers()['idempotency-key'])
    if (keys.length > 1) return route.continue()
    await route.fetch() // it arrives, its answer does not
    return route.abort()
  })
  await page.keyboard.press('b')
  await page.locator('input[name=code]').fill('600036')
  await page.locator('[data-test=place]:enabled').waitFor()
  await page.locator('input[name=price]').fill('32.5')
  await page.locator('[data-test=place]:enabled').click()
  await confirm(page)
  await page.getByText('没有收到应答，这笔委托可能已经发出').waitFor()
  await page.locator('tbody tr', { hasText: '32.50' }).waitFor()
  await page.waitForResponse((response) => response.url().endsWith('/preview'))
  t.ok(await page.getByText('没有收到应答').isVisible(), 'it stands while the ticket is unchanged')
  await page.locator('[data-test=place]:enabled').click()
  await confirm(page)
  await page.locator('form.ticket').waitFor({ state: 'hidden' })
  t.equal(keys.length, 2)
  t.equal(keys[0], keys[1])
  t.equal(await page.locator('tbody tr', { hasText: '32.50' }).count(), 1, 'one order')
})

t.test('an answer that comes late closes no other ticket', async (t) => {
  const { page } = await openDesk(t, browser, 'orders')
  const sent: Route[] = []
  await page.route(PLACE, (route) => void sent.push(route))
  await page.keyboard.press('b')
  await page.locator('input[name=code]').fill('600036')
  await page.locator('[data-test=place]:enabled').click()
  await confirm(page)
  const slow = await until(() => sent[0])
  await page.locator('form.ticket').getByRole('button', { name: '取消' }).click()
  await page.locator('form.ticket').waitFor({ state: 'hidden' })
  await page.keyboard.press('b')
  await page.locator('input[name=code]').fill('601318')
  await passes(page).waitFor()
  await slow.continue()
  await page.locator('.notices').getByText(/委托/).waitFor()
  t.equal(await typed(page, 'code'), '601318')
  t.ok(await button(page).isEnabled())
})

t.test('F598 an order without an answer keeps no other one waiting', async (t) => {
  const { page } = await desk(t)
  await patient(page)
  const sent: Route[] = []
  await page.route(PLACE, (route) => {
    sent.push(route)
    return sent.length === 1 ? undefined : route.continue()
  })
  await leaveUnanswered(page, sent, '32.5')
  await write(page, '600036', '32.5')
  t.ok(await button(page).isDisabled(), 'the same is not sent twice')
  await page.getByText('还有一笔委托没有应答').waitFor()
  await page.locator('input[name=price]').fill('32.4')
  await page.locator('[data-test=place]:enabled').click()
  await confirm(page)
  await page.locator('form.ticket').waitFor({ state: 'hidden' })
  await page.locator('tbody tr', { hasText: '32.40' }).waitFor()
  await sent[0]?.continue()
  await page.locator('tbody tr', { hasText: '32.50' }).waitFor()
  t.equal(sent.length, 2)
})

t.test('F601 an order without an answer is the same one however its code is written', async (t) => {
  const { page, sent } = await unanswering(t)
  await leaveUnanswered(page, sent, '32.5')
  for (const code of ['600036.SH', 'sh.600036']) {
    await write(page, code, '32.5')
    t.ok(await button(page).isDisabled(), code)
    await page.keyboard.press('Escape')
    await page.locator('form.ticket').waitFor({ state: 'hidden' })
  }
  t.equal(sent.length, 1)
})

t.test('F602 orders whose answers never come are each told by name', async (t) => {
  const { page, sent } = await unanswering(t)
  await leaveUnanswered(page, sent, '32.5')
  await leaveUnanswered(page, sent, '32.4')
  for (const route of sent) await route.abort()
  const notices = page.locator('.notices')
  await notices.getByText(/32\.40/).waitFor()
  await notices.getByText(/32\.50/).waitFor()
  t.equal(await notices.getByText('可能已经发出').count(), 2)
  t.equal(await notices.getByText('仍是同一笔').count(), 0, 'written anew it is another order')
})
