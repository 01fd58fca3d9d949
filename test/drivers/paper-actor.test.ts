import { join } from 'node:path'
import { MessageChannel } from 'node:worker_threads'
import t from 'tap'
import type { StockCode } from '../../src/domain/instrument.ts'
import { Witness } from '../contract/driver.ts'
import { turnsUntil } from '../in-time.ts'
import { orderOf, price, SETTINGS, SH, SZ, shares, story } from './fixtures/paper.ts'
import { LIMITS, PaperRig } from './fixtures/paper-rig.ts'

const BOOK = { last: 36, ask: [[36, 900]], bid: [[35.99, 900]] } as const
const FRESH = '600519.SH' as StockCode

t.test('the books outlive the client: cash, positions, orders and deals of the day', async (t) => {
  const dir = t.testdir()
  const before = new PaperRig(dir)
  before.market.tick(SH, BOOK)
  const first = new Witness(before.driver())
  await first.connect()
  await first.submit(orderOf({ quantity: shares(200) }))
  const waiting = await first.submit(orderOf({ price: price(35) }))
  const reports = ['asset', 'positions', 'orders', 'deals'] as const
  const saved = await Promise.all(reports.map((what) => first.rows(what)))
  await before.close()

  const after = new PaperRig(dir)
  after.market.tick(SH, BOOK)
  const second = new Witness(after.driver({ epoch: 2 }))
  await second.connect()
  t.same(await Promise.all(reports.map((what) => second.rows(what))), saved)
  t.same(after.market.armed(), [SH], 'the waiting order hears of every tick again')
  after.market.timeMs += 10
  after.market.tick(SH, { last: 34.9, ask: [[34.9, 900]] })
  t.match(await second.ended(waiting), { status: 56 })
  t.same(after.market.armed(), [], 'nothing waits any more')
  await after.close()
})

t.test(
  'F118 an order that waits is matched after a start in which the market was late',
  async (t) => {
    const dir = t.testdir()
    const before = new PaperRig(dir)
    before.market.tick(SH, BOOK)
    const first = new Witness(before.driver())
    await first.connect()
    const waiting = await first.submit(orderOf({ price: price(35) }))
    await before.close()

    const after = new PaperRig(dir, SETTINGS, { ...LIMITS, firstQuoteWaitMs: 1 })
    after.market.lateAnswers = 2
    after.market.tick(SH, BOOK)
    const second = new Witness(after.driver({ epoch: 2 }))
    await second.connect()
    t.same(after.market.armed(), [SH])
    after.market.timeMs += 10
    after.market.tick(SH, { last: 34.9, ask: [[34.9, 900]] })
    t.match(await second.ended(waiting), { status: 56 })
    await after.close()
  },
)

t.test('an account that is away misses its pushes, and its orders live on', async (t) => {
  const rig = new PaperRig(t.testdir())
  rig.market.tick(SH, BOOK)
  const first = new Witness(rig.driver())
  await first.connect()
  const waiting = await first.submit(orderOf({ price: price(35) }))
  await rig.board.untilQuiet()
  const heard = first.events.length
  rig.actor.leave('10000001')
  rig.market.tick(SH, { last: 34.9, ask: [[34.9, 900]] })
  const second = new Witness(rig.driver({ epoch: 2 }))
  await second.connect()
  t.match((await second.rows('orders')).rows, [{ orderId: waiting, status: 56 }])
  t.equal(first.events.length, heard)
  await rig.close()
})

t.test('an owner of an older epoch is locked out, whatever it asks', async (t) => {
  const dir = t.testdir()
  const old = new PaperRig(dir)
  old.market.tick(SH, BOOK)
  const sleeper = new Witness(old.driver({ epoch: 1 }))
  await sleeper.connect()
  await sleeper.submit(orderOf({ price: price(35) }))

  const taken = new PaperRig(dir)
  taken.market.tick(SH, BOOK)
  const owner = new Witness(taken.driver({ epoch: 2 }))
  await owner.connect()
  const before = await owner.rows('orders')

  old.market.tick(SH, { last: 34.9, ask: [[34.9, 900]] })
  await sleeper.until('disconnected')
  const connected = await sleeper.answerTo('connectAnswered', sleeper.send({ kind: 'connect' }))
  t.match(connected.result, { ok: false, error: { code: 'NOT_CONNECTED' } })
  t.same(await owner.rows('orders'), before, 'the sleeper matched nothing')
  t.same(old.market.armed(), [])

  const late = new Witness(taken.driver({ epoch: 1 }))
  t.match(await late.until('disconnected'), { reason: /taken over/ })
  await Promise.all([old.close(), taken.close()])
})

