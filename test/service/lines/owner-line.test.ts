import t from 'tap'
import type { AccountRequest } from '../../../src/protocol/account.ts'
import { type Forwarded, mayChange } from '../../../src/service/lines/owner-line.ts'

const asked = (kind: AccountRequest['kind']) =>
  ({ target: 'account', body: { kind } }) as unknown as Forwarded

t.test('what only reads may be asked again of the next owner, nothing else may', async (t) => {
  const reads = ['read', 'audit', 'earningsAsk', 'findOrder', 'gridAsk', 'previewOrder'] as const
  for (const kind of reads) t.notOk(mayChange(asked(kind)), kind)
  const changes = ['placeOrder', 'cancelOrder', 'setKillSwitch', 'noteTold', 'gridStart'] as const
  for (const kind of changes) t.ok(mayChange(asked(kind)), kind)
  t.notOk(mayChange({ target: 'health' }))
  t.ok(mayChange({ target: 'withdraw', correlationId: 'x' }))
  t.ok(mayChange({ target: 'restart' }))
})
