import t from 'tap'
import { account, get, post, serve, until } from '../service/fixture.ts'
import { confirm, seriousFindings, sidewaysScroll, startBrowser, visit } from './pages.ts'

declare const localStorage: { getItem: (name: string) => string | null }

const browser = await startBrowser(t)
const HELD = { stock_code: '600036', volume: 1_000, cost_price: 35.1, stock_name: '招商银行' }
const accounts = [
  { ...account('10000001', [HELD]), alias: '稳健组合' },
  { ...account('10000002', []), alias: '进取' },
  account('10000003', []),
]
/** The browser notes every refusal. */
const NOTED = /Failed to load resource/

t.test(
  'from the screen of one account to that of another, without a token on the way',
  async (t) => {
    const token = 'a-token-of-the-direct-mode-0123456789'
    const { direct } = await serve(t, { overrides: { accounts }, env: { SVC_API_TOKEN: token } })
    const { page, requests } = await visit(browser, `${direct[0]}/#/positions`, { expected: NOTED })
    const enter = async () => {
      await page.locator('#token').fill(token)
      await page.locator('form button[type=submit]').click()
    }
    await enter()
    await page.getByRole('button', { name: '显示设置' }).click()
    await page.locator('select[name=unit]').selectOption('wan')
    await page.keyboard.press('Escape')
    await page.locator('[data-test=switch]').getByText('账户 稳健组合 …0001').click()
    const rows = page.locator('[data-console]')
    await rows.nth(2).waitFor()
    t.equal(await rows.locator('a').count(), 2, 'not to itself')
    await page.locator('[data-console="10000003"]').getByText('内置柜台').waitFor()
    await page.locator('[data-console="10000003"]').getByText('急停：关闭').waitFor()
    t.strictSame(await seriousFindings(page), [])

    await page.locator('[data-console="10000002"] a').click()
    await page.locator('#token').waitFor()
    t.equal(new URL(page.url()).origin, direct[1])
    t.notOk(
      requests.some(({ url }) => url.includes(token)),
      'in no address',
    )
    await enter()
    await page.locator('[data-test=switch]').getByText('账户 进取 …0002').waitFor()
    t.equal(
      page.url(),
      `${direct[1]}/#/positions`,
      'the same screen, and nothing left in the address',
    )
    const kept = await page.evaluate(() => localStorage.getItem('steward.prefs'))
    t.equal(JSON.parse(kept ?? '{}').unit, 'wan', 'what was chosen comes along')
    t.match(await page.title(), /进取 10000002/)
  },
)

t.test('F786 the list of accounts says where the master switch is off', async (t) => {
  const strategy = { ENABLE_AUTO_OPERATION: true }
  const { direct } = await serve(t, { overrides: { accounts, strategy } })
  t.equal((await post(`${direct[1]}/api/monitor/stop`)).status, 200)
  for (const [language, off] of [
    ['zh-CN', '总开关：关'],
    ['en', 'Master switch: Off'],
  ] as const) {
    const { page, context } = await visit(browser, direct[0] ?? '', { language, width: 390 })
    await page.locator('[data-test=switch]').click()
    await page.locator('[data-console="10000002"]').getByText(off).waitFor()
    t.equal(await page.locator('[data-console]').getByText(off).count(), 1, 'of no other account')
    t.strictSame(await seriousFindings(page), [])
    await context.close()
  }
})

t.test('what no process serves is shown with the reason, and is no link', async (t) => {
  const { service } = await serve(t, {
    overrides: { accounts },
    scope: { kind: 'direct', accountId: '10000001' },
  })
  const { page } = await visit(browser, service.urls[0] ?? '')
  await page.locator('[data-test=switch]').click()
  const other = page.locator('[data-console="10000002"]')
  await other.getByText('端口未知').waitFor()
  t.equal(await other.locator('a').count(), 0)
})

t.test('one of three hangs: the others are stopped, it is named, and asked again', async (t) => {
  const { service, direct } = await serve(t, {
    overrides: {
      accounts,
      limits: {
        // The one that hangs keeps a processor, and the others are to answer in time.
        http: { stop_all_timeout_ms: 5_000 },
        // It is to hang for as long as the test likes.
        runtime: {
          heartbeat_patience_ms: 600_000,
          restart_backoff_min_ms: 1,
          restart_backoff_max_ms: 10,
          restart_intensity: 1_000,
        },
      },
    },
  })
  const levelOf = async (index: number) =>
    (await get(`${direct[index]}/api/kill-switch`)).body['level']
  const third = { level: 'cancel_all', reason: 'mine' }
  t.equal((await post(`${direct[2]}/api/kill-switch`, third)).status, 200)
  const { page } = await visit(browser, `${direct[0]}/#/risk`, { width: 1_000 })
  const panel = page.locator('[data-test=stop-all]')
  await panel.getByText('…0003（现在：停止并撤单）').waitFor()
  await panel.locator('[name=reason-all]').fill('交易所异常')
  t.strictSame(await seriousFindings(page), [])
  t.ok((await sidewaysScroll(page)) <= 0)

  service.system.supervisor.fault('account/10000002', 'loop')
  await panel.locator('[data-stop=all]').click()
  const question = page.locator('.question')
  for (const name of ['稳健组合 …0001', '进取 …0002', '…0003']) {
    await question.getByText(name).waitFor()
  }
  await question.getByText('在途委托不撤').waitFor()
  await question.getByText('止盈止损也不再卖出').waitFor()
  await confirm(page)
  const outcome = (id: string) => panel.locator(`[data-outcome="${id}"]`)
  await outcome('10000001').getByText('已执行').waitFor()
  await outcome('10000002').getByText('没有应答，是否生效未知').waitFor()
  await outcome('10000003').getByText('停止并撤单').waitFor()
  await panel.getByText('没有全部完成：2 个完成，1 个没有。').waitFor()
  t.strictSame([await levelOf(0), await levelOf(2)], ['all', 'cancel_all'], 'never lowered')
  t.strictSame(await seriousFindings(page), [])

  await service.system.supervisor.restartChild('account/10000002')
  await until(
    () => get(`${direct[1]}/api/kill-switch`),
    ({ status }) => status === 200,
  )
  const isDone = panel.getByText('1 个账户已全部执行')
  const again = panel.locator('[data-test=stop-again]:enabled')
  // On a busy computer that may be too short for it once more.
  for (let times = 0; times < 5 && !(await isDone.isVisible()); times++) {
    await again.click()
    await question.getByText('进取 …0002').waitFor()
    t.equal(await question.getByText('稳健组合').count(), 0, 'only those that have not')
    await confirm(page)
    await isDone.or(again).waitFor()
  }
  await isDone.waitFor()
  t.equal(await levelOf(1), 'all')
  for (const base of [direct[0], direct[1]]) {
    const { body } = await get(`${base}/api/audit?limit=50`)
    const found = JSON.stringify(body)
    t.match(found, /killSwitchSet/)
    t.match(found, /交易所异常/, 'each has an entry of its own')
  }
})
