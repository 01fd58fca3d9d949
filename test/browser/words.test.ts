import type { Page } from 'playwright-core'
import t, { type Test } from 'tap'
import { account, post, serve } from '../service/fixture.ts'
import { MONDAY, Stage, tickMs, together } from '../service/fixtures/ticks.ts'
import { type Dom, rewrite, settle, startBrowser, visit } from './pages.ts'

declare const document: Dom

const browser = await startBrowser(t)
/** Screens of the console and their headings. */
const CONSOLE = {
  '': ['总览', 'Overview'],
  positions: ['持仓', 'Positions'],
  orders: ['当日委托', "Today's orders"],
  trades: ['成交记录', 'Trades'],
  grid: ['网格', 'Grid'],
  exits: ['止盈止损', 'Take-profit and stop-loss'],
  risk: ['风控', 'Risk'],
  reconcile: ['对账', 'Reconciliation'],
  earnings: ['收益', 'Earnings'],
  jobs: ['任务', 'Jobs'],
  audit: ['审计', 'Audit'],
  replay: ['回放', 'Replay'],
} as const
/** What stands on a screen, so that an empty one proves nothing. */
const THERE: Readonly<Record<string, readonly (readonly [zh: string, en: string])[]>> = {
  '': [['急停生效：午间检查 (back at one)', 'Kill switch in force: 午间检查 (back at one)']],
  orders: [['沪深300ETF 510300', '沪深300ETF 510300']],
  trades: [['沪深300ETF 510300', '沪深300ETF 510300']],
  grid: [['暂停', 'Paused']],
  exits: [
    ['未达首次止盈突破价：现价 4.210，界限 4.240', 'no breakout yet: price 4.210, line 4.240'],
    ['已发网格委托', 'Grid order sent'],
  ],
  risk: [
    [
      '急停生效（停止买入）：“午间检查 (back at one)”',
      'the kill switch is at entries: “午间检查 (back at one)”',
    ],
    ['未启用（risk.max_daily_loss）', 'off (risk.max_daily_loss)'],
    ['100 · 正常', '100 · healthy'],
  ],
  audit: [
    ['委托 20260914000007', 'order 20260914000007'],
    [
      '急停：关闭 → 停止买入：“午间检查 (back at one)”',
      'kill switch, off → entries: “午间检查 (back at one)”',
    ],
  ],
  replay: [['等待回调', 'Awaits callback']],
}
const TABS = {
  'zh-CN': ['持仓', '委托', '成交', '网格'],
  en: ['Positions', 'Orders', 'Trades', 'Grids'],
}
const FUND = '510300.SH'
const STRATEGY = { ENABLE_AUTO_OPERATION: true, ENABLE_AUTO_TRADING: true }

/** What no page shows, whatever the language. */
const NEVER: readonly (readonly [what: string, pattern: RegExp])[] = [
  ['English in brackets behind Chinese', /[\u3400-\u9fff][^\n(]{0,60} \([A-Za-z][^)\n]*\)/g],
  ['a raw name of the service', /\b(?!risk\.|limits\.)[a-z]+_[a-z_]+\b/g],
  ['a raw code', /\b[A-Z]{3,}_[A-Z_]+\b/g],
  ['the name of an event', /\b[a-z]+[A-Z][A-Za-z]+\b/g],
  ['our own key of an order', /\b[0-9A-HJKMNP-TV-Z]{26}\b/g],
  ['a code with its exchange', /\b\d{6}\.(SH|SZ|BJ)\b/g],
  ['a price that is not rounded', /(价|界限|成本) \d+(\.\d|\.\d{4,})?(?![\d.,])/g],
  ['a figure with too many places', /\d\.\d{4,}/g],
  ['a breaker that does not stop anything', /行情熔断|breaker of the quotes/g],
  ['a time in short signs', /\b\d+[smhd]\b/g],
]
/** Settings that are named to be found in the file. */
const SETTING = /[（(]?(risk|limits)\.[a-z_.]+[）)]?|STEWARD_\w+/g
const NAMES = /招商银行|沪深300ETF|午间检查|回放/g

