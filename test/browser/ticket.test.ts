import type { Page, Route } from 'playwright-core'
import t, { type Test } from 'tap'
import { post, serve } from '../service/fixture.ts'
import { confirm, type PageOptions, patient, rewrite, startBrowser, visit } from './pages.ts'
import { button, openDesk, PLACE, passes, typed, until } from './tickets.ts'

const browser = await startBrowser(t)
const PREVIEW = '**/api/orders/preview'

interface Asked {
  readonly stock_code: string
  readonly price?: number
}
const askedOf = (route: Route): Asked => route.request().postDataJSON() as Asked
const VALUES = (options: readonly unknown[]) =>
  (options as readonly { readonly value: string }[]).map(({ value }) => value)

const desk = (t: Test, screen: string, options?: PageOptions) =>
  openDesk(t, browser, screen, options)

t.test('the price of a stock never stands under the code of another', async (t) => {
  const { page } = await desk(t, 'positions')
  await patient(page)
  const late: Route[] = []
  const asked: Asked[] = []
  await page.route(PREVIEW, async (route) => {
    asked.push(askedOf(route))
    if (askedOf(route).stock_code === '600000') late.push(route)
    else await route.continue()
  })
  await page.locator('tr[data-code="600036"]').getByRole('button', { name: '买入' }).click()
  await passes(page).waitFor()
  const before = Number(await typed(page, 'price'))
  t.ok(before > 0, 'the price of the stock held')

  await page.locator('input[name=code]').fill('600000')
  t.equal(await typed(page, 'price'), '', 'the price goes with its stock')
  t.ok(await button(page).isDisabled())
  await page.getByText('正在取 600000 的行情').waitFor()
  t.equal(await passes(page).count(), 0, 'what is not known passes nothing')
  const slow = await until(() => late[0])

  await page.locator('input[name=code]').fill('601318')
  await passes(page).waitFor()
  const other = await typed(page, 'price')
  t.not(Number(other), before)
  const response = await slow.fetch()
  await slow.fulfill({ response, json: { ...(await response.json()), stock_name: '浦发银行' } })
  await page.waitForResponse((response) => response.url().endsWith('/preview')) // a later one
  t.equal(await typed(page, 'price'), other, 'the answer for an earlier code is dropped')
  t.equal(await page.getByText('浦发银行').count(), 0)
  await page.locator('input[name=code]').fill('6013181')
  t.equal(await typed(page, 'price'), '', 'seven digits are no code')
  t.ok(await button(page).isDisabled())
  const wrong = asked.filter(({ stock_code, price }) => stock_code !== '600036' && price === before)
  t.strictSame(wrong, [], 'nobody was asked about the old price of the new stock')
})

t.test('without a quote nothing passes, and an order at a typed price needs a word', async (t) => {
  const { page } = await desk(t, 'orders')
  await rewrite(page.context(), PREVIEW, (answer) => ({
    ...answer,
    allowed: true,
    quote: null,
    rules: [],
    quantity_max: null,
  }))
  await page.keyboard.press('b')
  await page.locator('input[name=code]').fill('600000')
  await page.getByText('没有 600000.SH 的行情').waitFor()
  t.equal(await typed(page, 'price'), '')
  await page.locator('input[name=price]').fill('9.5')
  await page.locator('input[name=volume]').fill('100')
  await page.locator('[data-test=place]:enabled').waitFor()
  t.equal(await passes(page).count(), 0)
  await page.locator('select[name=type]').selectOption('5')
  await page.getByText('没有行情，不能按最新价下单').waitFor()
  t.ok(await button(page).isDisabled())
  await page.locator('select[name=type]').selectOption('11')
  await page.locator('[data-test=place]:enabled').click()
  await page.getByText('输入代码 600000 以确认').waitFor()
  t.ok(await page.locator('[data-test=confirm]').isDisabled())
  await page.locator('input[name=confirm-word]').fill('600000')
  await page.locator('[data-test=confirm]:enabled').waitFor()
})

t.test('the confirmation names stock, latest price, its age and the account', async (t) => {
  const { page } = await desk(t, 'orders')
  await rewrite(page.context(), PREVIEW, (answer) => ({ ...answer, stock_name: '浦发银行' }))
  await page.keyboard.press('b')
  await page.locator('input[name=code]').fill('600000')
  await page.getByText('浦发银行').first().waitFor()
  await page.getByText('最多可买').waitFor()
  await page.locator('[data-test=place]:enabled').click()
  const question = page.locator('form.question')
  await page.getByText('确认买入 浦发银行（600000.SH）').waitFor()
  for (const line of [
    /买入 浦发银行（600000\.SH）100 股，价格 \d+\.\d\d/,
    /最新价 \d+\.\d\d（\d+ 秒前）/,
    /账户 10000001（内置柜台）/, // known once an answer of its own has come
  ]) {
    await question.getByText(line).waitFor()
  }
})

