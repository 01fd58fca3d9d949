import t from 'tap'
import { Witness } from '../../contract/driver.ts'
import { oneThousandShares, orderOf, price, SH, shares } from '../fixtures/paper.ts'
import { XtRig } from './rig.ts'
import { type Fields, UNREADABLE } from './terminal-rows.ts'

const BOOK = { last: 36, lastClose: 35.5, bid: [[35.99, 9_000]], ask: [[36, 9_000]] } as const
const REASON = '可用资金不足'
const keyOf = (n: number) => `R3F5${String(n).padStart(22, '0')}`
const order = (n: number) =>
  orderOf({ clientOrderId: keyOf(n), quantity: shares(200), price: price(35) })

/** What a terminal says of an order that it does not take, in its order. */
type Words = 'response' | 'reason' | 'reason without a remark' | 'response with text'

t.test('the reason of a refusal is told, whichever of the two comes first', async (t) => {
  const rig = await XtRig.open({ folder: t.testdir(), settings: oneThousandShares() })
  t.teardown(() => rig.close())
  rig.terminal.tick(SH, BOOK)
  const w = new Witness(rig.driver())
  await w.connect()
  let seq = 100
  const refuse = (words: readonly Words[]) => {
    rig.terminal.fault = (method, fields) => {
      if (method !== 'order') return undefined
      seq += 1
      const same = { account_id: '', order_id: '-1', seq, strategy_name: '' }
      const remark = { order_remark: fields['order_remark'] }
      const pushes: Readonly<Record<Words, [string, Fields]>> = {
        response: ['on_order_stock_async_response', { ...same, ...remark, error_msg: '' }],
        'response with text': [
          'on_order_stock_async_response',
          { ...same, ...remark, error_msg: REASON },
        ],
        reason: ['on_order_error', { ...same, ...remark, error_id: -61, error_msg: REASON }],
        'reason without a remark': [
          'on_order_error',
          { ...same, order_remark: '', error_id: -61, error_msg: REASON },
        ],
      }
      setImmediate(() => {
        for (const word of words) rig.terminal.push(...pushes[word])
      })
      return { answer: seq }
    }
  }
  const ways: readonly (readonly Words[])[] = [
    ['response', 'reason'],
    ['reason', 'response'],
    ['response', 'reason without a remark'],
    ['response with text', 'reason'],
    ['response'],
  ]
  for (const [n, words] of ways.entries()) {
    refuse(words)
    const callId = w.send({ kind: 'submit', order: order(n) })
    const { outcome } = await w.answerTo('submitAnswered', callId)
    const message = words.length === 1 ? /gave no reason/ : REASON
    t.match(outcome, { kind: 'rejected', message }, words.join(', then '))
    await w.rows('asset')
    const told = w.events.filter(
      (event) => event.kind === 'submitAnswered' && event.clientOrderId === keyOf(n),
    )
    t.equal(told.length, 1, 'and told once')
    const again = w.send({ kind: 'submit', order: order(n) })
    t.match((await w.answerTo('submitAnswered', again)).outcome, { kind: 'rejected', message })
  }
  t.strictSame((await w.rows('orders')).rows, [])
})

t.test('an answer without a number that can be read is no refusal', async (t) => {
  const rig = await XtRig.open({
    folder: t.testdir(),
    settings: oneThousandShares(),
    callTimeoutMs: 2_000,
    own: { refusal_text_ms: 0 },
  })
  t.teardown(() => rig.close())
  rig.terminal.tick(SH, BOOK)
  const w = new Witness(rig.driver())
  await w.connect()
  for (const [n, number] of ['0', UNREADABLE].entries()) {
    rig.terminal.onPush = (name, fields) => {
      const isWhole = name !== 'on_order_stock_async_response' || fields['order_id'] === number
      if (!isWhole) rig.terminal.push(name, { ...fields, order_id: number })
      return isWhole && name !== 'on_stock_order'
    }
    const callId = w.send({ kind: 'submit', order: order(20 + n) })
    while (rig.terminal.orders === n) await w.rows('asset')
    for (;;) {
      const barrier = w.send({ kind: 'barrier' })
      if ((await w.answerTo('barrierAnswered', barrier)).result.ok) break
    }
    t.match((await w.rows('orders')).rows.at(-1), { clientOrderId: keyOf(20 + n), status: 50 })
    const told = w.events.find((event) => 'callId' in event && event.callId === callId)
    t.notMatch(told, { outcome: { kind: 'rejected' } }, 'the order is at the counter')
  }
})

t.test('a refusal that a row contradicts is none', async (t) => {
  const rig = await XtRig.open({
    folder: t.testdir(),
    settings: oneThousandShares(),
    own: { refusal_text_ms: 60_000 },
  })
  t.teardown(() => rig.close())
  rig.terminal.tick(SH, BOOK)
  const w = new Witness(rig.driver())
  await w.connect()
  rig.terminal.onPush = (name, fields) => {
    if (name !== 'on_order_stock_async_response' || fields['order_id'] === '-1') return true
    rig.terminal.push(name, { ...fields, order_id: '-1', error_msg: '' })
    return false
  }
  const orderId = await w.submit(order(9))
  t.match(await w.rows('orders'), { rows: [{ orderId, clientOrderId: keyOf(9), status: 50 }] })
})
