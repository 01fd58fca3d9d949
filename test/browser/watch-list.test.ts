import t from 'tap'
import { serve, until } from '../service/fixture.ts'
import { seriousFindings, sidewaysScroll, startBrowser, visit } from './pages.ts'

const browser = await startBrowser(t)

t.test('a stock that is not held is found, watched, kept, and bought from there', async (t) => {
  const { direct } = await serve(t)
  const { page, complaints } = await visit(browser, `${direct[0]}/#/watch`)
  await page.getByText('还没有自选股').waitFor()
  await page.locator('#watch-code').fill('payh')
  await page.locator('#watch-code-choices [data-code="000001.SZ"]').click()
  const row = page.locator('tr[data-code="000001.SZ"]')
  await row.getByText('平安银行').waitFor()
  await row
    .locator('td.num')
    .first()
    .getByText(/^[0-9]+[.][0-9]{2}$/)
    .waitFor()
  t.strictSame(await seriousFindings(page), [])
  await page.reload()
  await row.getByText('平安银行').waitFor()
  await page.setViewportSize({ width: 390, height: 844 })
  t.ok((await sidewaysScroll(page)) <= 0)
  await row.getByRole('button', { name: '买入' }).click()
  await until(
    () => page.locator('form.ticket input[name=code]').inputValue(),
    (code) => code === '000001.SZ',
  )
  await page.keyboard.press('Escape')
  await page.locator('[data-test=watch-text] summary').click()
  const text = page.locator('[data-test=watch-text] textarea')
  await until(
    () => text.inputValue(),
    (value) => value === '000001.SZ 平安银行',
  )
  await text.fill('600036.SH 招商银行\n000001.SZ\n无')
  await page.locator('[data-test=watch-import]').click()
  await page.getByText('文本里有 2 只，新加入 1 只').waitFor()
  t.strictSame(await seriousFindings(page), [])
  t.ok((await sidewaysScroll(page)) <= 0)
  await page.getByRole('button', { name: '移除 招商银行' }).click()
  await row.getByRole('button', { name: '移除 平安银行' }).click()
  await page.getByText('还没有自选股').waitFor()
  t.strictSame(complaints, [])
})

t.test('an index on the list is not bought as the stock with its six digits', async (t) => {
  const { direct } = await serve(t)
  const { page } = await visit(browser, `${direct[0]}/#/watch`)
  await page.locator('[data-test=watch-text] summary').click()
  await page.locator('[data-test=watch-text] textarea').fill('000001.SH 上证指数')
  await page.locator('[data-test=watch-import]').click()
  const asked = page.waitForRequest('**/api/orders/preview')
  await page.locator('tr[data-code="000001.SH"]').getByRole('button', { name: '买入' }).click()
  t.equal((await asked).postDataJSON().stock_code, '000001.SH')
  t.equal(await page.getByText('平安银行').count(), 0)
})
