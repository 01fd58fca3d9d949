import type { Page, Route } from 'playwright-core'
import t, { type Test } from 'tap'
import { post, serve, until } from '../service/fixture.ts'
import { confirm, startBrowser, visit } from './pages.ts'

const browser = await startBrowser(t)
const RESTING = { stock_code: '600036', order_type: 23, order_volume: 500, price_type: 11 }

/** The orders of an account, two of which rest. */
async function orders(t: Test) {
  const { direct } = await serve(t)
  for (const price of [32.5, 32.4]) {
    await post(`${direct[0]}/api/actions/place_order`, { ...RESTING, price })
  }
  const seen = await visit(browser, `${direct[0]}/#/orders`, { expected: /./, isPatient: true })
  t.teardown(() => seen.context.close())
  return seen
}
/** Both kinds of window are closed by it. */
async function close(page: Page, form: string): Promise<void> {
  await page.keyboard.press('Escape')
  await page.locator(form).waitFor({ state: 'hidden' })
}

t.test('F617 changes of orders whose answers never come are each told by name', async (t) => {
  const { page } = await orders(t)
  const sent: Route[] = []
  await page.route('**/amend', (route) => void sent.push(route))
  const change = async (price: string, volume: string): Promise<void> => {
    const before = sent.length
    await page.locator('tbody tr', { hasText: price }).locator('[data-test=open-amend]').click()
    await page.locator('[name=amend-volume]').fill(volume)
    await page.locator('[data-test=amend]:enabled').click()
    await until(
      async () => sent[before],
      (route) => route !== undefined,
    )
    await close(page, 'form.amend')
  }
  await change('32.50', '300')
  await change('32.40', '200')
  for (const route of sent) await route.abort()
  const notices = page.locator('.notices')
  await notices.getByText(/招商银行 600036.*32\.50 × 300/).waitFor()
  await notices.getByText(/招商银行 600036.*32\.40 × 200/).waitFor()
})

t.test(
  'F618 an order without an answer is told of when its ticket is closed or written over',
  async (t) => {
    const { page } = await orders(t)
    await page.route('**/api/actions/place_order', (route) => route.abort())
    const notices = page.locator('.notices')
    const send = async (price: string): Promise<void> => {
      await page.locator('input[name=price]').fill(price)
      await page.locator('[data-test=place]:enabled').click()
      await confirm(page)
      await page.locator('[data-test=outcome]').waitFor()
    }
    await page.keyboard.press('b')
    await page.locator('input[name=code]').fill('600036')
    await page.locator('[data-test=lots]').waitFor()
    await send('32.3')
    t.equal(await notices.getByText(/32\.30/).count(), 0, 'the ticket says it')
    await page.locator('input[name=price]').fill('32.2')
    await notices.getByText(/32\.30.*可能已经发出/).waitFor()
    await send('32.2')
    await close(page, 'form.ticket')
    await notices.getByText(/32\.20.*可能已经发出/).waitFor()
    await notices.getByText(/32\.30.*可能已经发出/).waitFor()
  },
)

t.test('F645 it is told of where its ticket goes because the token is taken no more', async (t) => {
  const { page } = await orders(t)
  await page.route('**/api/actions/place_order', (route) => route.abort())
  await page.keyboard.press('b')
  await page.locator('input[name=code]').fill('600036')
  await page.locator('[data-test=lots]').waitFor()
  await page.locator('input[name=price]').fill('32.3')
  await page.locator('[data-test=place]:enabled').click()
  await confirm(page)
  await page.locator('[data-test=outcome]').waitFor()
  const error = { status: 'error', code: 'UNAUTHORIZED', message: '令牌无效' }
  await page.route('**/api/**', (route) => route.fulfill({ status: 401, json: error }))
  await page.getByRole('heading', { name: '输入访问令牌' }).waitFor()
  await page
    .locator('.notices')
    .getByText(/32\.30.*可能已经发出/)
    .waitFor()
})

t.test('F639 cancels whose answers never come are each told by name', async (t) => {
  const { page } = await orders(t)
  const sent: Route[] = []
  await page.route('**/cancel', (route) => void sent.push(route))
  for (const price of ['32.50', '32.40']) {
    const before = sent.length
    await page.locator('tbody tr', { hasText: price }).locator('[data-cancel]').click()
    await confirm(page)
    await until(
      async () => sent[before],
      (route) => route !== undefined,
    )
  }
  for (const route of sent) await route.abort()
  const notices = page.locator('.notices')
  await notices.getByText('撤单 买入 招商银行 600036，32.50 × 500 股').waitFor()
  await notices.getByText('撤单 买入 招商银行 600036，32.40 × 500 股').waitFor()
  t.equal(await notices.locator('.one').count(), 1, 'one fault, and all that it befell')
})

t.test('F639 so are those of a cancel of all', async (t) => {
  const { page } = await orders(t)
  await page.route('**/cancel', (route) => route.abort())
  await page.getByRole('button', { name: '撤销全部在途委托' }).click()
  await confirm(page)
  for (const price of ['32.50', '32.40']) {
    await page.locator('.notices').getByText(`600036，${price} × 500 股`).waitFor()
  }
})
