import { readFile } from 'node:fs/promises'
import type { Page, Route } from 'playwright-core'
import t from 'tap'
import { get, post, serve, until } from '../service/fixture.ts'
import { seriousFindings, settle, sidewaysScroll, startBrowser, visit } from './pages.ts'

const ORDER = { stock_code: '600036', order_type: 23, order_volume: 100, price_type: 5, price: 0 }
const browser = await startBrowser(t)
/** The list of the screen. */
const FILLS = /\/api\/fills\?/
const put = (url: string, body: object) =>
  fetch(url, {
    method: 'PUT',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  })

async function filled(t: Parameters<typeof serve>[0], token = '') {
  const served = await serve(t, { env: { SVC_API_TOKEN: token } })
  const [direct = ''] = served.direct
  await until(
    () => post(`${direct}/api/actions/place_order`, ORDER, { 'X-API-Token': token }),
    ({ status }) => status === 200,
  )
  const fills = await until(
    async () =>
      (await get(`${direct}/api/fills`, { 'X-API-Token': token })).body['data']?.['fills'],
    (rows) => Number(rows?.['length']) > 0,
  )
  return { ...served, direct, id: Number(fills?.[0]?.['id']) }
}

const button = (page: Page) => page.locator('[data-test=note]').first()
const field = (page: Page) => page.locator('textarea[name=note]')
const refusal = (page: Page) => page.locator('[data-test=note-refusal]')
const noteOf = async (direct: string): Promise<unknown> =>
  (await get(`${direct}/api/fills`)).body['data']?.['fills']?.[0]?.['note']

t.test('a note is written, changed and deleted with the keyboard alone', async (t) => {
  const { direct, gateway } = await filled(t)
  const { page, complaints } = await visit(browser, `${direct}/#/trades`)
  await button(page).focus()
  await page.keyboard.press('Enter')
  await page.keyboard.type('=按计划减仓')
  await page.keyboard.press('Shift+Enter')
  await page.keyboard.type('第二行')
  t.strictSame(await seriousFindings(page), [])
  await page.keyboard.press('Enter')
  await field(page).waitFor({ state: 'hidden' })
  t.equal(await button(page).textContent(), '=按计划减仓\n第二行')
  await page.locator('[data-test=note]:focus').waitFor() // the focus is back
  t.equal(await noteOf(direct), '=按计划减仓\n第二行')

  const [file] = await Promise.all([
    page.waitForEvent('download'),
    page.locator('[data-test=export]').click(),
  ])
  t.match(await readFile(await file.path(), 'utf8'), /,"'=按计划减仓\n第二行"\r\n$/, 'no formula')

  await button(page).press('Enter')
  await page.keyboard.type('不要了')
  await page.keyboard.press('Escape')
  t.equal(await button(page).textContent(), '=按计划减仓\n第二行', 'as it was')

  await page.locator('input[type=search]').last().fill('减仓')
  await button(page).getByText('按计划减仓').waitFor()
  await page.locator('input[type=search]').last().fill('')

  await page.goto(`${direct}/#/audit`)
  await page.getByText('的备注：无 → “=按计划减仓 第二行”').waitFor()
  const monitor = await visit(browser, `${gateway}/account/10000001`)
  await monitor.page.getByRole('tab', { name: '成交' }).click()
  await monitor.page.locator('td.noted', { hasText: '按计划减仓' }).waitFor()
  t.equal(await monitor.page.locator('[data-test=note]').count(), 0, 'nobody writes there')

  await page.goto(`${direct}/#/trades`)
  await button(page).press('Enter')
  await field(page).fill('')
  await page.keyboard.press('Enter')
  await field(page).waitFor({ state: 'hidden' })
  t.equal(await noteOf(direct), null)
  t.strictSame([...complaints, ...monitor.complaints], [])
})