t.test('a service that goes away under an open ticket is said, in the question too', async (t) => {
  const { page } = await desk(t, 'orders', { expected: /./ })
  await page.keyboard.press('b')
  await page.locator('input[name=code]').fill('600036')
  await page.locator('[data-test=place]:enabled').click()
  await page.locator('[data-test=confirm]:enabled').waitFor()
  await page.route('**/api/**', (route) => route.abort())
  const question = page.locator('form.question')
  await question.getByText('连接不上服务').waitFor()
  t.ok(await page.locator('[data-test=confirm]').isDisabled())
  await question.getByRole('button', { name: '取消' }).click()
  await page.locator('form.ticket').getByText('连接不上服务').waitFor()
  t.ok(await button(page).isDisabled())
  await page.unroute('**/api/**')
  await page.locator('[data-test=place]:enabled').waitFor()

  await page.route(PREVIEW, () => undefined) // takes every question, answers none
  await page.locator('[data-test=place]:disabled').waitFor()
  t.equal(await passes(page).count(), 0, 'an old verdict is none')
  await page.locator('form.ticket').getByText('连接不上服务').waitFor()
})

/** The field or button that has the focus. */
const focused = (page: Page, name: string) =>
  page.locator(`[name=${name}]:focus, [data-test=${name}]:focus`).waitFor()

t.test('a whole purchase by keyboard, and a key that is held sends nothing twice', async (t) => {
  const { page, complaints } = await desk(t, 'positions')
  const sent: Route[] = []
  await page.route(PLACE, (route) => void sent.push(route))
  const hold = async () => {
    for (let n = 0; n < 20; n++) await page.keyboard.down('Enter') // all but the first are repeats
    await page.keyboard.up('Enter')
  }
  await page.locator('tr[data-code="600036"]').click() // picked: the ticket begins with it
  await page.keyboard.press('Escape')
  await page.locator('.el-drawer').waitFor({ state: 'hidden' })
  for (let n = 0; n < 5; n++) await page.keyboard.down('b')
  await page.keyboard.up('b')
  await page.keyboard.type('601318')
  t.equal(await typed(page, 'code'), '601318', 'digits replace the stock that was there')
  await hold()
  await focused(page, 'price')
  await passes(page).waitFor()
  const resting = (Number(await typed(page, 'price')) * 0.95).toFixed(2)
  await page.keyboard.type(resting)
  await page.keyboard.press('Enter')
  await focused(page, 'volume')
  await page.keyboard.type('300')
  await hold()
  await focused(page, 'place')
  t.equal(await page.locator('form.question').count(), 0, 'nothing is asked by a held key')
  await hold()
  await focused(page, 'confirm')
  t.equal(sent.length, 0, 'nothing is sent by a held key')
  await hold()
  await page.locator('form.question').waitFor({ state: 'hidden' })
  await hold()
  await page.keyboard.press('Enter')
  const route = await until(() => sent[0])
  t.strictSame(sent.map(askedOf), [
    {
      stock_code: '601318',
      order_type: 23,
      order_volume: 300,
      price_type: 11,
      price: Number(resting),
    },
  ])
  await route.continue()
  await page.locator('form.ticket').waitFor({ state: 'hidden' })
  await page.evaluate("location.hash = '#/orders'")
  await page.locator('tbody tr', { hasText: resting }).first().waitFor()
  t.equal(await page.locator('tbody tr', { hasText: resting }).count(), 1)
  t.equal(sent.length, 1)
  t.strictSame(complaints, [])

  await page.keyboard.press('s')
  await focused(page, 'code')
  await page.keyboard.type('600036')
  t.equal(await typed(page, 'code'), '600036')
  await page.locator('[data-test=place]:enabled').waitFor()
  t.equal(await typed(page, 'volume'), '1000', 'all that may be sold')
})

