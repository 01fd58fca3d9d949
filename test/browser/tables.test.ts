import { readFile } from 'node:fs/promises'
import type { Browser, Page } from 'playwright-core'
import t from 'tap'
import { serve } from '../service/fixture.ts'
import { go, seriousFindings, sidewaysScroll, startBrowser, visit } from './pages.ts'
import { feed } from './table-feed.ts'

t.setTimeout(600_000) // thousands of updates on a machine with other work

const FILLS = 10_000
const POSITIONS = 300
const NODES_MAX = 3_000
/** Of the frames of a page that does nothing. On a quiet computer 56 of 60 are drawn; a loaded one takes some of them from the page that works. */
const FRAMES_MIN = 45 / 60
const ROUNDS = 16
const UPDATES = 10_000
/** Until then code is compiled and what the page keeps of the day fills up. */
const WARM_UPDATES = 2_500
/** A heap that is flat differs by what was compiled and cached meanwhile. */
const GROWTH_MAX = 1.1

const browser = await startBrowser(t)
const { direct } = await serve(t)
const url = direct[0] ?? ''

async function fed(path: string, options: Parameters<typeof visit>[2] = {}) {
  const seen = await visit(browser, 'about:blank', { ...options, expected: /Access is denied/ })
  await feed(seen.page, { fills: FILLS, positions: POSITIONS })
  await seen.page.goto(`${url}/#/${path}`)
  await seen.page.locator('tbody tr[data-index]').first().waitFor()
  return seen
}

/** Elements, texts and comments of the document. */
const nodesOf = (page: Page): Promise<number> =>
  page.evaluate(`(() => {
    const walker = document.createTreeWalker(document, NodeFilter.SHOW_ALL)
    let count = 0
    while (walker.nextNode()) count += 1
    return count
  })()`)

/** Frames that a page draws while it is scrolled for a second, and all prices move three times if it is told so. */
const framesOf = (page: Page, isMoving: boolean): Promise<number> =>
  page.evaluate(`new Promise((resolve) => {
    const until = performance.now() + 1_000
    let frames = 0
    const step = () => {
      frames += 1
      scrollBy(0, frames % 60 < 30 ? 90 : -90)
      if (${isMoving} && frames % 20 === 0) document.dispatchEvent(new Event('visibilitychange'))
      if (performance.now() < until) requestAnimationFrame(step)
      else resolve(frames)
    }
    requestAnimationFrame(step)
  })`)

/** The page as it stands, with rows for the whole way and without anything that moves or reckons. */
async function stillCopy(browser: Browser, page: Page): Promise<Page> {
  const html = (await page.evaluate(`(() => {
    const copy = document.documentElement.cloneNode(true)
    for (const one of copy.querySelectorAll('script, tr.gap, link[rel=modulepreload]')) one.remove()
    for (const one of copy.querySelectorAll('link')) one.setAttribute('href', new URL(one.getAttribute('href'), location.href))
    const body = copy.querySelector('main tbody')
    body.innerHTML = body.innerHTML.repeat(6)
    return copy.outerHTML
  })()`)) as string
  const context = await browser.newContext({ viewport: { width: 1_440, height: 900 } })
  const still = await context.newPage()
  await still.setContent(html)
  return still
}

/**
 * The best of some rounds against a page that shows the same and does nothing, in the same moments: on a busy machine both wait for
 * the processor and for the painting, and what differs is the work of the page.
 */
async function frameShare(browser: Browser, page: Page, isMoving: boolean): Promise<number> {
  const still = await stillCopy(browser, page)
  let best = 0
  for (let round = 0; round < ROUNDS && best < FRAMES_MIN; round += 1) {
    await still.bringToFront()
    const most = await framesOf(still, false)
    await page.bringToFront()
    best = Math.max(best, (await framesOf(page, isMoving)) / most)
  }
  await still.context().close()
  return best
}

t.test('10,000 trades: few nodes, smooth to scroll, all of them within reach', async (t) => {
  const { page, context, complaints } = await fed('trades')
  const table = page.locator('main table.rows')
  t.equal(await table.getAttribute('aria-rowcount'), String(FILLS + 1))
  t.match(await page.locator('[data-test=count]').textContent(), /10,000/)
  // Sorted by amount: all are needed, and come by themselves.
  await page.locator('th', { hasText: '金额' }).getByRole('button').click()
  await page.getByText('共 10,000 笔', { exact: true }).waitFor()
  const nodes = await nodesOf(page)
  t.ok(nodes < NODES_MAX, `${nodes} nodes`)
  const share = await frameShare(browser, page, false)
  t.ok(share >= FRAMES_MIN, `${(share * 60).toFixed(0)} of 60 frames`)
  await page.evaluate('scrollTo(0, document.body.scrollHeight)')
  const last = page.locator(`tbody tr[aria-rowindex="${FILLS + 1}"]`)
  await last.waitFor()
  t.match(await last.textContent(), /1,000\.00/, 'the smallest amount is the last')
  const scrolled = await nodesOf(page)
  t.ok(scrolled < NODES_MAX, `${scrolled} nodes at the end`)
  t.strictSame(complaints, [])
  await context.close()
})

t.test('300 positions whose prices move: few nodes, smooth', async (t) => {
  const { page, context, complaints } = await fed('positions')
  await page.locator('th', { hasText: '现价' }).getByRole('button', { name: '现价' }).click()
  const nodes = await nodesOf(page)
  t.ok(nodes < NODES_MAX, `${nodes} nodes`)
  const before = await page.evaluate('fed.positions')
  const share = await frameShare(browser, page, true)
  t.ok(Number(await page.evaluate('fed.positions')) > Number(before), 'prices have moved')
  t.ok(share >= FRAMES_MIN, `${(share * 60).toFixed(0)} of 60 frames`)
  t.strictSame(complaints, [])
  await context.close()
})

