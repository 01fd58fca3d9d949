import type { Page } from 'playwright-core'
import t from 'tap'
import { post, serve } from '../service/fixture.ts'
import { startBrowser, visit } from './pages.ts'

const browser = await startBrowser(t)
const field = (page: Page, name: string) => page.locator(`input[name=${name}]`)
/** As it is pasted, or comes from an input method. */
async function paste(page: Page, name: string, text: string): Promise<void> {
  await field(page, name).fill('')
  await field(page, name).focus()
  await page.keyboard.insertText(text)
}

t.test('F614 a comma for a point makes no other number, and is refused with words', async (t) => {
  const { direct } = await serve(t)
  const base = direct[0] ?? ''
  const order = { stock_code: '600036', order_type: 23, order_volume: 500, price_type: 11 }
  await post(`${base}/api/actions/place_order`, { ...order, price: 32.5 })
  const { page, context } = await visit(browser, `${base}/#/orders`, { expected: /4\d\d/ })
  t.teardown(() => context.close())
  const wrong = page.getByText('小数点用“.”').filter({ visible: true })

  await page.locator('[data-test=open-amend]').click()
  await paste(page, 'amend-price', '32,40')
  t.equal(await field(page, 'amend-price').inputValue(), '32,40', 'it stays as it was typed')
  await wrong.waitFor()
  t.ok(await page.locator('[data-test=amend]').isDisabled())
  await paste(page, 'amend-price', '32。40')
  await page.locator('[data-test=amend]:enabled').waitFor()
  t.equal(await wrong.count(), 0, 'a point of a Chinese keyboard is one')
  await page.keyboard.press('Escape')

  await page.keyboard.press('b')
  await field(page, 'code').fill('600036')
  await page.locator('[data-test=lots]').waitFor()
  const place = page.locator('[data-test=place]')
  await page.locator('[data-test=place]:enabled').waitFor()
  await paste(page, 'price', '32,40')
  await wrong.waitFor()
  t.ok(await place.isDisabled())
  await paste(page, 'price', '32。40')
  await paste(page, 'volume', '1,000')
  await page.locator('[data-test=place]:enabled').waitFor()
  await field(page, 'price').press('ArrowUp')
  t.equal(await field(page, 'price').inputValue(), '32.41')
  // A worst price that cannot be read is none that was left out.
  await field(page, 'code').fill('688981')
  await page.locator('[data-test=place]:enabled').waitFor()
  await page.locator('select[name=type]').selectOption('42')
  await page.locator('[data-test=place]:enabled').waitFor()
  await paste(page, 'price', '32,40')
  await wrong.waitFor()
  t.ok(await place.isDisabled())
  await field(page, 'price').fill('')
  await page.locator('[data-test=place]:enabled').waitFor()
  await page.keyboard.press('Escape')

  await page.goto(`${base}/#/positions`)
  const row = page.locator('tr[data-code="600036"]')
  await row.locator('.stock-cell').click()
  await page.getByRole('button', { name: '修改最高价' }).click()
  await paste(page, 'high', '35,50')
  await wrong.waitFor()
  t.ok(await page.getByRole('button', { name: '保存' }).isDisabled())
})

t.test('F614 a comma in the wizard of a grid makes no other grid', async (t) => {
  const { direct } = await serve(t)
  const base = direct[0] ?? ''
  const { page, context } = await visit(browser, `${base}/#/grid`, { expected: /4\d\d/ })
  t.teardown(() => context.close())
  await page.locator('[data-test=new-grid]').click()
  const start = page.locator('[data-test=start-grid]')
  await page.locator('[data-test=start-grid]:enabled').waitFor()
  const sent: string[] = []
  page.on('request', (one) => {
    if (one.method() === 'POST') sent.push(one.postData() ?? '')
  })
  const fixed = page.locator('select[name=mode]')
  await fixed.selectOption('shares')
  await paste(page, 'fixed_volume', '1,00')
  await page.getByText('小数点用“.”').waitFor()
  await fixed.selectOption('amount')
  await page.locator('[data-test=start-grid]:enabled').waitFor() // what is not asked for is in nobody's way
  for (const [name, text] of [
    ['center_price', '35,50'],
    ['stop_loss', '7,5'],
  ] as const) {
    await paste(page, name, text)
    await page.getByText('小数点用“.”').first().waitFor()
    t.ok(await start.isDisabled(), name)
    t.ok(await page.locator('[data-test=backtest]').isDisabled(), name)
    await field(page, name).fill(name === 'stop_loss' ? '.5' : '7.5')
    await page.locator('[data-test=start-grid]:enabled').waitFor()
  }
  t.notOk(sent.some((body) => body.includes('null') || body.includes('0.75')))
})

t.test('F625 a point alone is no number, and no wish to do without one', async (t) => {
  const { direct } = await serve(t)
  const { page, context } = await visit(browser, `${direct[0]}/#/grid`, { expected: /4\d\d/ })
  t.teardown(() => context.close())
  await page.locator('[data-test=new-grid]').click()
  const start = page.locator('[data-test=start-grid]')
  for (const text of ['.', '。', ',.']) {
    await field(page, 'center_price').fill('35.')
    await page.locator('[data-test=start-grid]:enabled').waitFor()
    await paste(page, 'center_price', text)
    await page.locator('input[name=center_price][aria-invalid=true]').waitFor({ timeout: 9_000 })
    t.ok(await start.isDisabled(), text)
  }
})
