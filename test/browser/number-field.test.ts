import type { Route } from 'playwright-core'
import t from 'tap'
import { account, serve, until } from '../service/fixture.ts'
import { startBrowser, visit } from './pages.ts'

const browser = await startBrowser(t)
const BANK = { stock_code: '600036', volume: 1_000, cost_price: 35.1, stock_name: '招商银行' }

t.test('F900 a number is typed over what was selected, also where that changes', async (t) => {
  const overrides = { accounts: [account('10000001', [BANK])] }
  const { direct } = await serve(t, { overrides })
  const { page } = await visit(browser, 'about:blank', { expected: /Access/ })
  const held: Route[] = []
  await page.route('**/api/grid/session/600036', (route) => void held.push(route))
  await page.goto(`${direct[0]}/#/grid?code=600036`)
  await page.locator('form.wizard').waitFor()
  await until(
    async () => held.length,
    (count) => count > 0,
  )
  const field = page.locator('input[name=max_investment]')
  const before = await field.inputValue()
  await field.selectText()
  const [route] = held
  const answer = await route?.fetch()
  const body = (await answer?.json()) as { config: object }
  await route?.fulfill({ json: { ...body, config: { ...body.config, max_investment: 12_037.5 } } })
  await until(
    () => field.inputValue(),
    (value) => value !== before,
  )
  t.equal(await field.inputValue(), '12037.5')
  await page.keyboard.type('23000')
  t.equal(await field.inputValue(), '23000')
})
