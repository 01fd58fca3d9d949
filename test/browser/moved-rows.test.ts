import type { Locator, Page } from 'playwright-core'
import t, { type Test } from 'tap'
import { account, post, serve, until } from '../service/fixture.ts'
import { drawn, rewrite, startBrowser, visit } from './pages.ts'

const browser = await startBrowser(t)
const isFocused = (it: Locator): Promise<boolean> => it.evaluate((one) => one.matches(':focus'))

/** Two orders rest, the focus is on the cancel of one, and the other one ends: its row goes below. */
async function otherEnds(t: Test, kept: string, other: string) {
  const { direct } = await serve(t)
  const ids = new Map<string, unknown>()
  for (const price of ['32.50', '32.40']) {
    const order = { stock_code: '600036', order_type: 23, order_volume: 100, price_type: 11 }
    const { body } = await post(`${direct[0]}/api/actions/place_order`, {
      ...order,
      price: Number(price),
    })
    ids.set(price, body['client_order_id'])
  }
  const { page, context } = await visit(browser, `${direct[0]}/#/orders`)
  t.teardown(() => context.close())
  await page.locator('[data-cancel]').nth(1).waitFor()
  const cancel = page.locator('tbody tr', { hasText: kept }).locator('[data-cancel]')
  await cancel.focus()
  await post(`${direct[0]}/api/orders/${ids.get(other)}/cancel`, {})
  const last = page.locator('tbody tr').last()
  await last.getByText('已撤', { exact: true }).first().waitFor()
  await drawn(page)
  t.ok(await isFocused(cancel))
  await page.keyboard.press('Enter')
  await page.locator('form.question', { hasText: kept }).waitFor()
}

t.test('F970 the cancel of an order keeps the focus when the one above it ends', (t) =>
  otherEnds(t, '32.50', '32.40'),
)
t.test('F970 the cancel of an order keeps the focus when the one below it ends', (t) =>
  otherEnds(t, '32.40', '32.50'),
)

/** Holdings sorted by what they gain, the focus on the sale of one, until it has lost the most and its row is the last. */
async function fallen(t: Test, count: number) {
  const codes = Array.from({ length: count }, (_, at) => String(600_000 + at))
  const positions = codes.map((stock_code) => ({ stock_code, volume: 100, cost_price: 10 }))
  const { direct } = await serve(t, { overrides: { accounts: [account('10000001', positions)] } })
  const { page, context } = await visit(browser, 'about:blank', { expected: /Access/ })
  t.teardown(() => context.close())
  let lowest = ''
  await rewrite(context, '**/api/positions-all', ({ data, ...rest }) => ({
    ...rest,
    data: (data as { stock_code: string }[]).map((one, at) => ({
      ...one,
      profit_ratio: one.stock_code === lowest ? -9 : count - at,
    })),
  }))
  await page.goto(`${direct[0]}/#/positions`)
  await page.locator('button.sort', { hasText: '盈亏%' }).click()
  const first = page.locator('tbody tr[data-index="0"]')
  const code = String(await first.getAttribute('data-code'))
  const sale = page.locator(`tr[data-code="${code}"]`).getByRole('button', { name: '卖出' })
  await sale.focus()
  lowest = code
  const last = page.locator(`tr[data-code="${code}"][data-index="${count - 1}"]`)
  await last.waitFor({ state: 'attached' })
  await drawn(page)
  return { page, sale, code }
}
/** Enter sells that very holding. */
async function sells(page: Page, code: string): Promise<void> {
  await page.keyboard.press('Enter')
  const field = page.locator('form.ticket [name=code]')
  await until(
    () => field.inputValue(),
    (value) => value === code,
  )
}

t.test('F970 the sale of a holding keeps the focus when its row is sorted elsewhere', async (t) => {
  const { page, sale, code } = await fallen(t, 4)
  t.ok(await isFocused(sale))
  await sells(page, code)
})

t.test('F970 so it does in a list of which only a window is drawn', async (t) => {
  const { page, sale, code } = await fallen(t, 90)
  t.ok(await isFocused(sale))
  await sells(page, code)
})

t.test('F970 who has left the rows is not taken back when they are sorted anew', async (t) => {
  const { page, sale } = await fallen(t, 4)
  await sale.evaluate((one) => (one as unknown as { blur(): void }).blur())
  const sort = page.locator('button.sort', { hasText: '盈亏%' })
  await sort.evaluate((one) => (one as unknown as { click(): void }).click())
  await page.locator('th[aria-sort=ascending]').waitFor()
  await drawn(page)
  t.ok(await page.evaluate('document.activeElement === document.body'))
})
