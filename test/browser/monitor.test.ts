import { readdirSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { heard } from '../in-time.ts'
import { post, serve } from '../service/fixture.ts'
import { type Dom, rewrite, seriousFindings, sidewaysScroll, startBrowser, visit } from './pages.ts'

declare const document: Dom

const BUILT = fileURLToPath(new URL('../../web/dist/monitor/assets', import.meta.url))
const browser = await startBrowser(t)
/** Statistics may be missing from a service; the browser notes every refusal. */
const MISSING = /404 \(Not Found\)/

t.test('two accounts side by side, each with its own screens; nothing but reading', async (t) => {
  const { gateway } = await serve(t)
  const looks = [
    { language: 'zh-CN', theme: 'dark', width: 1_440 },
    { language: 'en', theme: 'light', width: 390 },
  ] as const
  await Promise.all(
    looks.map(async (look) => {
      const { page, context, complaints, strays, requests } = await visit(browser, gateway, {
        ...look,
        expected: MISSING,
      })
      const isEnglish = look.language === 'en'
      await page.getByText(isEnglish ? '2 of 2 connected' : '2 / 2 已连接').waitFor()
      t.match(await page.title(), /Steward.*\d+\.\d+\.\d+/)
      const paths = [
        '/',
        '/account/10000002',
        '/account/10000001/stock/600036',
        '/health',
        '/connection',
        '/?wall=1',
      ]
      for (const path of paths) {
        await page.goto(gateway + path)
        await page.locator('main h1').waitFor()
        await page.waitForFunction(() => !/读取中|Loading/.test(document.body.textContent))
        t.strictSame(await seriousFindings(page), [], `${path} ${look.language} for everybody`)
        if (path === '/health') {
          const up = page.getByText(isEnglish ? 'Connected' : '已连接', { exact: true })
          await up.nth(1).waitFor()
        }
        const overflow = await sidewaysScroll(page)
        t.ok(overflow <= 0, `${path} at ${look.width} needs no sideways scrolling`)
      }
      await page.goto(`${gateway}/account/10000002`)
      await page.locator('tr[data-code="601318"]').waitFor()
      t.notOk(await page.locator('tr[data-code="600036"]').isVisible(), 'of no other account')
      t.strictSame([...new Set(requests.map(({ method }) => method))], ['GET'])
      t.strictSame(strays, [])
      t.strictSame(complaints, [])
      await context.close()
    }),
  )
})

t.test('the monitor cannot write: no verb but GET is in what is served', async (t) => {
  const scripts = readdirSync(BUILT).filter((name) => name.endsWith('.js'))
  t.ok(scripts.length > 0)
  for (const name of scripts) {
    const text = readFileSync(join(BUILT, name), 'utf8')
    t.notMatch(text, /["'`](POST|PUT|DELETE|PATCH)["'`]/, name)
    t.notMatch(text, /\bmethod\s*:\s*[^,}]{0,20}(POST|PUT|DELETE|PATCH)|sendBeacon/, name)
  }
})

t.test('a switch that nobody knows is unknown, not off', async (t) => {
  const { gateway } = await serve(t)
  const { page, context } = await visit(browser, `${gateway}/connection`)
  await rewrite(context, '**/api/status', (body) => ({
    ...body,
    settings: { ...(body['settings'] as object), isMonitoring: null },
  }))
  await page.goto(gateway)
  await page.getByText('总开关：未知 ?').first().waitFor()
  t.equal(await page.getByText('总开关：关').count(), 0)
})

t.test('the connection test tells a gateway from a page of somebody else', async (t) => {
  const { gateway } = await serve(t)
  const other = createServer((_, response) => {
    response.writeHead(200, { 'Content-Type': 'text/html', 'Access-Control-Allow-Origin': '*' })
    response.end('<h1>502 Bad Gateway</h1>')
  })
  other.listen(0, '127.0.0.1')
  await heard(other, 'listening')
  t.teardown(() => other.close())
  const { page } = await visit(browser, `${gateway}/connection`)
  const result = page.locator('[data-test=result]')
  await page.locator('[data-test=test]').click()
  await result.getByText('2 / 2 个账户正常').waitFor()
  await page
    .locator('input[name=address]')
    .fill(`http://127.0.0.1:${(other.address() as AddressInfo).port}`)
  await page.locator('[data-test=test]').click()
  await result.getByText('收到的不是本服务的应答').waitFor()
  await page.locator('input[name=address]').fill('somewhere')
  await page.getByText('地址要以 http:// 或 https:// 开头').waitFor()
  t.ok(await page.locator('[data-test=test]').isDisabled())
})

t.test('trades are read by pages, with the sums of all that match', async (t) => {
  const { direct, gateway } = await serve(t)
  const bought = await post(`${direct[0]}/api/actions/execute_buy`, {
    strategy: 'custom_stock',
    quantity: 100,
    stocks: ['600036'],
  })
  t.match(bought.body, { success_count: 1 })
  const { page, complaints, requests } = await visit(browser, `${gateway}/account/10000001`)
  await page.getByRole('tab', { name: '成交' }).click()
  await page.locator('tr', { hasText: '600036' }).first().waitFor()
  t.match(await page.locator('[data-test=sums]').textContent(), /^买入 [\d,]+\.\d\d，卖出 0\.00/)
  t.match(await page.locator('[data-test=count]').textContent(), /共 1 笔/)
  t.strictSame(await seriousFindings(page), [])
  await page.locator('input[type=search]').fill('平安')
  await page.getByText('没有匹配的成交').waitFor()
  await page.setViewportSize({ width: 390, height: 844 })
  t.ok((await sidewaysScroll(page)) <= 0)
  t.notOk(requests.some(({ url }) => url.includes('trade-records')))
  t.strictSame(complaints, [])
})

t.test('F787 a holding below its stop stands out as it does in the console', async (t) => {
  const { direct, gateway } = await serve(t)
  type Row = Readonly<Record<string, unknown>>
  /** The one holding, below its stop, and another one that is far from it. */
  const two = (rows: unknown): readonly Row[] =>
    (rows as readonly Row[]).flatMap((row) => [
      { ...row, stop_loss_price: Number(row['current_price']) * 1.1 },
      { ...row, stock_code: '600000', stop_loss_price: Number(row['current_price']) * 0.9 },
    ])
  for (const url of [`${direct[0]}/#/positions`, `${gateway}/account/10000001`]) {
    const { page, context } = await visit(browser, 'about:blank')
    await rewrite(context, '**/api/positions-all*', (body) => ({
      ...body,
      data: two(body['data']),
    }))
    await rewrite(context, '**/api/positions', (body) => {
      const data = body['data'] as Row
      return { ...body, data: { ...data, positions_all: two(data['positions_all']) } }
    })
    await page.goto(url)
    await page.locator('tr[data-code="600000"]').waitFor()
    t.equal(await page.locator('tr[data-code="600036"] small.near:visible').count(), 1, url)
    t.equal(await page.locator('small.near').count(), 1, 'and no other')
    t.strictSame(await seriousFindings(page), [], url)
    await context.close()
  }
})
