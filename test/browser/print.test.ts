import type { Page } from 'playwright-core'
import t from 'tap'
import { serve } from '../service/fixture.ts'
import { go, startBrowser, visit } from './pages.ts'
import { feed } from './table-feed.ts'

const browser = await startBrowser(t)
const POSITIONS = 300

/** What the browser says to a page before it puts it on paper, and after. */
const onPaper = (page: Page, isOn: boolean) =>
  page.evaluate(`dispatchEvent(new Event('${isOn ? 'before' : 'after'}print'))`)
const lightness = (page: Page): Promise<number> =>
  page.evaluate(`(() => {
    const [red, green, blue] = getComputedStyle(document.body).color.match(/\\d+/g).map(Number)
    return (red + green + blue) / 3
  })()`)

t.test('F475 paper shows every row of a long table, in ink, and nothing to press', async (t) => {
  const { direct } = await serve(t)
  const options = { theme: 'dark', expected: /Access/ } as const
  const { page, complaints } = await visit(browser, 'about:blank', options)
  await feed(page, { fills: 500, positions: POSITIONS })
  await page.goto(`${direct[0]}/#/positions`)
  const rows = page.locator('tbody tr[data-code]')
  await rows.first().waitFor()
  t.ok((await rows.count()) < POSITIONS)
  t.ok((await lightness(page)) > 200, 'light on dark')

  await onPaper(page, true)
  await page.emulateMedia({ media: 'print' })
  t.equal(await rows.count(), POSITIONS)
  t.equal(await page.locator('tr.gap').count(), 0)
  t.ok((await lightness(page)) < 100, 'dark on white')
  for (const part of ['.rail', '.bottom', 'main .el-button']) {
    t.equal(await page.locator(part).first().isVisible(), false, part)
  }
  await page.locator('.strip').getByText('内置柜台').waitFor()
  await page.locator('header').getByText('…0001').waitFor()

  await onPaper(page, false)
  await page.emulateMedia({ media: 'screen' })
  t.ok((await rows.count()) < POSITIONS)
  t.ok((await lightness(page)) > 200)
  await go(page, 'trades')
  await page.locator('tbody tr[data-index]').first().waitFor()
  await onPaper(page, true)
  t.equal(await page.locator('tr.gap').count(), 0)
  t.strictSame(complaints, [])
})

t.test(
  'of a table of thousands of rows so many are put on paper as the page bears, which it says',
  async (t) => {
    const { direct } = await serve(t)
    const { page } = await visit(browser, 'about:blank', { expected: /Access/ })
    await feed(page, { fills: 10, positions: 1_200 })
    await page.goto(`${direct[0]}/#/exits`)
    const rows = page.locator('tbody tr[data-code]')
    await rows.first().waitFor()
    await onPaper(page, true)
    t.equal(await rows.count(), 1_000)
    await page.getByText('只打印前 1,000 行，共 1,200 行').waitFor()
    await onPaper(page, false)
    t.ok((await rows.count()) < 1_000)
    t.equal(await page.locator('[data-test=unprinted]').count(), 0)
  },
)

t.test('the button that prints has the page in ink before the browser prints it', async (t) => {
  const { direct } = await serve(t)
  const { page } = await visit(browser, `${direct[0]}/#/earnings`, { theme: 'dark' })
  // As a browser does it: the page gets no turn between the word and the paper.
  await page.evaluate(`Object.assign(globalThis, { print() {
    dispatchEvent(new Event('beforeprint'))
    Object.assign(globalThis, { seen: document.documentElement.classList.contains('dark') })
  } })`)
  t.ok((await lightness(page)) > 200)
  await page.getByRole('button', { name: '打印' }).click()
  await page.waitForFunction(() => Reflect.has(globalThis, 'seen'))
  t.equal(await page.evaluate('globalThis.seen'), false)
  await page.locator('html.dark').waitFor()
})

t.test('F991 a sheet of the monitor says of when it is', async (t) => {
  const { gateway } = await serve(t)
  const { page } = await visit(browser, `${gateway}/account/10000001`)
  const told = page.locator('header').getByText(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/)
  await told.waitFor({ state: 'attached' })
  t.notOk(await told.isVisible())
  await page.emulateMedia({ media: 'print' })
  for (const path of ['account/10000001', 'account/10000001/earnings', '']) {
    await page.goto(`${gateway}/${path}`)
    await told.waitFor()
  }
})
