import t from 'tap'
import { freePort } from '../free-ports.ts'
import { account, serve } from '../service/fixture.ts'
import { startBrowser, visit } from './pages.ts'

const browser = await startBrowser(t)
/** The service is away for a moment, for the page and its shell, and then refuses what the page asks. */
const EXPECTED =
  /Failed to load resource|ERR_|network error|Failed to fetch|error occurred when fetching the script/i

t.test('a page left open while its port goes to another account does nothing more', async (t) => {
  // Not one of the system's: while nobody listens there it would be anybody's, the browser's too.
  const direct = { base_port: await freePort() }
  const held = { stock_code: '600036', volume: 1_000, cost_price: 35.1 }
  const first = await serve(t, { overrides: { accounts: [account('10000001', [held])], direct } })
  const url = first.direct[0] ?? ''
  const { page, complaints } = await visit(browser, `${url}/#/positions`, { expected: EXPECTED })
  await page.locator('tr[data-code="600036"]').waitFor()
  await first.service.stop()
  await serve(t, {
    folder: t.testdir({ second: {} }).concat('/second'),
    overrides: { accounts: [account('20000002', [])], direct },
  })
  await page.locator('[data-test=moved]').waitFor()
  t.match(await page.locator('[data-test=moved]').textContent(), '…0001')
  t.equal(await page.locator('.rail').count(), 0, 'there is nothing left to press')
  await page.locator('[data-test=reload]').click()
  await page.locator('.top').getByText('…0002').waitFor()
  t.equal(await page.locator('tr[data-code="600036"]').count(), 0, 'nothing is left of the first')
  t.strictSame(complaints, [])
})
