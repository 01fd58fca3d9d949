import type { BrowserContext } from 'playwright-core'
import t from 'tap'
import { account, serve } from '../service/fixture.ts'
import { rewrite, seriousFindings, sidewaysScroll, startBrowser, visit } from './pages.ts'

const browser = await startBrowser(t)
const [FIRST, SECOND] = ['10000001', '10000002'] as const
const accounts = [{ ...account(FIRST, []), alias: '稳健组合' }, account(SECOND, [])]

type Json = Record<string, unknown>
const node = (name: string, more: Json = {}) => ({
  node: name,
  standing: 'up',
  is_this: name === 'node-a',
  version: '0.1.0',
  heard_seconds: 1.2,
  fenced_by: null,
  closed_days: 'same',
  other_rules: [],
  other_client: [],
  accounts: [],
  ...more,
})
const NODES = [
  node('node-a', { accounts: [FIRST] }),
  node('node-b', { standing: 'silent', heard_seconds: 8.4 }),
  node('node-c', { standing: 'fenced', fenced_by: 'node-a', heard_seconds: 310 }),
  node('node-d', { standing: 'gone', heard_seconds: 4_000 }),
]
const PLACES: Readonly<Record<string, object>> = {
  [FIRST]: { standing: 'running', node: 'node-a' },
  [SECOND]: { standing: 'no_owner', node: null },
}

/** The service of a test is in no cluster: this is what it would tell in one. */
const inCluster = (context: BrowserContext, cluster: () => object) =>
  rewrite(context, '**/api/v1/overview', (body) => {
    const data = body['data'] as { accounts: Json[] }
    const rows = data.accounts.map((row) => ({ ...row, place: PLACES[String(row['account_id'])] }))
    return { ...body, data: { accounts: rows, cluster: cluster() } }
  })
const CLUSTER = { node: 'node-a', is_current: true, may_act: true, nodes: NODES }

t.test('the monitor shows the nodes, what each runs, and what nobody runs', async (t) => {
  const { gateway } = await serve(t, { overrides: { accounts } })
  for (const theme of ['light', 'dark'] as const) {
    const { page, context, complaints, requests } = await visit(browser, 'about:blank', {
      theme,
      expected: /localStorage/,
    })
    let cluster: object = CLUSTER
    await inCluster(context, () => cluster)
    await page.goto(gateway)
    const card = page.locator('article', { hasText: '稳健组合' })
    await card.locator('[data-test=place]').getByText('节点 node-a').waitFor()
    const left = page.locator('article', { hasText: '…0002' }).locator('[data-test=place]')
    await left.getByText('无人运行').waitFor()
    await page.locator('[data-note=noOwner]').getByText('无人运行的账户（1）：…0002').waitFor()
    await page.locator('[data-note=silent]').getByText('node-b').waitFor()
    await page.locator('[data-note=fenced]').getByText('node-c').waitFor()
    t.strictSame(await seriousFindings(page), [], `accounts, ${theme}`)

    await page.locator('header a[href="/health"]').click()
    const rows = page.locator('[data-test=nodes] tbody tr')
    await rows.nth(3).waitFor()
    const texts = await rows.allTextContents()
    t.match(texts[0], /node-a.*本页所连.*在线.*稳健组合 …0001.*0\.1\.0/s)
    t.match(texts[1], /node-b.*没有消息.*无.*秒前/s)
    t.match(texts[2], /node-c.*已失联.*由 node-a 判定/s)
    t.match(texts[3], /node-d.*已停止/s)
    t.strictSame(await seriousFindings(page), [], `health, ${theme}`)
    for (const width of [1_440, 390]) {
      await page.setViewportSize({ width, height: 900 })
      t.ok((await sidewaysScroll(page)) <= 0, `${width} px`)
    }
    await page.setViewportSize({ width: 1_440, height: 900 })

    cluster = { ...CLUSTER, is_current: false, may_act: false }
    await page.locator('[data-note=away]').getByText('node-a').waitFor()
    await page.locator('[data-note=mayNotAct]').waitFor()
    t.match(await rows.nth(1).textContent(), /node-b.*未知 \?.*--.*--/s, 'nobody can tell')

    await rows.first().waitFor()
    await page.goto(`${gateway}/?wall=1`)
    await page.locator('[data-account="10000002"]').getByText('无人运行').waitFor()
    t.equal(await page.locator('[data-account]').first().getAttribute('data-account'), SECOND)
    t.strictSame(complaints, [])
    t.strictSame([...new Set(requests.map(({ method }) => method))], ['GET'])
    await context.close()
  }
})

t.test('without a cluster nothing of it is shown', async (t) => {
  const { gateway } = await serve(t, { overrides: { accounts } })
  const { page, requests } = await visit(browser, gateway)
  await page.locator('article', { hasText: '稳健组合' }).waitFor()
  await page.locator('header a[href="/health"]').click()
  await page.locator('main section').nth(1).waitFor()
  t.equal(await page.locator('[data-test=nodes], [data-test=place], [data-note]').count(), 0)
  t.notOk(requests.some(({ url }) => url.includes('/nodes')))
})
