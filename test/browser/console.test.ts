import t from 'tap'
import { serve } from '../service/fixture.ts'
import { seriousFindings, startBrowser, visit } from './pages.ts'

const browser = await startBrowser(t)

t.test(
  'the console shows the account, in both languages and themes, and complains about nothing',
  async (t) => {
    const { direct } = await serve(t)
    const url = direct[0] ?? ''
    for (const [language, theme] of [
      ['zh-CN', 'light'],
      ['en', 'dark'],
    ] as const) {
      const { page, context, complaints, strays } = await visit(browser, url, { language, theme })
      await page.getByRole('heading', { name: language === 'en' ? 'Overview' : '总览' }).waitFor()
      await page.getByText(language === 'en' ? 'PAPER' : '内置柜台', { exact: true }).waitFor()
      t.match(await page.title(), /10000001.*\d+\.\d+\.\d+/)
      await page
        .getByRole('link', { name: language === 'en' ? 'Positions' : '持仓' })
        .first()
        .click()
      await page.locator('tr[data-code="600036"]').waitFor()
      t.match(await page.locator('tr[data-code="600036"]').textContent(), /招商银行/)
      t.strictSame(await seriousFindings(page), [])
      t.strictSame(complaints, [])
      t.strictSame(strays, [])
      await context.close()
    }
  },
)