t.test('hours of moving prices leave the heap as it was', async (t) => {
  const { page, context } = await fed('positions')
  const session = await page.context().newCDPSession(page)
  const heap = async (): Promise<number> => {
    await session.send('HeapProfiler.collectGarbage')
    return (await session.send('Runtime.getHeapUsage')).usedSize
  }
  const update = (count: number): Promise<unknown> =>
    page.evaluate(`(async () => {
      for (const until = fed.positions + ${count}; fed.positions < until; ) {
        document.dispatchEvent(new Event('visibilitychange'))
        await new Promise((resolve) => setTimeout(resolve))
      }
    })()`)
  await update(WARM_UPDATES)
  const before = await heap()
  await update(UPDATES)
  const after = await heap()
  const mb = (bytes: number) => (bytes / 1_048_576).toFixed(1)
  t.ok(after < before * GROWTH_MAX, `${mb(before)} MB, after ${UPDATES} updates ${mb(after)} MB`)
  await context.close()
})

t.test('a table is sorted by mouse and keyboard, and remembers', async (t) => {
  const { page, context } = await fed('positions')
  const stop = page.locator('th', { hasText: '止损价' })
  await stop.getByRole('button', { name: '止损价' }).focus()
  await page.keyboard.press('Enter')
  t.equal(await stop.getAttribute('aria-sort'), 'descending')
  await page.keyboard.press('Enter')
  t.equal(await stop.getAttribute('aria-sort'), 'ascending')
  const first = page.locator('tbody tr[aria-rowindex="2"]')
  t.match(await first.textContent(), /8\.00/)
  await page.evaluate('scrollTo(0, document.body.scrollHeight)')
  const last = page.locator(`tbody tr[aria-rowindex="${POSITIONS + 1}"]`)
  await last.waitFor()
  t.equal(await last.getAttribute('data-code'), '600003', 'what is not known is last')
  await go(page, 'orders')
  await page.getByText('今天没有委托').waitFor()
  await go(page, 'positions')
  await stop.waitFor()
  t.equal(await stop.getAttribute('aria-sort'), 'ascending')
  await page.locator('summary', { hasText: '列与排序' }).click()
  await page.locator('label', { hasText: '成本 / 基准成本' }).click()
  await page.locator('th', { hasText: '成本' }).waitFor({ state: 'detached' })
  await page.keyboard.press('Escape')
  await page.locator('label', { hasText: '成本 / 基准成本' }).waitFor({ state: 'hidden' })
  const kept = (await page.evaluate(`JSON.parse(localStorage['steward.prefs']).tables`)) as object
  t.strictSame(kept, {
    positions: { sort: { key: 'stop', direction: 'ascending' }, hidden: ['cost'] },
  })
  await context.close()
})

t.test('the export has all that match, and its name says of whom and of when', async (t) => {
  const { page, context } = await fed('trades')
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    page.locator('[data-test=export]').click(),
  ])
  t.equal(file.suggestedFilename(), 'trades-10000001-2026-08-01_2026-08-28.csv')
  const lines = (await readFile(await file.path(), 'utf8')).split('\r\n')
  t.equal(lines.length, FILLS + 1)
  t.equal(new Set(lines).size, FILLS + 1, 'each once')
  await page.getByText('已导出 10,000 笔成交').waitFor()
  await context.close()
})

t.test('a row that has the focus stays while the table is scrolled', async (t) => {
  const { page, context } = await fed('positions')
  await page.locator('tr[data-code="600001"] button.stock-cell').focus()
  await page.evaluate('scrollTo(0, document.body.scrollHeight)')
  await page.locator(`tbody tr[aria-rowindex="${POSITIONS + 1}"]`).waitFor()
  const code = await page.evaluate(`document.activeElement.closest('tr').dataset.code`)
  t.equal(code, '600001')
  await context.close()
})

t.test('tables are for everybody, on a phone too', async (t) => {
  for (const theme of ['light', 'dark'] as const) {
    for (const path of ['trades', 'positions']) {
      const { page, context } = await fed(path, { theme })
      await page.locator('summary', { hasText: '列与排序' }).click()
      t.strictSame(await seriousFindings(page), [], `${path} ${theme}`)
      await page.setViewportSize({ width: 390, height: 844 })
      t.ok((await sidewaysScroll(page)) <= 0, `${path} is as wide as the phone`)
      await context.close()
    }
  }
})

t.test(
  'no screen reads all trade records, and what has not changed is not sent again',
  async (t) => {
    const { page, context, requests, complaints } = await visit(browser, `${url}/#/positions`)
    await page.waitForResponse((one) => one.url() === `${url}/api/orders` && one.status() === 304)
    for (const screen of ['orders', 'trades', 'earnings', 'audit', '']) {
      await go(page, screen)
      await page.waitForResponse((one) => one.url() === `${url}/api/orders`)
    }
    const isRecords = (one: { readonly url: string }) => one.url.includes('/api/trade-records')
    t.strictSame(requests.filter(isRecords), [])
    t.match(await page.locator('.screen-head .badge').first().textContent(), /最新/)
    t.strictSame(complaints, [])
    await context.close()
  },
)

t.test('a filter without a hit is not an empty account', async (t) => {
  const { page, context } = await fed('positions')
  await page.locator('input[type=search]').fill('zsyh')
  await page.getByText('没有匹配“zsyh”的持仓').waitFor()
  t.equal(await page.getByText('没有持仓').count(), 0)
  await context.close()
})
