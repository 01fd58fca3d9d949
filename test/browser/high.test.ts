import t from 'tap'
import { get, post, serve, until } from '../service/fixture.ts'
import { confirm, rewrite, startBrowser, visit } from './pages.ts'

const browser = await startBrowser(t)

t.test(
  'of a holding the high is edited alone: no stop is taken that nothing goes by',
  async (t) => {
    const { direct } = await serve(t)
    const base = direct[0] ?? ''
    const { page, complaints } = await visit(browser, `${base}/#/positions`)
    await page.locator('tr[data-code="600036"] .stock-cell').click()
    const drawer = page.locator('.el-drawer')
    await drawer.getByRole('button', { name: '修改最高价' }).click()
    t.equal(await drawer.locator('input[name=stop]').count(), 0)
    await drawer.getByText('止损价由参数、成本和最高价算出').waitFor()
    const save = drawer.getByRole('button', { name: '保存' })
    t.ok(await save.isDisabled(), 'nothing is changed yet')
    await drawer.locator('input[name=high]').fill('')
    t.ok(await save.isDisabled())
    await drawer.locator('input[name=high]').fill('99.5')
    const sent = page.waitForRequest('**/api/holdings/update')
    await save.click()
    await page
      .locator('.question')
      .getByText(/招商银行：最高价 .* → 99\.50/)
      .waitFor()
    await confirm(page)
    t.strictSame((await sent).postDataJSON(), { stock_code: '600036', highest_price: 99.5 })
    await drawer.locator('input[name=high]').waitFor({ state: 'hidden' })
    t.strictSame(complaints, [])
  },
)

t.test(
  'the stop that is shown is the one that the account sells at, after a change too',
  async (t) => {
    const { direct } = await serve(t)
    const base = direct[0] ?? ''
    const held = async () => (await get(`${base}/api/positions-all`)).body['data']?.[0]
    await until(held, (row) => Number(row?.['stop_loss_price']) === 32.47)
    await post(`${base}/api/config/save`, { stockStopLoss: 5 })
    const row = await until(held, (row) => Number(row?.['why']?.['stop']) > 33)
    t.equal(Number(row?.['stop_loss_price']), 33.35)
  },
)

t.test('F517 a high that rises under an open field leaves nothing to save', async (t) => {
  const { direct } = await serve(t)
  const { page, context, complaints } = await visit(browser, `${direct[0]}/#/positions`)
  await page.locator('tr[data-code="600036"] .stock-cell').click()
  const drawer = page.locator('.el-drawer')
  await drawer.getByRole('button', { name: '修改最高价' }).click()
  await rewrite(context, '**/api/positions-all*', (body) => ({
    ...body,
    data: (body['data'] as { stock_code: string }[]).map((row) =>
      row.stock_code === '600036' ? { ...row, highest_price: 77.77 } : row,
    ),
  }))
  await drawer.locator('dd').getByText('77.77').waitFor()
  const [high, save] = [
    drawer.locator('input[name=high]'),
    drawer.getByRole('button', { name: '保存' }),
  ]
  t.ok(await save.isDisabled(), 'nobody has typed the high of before')
  const before = await high.inputValue()
  t.not(before, '77.77', 'what is in the field does not move under the hand')
  await high.fill('99.5')
  await high.fill(before)
  t.ok(await save.isEnabled(), 'now it was typed')
  t.strictSame(complaints, [])
})

t.test(
  'F910 of a high above the price it is said how far, and that it may sell at once',
  async (t) => {
    const { direct } = await serve(t)
    const { page, context } = await visit(browser, 'about:blank')
    t.teardown(() => context.close())
    await rewrite(context, '**/api/positions-all*', (body) => ({
      ...body,
      data: (body['data'] as { stock_code: string }[]).map((row) =>
        row.stock_code === '600036' ? { ...row, current_price: 35, profit_triggered: true } : row,
      ),
    }))
    await page.goto(`${direct[0]}/#/positions`)
    await page.locator('tr[data-code="600036"] .stock-cell').click()
    const drawer = page.locator('.el-drawer')
    await drawer.getByRole('button', { name: '修改最高价' }).click()
    await drawer.locator('input[name=high]').fill('350')
    await drawer.getByRole('button', { name: '保存' }).click()
    const question = page.locator('form.question')
    await question.getByText('现价 35.00 比它低 90.00%：首次止盈已触发').waitFor()
  },
)
