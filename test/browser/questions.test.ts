import type { Locator, Route } from 'playwright-core'
import t, { type Test } from 'tap'
import { get, post, serve, until } from '../service/fixture.ts'
import { confirm, drawn, rewrite, settle, startBrowser, visit } from './pages.ts'

const browser = await startBrowser(t)
const NEEDED = { success: false, status: 'error', code: 'CONFIRMATION_NEEDED', message: '须填写' }

/** The orders of an account, one of which rests. */
async function resting(t: Test) {
  const { direct } = await serve(t)
  const base = direct[0] ?? ''
  const order = { stock_code: '600036', order_type: 23, order_volume: 100, price_type: 11 }
  await post(`${base}/api/actions/place_order`, { ...order, price: 32.5 })
  const seen = await visit(browser, `${base}/#/orders`)
  t.teardown(() => seen.context.close())
  return { ...seen, base }
}

t.test('F527 a question that comes late does not take the place of the kill switch', async (t) => {
  const { direct } = await serve(t)
  const base = direct[0] ?? ''
  const { page, context, complaints } = await visit(browser, `${base}/#/settings`, {
    expected: /400/,
  })
  await settle(page, 'settings')
  await page.locator('input[name=max_orders_per_day]').fill('900')
  await page.locator('[data-test=save-limits]').click()
  let held: Route | undefined
  await context.route('**/api/risk/limits', (route) => {
    if (route.request().method() !== 'POST') return route.continue()
    held = route
    return undefined
  })
  const sent = page.waitForRequest((one) => one.method() === 'POST' && /limits$/.test(one.url()))
  await confirm(page)
  await sent
  await settle(page, 'risk')
  await page.locator('[data-level=all]').click()
  const title = page.locator('.el-dialog__title:visible')
  await title.getByText('停止全部新委托').waitFor()
  const answered = page.waitForResponse((one) => one.status() === 400)
  await held?.fulfill({ status: 400, json: NEEDED })
  await (await answered).finished()
  await drawn(page)
  t.match(await title.textContent(), /停止全部新委托/)
  await page.locator('[data-test=confirm]:enabled').click()
  await title.getByText('放宽实盘账户的风控上限').waitFor()
  t.ok(await page.locator('[data-test=confirm]').isDisabled())
  await until(
    async () => (await get(`${base}/api/kill-switch`)).body['level'] as unknown,
    (level) => level === 'all',
  )
  await page.keyboard.press('Escape')
  await title.waitFor({ state: 'hidden' })
  await page.keyboard.press('?')
  await title.waitFor() // no question that nobody sees keeps the keys
  t.strictSame(complaints, [])
})

t.test('F559 yes and no to the cancel of an order are two different words', async (t) => {
  const { direct } = await serve(t)
  const base = direct[0] ?? ''
  const order = { stock_code: '600036', order_type: 23, order_volume: 100, price_type: 11 }
  await post(`${base}/api/actions/place_order`, { ...order, price: 32.5 })
  for (const language of ['en', 'zh-CN'] as const) {
    const { page, context } = await visit(browser, `${base}/#/orders`, { language })
    await page.locator('[data-cancel]').click()
    await page.locator('form.question .buttons button').first().waitFor()
    const words = await page.locator('form.question .buttons button').allTextContents()
    const [no, yes] = words.map((word) => word.trim())
    t.not(no, yes, `${language}: ${words}`)
    await page.locator('[data-test=confirm]:enabled').waitFor() // what comes sooner is no answer
    await page.locator('form.question .buttons button').first().click()
    await page.locator('form.question').waitFor({ state: 'hidden' })
    t.equal(await page.locator('[data-cancel]').count(), 1, 'no leaves it as it is')
    await context.close()
  }
})

t.test('F593 a cancel says nothing of what is filled while nothing is', async (t) => {
  const { page, context } = await resting(t)
  await page.locator('[data-cancel]').click()
  const question = page.locator('form.question')
  await question.getByText(/未成交的 100 股/).waitFor()
  t.notMatch(await question.textContent(), /已成交/)
  await rewrite(context, '**/api/orders', (answer) => {
    const [row] = answer['data'] as readonly object[]
    return { ...answer, data: [{ ...row, traded_volume: 40, status: 55 }] }
  })
  await question.getByText('已成交的 40 股').waitFor()
})

