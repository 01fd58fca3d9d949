// Takes the pictures in docs/screens: starts a demo of its own, works in it like an operator, and looks at every screen.
// For maintainers, on the pinned Node: npm run screens
import { spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { failWith, getNode, ROOT } from './runtime.mjs'
import { setUp } from './setup.mjs'
import { findBrowser } from './test-needs.mjs'

const PLACE = join(ROOT, 'docs', 'screens')
const DESK = { width: 1_360, height: 860 }
const PHONE = { width: 390, height: 844 }
/** For charts to be drawn and for the first ticks to come in. */
const SETTLE_MS = 1_800
const HOLDINGS = [
  ['600036', '招商银行', 1_000, 35.1, '2026-08-03'],
  ['300750', '宁德时代', 1_200, 268.4, '2026-09-10'],
  ['510300', '沪深300ETF', 12_000, 4.126, '2026-07-21'],
  ['000001', '平安银行', 3_000, 11.46, '2026-05-20'],
]
const holding = ([stock_code, stock_name, volume, cost_price, open_date]) => ({
  stock_code,
  stock_name,
  volume,
  cost_price,
  open_date,
})
const SETTINGS = {
  accounts: [
    {
      account_id: '10000001',
      qmt_path: 'paper',
      paper: { cash: 500_000, positions: HOLDINGS.map(holding) },
    },
    {
      account_id: '10000002',
      qmt_path: 'paper',
      paper: { cash: 300_000, positions: HOLDINGS.slice(2).map(holding) },
    },
  ],
  market: { source: 'simulated', seed: 7, interval_ms: 500 },
  direct: { base_port: 0 },
  gateway: { host: '127.0.0.1', port: 0 },
  log: { level: 'info' },
}

async function startDemo(folder) {
  const file = join(folder, 'steward.config.json')
  writeFileSync(file, JSON.stringify({ data_dir: join(folder, 'data'), ...SETTINGS }))
  const child = spawn(getNode(), [join(ROOT, 'src', 'main.ts'), 'up', '--config', file], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  for await (const line of createInterface({ input: child.stdout })) {
    const { msg, urls } = JSON.parse(line)
    if (msg !== 'ready') continue
    child.stdout.resume()
    return { urls, stop: () => child.kill('SIGTERM') }
  }
  throw new Error('steward: the demo did not start')
}

/** Opens addresses one after the other in one look and takes a picture of each. */
async function take(browser, { look = {}, size = DESK, shots }) {
  const context = await browser.newContext({
    viewport: size,
    locale: 'zh-CN',
    reducedMotion: 'reduce',
  })
  const page = await context.newPage()
  await page.addInitScript((prefs) => {
    globalThis.localStorage.setItem('steward.prefs', JSON.stringify(prefs))
  }, look)
  for (const [name, url, work] of shots) {
    await page.goto(url)
    await page.locator('main h1').first().waitFor()
    await page.waitForTimeout(SETTLE_MS)
    await work?.(page)
    await page.screenshot({ path: join(PLACE, `${name}.png`) })
  }
  await context.close()
}

const confirm = (page) => page.locator('[data-test=confirm]:enabled').click()

async function buy(page, price) {
  await page.keyboard.press('b')
  await page.locator('input[name=code]').fill('600036')
  await page.locator('input[name=price]').fill(price)
  await page.locator('input[name=volume]').fill('200')
  await page.locator('[data-test=place]:enabled').waitFor()
}
async function order(page, price) {
  await buy(page, price)
  await page.locator('[data-test=place]').click()
  await confirm(page)
  await page.waitForTimeout(SETTLE_MS)
}
async function grid(page) {
  await page.locator('[data-test=start-grid]:enabled').click()
  await confirm(page)
  await page.waitForTimeout(SETTLE_MS)
}
const drawer = async (page) => {
  await page.locator('tr[data-code="600036"] .stock-cell').click()
  await page.waitForTimeout(SETTLE_MS)
}

async function tour(browser, [gateway, direct]) {
  const console = (screen) => `${direct}/#/${screen}`
  await take(browser, {
    shots: [
      [
        'console-orders',
        console('orders'),
        async (page) => {
          await order(page, '33')
          await order(page, '36.5')
        },
      ],
      ['console-grid-wizard', console('grid?code=300750')],
      ['console-grid', console('grid?code=300750'), grid],
      ['console-overview', console(''), (page) => page.waitForTimeout(4_000)],
      ['console-positions', console('positions')],
      ['console-stock', console('positions'), drawer],
      ['console-ticket', console('positions'), (page) => buy(page, '35.2')],
      ...[
        'trades',
        'earnings',
        'exits',
        'risk',
        'reconcile',
        'jobs',
        'audit',
        'replay',
        'latency',
        'settings',
      ].map((name) => [`console-${name}`, console(name)]),
    ],
  })
  await take(browser, {
    look: { language: 'en', theme: 'dark' },
    shots: [
      ['console-overview-dark-en', console('')],
      ['console-stock-dark-en', console('positions'), drawer],
    ],
  })
  await take(browser, {
    size: PHONE,
    shots: [
      ['console-overview-phone', console('')],
      ['console-positions-phone', console('positions')],
    ],
  })
  await take(browser, {
    shots: [
      ['monitor-accounts', `${gateway}/`],
      ['monitor-account', `${gateway}/account/10000001`],
      ['monitor-stock', `${gateway}/account/10000001/stock/600036`],
      ['monitor-health', `${gateway}/health`],
      [
        'monitor-connection',
        `${gateway}/connection`,
        async (page) => {
          await page.locator('[data-test=test]').click()
          await page.waitForTimeout(SETTLE_MS)
        },
      ],
      ['monitor-wall', `${gateway}/?wall=1`],
    ],
  })
  await take(browser, {
    look: { theme: 'dark' },
    size: PHONE,
    shots: [['monitor-accounts-phone', `${gateway}/`]],
  })
}

async function main() {
  await setUp()
  const { chromium } = await import('playwright-core')
  const folder = mkdtempSync(join(tmpdir(), 'steward-screens-'))
  mkdirSync(PLACE, { recursive: true })
  const demo = await startDemo(folder)
  const browser = await chromium.launch({
    executablePath: findBrowser(),
    args: ['--no-sandbox', '--disable-gpu'],
  })
  try {
    await tour(browser, demo.urls)
  } finally {
    await browser.close()
    demo.stop()
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  }
}

await main().catch((error) => failWith(error, 1))
