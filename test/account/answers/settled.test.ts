import { Ajv2020 } from 'ajv/dist/2020.js'
import t from 'tap'
import { z } from 'zod'
import { eventStream } from '../../../http/answers/events.ts'
import { events, orders } from '../../../src/account/answers/direct.ts'
import { v1Orders } from '../../../src/account/answers/gateway.ts'
import { reconcile } from '../../../src/account/answers/safety.ts'
import type { View, ViewInputs } from '../../../src/account/answers/view.ts'
import type { Quantity } from '../../../src/domain/money.ts'
import { type Bench, brokerOrder, KEY, policy } from '../fixture.ts'
import { accepted, doubtful, pushed, settle } from '../play.ts'

/** What readers see of an order that nobody knew the fate of. */

const seen = (view: View, { state, nowMs }: Bench) =>
  JSON.parse(JSON.stringify(view({ state, nowMs, row: () => ({}) } as unknown as ViewInputs)))

const described = new Ajv2020({ strict: false }).compile(z.toJSONSchema(eventStream.event))
/** What of an event the description of the interface does not have, or has otherwise. */
const complaints = (event: object) => (described(event) ? [] : described.errors)

t.test('an order without a number has none that looks like one, in any list', async (t) => {
  const bench = doubtful()
  const [direct] = seen(orders, bench).data
  const [gateway] = seen(v1Orders, bench).data.orders
  for (const row of [direct, gateway]) {
    t.match(row, { order_id: KEY, client_order_id: KEY, state: 'inDoubt', is_pending: true })
    t.ok(Number.isNaN(Number(row.order_id)), 'ours, and no number')
  }
  t.equal(gateway.订单编号, KEY)
  t.match(seen(reconcile, bench).data.orders_in_doubt, [{ order_id: null, client_order_id: KEY }])
})

t.test('events tell for a while what became of it, and nothing before or after', async (t) => {
  const taken = { outcome: 'accepted', order_id: 1001, state: 'accepted' }
  const absent = { outcome: 'rejected', order_id: null, state: 'rejected', message: /未收到/ }
  const refused = { outcome: 'accepted', order_id: 1001, state: 'rejected', message: '资金不足' }
  const ends: readonly (readonly [object, (bench: Bench) => unknown])[] = [
    [taken, (bench) => bench.input(accepted(0))],
    [taken, (bench) => settle(bench, { orders: [brokerOrder()] })],
    [absent, (bench) => settle(bench)],
    [refused, (bench) => bench.input(pushed({ status: 57, statusMessage: '资金不足' }))],
  ]
  for (const [expected, end] of ends) {
    const bench = doubtful()
    t.notOk('settled_orders' in seen(events, bench), 'nobody knows yet')
    end(bench)
    const told = seen(events, bench).settled_orders
    t.match(told, [{ ...expected, client_order_id: KEY, settled_at: '2026-08-11 10:00:00' }])
    t.strictSame(complaints({ timestamp: '2026-08-11 10:00:00', settled_orders: told }), [])
    bench.nowMs += policy.limits.untoldMs
    t.notOk('settled_orders' in seen(events, bench), 'old news')
  }
})

t.test('an order that never was in doubt is no news, and only the newest are told', async (t) => {
  const bench = doubtful()
  bench.input(accepted(0))
  for (const n of [1, 2, 3]) {
    const key = `${KEY.slice(0, -1)}${n}`
    bench.place({ key, requestHash: key, quantity: (n + 1) * 100 })
    const [callId] = [...bench.state.calls].findLast(([, call]) => call.kind === 'submit') ?? [0]
    bench.input({ kind: 'callTimedOut', callId })
    bench.nowMs += 1
    bench.input(
      pushed({ orderId: `${n}`, clientOrderId: key, quantity: ((n + 1) * 100) as Quantity }),
    )
  }
  const told = seen(events, bench).settled_orders
  t.equal(told.length, policy.limits.settledShownMax)
  t.equal(told.at(-1).order_id, 3)
})