t.test('an order in a code that nobody watched waits for its first quote', async (t) => {
  const rig = new PaperRig(t.testdir(), SETTINGS, { ...LIMITS, firstQuoteWaitMs: 60_000 })
  const witness = new Witness(rig.driver())
  await witness.connect()
  const accepted = witness.submit(orderOf({ code: FRESH }))
  const positions = witness.rows('positions')
  await turnsUntil(() => rig.market.armed().includes(FRESH), 'a code to be watched')
  t.notOk(rig.board.isQuiet(), 'an exact replay waits for it')
  rig.market.tick(FRESH, BOOK)
  t.match(await witness.ended(await accepted), { status: 56 })
  t.equal((await positions).rows.length, 2, 'what came behind it was served behind it')
  await rig.board.untilQuiet()
  t.same(rig.market.armed(), [])
  await rig.close()
})

t.test('a code without a quote in time is unknown', async (t) => {
  const rig = new PaperRig(t.testdir(), SETTINGS, { ...LIMITS, firstQuoteWaitMs: 1 })
  const witness = new Witness(rig.driver())
  await witness.connect()
  const orderId = await witness.submit(orderOf({ code: FRESH }))
  t.match(await witness.ended(orderId), { status: 57, statusMessage: /不存在或无行情/ })
  await rig.close()
})

t.test('the market clock rolls the day, told or not', async (t) => {
  const rig = new PaperRig(t.testdir())
  rig.market.tick(SH, BOOK)
  const witness = new Witness(rig.driver())
  await witness.connect()
  const waiting = await witness.submit(orderOf({ price: price(35) }))
  rig.dayOpened('2026-08-12')
  t.match(await witness.ended(waiting), { status: 54, statusMessage: /^日终/ })
  t.same((await witness.rows('orders')).rows, [])
  await witness.submit(orderOf())
  rig.market.timeMs += 86_400_000
  t.same((await witness.rows('deals')).rows, [], 'the clock says that it is the next day')
  t.match((await witness.rows('positions')).rows[0], { quantity: 1_150, sellable: 1_150 })
  await rig.close()
})

t.test('latency delays everything and changes no order of events', async (t) => {
  const dir = t.testdir()
  const run = async (latency_ms: number) => {
    const rig = new PaperRig(join(dir, String(latency_ms)), { ...SETTINGS, latency_ms })
    rig.market.tick(SH, BOOK)
    const witness = new Witness(rig.driver())
    await witness.connect()
    const order = orderOf({ clientOrderId: 'SAME', quantity: shares(200) })
    witness.send({ kind: 'submit', order })
    witness.send({ kind: 'submit', order: { ...order, code: SZ } })
    witness.send({ kind: 'query', what: 'asset' })
    await rig.board.untilQuiet()
    await rig.close()
    return witness.events
  }
  const slow = await run(3)
  t.match(story(slow), /queryAnswered$/)
  t.same(slow, await run(0))
})

t.test('two accounts of one client keep apart', async (t) => {
  const rig = new PaperRig(t.testdir())
  rig.market.tick(SH, BOOK)
  const one = new Witness(rig.driver({ accountId: '10000001', slot: 1 }))
  const two = new Witness(rig.driver({ accountId: '10000002', slot: 2 }))
  await Promise.all([one.connect(), two.connect()])
  await one.submit(orderOf({ price: price(35) }))
  await two.submit(orderOf({ price: price(35.5) }))
  rig.market.tick(SH, { last: 35.2, ask: [[35.2, 900]] })
  await two.until('dealPushed')
  t.match((await one.rows('orders')).rows, [{ status: 50 }])
  t.same(rig.market.armed(), [SH], 'one still waits')
  await rig.close()
})

t.test('commands beyond the limit are refused, not kept', async (t) => {
  const limits = { ...LIMITS, firstQuoteWaitMs: 60_000, commandsMax: 2 }
  const rig = new PaperRig(t.testdir(), SETTINGS, limits)
  const witness = new Witness(rig.driver())
  await witness.connect()
  const blocked = witness.submit(orderOf({ code: FRESH }))
  await turnsUntil(() => rig.market.armed().includes(FRESH), 'a code to be watched')
  const kept = Promise.all([witness.rows('asset'), witness.rows('orders')])
  const refused = await witness.answerTo(
    'queryAnswered',
    witness.send({ kind: 'query', what: 'deals' }),
  )
  t.match(refused.result, { ok: false, error: { code: 'FAILED' } })
  rig.market.tick(FRESH, BOOK)
  await Promise.all([blocked, kept])
  await rig.close()
})

t.test('the ports of a client that stops are closed', async (t) => {
  const rig = new PaperRig(t.testdir())
  const { port1, port2 } = new MessageChannel()
  const gone = new Promise((resolve) => port2.on('close', resolve))
  port2.ref()
  rig.actor.introduce({ slot: 3, account: { account_id: '10000009', paper: SETTINGS } }, port1)
  await rig.close()
  await gone
  t.pass('the other end heard of it')
})
