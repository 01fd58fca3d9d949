import t, { type Test } from 'tap'
import { post, serve } from '../service/fixture.ts'
import { settle, startBrowser, visit } from './pages.ts'

const browser = await startBrowser(t)

t.test('F596 the kill switch is one press away on every screen, on a phone too', async (t) => {
  const { direct } = await serve(t)
  for (const width of [360, 1_366]) {
    const { page, context } = await visit(browser, `${direct[0]}/#/orders`, { width })
    await settle(page, 'orders')
    const way = page.locator('header').getByRole('link', { name: '急停' })
    const box = await way.boundingBox()
    t.ok(box && box.x >= 0 && box.x + box.width <= width, `in the window of ${width}`)
    await way.click()
    await page.locator('[data-level=all]').waitFor()
    t.match(page.url(), /#\/risk$/)
    await context.close()
  }
})

t.test('F603 the header leads to the kill switch also where it is up already', async (t) => {
  const { direct } = await serve(t)
  await post(`${direct[0]}/api/kill-switch`, { level: 'entries' })
  const { page, context } = await visit(browser, `${direct[0]}/#/orders`, { width: 360 })
  t.teardown(() => context.close())
  await settle(page, 'orders')
  await page.locator('header').getByRole('link', { name: '急停：停止买入' }).click()
  await page.locator('[data-level=all]').waitFor()
  t.match(page.url(), /#\/risk$/)
})

/** The ticket of a sale that passes, on a laptop of 1366 × 768 below the bars of its browser. */
async function lowTicket(t: Test) {
  const { direct } = await serve(t)
  const [width, height] = [1_366, 625]
  const { page, context } = await visit(browser, `${direct[0]}/#/positions`, { width, height })
  t.teardown(() => context.close())
  await page.locator('tr[data-code="600036"]').getByRole('button', { name: '卖出' }).click()
  await page.locator('[data-test=passes]').waitFor()
  return { page, height }
}

t.test('F909 on a low screen the button that places an order is in sight', async (t) => {
  const { page, height } = await lowTicket(t)
  const button = page.locator('[data-test=place]:enabled')
  const box = await button.boundingBox()
  t.ok(box && box.y + box.height <= height, `it ends at ${box && box.y + box.height}`)
  await button.click({ position: { x: 4, y: 4 } })
  await page.locator('form.question').waitFor()

  // On a phone that lies on its side most is below; what is reached with the keyboard is not behind the button.
  await page.keyboard.press('Escape')
  await page.setViewportSize({ width: 844, height: 390 })
  await page.locator('.ticket [data-part="100"]').focus()
  const isCovered = `document.activeElement.getBoundingClientRect().bottom >
    document.querySelector('.ticket .foot').getBoundingClientRect().top`
  for (let at = 0; at < 3; at++) {
    await page.keyboard.press('Tab')
    t.notOk(await page.evaluate(isCovered))
  }
})

t.test('F939 on a low screen it is in sight why an order cannot be placed', async (t) => {
  const { page } = await lowTicket(t)
  /** Whether a person sees it: nothing lies over it, and it is not below the edge. */
  const isSeen = (selector: string): Promise<unknown> =>
    page.evaluate(`(() => {
      const it = document.querySelector('${selector}')
      const { x, y, width, height } = it.getBoundingClientRect()
      return it.contains(document.elementFromPoint(x + width / 2, y + height / 2))
    })()`)
  t.ok(await isSeen('[data-test=passes]'), 'that it passes')
  await page.locator('input[name=price]').fill('351')
  await page.locator('.rules li').first().waitFor()
  t.ok(await isSeen('.rules li'), 'what refuses it')
  await page.locator('input[name=price]').fill('35.3')
  await page.locator('[data-test=passes]').waitFor()
  await page.route('**/api/actions/place_order', (route) => route.abort())
  await page.locator('[data-test=place]:enabled').click()
  await page.locator('[data-test=confirm]:enabled').click()
  await page.locator('[data-test=outcome]').waitFor()
  // What the question asked goes at once, its veil a moment later.
  await page.locator('.el-overlay:visible').nth(1).waitFor({ state: 'hidden' })
  t.ok(await isSeen('[data-test=outcome]'), 'that nobody knows whether it was sent')
})

/** What lies over the thing that has the focus, of the bars that stay in the window; none: ''. Once the focus has left the screen, undefined. */
const barOverFocus = `(() => {
  const at = document.activeElement
  if (at.closest('main') === null) return undefined
  const { top, bottom } = (at.closest('.el-switch') ?? at).getBoundingClientRect()
  const bars = [...document.querySelectorAll('.top, .bottom')]
  const over = bars.filter((bar) => {
    const box = bar.getBoundingClientRect()
    const stays = ['sticky', 'fixed'].includes(getComputedStyle(bar).position)
    return stays && top < box.bottom && bottom > box.top
  })
  return over.map((bar) => (at.ariaLabel ?? at.name ?? at.textContent) + ' under .' + bar.className).join()
})()`

t.test('F969 what has the focus is under no bar that stays in the window', async (t) => {
  const { direct } = await serve(t)
  for (const [key, width] of [
    ['Tab', 360],
    ['Shift+Tab', 1_366],
    ['Shift+Tab', 800],
  ] as const) {
    const url = `${direct[0]}/#/settings`
    const { page, context } = await visit(browser, url, { width, height: 560, language: 'en' })
    await settle(page, 'settings')
    const ways = page.locator('main').locator('button, input, select, summary')
    await (key === 'Tab' ? ways.first() : ways.last()).focus()
    const under: unknown[] = []
    let seen = 0
    for (; seen < 100; seen++) {
      await page.keyboard.press(key)
      const over = await page.evaluate(barOverFocus)
      if (over === undefined) break
      if (over !== '') under.push(over)
    }
    t.ok(seen > 30, `${seen} were reached`)
    t.strictSame(under, [], `${key} at ${width}`)
    await context.close()
  }
})
