import t from 'tap'
import { orders } from '../../../src/account/answers/direct.ts'
import type { View, ViewInputs } from '../../../src/account/answers/view.ts'
import { explainRefusal } from '../../../src/domain/refusals.ts'
import { Bench, brokerOrder, commands, KEY, replies } from '../fixture.ts'
import { accepted, count, gone, placed, pushed, recovered, said } from '../play.ts'

const HIDDEN = '\u202e证券\u200b停牌\u2066\r\n  不可\u0000卖\n'
const SEEN = '证券停牌 不可卖'
const textOf = (bench: Bench) => bench.state.orders.get(KEY)?.statusMessage
const taken = (): Bench => {
  const bench = new Bench().ready()
  bench.input(accepted(placed(bench)))
  return bench
}

t.test('F1026 words of the broker are without what nobody sees, whichever way they come', (t) => {
  const told = taken()
  told.input(pushed({ status: 57, statusMessage: HIDDEN }))
  t.equal(textOf(told), SEEN)
  const { state, nowMs } = told
  const inputs = { state, nowMs, records: [] } as unknown as ViewInputs
  const shown = JSON.stringify((orders as View)(inputs))
  t.match(shown, SEEN)
  t.notMatch(JSON.stringify([shown, told.journal]), /[\u202e\u200b\u2066]/)

  const refused = new Bench().ready()
  const callId = placed(refused)
  const outcome = { kind: 'rejected', message: HIDDEN } as const
  refused.input(said({ kind: 'submitAnswered', callId, clientOrderId: KEY, outcome }))
  t.equal(textOf(refused), SEEN)
  t.equal(explainRefusal(textOf(refused) ?? '').code, 'HALTED')

  const listed = taken()
  listed.input(gone)
  recovered(listed, { orders: [brokerOrder({ status: 50, statusMessage: HIDDEN })] })
  t.equal(textOf(listed), SEEN)

  const kept = taken()
  const cancel = { kind: 'cancelOrder', orderId: '1001', source: 'test' } as const
  const [call] = commands(kept.input({ kind: 'request', ref: 9, request: cancel }))
  const result = { ok: false, error: { code: 'FAILED', message: HIDDEN } } as const
  const answer = {
    kind: 'cancelAnswered',
    callId: call?.callId ?? 0,
    orderId: '1001',
    result,
  } as const
  t.match(replies(kept.input(said(answer))), [{ message: SEEN }])
  t.end()
})

t.test(
  'F1026 a text that an earlier release has stored as it came makes no event for each list',
  (t) => {
    const bench = taken()
    bench.input(pushed({ status: 50, statusMessage: '已\u200b报' }))
    const order = bench.state.orders.get(KEY)
    if (order === undefined) throw new Error('no order')
    bench.state.orders.set(KEY, { ...order, statusMessage: '已\u200b报' })
    const before = count(bench, 'orderReported')
    bench.input(pushed({ status: 50, statusMessage: '已\u200b报' }))
    t.equal(count(bench, 'orderReported'), before)
    bench.input(pushed({ status: 50, statusMessage: '另一\u200b句' }))
    t.equal(count(bench, 'orderReported'), before + 1)
    t.equal(textOf(bench), '另一句')
    t.end()
  },
)
