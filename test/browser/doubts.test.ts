import type { Route } from 'playwright-core'
import t from 'tap'
import { serve } from '../service/fixture.ts'
import { rewrite, startBrowser, visit } from './pages.ts'

const browser = await startBrowser(t)
const doubt = (client_order_id: string, trade_type: 'BUY' | 'SELL', volume: number) => ({
  client_order_id,
  order_id: null,
  stock_code: '600036.SH',
  stock_name: '招商银行',
  trade_type,
  volume,
  since: '2026-11-20 10:01:02',
})

t.test('F694 of two orders in doubt of one stock it is told which is which', async (t) => {
  const { direct } = await serve(t)
  const { page, context } = await visit(browser, 'about:blank')
  t.teardown(() => context.close())
  await rewrite(context, '**/api/reconcile', (body) => ({
    ...body,
    orders_in_doubt: [doubt('01AAA', 'BUY', 200), doubt('01BBB', 'SELL', 12_300)],
  }))
  const asked: Route[] = []
  await context.route('**/resolve', (route) => {
    asked.push(route)
    return route.fulfill({ json: { status: 'success', message: '' } })
  })
  await page.goto(`${direct[0]}/#/reconcile`)
  const sale = page.locator('.doubts .row', { hasText: '01BBB' })
  await sale.waitFor()
  const shown = await sale.innerText()
  for (const part of ['卖出', '招商银行', '12,300', '10:01:02']) t.ok(shown.includes(part), part)

  const question = page.locator('form.question')
  await sale.getByRole('button', { name: '确认不存在' }).click()
  await question.getByText(/卖出 招商银行 600036.*12,300 股/).waitFor()
  await page.keyboard.press('Escape')
  await question.waitFor({ state: 'hidden' })
  await sale.locator('input').fill(' ７７００１ ')
  await sale.getByRole('button', { name: '认作该委托号' }).click()
  await question.getByText(/卖出 招商银行 600036.*12,300 股/).waitFor()
  await question.getByText(/77001/).waitFor()
  await page.locator('[data-test=confirm]:enabled').click()
  await question.waitFor({ state: 'hidden' })
  t.match(asked[0]?.request().url(), /01BBB\/resolve$/)
  t.strictSame(asked[0]?.request().postDataJSON(), { as: '77001' })
})

t.test('F932 what is traded again when an order counts as never sent is told', async (t) => {
  const { direct } = await serve(t)
  const { page, context } = await visit(browser, 'about:blank')
  t.teardown(() => context.close())
  let free = 0
  await rewrite(context, '**/api/reconcile', (body) => ({
    ...body,
    orders_in_doubt: [
      doubt('01AAA', 'BUY', 200),
      doubt('01BBB', 'SELL', 1_000),
      { ...doubt('01CCC', 'SELL', 1_000), order_id: '77002' },
    ],
  }))
  await rewrite(context, '**/api/positions-all', (body) => {
    const [row] = body['data'] as Record<string, unknown>[]
    const due = { available: free, current_price: 30, stop_loss_price: 32.47, why: null }
    return { ...body, data: [{ ...row, ...due, stop_profit_enabled: true }] }
  })
  await page.goto(`${direct[0]}/#/reconcile`)
  const question = page.locator('form.question')
  const asked = async (id: string): Promise<string> => {
    await page
      .locator('.doubts .row', { hasText: id })
      .getByRole('button', { name: '确认不存在' })
      .click()
    await question
      .getByText(/招商银行 600036/)
      .first()
      .waitFor()
    const text = await question.innerText()
    await page.keyboard.press('Escape')
    await question.waitFor({ state: 'hidden' })
    return text
  }
  const sale = await asked('01BBB')
  t.match(sale, /按未报出处理/)
  t.match(sale, /就会卖两次/)
  t.match(sale, /（1 只）：招商银行 600036。其他开关都开着时会立即卖出/, 'its stop waits for it')
  const purchase = await asked('01AAA')
  t.match(purchase, /就会买两次/)
  t.notMatch(purchase, /立即卖出/)
  const known = await asked('01CCC')
  t.match(known, /按已结束处理/, 'the broker had it')
  t.notMatch(known, /按未报出处理/)
  for (const text of [sale, purchase, known]) t.notMatch(text, /不会发出任何委托/)
  free = 1_000
  await page.reload()
  t.match(await asked('01AAA'), /（1 只）：招商银行 600036/, 'a first take-profit waits for it too')
  await context.route('**/api/positions-all', (route) => route.fulfill({ status: 503 }))
  await context.addInitScript("localStorage.removeItem('steward.kept.positions')")
  await page.reload()
  t.match(await asked('01BBB'), /还没有读到持仓/, 'nobody knows which')
})
