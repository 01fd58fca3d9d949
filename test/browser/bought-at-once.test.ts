import t from 'tap'
import { post, serve } from '../service/fixture.ts'
import { rewrite, settle, startBrowser, visit } from './pages.ts'

const browser = await startBrowser(t)

t.test('F1027 what is bought at once is named before purchases are let through', async (t) => {
  const { direct } = await serve(t)
  const base = direct[0] ?? ''
  await post(`${base}/api/config/save`, { stopLossBuyEnabled: false })
  const { page, context } = await visit(browser, 'about:blank')
  t.teardown(() => context.close())
  let addsAt: number | undefined = 32.6
  await rewrite(context, '**/api/positions-all', (body) => {
    const [row] = body['data'] as Record<string, unknown>[]
    const why = { state: 'waits_breakout', reasons: [], stop: 32.4, adds_at: addsAt }
    const near = { current_price: 32.5, stop_loss_price: 32.4, stop_profit_enabled: true, why }
    return { ...body, data: [{ ...row, ...near }] }
  })
  const question = page.locator('form.question')
  const told = async (): Promise<string> => {
    await question.waitFor()
    const said = await question.innerText()
    await page.keyboard.press('Escape')
    await question.waitFor({ state: 'detached' })
    return said
  }
  const NAMED = /（1 只）：招商银行 600036。其他开关都开着、资金和上限允许时会立即买入/
  await page.goto(`${base}/#/exits`)
  await settle(page, 'exits')
  await page.getByRole('row').getByText('招商银行').first().waitFor()
  await page.locator('form .el-switch').first().click()
  await page.locator('[data-test=save]').click()
  t.match(await told(), NAMED)
  await page.locator('input[name=stopLossBuy]').fill('6')
  await page.locator('[data-test=save]').click()
  const moved = await told()
  t.match(moved, /现价已到补仓价、仍高于止损价的持仓，/, 'which is not known yet')
  t.notMatch(moved, '600036')
  await page.locator('[data-test=discard]').click()

  const shut = { stopLossBuyEnabled: true, globalAllowBuySell: false }
  await post(`${base}/api/config/save`, shut)
  await page.goto(`${base}/#/`)
  await page.reload()
  const gate = page.locator('.chain li', { hasText: '自动止盈止损' }).locator('.el-switch').first()
  await gate.click()
  t.match(await told(), NAMED)
  addsAt = 32.3
  await page.reload()
  await gate.click()
  t.notMatch(await told(), /立即买入/)
})
