import t from 'tap'
import { serve } from '../service/fixture.ts'
import { rewrite, settle, startBrowser, visit } from './pages.ts'

const browser = await startBrowser(t)

t.test('an amount in tens of thousands says so, beside one in yuan', async (t) => {
  const { direct } = await serve(t)
  const { page } = await visit(browser, `${direct[0]}/#/`)
  const choose = async (unit: string) => {
    await page.getByRole('button', { name: '显示设置' }).click()
    await page.locator('select[name=unit]').selectOption(unit)
    await page.keyboard.press('Escape')
    await page.locator('select[name=unit]').waitFor({ state: 'hidden' })
  }
  const cash = page.locator('[data-test=cash]')
  await cash.getByText(/^[\d,]+\.\d\d$/).waitFor()
  await choose('wan')
  await cash.getByText(/^100\.00万$/).waitFor()
  await choose('yi')
  await cash.getByText(/^100\.00万$/).waitFor() // no figure of which nothing would be left
  await settle(page, 'orders') // a ticket goes with the screen that is left
  await page.keyboard.press('b')
  await page.locator('input[name=code]').fill('600036')
  await page.locator('input[name=price]').fill('35')
  await page.locator('input[name=volume]').fill('100')
  await page.locator('[data-test=place]:enabled').click()
  await page.locator('form.question').getByText('金额约 3,500.00，费用约').waitFor()
})

t.test('the curve of the day goes by the clock of the service', async (t) => {
  const { direct } = await serve(t)
  const { page, context } = await visit(browser, 'about:blank', { expected: /Access/ })
  await rewrite(context, '**/api/equity?*', (body) => ({ ...body, points: [] }))
  await page.clock.install({ time: Date.now() + 40 * 86_400_000 })
  await page.goto(direct[0] ?? '')
  await page.locator('.curve canvas').waitFor()
  t.equal(await page.locator('.curve').count(), 1)
})
