import t from 'tap'
import { refusalOfLate } from '../../src/drivers/refusal.ts'
import type { DriverCommand } from '../../src/protocol/driver.ts'
import { orderOf } from './fixtures/paper.ts'

const order = orderOf({ clientOrderId: 'an order' })
const submit: DriverCommand = { kind: 'submit', callId: 7, order }
const cancel: DriverCommand = { kind: 'cancel', callId: 8, orderId: '1' }

t.test('an order that its host finds too late is not sent; a cancel always is', async (t) => {
  const late = { kind: 'command', command: submit, untilMs: 1_000 } as const
  t.equal(refusalOfLate(late, 1_000), undefined)
  t.match(refusalOfLate(late, 1_001), {
    kind: 'submitAnswered',
    callId: 7,
    clientOrderId: 'an order',
    outcome: { kind: 'rejected', isTooLate: true },
  })
  t.equal(refusalOfLate({ kind: 'command', command: cancel, untilMs: 1_000 }, 1_001), undefined)
  t.equal(refusalOfLate({ kind: 'command', command: submit }, 1e9), undefined, 'of no limit')
})
