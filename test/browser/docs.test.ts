import t from 'tap'
import { FakeLink } from '../http/fixtures/fake-service.ts'
import { directFront } from '../http/fixtures/fronts.ts'
import { seriousFindings, sidewaysScroll, startBrowser, visit } from './pages.ts'

const browser = await startBrowser(t)

for (const colorScheme of ['light', 'dark'] as const) {
  t.test(`the description can be read by everybody, its viewer too: ${colorScheme}`, async (t) => {
    const { front } = await directFront(t, new FakeLink('A'))
    const base = `http://127.0.0.1:${front.port}`
    const { page, complaints, strays, requests } = await visit(browser, `${base}/docs`)
    await page.emulateMedia({ colorScheme })
    t.strictSame(await seriousFindings(page), [], 'the contents')
    for (const width of [1_440, 390]) {
      await page.setViewportSize({ width, height: 900 })
      t.ok((await sidewaysScroll(page)) <= 0, `needs no sideways scrolling at ${width}`)
    }
    const loaded = requests
      .map(({ url }) => url.replace(base, ''))
      .filter((url) => url.startsWith('/'))
    t.strictSame(loaded.sort(), ['/docs', '/docs/page.css', '/docs/start.js'], 'no viewer yet')

    await page.locator('#contents a', { hasText: 'GET /api/positions' }).first().press('Enter')
    const operation = page.locator('#operations-positions-getPositions.is-open')
    await operation.locator('.responses-table').first().waitFor()
    const findings = (await seriousFindings(page)).filter((text) => text.startsWith('color'))
    t.strictSame(findings, [], 'the colors of the viewer with an operation that is open')
    t.strictSame(complaints, [])
    t.strictSame(strays, [], 'nothing from another host')
  })
}