/** A market that leads to a sale, an exit, refusals, grid orders and a kill switch; of two stocks, one a fund. */
async function busy(t: Test): Promise<Stage> {
  const stage = await Stage.open(t, {
    strategy: STRATEGY,
    positions: [
      { stock_code: '600036', volume: 1_000, cost_price: 10, stock_name: '招商银行' },
      { stock_code: '510300', volume: 2_000, cost_price: 4, stock_name: '沪深300ETF' },
    ],
    lines: together(
      { day: MONDAY, prices: [10.2, 10.51, 10.6, 10.54, 10.3, 10, 9.1, 9.1, 9.1] },
      {
        day: MONDAY,
        code: FUND,
        open: 4,
        lastClose: 4,
        prices: [4.02, 4.05, 4.1, 4.21, 4.3, 4.28, 4.2, 4.15, 4.1],
      },
    ),
  })
  const at = (index: number) => tickMs(MONDAY, index)
  await stage.to(at(0))
  for (const stock_code of ['600036', '510300']) {
    const center_price = stock_code === '600036' ? 10 : 4
    await post(`${stage.direct}/api/grid/start`, {
      stock_code,
      center_price,
      config: { max_investment: 10_000, max_deviation: 0.2 },
    })
  }
  await stage.to(at(4))
  await post(`${stage.direct}/api/grid/session/2/enabled`, { enabled: false })
  const buy = { stock_code: '600036', order_type: 23, price_type: 11 }
  const place = (order: object) =>
    post(`${stage.direct}/api/actions/place_order`, { ...buy, ...order })
  await place({ order_volume: 100, price: 9.5 })
  await place({ order_volume: 100, price_type: 5 })
  await place({ order_volume: 150, price: 9.5 })
  await place({ order_volume: 900_000, price: 9.5 })
  await stage.to()
  await post(`${stage.direct}/api/kill-switch`, {
    level: 'entries',
    reason: '午间检查 (back at one)',
  })
  await place({ order_volume: 100, price: 9 })
  return stage
}

/** What a reader sees that he should not. */
function offences(text: string, language: 'zh-CN' | 'en'): readonly string[] {
  const plain = text.replaceAll(SETTING, '').replaceAll('午间检查 (back at one)', '午间检查')
  const found = NEVER.flatMap(([what, pattern]) =>
    (plain.match(pattern) ?? []).map((hit) => `${what}: ${hit}`),
  )
  const chinese =
    language === 'en'
      ? (plain.replaceAll(NAMES, '').match(/.{0,20}[\u3400-\u9fff]+.{0,20}/g) ?? [])
      : []
  const marks = language === 'en' ? (plain.match(/.{0,20}[、。：；，（）].{0,20}/g) ?? []) : []
  return [
    ...new Set([
      ...found,
      ...chinese.map((hit) => `Chinese: ${hit}`),
      ...marks.map((hit) => `Chinese punctuation: ${hit}`),
    ]),
  ]
}

const seen = async (page: Page): Promise<string> => {
  // What is folded away is read too, but for what is meant for machines.
  await page.evaluate(
    `for (const one of document.querySelectorAll('main details')) one.open = one.querySelector('pre, code') === null`,
  )
  return String(await page.evaluate(`document.querySelector('main')?.innerText ?? ''`))
}

type Language = keyof typeof TABS

/** Every screen of the console. */
async function walkConsole(t: Test, url: string, language: Language): Promise<void> {
  const { page, context, complaints } = await visit(browser, url, { language })
  const which = language === 'en' ? 1 : 0
  for (const [screen, heading] of Object.entries(CONSOLE)) {
    await settle(page, screen)
    await page.locator('main h1', { hasText: heading[which] }).waitFor()
    if (screen === 'exits') {
      await page.locator('[data-kind=refused]').first().waitFor()
      t.strictSame(offences(await seen(page), language), [], `what happened ${language}`)
      await page.locator('[data-test=happened]').click()
    }
    for (const there of THERE[screen] ?? []) {
      await page.locator('main').getByText(there[which]).first().waitFor()
    }
    await settle(page, screen)
    t.strictSame(offences(await seen(page), language), [], `${screen || 'overview'} ${language}`)
  }
  t.strictSame(complaints, [])
  await context.close()
}

/** An account with its tabs, all accounts, and their health in the monitor. */
async function walkMonitor(t: Test, url: string, language: Language): Promise<void> {
  const { page, context, complaints } = await visit(browser, `${url}/account/10000001`, {
    language,
  })
  const loaded = () =>
    page.waitForFunction(
      () => !/读取中|Loading/.test(document.querySelector('main')?.textContent ?? ''),
    )
  for (const name of TABS[language]) {
    await page.getByRole('tab', { name, exact: true }).click()
    await loaded()
    t.strictSame(offences(await seen(page), language), [], `${name} ${language}`)
  }
  for (const path of ['', '/health']) {
    await page.goto(`${url}${path}`)
    await page.locator('main h1').waitFor()
    await loaded()
    t.strictSame(offences(await seen(page), language), [], `monitor${path} ${language}`)
  }
  t.strictSame(complaints, [])
  await context.close()
}