t.test('of two consoles the second is told of the first, and decides', async (t) => {
  const { direct } = await filled(t)
  const expected = /409|400/
  const [one, other] = await Promise.all([
    visit(browser, `${direct}/#/trades`),
    visit(browser, `${direct}/#/trades`, { expected }),
  ])
  for (const { page } of [one, other]) await button(page).press('Enter')
  await field(one.page).fill('甲的话')
  await field(one.page).press('Enter')
  await field(one.page).waitFor({ state: 'hidden' })
  await field(other.page).fill('乙的话')
  await field(other.page).press('Enter')
  t.match(await refusal(other.page).textContent(), /别处已改为“甲的话”/)
  t.equal(await field(other.page).inputValue(), '乙的话', 'what was written is still there')
  t.equal(await noteOf(direct), '甲的话')
  t.strictSame(await seriousFindings(other.page), [])
  await field(other.page).press('Escape')
  await button(other.page).getByText('甲的话').waitFor()

  await button(other.page).press('Enter')
  await field(other.page).fill('字'.repeat(501))
  await field(other.page).press('Enter')
  t.match(await refusal(other.page).textContent(), /最多 500 个字符，现有 501 个/)
  await field(other.page).fill('乙的话')
  await field(other.page).press('Enter')
  await button(one.page).getByText('乙的话').waitFor()
  t.strictSame([...one.complaints, ...other.complaints], [])
})

t.test('F516 a note that is half written outlasts a look at another screen', async (t) => {
  const { direct } = await filled(t)
  const { page, complaints } = await visit(browser, `${direct}/#/trades`)
  await button(page).click()
  await field(page).fill('写到一半')
  await settle(page, 'risk')
  await settle(page, 'trades')
  t.equal(await field(page).inputValue(), '写到一半')
  await field(page).press('Enter')
  await button(page).getByText('写到一半').waitFor()
  t.equal(await noteOf(direct), '写到一半')
  t.strictSame(complaints, [])
})

t.test('nor is it shown to whoever is let in once the token was cleared', async (t) => {
  const token = 'let-me-in'
  const { direct } = await filled(t, token)
  const { page } = await visit(browser, `${direct}/#/trades`, { token, expected: /401/ })
  await button(page).click()
  await field(page).fill('写到一半')
  await settle(page, 'settings')
  await page.getByRole('button', { name: '清除令牌' }).click()
  await page.locator('#token').fill(token)
  await page.keyboard.press('Enter')
  await settle(page, 'trades')
  await button(page).or(field(page)).first().waitFor()
  t.equal(await field(page).count(), 0)
})

t.test('F525 Esc leaves a note that was refused, however late the list comes', async (t) => {
  const { direct, id } = await filled(t)
  const { page, context } = await visit(browser, `${direct}/#/trades`, { expected: /409/ })
  await button(page).click()
  await field(page).fill('乙的话')
  const held: Route[] = []
  await context.route(FILLS, (route) => void held.push(route))
  await put(`${direct}/api/fills/${id}/note`, { note: '甲的话', expected: null })
  await field(page).press('Enter')
  await refusal(page).getByText('别处已改为“甲的话”').waitFor()
  await field(page).press('Escape')
  await field(page).waitFor({ state: 'hidden' })
  await button(page).getByText('甲的话').waitFor()
  for (const route of held) await route.continue()
})

t.test('and one that was saved stands in its row where the list cannot be read', async (t) => {
  const { direct, id } = await filled(t)
  const { page, context } = await visit(browser, `${direct}/#/trades`, { expected: /503/ })
  await button(page).click()
  await field(page).fill('按计划')
  const json = { success: false, code: 'OVERLOADED', message: '繁忙' }
  await context.route(FILLS, (route) => route.fulfill({ status: 503, json }))
  await field(page).press('Enter')
  await field(page).waitFor({ state: 'hidden' })
  t.equal(await button(page).textContent(), '按计划')
  await page.locator('main .note').getByText('繁忙').waitFor()
  t.equal(await button(page).textContent(), '按计划', 'not the note of before')
  t.equal(await noteOf(direct), '按计划')
  await context.unroute(FILLS)
  await page.locator('main .note').getByText('繁忙').waitFor({ state: 'detached' })
  await put(`${direct}/api/fills/${id}/note`, { note: '别处', expected: '按计划' })
  await button(page).getByText('别处').waitFor()
})

t.test('a phone in the dark has it too, in English', async (t) => {
  const { direct } = await filled(t)
  const { page, complaints } = await visit(browser, `${direct}/#/trades`, {
    width: 390,
    height: 844,
    language: 'en',
    theme: 'dark',
  })
  await button(page).click()
  t.match(await field(page).getAttribute('aria-label'), /^Write a note: /)
  await field(page).fill('long '.repeat(60))
  t.equal(await sidewaysScroll(page), 0)
  t.strictSame(await seriousFindings(page), [])
  await page.getByRole('button', { name: 'Save' }).click()
  await button(page).getByText('long long').waitFor()
  t.equal(await sidewaysScroll(page), 0)
  t.strictSame(await seriousFindings(page), [])
  t.strictSame(complaints, [])
})