t.test(
  'what a rule refused is sent anew once it passes, and judged by the rules of then',
  async (t) => {
    const { direct } = await serve(t)
    const { page } = await visit(browser, `${direct[0]}/#/orders`, { expected: /409/ })
    await page.locator('header').getByText('实时', { exact: true }).waitFor() // keys are heard from then on
    const keys: (string | undefined)[] = []
    await page.route(PLACE, (route) => {
      keys.push(route.request().headers()['idempotency-key'])
      return route.continue()
    })
    await rewrite(page.context(), PREVIEW, (answer) => ({ ...answer, allowed: true, rules: [] }))
    await page.keyboard.press('b')
    await page.locator('input[name=code]').fill('600036')
    await page.locator('[data-test=place]:enabled').waitFor()
    await page.locator('input[name=price]').fill('32.5')
    await page.locator('[data-test=place]:enabled').click()
    await post(`${direct[0]}/api/kill-switch`, { level: 'all' })
    await confirm(page)
    await page.locator('.outcome').getByText('急停').first().waitFor()
    await post(`${direct[0]}/api/kill-switch`, { level: 'off' })
    await page.locator('[data-test=place]:enabled').click()
    await confirm(page)
    await page.locator('form.ticket').waitFor({ state: 'hidden' })
    await page.locator('tbody tr', { hasText: '32.50' }).getByText('已报').first().waitFor()
    t.equal(new Set(keys).size, 2)
  },
)

t.test(
  'all of the cash is a purchase that passes, fees included, at the price typed',
  async (t) => {
    const { page } = await desk(t, 'orders')
    await page.keyboard.press('b')
    await page.locator('input[name=code]').fill('920002')
    await page.locator('[data-test=lots]', { hasText: '最少 100，递增 1' }).waitFor()
    await passes(page).waitFor()
    const last = Number(await typed(page, 'price'))
    const held: Route[] = []
    let isHeld = true
    await page.route(PREVIEW, (route) => {
      if (isHeld) held.push(route)
      else void route.continue()
    })
    await page.locator('input[name=price]').fill((last * 0.97).toFixed(2))
    const all = page.locator('[data-part="100"]')
    t.ok(await all.isDisabled(), 'what was told of another price is no measure of this one')
    isHeld = false
    for (const route of held) await route.continue()
    await page.locator('[data-part="100"]:enabled').click()
    const most = Number(await typed(page, 'volume'))
    await passes(page).waitFor()
    await page.locator('[data-part="25"]').click()
    t.equal(Number(await typed(page, 'volume')), Math.floor(most / 4))
    await page.locator('input[name=volume]').fill(String(most + 1))
    await page.locator('.rules').getByText('可用资金不足').waitFor()
  },
)

t.test(
  'a level of the book gives its price, and what is not known of it is not made up',
  async (t) => {
    const { page } = await desk(t, 'orders')
    await rewrite(page.context(), PREVIEW, (answer) => ({
      ...answer,
      quote: {
        ...(answer as { quote: object }).quote,
        ask: [
          { price: 36.61, volume: 12_300 },
          { price: 36.62, volume: null },
        ],
        bid: [{ price: 36.6, volume: 500 }],
      },
    }))
    await page.keyboard.press('b')
    await page.locator('input[name=code]').fill('600036')
    await page.locator('[data-level=ask2]').focus()
    await page.keyboard.press('Enter')
    t.equal(await typed(page, 'price'), '36.62')
    await page.locator('[data-level=bid1]').click()
    t.equal(await typed(page, 'price'), '36.6')
    const rows = await page.locator('[data-test=depth] tr').allTextContents()
    t.strictSame(
      rows.map((row) => row.replace(/\s+/g, '')),
      ['买136.60500卖136.6112,300', '买2----卖236.62--'],
    )
    await page.locator('select[name=type]').selectOption('5')
    await page.locator('[data-level]').first().waitFor({ state: 'detached' })
    t.pass('an order at the latest price takes none')
  },
)