t.test('no screen shows two languages, raw names, or figures as machines write them', async (t) => {
  const stage = await busy(t)
  for (const language of ['zh-CN', 'en'] as const) {
    await walkConsole(t, stage.direct, language)
    await walkMonitor(t, stage.gateway, language)
  }
})

t.test('F773 what stands around the screens has the punctuation of its language', async (t) => {
  const { direct, gateway } = await busy(t)
  for (const [base, part] of [
    [`${direct}/#/trades`, 'body'],
    [`${gateway}/account/10000001`, 'main article'],
  ] as const) {
    const { page, context } = await visit(browser, base, { language: 'en' })
    await page.getByText('Kill switch: No entries').first().waitFor()
    await page.locator('main h1').waitFor()
    t.strictSame(offences(await page.locator(part).first().innerText(), 'en'), [], base)
    await context.close()
  }
})

t.test('a stock that was sold completely keeps its name, also after a restart', async (t) => {
  const stage = await busy(t)
  await stage.restart()
  const desk = await visit(browser, `${stage.direct}/#/orders`)
  const sold = desk.page.locator('tr', { hasText: '20260914000007' })
  await sold.getByText('沪深300ETF 510300').waitFor()
  t.strictSame(desk.complaints, [])
})

t.test('F774 a holding is found as people type it, however the exchange writes it', async (t) => {
  const held = [
    { stock_code: '000858', volume: 100, cost_price: 120, stock_name: '五 粮 液' },
    { stock_code: '000002', volume: 100, cost_price: 9, stock_name: '万  科Ａ' },
  ]
  const { direct } = await serve(t, { overrides: { accounts: [account('10000001', held)] } })
  const { page, context } = await visit(browser, `${direct[0]}/#/positions`)
  const rows = page.locator('tr[data-code]')
  await rows.nth(1).waitFor()
  for (const [word, code] of [
    ['五粮液', '000858'],
    ['万科A', '000002'],
    ['０００８５８', '000858'],
    ['000002.SZ', '000002'],
  ] as const) {
    await page.getByRole('searchbox').fill(word)
    await page.locator(`tr[data-code]:not([data-code="${code}"])`).waitFor({ state: 'detached' })
    t.equal(await rows.count(), 1, word)
  }
  await context.close()
})

t.test('what is asked and what is refused is said in words too', async (t) => {
  const stage = await busy(t)
  const { page, context } = await visit(browser, `${stage.direct}/#/positions`)
  await page.getByRole('searchbox').fill('zsyh')
  await page.getByText('没有匹配“zsyh”的持仓').waitFor()
  await page.getByRole('searchbox').fill('')

  await page.getByRole('button', { name: '买入' }).first().click()
  await page.locator('input[name=code]').fill('600036')
  await page.locator('input[name=volume]').fill('150')
  await page.getByText('委托数量必须为 100 的整数倍').waitFor()
  await page.getByText('数量单位：150，限制 100').waitFor()
  const ticket = await page
    .locator('.ticket')
    .evaluate((form) => String((form as { innerText?: string }).innerText))
  t.strictSame(offences(ticket, 'zh-CN'), [])
  await page.keyboard.press('Escape')

  await settle(page, 'grid')
  await page.locator('[data-test=new-grid]').click()
  await page.getByText('中心价（留空 = 持仓最高价）').waitFor()
  const center = page.locator('input[name=center_price]')
  t.equal(await center.inputValue(), '')
  await page.locator('[data-test=center-now]').click()
  t.equal(await center.inputValue(), '9.1')
  await page.keyboard.press('Escape')

  const failed = [
    { report: 'orders', reason: '交易客户端 1 秒内没有应答 (no answer within call_timeout)' },
    { report: 'deals', reason: 'gone' },
  ]
  await rewrite(context, '**/api/reconcile', (body) => ({
    ...body,
    result: 'unavailable',
    last_run: { ...(body['last_run'] as object), result: 'unavailable', failed_reports: failed },
  }))
  await page.reload()
  await settle(page, 'reconcile')
  await page.getByText('委托：交易客户端 1 秒内没有应答', { exact: true }).waitFor()
  await page.getByText('成交：gone', { exact: true }).waitFor()
  await page.getByText('未能核对').waitFor()
  t.equal(await page.getByText('没有差异').count(), 0)
})
