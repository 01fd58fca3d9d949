import t from 'tap'
import { isKeySpent } from '../../web/console/send.ts'
import { Fault } from '../../web/shared/fault.ts'

const fault = (status: number, code: string) => new Fault('refused', code, { status, code })

t.test('an order gets another key only where the one it had can have sent none', async (t) => {
  for (const code of ['KILL_SWITCH', 'INSUFFICIENT_CASH', 'ORDER_RATE', 'ORDER_WITHDRAWN']) {
    t.equal(isKeySpent(fault(409, code)), true, code)
  }
  // Whoever had no answer before may have one of these now, and an order that works.
  for (const code of ['RECONCILE_REQUIRED', 'IDEMPOTENCY_MISMATCH', 'OTHER_ACCOUNT', 'CONFLICT']) {
    t.equal(isKeySpent(fault(409, code)), false, code)
  }
  for (const [status, code] of [
    [504, 'DEADLINE_EXCEEDED'],
    [503, 'NOT_CONNECTED'],
    [500, 'INTERNAL'],
    [400, 'VALIDATION'],
  ] as const) {
    t.equal(isKeySpent(fault(status, code)), false, code)
  }
  t.equal(isKeySpent(new Fault('connection', '')), false)
})