t.test(
  'the kinds of price are those of the exchange of the stock, and a market order says its worst',
  async (t) => {
    const { page } = await desk(t, 'orders')
    const sent: Route[] = []
    await page.route(PLACE, (route) => void sent.push(route))
    const types = () => page.locator('select[name=type] option').evaluateAll(VALUES)
    await page.keyboard.press('b')
    await page.locator('input[name=code]').fill('000001')
    await passes(page).waitFor()
    t.strictSame(await types(), ['11', '5', '44', '45', '46', '47', '48'])
    const limit = await typed(page, 'price')
    await page.locator('select[name=type]').selectOption('47')
    t.equal(await typed(page, 'price'), '', 'no limit goes along')
    t.ok(await page.locator('input[name=price]').isDisabled())
    await page.locator('select[name=type]').selectOption('11')
    t.equal(await typed(page, 'price'), limit, 'and comes back')
    await page.locator('select[name=type]').selectOption('47')

    await page.locator('input[name=code]').fill('688981')
    await passes(page).waitFor()
    t.equal(
      await page.locator('select[name=type]').inputValue(),
      '11',
      'a type of Shenzhen is gone',
    )
    t.strictSame(await types(), ['11', '5', '42', '43', '44', '45'])
    await page.locator('select[name=type]').selectOption('42')
    await page.getByText('保护限价').waitFor()
    const worst = (Number(await page.locator('[data-level=ask5]').textContent()) + 0.01).toFixed(2)
    await page.locator('input[name=price]').fill(worst)
    await page.locator('[data-test=place]:enabled').click()
    await page.locator('form.question').getByText(`保护限价 ${worst}`).waitFor()
    await confirm(page)
    const route = await until(() => sent[0])
    t.match(route.request().postDataJSON(), {
      stock_code: '688981',
      price_type: 42,
      price: Number(worst),
      order_volume: 200,
    })
    await route.continue()
    await page.locator('form.ticket').waitFor({ state: 'hidden' })
    await page.locator('tbody tr', { hasText: '五档即成剩撤' }).first().waitFor()
  },
)

t.test('F597 a code in digits of full width is that code', async (t) => {
  const { page } = await desk(t, 'orders')
  await page.keyboard.press('b')
  await page.locator('input[name=code]').fill('６０００３６．ＳＨ')
  await passes(page).waitFor()
  t.equal(await typed(page, 'code'), '600036.SH')
})

t.test('F738 where no preview comes in time an order at a typed price can be placed', async (t) => {
  const { page } = await desk(t, 'orders', { expected: /504/ })
  const late = { success: false, code: 'DEADLINE_EXCEEDED', message: 'late' }
  const asked: string[] = []
  await page.route(PREVIEW, (route) => {
    asked.push(JSON.stringify(askedOf(route)))
    return route.fulfill({ status: 504, json: late })
  })
  await page.keyboard.press('b')
  await page.locator('input[name=code]').fill('600036')
  await page.locator('form.ticket').getByText('服务没有及时答复').waitFor()
  t.ok(await button(page).isDisabled(), 'nothing is written yet')
  await page.locator('input[name=price]').fill('35.5')
  await page.locator('input[name=volume]').fill('100')
  await page.getByText('试算没有及时答复').waitFor()
  t.match(asked.at(-1), /"order_volume":100,.*"price":35\.5/, 'it was asked about')
  await page.locator('[data-test=place]:enabled').click()
  await page.getByText('未经试算：输入代码 600036 以确认').waitFor()
  t.ok(await page.locator('[data-test=confirm]').isDisabled())
  await page.locator('input[name=confirm-word]').fill('600036')
  await page.locator('[data-test=confirm]:enabled').click()
  await page.locator('form.ticket').waitFor({ state: 'hidden' })
  await page.locator('tbody tr', { hasText: '招商银行' }).first().waitFor()
})

/** A ticket of 600036 at a typed price of which no preview comes in time. */
async function unchecked(t: Test): Promise<Page> {
  const { page } = await desk(t, 'orders', { expected: /504/ })
  const late = { success: false, code: 'DEADLINE_EXCEEDED', message: 'late' }
  await page.route(PREVIEW, (route) => route.fulfill({ status: 504, json: late }))
  await page.keyboard.press('b')
  for (const [name, text] of [
    ['code', '600036'],
    ['price', '35.5'],
    ['volume', '100'],
  ]) {
    await page.locator(`input[name=${name}]`).fill(text ?? '')
  }
  await page.locator('[data-test=place]:enabled').waitFor()
  return page
}

t.test('F749 Enter after the volume goes on where no preview comes in time', async (t) => {
  const page = await unchecked(t)
  await page.locator('input[name=volume]').press('Enter')
  await page.locator('[data-test=place]:focus').waitFor()
  await page.keyboard.press('Enter')
  await page.getByText('未经试算：输入代码 600036 以确认').waitFor()
})

t.test('F750 what is ordered without a preview is named as the other pages name it', async (t) => {
  const page = await unchecked(t)
  await page.locator('[data-test=place]:enabled').click()
  await page.getByText('确认买入 招商银行（600036）').waitFor()
  await page.getByText('买入 招商银行（600036）100 股，价格 35.50').waitFor()
})
