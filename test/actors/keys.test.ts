import t from 'tap'
import { withKeys } from '../../actors/account/keys.ts'
import { emptyState } from '../../src/account/model/state.ts'
import type { ExecuteBuy } from '../../src/protocol/orders.ts'
import { Bench, MORNING_MS, ORDER, policy } from '../account/fixture.ts'

const of = (accountId: string) => new Bench(emptyState({ ...policy, accountId })).state
const keyOf = (accountId: string, key: string): string => {
  const command = withKeys(of(accountId), { ...ORDER, key }, MORNING_MS)
  return 'key' in command ? command.key : ''
}

t.test("a caller's key is one id in one account, and another in the next", async (t) => {
  const id = keyOf('10000001', 'my-order')
  t.equal(keyOf('10000001', 'my-order'), id, 'whenever it comes')
  t.not(keyOf('10000001', 'my-other-order'), id)
  t.not(keyOf('10000002', 'my-order'), id, 'two accounts of one client must not share a remark')
})

t.test('each stock of a request has an id of its own under the one key', async (t) => {
  const buy: ExecuteBuy = {
    kind: 'executeBuy',
    key: 'my-choice',
    keys: [],
    requestHash: 'h',
    strategy: 'custom_stock',
    count: 2,
    codes: ['600036.SH', '000001.SZ'],
    source: 'test',
  }
  const keysOf = (codes: readonly string[]) => {
    const command = withKeys(of('10000001'), { ...buy, codes: [...codes] }, MORNING_MS)
    return command.kind === 'executeBuy' ? command.keys : []
  }
  const [first, second] = keysOf(buy.codes)
  t.ok(first && second && first !== second)
  t.strictSame(keysOf([...buy.codes].reverse()), [second, first], 'in whatever order')
})
