import type { Route } from 'playwright-core'
import t from 'tap'
import { post, serve, until } from '../service/fixture.ts'
import { rewrite, startBrowser, visit } from './pages.ts'

const browser = await startBrowser(t)

t.test('an answer to what was asked before is not shown for what is asked now', async (t) => {
  const { direct } = await serve(t)
  const base = direct[0] ?? ''
  await post(`${base}/api/kill-switch`, { level: 'entries', reason: '午间检查' })
  const { page } = await visit(browser, `${base}/#/audit`, { isPatient: true })
  await page.locator('tbody tr').first().waitFor()
  const late: Route[] = []
  await page.route('**/api/audit?*kind=settingsChanged*', (route) => void late.push(route))
  const kinds = page.locator('select[name=kind]')
  await kinds.selectOption('settingsChanged')
  await until(
    async () => late.length,
    (count) => count > 0,
  )
  await kinds.selectOption('killSwitchSet')
  const first = page.locator('tbody tr').first().locator('summary')
  await first.getByText('午间检查').waitFor()
  const answered = page.waitForResponse(/kind=settingsChanged/)
  await late[0]?.fulfill({
    json: {
      status: 'success',
      entries: [],
      total: 1,
      pagination: { limit: 50, next_before: null, next_after: null, has_more: false },
    },
  })
  await answered
  await page.evaluate('new Promise((drawn) => requestAnimationFrame(() => setTimeout(drawn)))')
  await first.getByText('午间检查').waitFor()
  t.equal(await page.getByText('没有这样的记录').count(), 0)
})

t.test('a part of the journal without such an entry is not called all of it', async (t) => {
  const { direct } = await serve(t)
  const { page, context } = await visit(browser, 'about:blank', { expected: /Access/ })
  await rewrite(context, '**/api/audit?*', (body) => ({
    ...body,
    entries: [],
    pagination: { limit: 50, next_before: 7, next_after: null, has_more: true },
  }))
  await page.goto(`${direct[0]}/#/audit`)
  await page.getByText('用“更早”继续找').waitFor()
  t.equal(await page.getByText('没有这样的记录', { exact: true }).count(), 0)
})
