import type { Locator, Page } from 'playwright-core'
import t from 'tap'
import { serve, until } from '../service/fixture.ts'
import { startBrowser, visit } from './pages.ts'

const browser = await startBrowser(t)

/** The look of a thing, and that of a few pixels of its ground. */
const lookOf = (it: Locator): Promise<Buffer> => it.screenshot()
async function groundOf(page: Page, it: Locator): Promise<Buffer> {
  const { x, y } = (await it.boundingBox()) ?? { x: 0, y: 0 }
  return page.screenshot({ clip: { x: x + 8, y: y + 8, width: 4, height: 4 } })
}

t.test('F476 with the colours of the system a switch and a side show what is chosen', async (t) => {
  const { direct } = await serve(t)
  const { page } = await visit(browser, 'about:blank', { expected: /Access/ })
  await page.emulateMedia({ forcedColors: 'active' })
  await page.goto(`${direct[0]}/#/`)
  const gate = (name: string) => page.getByRole('switch', { name }).locator('..')
  // Not before both are drawn as they stand.
  const off = await until(
    async () => ({
      one: await lookOf(gate('总开关').first()),
      other: await lookOf(gate('自动止盈止损')),
    }),
    ({ one, other }) => one.equals(other),
  )
  t.notOk(
    off.one.equals(await lookOf(gate('允许买入'))),
    'one that is on does not look like two that are off',
  )

  await page.keyboard.press('b')
  const side = (name: string) => page.locator(`.sides label.${name}`)
  await side('buy').waitFor()
  const isAlike = async () => {
    const [buy, sell] = [await groundOf(page, side('buy')), await groundOf(page, side('sell'))]
    return buy.equals(sell)
  }
  t.equal(await isAlike(), false)
})
