import { readFile } from 'node:fs/promises'
import type { Page } from 'playwright-core'
import t, { type Test } from 'tap'
import { inTime } from '../in-time.ts'
import { serve } from '../service/fixture.ts'
import { go, seriousFindings, sidewaysScroll, startBrowser, visit } from './pages.ts'
import { feed } from './table-feed.ts'

t.setTimeout(600_000) // thousands of updates on a machine with other work

const FILLS = 10_000
const POSITIONS = 300
const NODES_MAX = 3_000
/** Frames that are scrolled, half of them back again, and how far each time: some two rows. */
const FRAMES = 60
const STEP_PX = 90
/** A browser may cease to draw for a while, on a busy computer without a screen: its frames are not counted, their work is. */
const FRAME_MS_MAX = 1_000
/** A step is 2.4 rows of the usual height. */
const ROWS_A_FRAME = 3
/** A page that asks where things are while it changes them would need one for each question. */
const LAYOUTS_A_FRAME = 1
/** Prices, and what follows from them in the rows that a window shows, sorted by what moves: 136 texts and two layouts here. */
const CHANGES_AN_UPDATE = 200
const LAYOUTS_AN_UPDATE = 3
const UPDATES = 1_500
/** What the page keeps of the day fills up and code is compiled meanwhile; what leaks grows by as much each time. */
const WINDOWS = 8
/** A heap that is flat differs by what was compiled and cached. */
const GROWTH_MAX = 1.03

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

/** What a page did for each frame of a scroll; none of it depends on how fast the machine is. */
interface Work {
  /** Elements put into the document, with all that is in them. */
  readonly added: number
  /** Elements taken out. */
  readonly removed: number
  /** Texts and attributes that were set. */
  readonly changed: number
  /** Times that the place of things was reckoned. */
  readonly layouts: number
}

/** Scrolls down and up again frame by frame, a step at a time, and tells the work of an average frame. */
async function workOf(page: Page, isMoving: boolean): Promise<Work> {
  const session = await page.context().newCDPSession(page)
  await session.send('Performance.enable')
  const layouts = async (): Promise<number> => {
    const { metrics } = await session.send('Performance.getMetrics')
    return metrics.find(({ name }) => name === 'LayoutCount')?.value ?? Number.NaN
  }
  const before = await layouts()
  const scrolled = page.evaluate(`(async () => {
    const frame = () => new Promise((resolve) => {
      requestAnimationFrame(resolve)
      setTimeout(resolve, ${FRAME_MS_MAX})
    })
    const sum = { added: 0, removed: 0, changed: 0 }
    const elements = (nodes) => {
      let count = 0
      for (const one of nodes) if (one.nodeType === 1) count += 1 + one.querySelectorAll('*').length
      return count
    }
    const count = (mutations) => {
      for (const one of mutations) {
        if (one.type !== 'childList') sum.changed += 1
        sum.added += elements(one.addedNodes)
        sum.removed += elements(one.removedNodes)
      }
    }
    const observer = new MutationObserver(count)
    observer.observe(document, { subtree: true, childList: true, characterData: true, attributes: true })
    for (let step = 0; step < ${FRAMES}; step += 1) {
      scrollBy(0, step < ${FRAMES} / 2 ? ${STEP_PX} : -${STEP_PX})
      if (${isMoving} && step % 20 === 0) document.dispatchEvent(new Event('visibilitychange'))
      await frame()
    }
    await frame()
    count(observer.takeRecords())
    observer.disconnect()
    return sum
  })()`)
  const work = (await inTime(scrolled, 'the end of a scroll')) as Omit<Work, 'layouts'>
  const all = { ...work, layouts: (await layouts()) - before }
  await session.detach()
  const each = (count: number): number => count / FRAMES
  return {
    added: each(all.added),
    removed: each(all.removed),
    changed: each(all.changed),
    layouts: each(all.layouts),
  }
}

/**
 * What is scrolled past is drawn once, and what stays in the window is left alone but for `updates` of its prices:
 * more of them come while a slow page is scrolled.
 */
async function isLight(t: Test, page: Page, work: Work, updates: number): Promise<void> {
  const more = updates / FRAMES
  const told = `${JSON.stringify(work)}, ${updates} updates`
  const row = Number(
    await page.evaluate(
      `1 + document.querySelectorAll('tbody tr[data-index]')[1].querySelectorAll('*').length`,
    ),
  )
  t.ok(work.added > 0 && work.added <= ROWS_A_FRAME * row, `${told}, a row has ${row} elements`)
  t.ok(work.removed <= ROWS_A_FRAME * row, told)
  t.ok(work.changed <= 1 + more * CHANGES_AN_UPDATE, told)
  t.ok(work.layouts > 0 && work.layouts <= LAYOUTS_A_FRAME + more * LAYOUTS_AN_UPDATE, told)
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
  const work = await workOf(page, false)
  await isLight(t, page, work, 0)
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
  const before = Number(await page.evaluate('fed.positions'))
  const work = await workOf(page, true)
  const updates = Number(await page.evaluate('fed.positions')) - before
  t.ok(updates > 0, 'prices have moved')
  await isLight(t, page, work, updates)
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
  const sizes = [await heap()]
  const isFlat = (): boolean => {
    const [before = 0, after = Number.NaN] = sizes.slice(-2)
    return after < before * GROWTH_MAX
  }
  while (sizes.length <= WINDOWS && !isFlat()) {
    await update(UPDATES)
    sizes.push(await heap())
  }
  const mb = sizes.map((bytes) => (bytes / 1_048_576).toFixed(1)).join(', ')
  t.ok(isFlat(), `${mb} MB, ${UPDATES} updates between two of them`)
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
    page.getByText('已导出 10,000 笔成交').waitFor(), // it goes after some seconds
    page.locator('[data-test=export]').click(),
  ])
  t.equal(file.suggestedFilename(), 'trades-10000001-2026-08-01_2026-08-28.csv')
  const lines = (await readFile(await file.path(), 'utf8')).trimEnd().split('\r\n')
  t.equal(lines.length, FILLS + 1)
  t.equal(new Set(lines).size, FILLS + 1, 'each once')
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
    await page.locator('.screen-head .badge').first().getByText('最新').waitFor()
    t.strictSame(complaints, [])
    await context.close()
  },
)

t.test(
  'F913 holdings are found by pinyin, and a filter without a hit is no empty account',
  async (t) => {
    const { page, context } = await fed('positions')
    await page.locator('input[type=search]').fill('zsyh')
    await page.locator('tr[data-code="600036"]').waitFor()
    t.equal(await page.locator('tbody tr[data-index]').count(), 1)
    await page.locator('input[type=search]').fill('qqqq')
    await page.getByText('没有匹配“qqqq”的持仓').waitFor()
    t.equal(await page.getByText('没有持仓').count(), 0)
    await context.close()
  },
)