t.test('F599 the second press of a double click takes no question away', async (t) => {
  const { base, page } = await resting(t)
  const pressTwice = async (button: Locator) => {
    // Once it lies still: a screen that is still being drawn would move it away from under a bare press.
    await button.click({ position: { x: 5, y: 5 } })
    await page.locator('.el-dialog:visible').waitFor()
    const box = await button.boundingBox()
    await page.mouse.click((box?.x ?? 0) + 5, (box?.y ?? 0) + 5)
    await drawn(page)
    return page.locator('.el-dialog__title:visible').textContent()
  }
  await page.locator('[data-cancel]').waitFor()
  t.equal(await pressTwice(page.locator('[data-cancel]')), '撤销委托')
  await page.keyboard.press('Escape')
  await page.locator('form.question').waitFor({ state: 'hidden' })
  t.equal(await pressTwice(page.locator('[data-test=open-amend]')), '改单')
  await page.keyboard.press('Escape')
  await page.locator('form.amend').waitFor({ state: 'hidden' })
  t.equal(await pressTwice(page.locator('.screen-head .el-button--primary')), '下单')
  await page.keyboard.press('Escape')
  await page.locator('form.ticket').waitFor({ state: 'hidden' })
  await settle(page, 'risk')
  const level = page.locator('[data-level=entries]')
  t.match(await pressTwice(level), /停止买入/)
  await confirm(page)
  await until(
    async () => (await get(`${base}/api/kill-switch`)).body['level'] as unknown,
    (is) => is === 'entries',
  )
})

t.test('F600 an order that ended while its cancel is asked about cannot be canceled', async (t) => {
  const { direct } = await serve(t)
  const base = direct[0] ?? ''
  const order = { stock_code: '600036', order_type: 23, order_volume: 100, price_type: 11 }
  const placed = await post(`${base}/api/actions/place_order`, { ...order, price: 32.5 })
  const { page, context } = await visit(browser, `${base}/#/orders`)
  t.teardown(() => context.close())
  await page.locator('[data-cancel]').click()
  await page.locator('[data-test=confirm]:enabled').waitFor()
  await post(`${base}/api/orders/${String(placed.body['client_order_id'])}/cancel`)
  await page.locator('[data-test=blocked]').getByText('这笔委托已经结束：已撤').waitFor()
  t.ok(await page.locator('[data-test=confirm]').isDisabled())
})

t.test(
  'F615 the second press of a double click on a phone is no answer to a question',
  async (t) => {
    const { direct } = await serve(t)
    const { page, context } = await visit(browser, `${direct[0]}/#/risk`, {
      width: 360,
      height: 740,
    })
    t.teardown(() => context.close())
    await settle(page, 'risk')
    const question = page.locator('form.question')
    // As where no lies just where the finger is.
    await page.evaluate(`new MutationObserver((_, seen) => {
    const no = document.querySelector('form.question .buttons button')
    if (no === null) return
    seen.disconnect()
    no.click()
    document.body.dataset.pressed = 'yes'
  }).observe(document.body, { childList: true, subtree: true })`)
    await page.locator('[data-level=entries]').click()
    await page.locator('[data-pressed]').waitFor()
    await drawn(page)
    t.ok(await question.isVisible(), 'no was said before it could be read')
    await page.locator('[data-test=confirm]:enabled').waitFor()
    await page.locator('[data-test=confirm]:enabled').waitFor() // what comes sooner is no answer
    await page.locator('form.question .buttons button').first().click()
    await question.waitFor({ state: 'hidden' })
  },
)

