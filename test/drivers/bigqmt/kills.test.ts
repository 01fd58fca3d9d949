import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { clientOrderId } from '../../../src/domain/ids.ts'
import type { DriverEvent } from '../../../src/protocol/driver.ts'
import { Witness } from '../../contract/driver.ts'
import { orderOf, price, SH, shares } from '../fixtures/paper.ts'
import { BigqmtRig } from './rig.ts'

const BOOK = { last: 36, lastClose: 35.5, bid: [[35.99, 9_000]], ask: [[36, 9_000]] } as const
const purchase = () =>
  orderOf({
    clientOrderId: clientOrderId(Date.now(), randomBytes(10)),
    quantity: shares(200),
    price: price(36),
  })
const dealIds = (events: readonly DriverEvent[]) =>
  new Set(events.flatMap((event) => (event.kind === 'dealPushed' ? [event.deal.dealId] : [])))
/** A barrier asked for again and again, as an account does. */
async function cleared(w: Witness): Promise<void> {
  for (;;) {
    const { result } = await w.answerTo('barrierAnswered', w.send({ kind: 'barrier' }))
    if (result.ok) return
  }
}

/** Everything that the script does for an order, in its order; `deal` and `order` are callbacks. */
const STEPS = [
  'intent:before',
  'intent:after',
  'passorder:before',
  'passorder:after',
  'sent:before',
  'sent:after',
  'placed:before',
  'placed:after',
  'order:before',
  'order:after',
  'deal:before',
  'deal:after',
]
const EARLY = ['passorder:after', 'sent:before', 'sent:after']

/** Sends an order to a terminal that is killed at this step, and asks the next one what became of it. */
async function killedAt(t: Test, rig: BigqmtRig, step: string): Promise<void> {
  rig.terminal.tick(SH, BOOK)
  const w = new Witness(rig.driver())
  await w.connect()
  const order = purchase()
  w.send({ kind: 'submit', order })
  await rig.ended()
  await rig.start()
  await w.until('disconnected')
  w.events.length = 0
  await w.connect()
  await cleared(w)
  const before = rig.terminal.orders
  t.ok(before <= 1, `${step}: sent once at most`)
  const { rows } = await w.rows('orders')
  t.equal(rows.length, before, `${step}: what the barrier lets pass is listed`)
  const callId = w.send({ kind: 'submit', order })
  const { outcome } = await w.answerTo('submitAnswered', callId)
  const untouched = step === 'intent:before'
  t.equal(outcome.kind, before === 1 || untouched ? 'accepted' : 'unknown', step)
  await cleared(w)
  t.equal(rig.terminal.orders, untouched ? 1 : before, `${step}: and never again`)
  if (rig.terminal.orders === 0) return
  const { clientOrderId } = order
  t.match((await w.rows('orders')).rows, [{ clientOrderId, status: 56 }], `${step}: known`)
  const held = rig.terminal.counter.books.deals.map(({ row }) => row.dealId)
  const told = dealIds(w.events)
  while (told.size < held.length) {
    await w.next('deal')
    for (const id of dealIds(w.events)) told.add(id)
  }
  t.strictSame([...told].sort(), held.sort(), `${step}: its deal is told`)
}

const cases = [
  ...STEPS.map((step) => ({ name: step, step, manners: {} })),
  ...EARLY.map((step) => ({
    name: `early ${step}`,
    step,
    manners: { early_row: true, number_ms: 300 },
  })),
]
const folderOf = (name: string) => name.replaceAll(/\W/g, '-')

for (const transport of ['socket', 'files'] as const) {
  t.test(
    `F96 a terminal that ends at any step of an order loses and doubles nothing: ${transport}`,
    async (t) => {
      const folder = t.testdir(Object.fromEntries(cases.map(({ name }) => [folderOf(name), {}])))
      for (const { name, step, manners } of cases) {
        const place = join(folder, folderOf(name))
        const env = { FAKE_QMT_CRASH: step, FAKE_QMT_CRASH_ONCE: join(place, 'crashed') }
        const limits = { settle_ms: 300 }
        const rig = await BigqmtRig.open({ folder: place, env, manners, limits, transport })
        await killedAt(t, rig, step).finally(() => rig.close())
      }
    },
  )
}
