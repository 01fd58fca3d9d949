import t from 'tap'
import { get, post, serve } from '../service/fixture.ts'
import { confirm, rewrite, startBrowser, visit } from './pages.ts'

const browser = await startBrowser(t)

t.test('F691 who means to stop purchases does not lower what stops more by then', async (t) => {
  const { direct } = await serve(t)
  const base = direct[0] ?? ''
  const stands = async () => (await get(`${base}/api/kill-switch`)).body['level'] as unknown
  const { page, context } = await visit(browser, `${base}/#/risk`, { expected: /409/ })
  t.teardown(() => context.close())
  await page.locator('[data-level=off][aria-pressed=true]').waitFor()
  const seen = page.locator('form.question [data-test=blocked]')

  await page.locator('[data-level=entries]').click()
  await page.locator('[data-test=confirm]:enabled').waitFor()
  await post(`${base}/api/kill-switch`, { level: 'all', reason: 'rejects' })
  await seen.getByText('停止全部新委托').waitFor() // it is read again while the question is open
  t.ok(await page.locator('[data-test=confirm]').isDisabled())
  await page.keyboard.press('Escape')
  await seen.waitFor({ state: 'hidden' })

  await post(`${base}/api/kill-switch`, { level: 'off' })
  await page.locator('[data-level=off][aria-pressed=true]').waitFor()
  const old = (await get(`${base}/api/kill-switch`)).body
  await rewrite(context, '**/api/kill-switch', (answer) =>
    answer['status'] === 'error' ? answer : old,
  )
  await post(`${base}/api/kill-switch`, { level: 'cancel_all', reason: 'colleague' })
  for (const level of ['entries', 'off']) {
    await page.locator(`[data-level=${level}]`).click()
    await confirm(page)
    await page.locator('.notices').getByText('停止并撤单').waitFor()
    t.equal(await stands(), 'cancel_all', level)
    await page.locator('.notices').getByRole('button', { name: '关闭' }).click()
    await page.locator('.notices .one').waitFor({ state: 'hidden' })
  }
})

t.test('F852 a day that has gained is told as one, and fills no bar of its loss', async (t) => {
  const { direct } = await serve(t)
  const { page, context } = await visit(browser, 'about:blank')
  t.teardown(() => context.close())
  const loss = { actual: -4_930, limit: 5_000, next_at: 5_000 }
  await rewrite(context, '**/api/kill-switch', (answer) => ({
    ...answer,
    triggers: (answer['triggers'] as { name: string }[]).map((one) =>
      one.name === 'max_daily_loss' ? { ...one, ...loss } : one,
    ),
  }))
  await page.goto(`${direct[0]}/#/risk`)
  const row = page.locator('[data-trigger=max_daily_loss]')
  await row.getByText('0.00（盈利 4,930.00） / 5,000.00 元').waitFor()
  const bar = row.locator('rect')
  t.equal(await bar.getAttribute('width'), '0')
  t.equal(await bar.getAttribute('fill'), 'var(--brand)')
  Object.assign(loss, { actual: 5_200, next_at: 10_200 })
  await page.reload()
  await row.getByText('5,200.00 / 10,200.00 元').waitFor()
  await row.getByText('已触发过，亏损到此数再次触发').waitFor()
})