t.test('F629 nor is it one where the cross of the question lies', async (t) => {
  const { direct } = await serve(t)
  const { page, context } = await visit(browser, `${direct[0]}/#/risk`, { width: 360, height: 740 })
  t.teardown(() => context.close())
  await settle(page, 'risk')
  await page.evaluate(`new MutationObserver((_, seen) => {
    const form = document.querySelector('form.question')
    if (form === null) return
    seen.disconnect()
    form.closest('.el-dialog').querySelector('.el-dialog__headerbtn').click()
    document.body.dataset.pressed = 'yes'
  }).observe(document.body, { childList: true, subtree: true })`)
  await page.locator('[data-level=entries]').click()
  await page.locator('[data-pressed]').waitFor()
  await drawn(page)
  const question = page.locator('form.question')
  await page.locator('[data-test=confirm]:enabled').waitFor({ timeout: 9_000 })
  await page.locator('.el-dialog__headerbtn:visible').click()
  await question.waitFor({ state: 'hidden' })
})

t.test('F616 the second press of a double click leaves the drawer of a stock open', async (t) => {
  const { direct } = await serve(t)
  const { page, context } = await visit(browser, `${direct[0]}/#/positions`)
  t.teardown(() => context.close())
  const stock = page.locator('tr[data-code="600036"] .stock-cell')
  const box = await stock.boundingBox()
  const at = [(box?.x ?? 0) + 5, (box?.y ?? 0) + 5] as const
  await page.mouse.click(...at)
  const drawer = page.locator('.el-drawer')
  await drawer.waitFor()
  await page.mouse.click(...at)
  await drawn(page)
  await drawer.getByRole('button', { name: '修改最高价' }).click()
  await drawer.locator('input[name=high]').fill('99')
  await page.mouse.click(...at)
  await drawn(page)
  t.equal(await drawer.locator('input[name=high]').inputValue(), '99')
})

/** What of a button in the page is used here. */
interface Pressed {
  click(): void
  closest(selector: string): { readonly innerText: string } | null
}

t.test('F1002 a question that is answered keeps what it said until it has gone', async (t) => {
  const { page, complaints } = await resting(t)
  await page.emulateMedia({ reducedMotion: 'no-preference' })
  await page.locator('[data-cancel]').click()
  const yes = page.locator('[data-test=confirm]:enabled')
  await yes.waitFor()
  const told = await page.locator('.el-dialog:visible').innerText()
  let sent = 0
  page.on('request', (one) => {
    if (one.method() !== 'GET' && one.url().includes('cancel')) sent += 1
  })
  const answered = page.waitForResponse((one) => one.request().method() !== 'GET')
  // A veil fades over many frames: what the window says is looked at before the first of them.
  const after = await yes.evaluate(async (button: Pressed) => {
    const dialog = button.closest('.el-dialog')
    button.click()
    await new Promise((resolve) => setTimeout(resolve, 0))
    const text = dialog?.innerText
    button.click()
    return text
  })
  t.equal(after, told)
  await answered
  const title = page.locator('.el-dialog__title:visible')
  await title.waitFor({ state: 'hidden' })
  await page.locator('form.question').waitFor({ state: 'detached' })
  t.equal(sent, 1, 'the second press answers nothing')
  t.strictSame(complaints, [])
})

/** Says no by a way of the window itself, and presses yes as that fades. */
const noThenYes = (no: string) => `new Promise((done) => {
  const yes = document.querySelector('[data-test=confirm]')
  ${no}
  setTimeout(() => done(yes.click()), 0)
})`
const ESCAPE = `document.dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape', code: 'Escape' }))`
const CROSS = `yes.closest('.el-dialog').querySelector('.el-dialog__headerbtn').click()`

t.test('F1028 a question that was closed is answered by nothing as it fades', async (t) => {
  const { page, complaints } = await resting(t)
  await page.emulateMedia({ reducedMotion: 'no-preference' })
  let sent = 0
  page.on('request', (one) => {
    if (one.method() !== 'GET' && one.url().includes('cancel')) sent += 1
  })
  for (const no of [ESCAPE, CROSS]) {
    await page.locator('[data-cancel]').click()
    await page.locator('[data-test=confirm]:enabled').waitFor()
    await page.evaluate(noThenYes(no))
    await page.locator('form.question').waitFor({ state: 'detached', timeout: 10_000 })
    t.equal(sent, 0, no)
  }
  t.strictSame(complaints, [])
})
