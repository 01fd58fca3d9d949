import t from 'tap'
import { serve } from '../service/fixture.ts'
import { drawn, settle, startBrowser, visit } from './pages.ts'

const browser = await startBrowser(t)

t.test('F698 a word that is typed in full width confirms as it does typed plainly', async (t) => {
  const { direct } = await serve(t)
  const { page, context } = await visit(browser, `${direct[0]}/#/settings`)
  t.teardown(() => context.close())
  await settle(page, 'settings')
  await page.locator('[data-test=simulation]').click()
  const word = page.locator('input[name=confirm-word]')
  await word.fill('0002')
  await drawn(page)
  t.ok(await page.locator('[data-test=confirm]').isDisabled(), 'of another account')
  await word.fill('０００１ ')
  await page.locator('[data-test=confirm]:enabled').waitFor()
})
