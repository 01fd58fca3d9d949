import t from 'tap'
import { Follower } from '../../../src/drivers/gateway/follower.ts'
import type { PeerApi } from '../../../src/drivers/gateway/peer-api.ts'
import type { PeerAnswer } from '../../../src/drivers/gateway/peer-client.ts'
import { turnsUntil } from '../../in-time.ts'

const LIMITS = {
  pollMs: 1_000,
  streamPollMs: 1_000,
  streamSilenceMs: 1_000,
  streamRetryMs: 1_000,
  pollsFailedMax: 1,
  bytesMax: 1_000,
}
/** Fills of an order, each a row, and the order is one, too. */
const DAY = 5_000
/** Of a mailbox that may hold 4,096 by default. */
const TURN_MAX = 500

const answered = (data: object): PeerAnswer => ({
  kind: 'answered',
  status: 200,
  headers: {},
  json: { success: true, data },
})

t.test('F187 the rows of a whole day come in parts that an account can take', async (t) => {
  const rows = Array.from({ length: DAY }, (_, index) => ({ id: `${index}` }))
  const told = { orders: 0, deals: 0 }
  let inTurn = 0
  let most = 0
  const note = (what: 'orders' | 'deals') => () => {
    told[what] += 1
    inTurn += 1
    most = Math.max(most, inTurn)
  }
  const api = {
    status: () => Promise.resolve(answered({})),
    list: (what: string) => Promise.resolve(answered({ [what]: rows })),
  }
  const orderOf = ({ id }: { readonly id?: unknown }) => ({ orderId: String(id) })
  const dealOf = ({ id }: { readonly id?: unknown }) => ({ dealId: String(id) })
  const follower = new Follower({
    api: api as unknown as PeerApi,
    hasStream: false,
    limits: LIMITS,
    read: {
      orders: (found) => found.map(orderOf) as never,
      deals: (found) => found.map(dealOf) as never,
      positions: () => [],
    },
    order: note('orders'),
    deal: note('deals'),
    position: () => undefined,
    unusable: () => '',
    lost: (reason) => t.fail(reason),
  })
  t.teardown(() => follower.stop())
  follower.start()
  await turnsUntil(() => {
    inTurn = 0
    return told.orders === DAY && told.deals === DAY
  }, 'all rows')
  t.ok(most <= TURN_MAX, `${most} in one turn`)
})
