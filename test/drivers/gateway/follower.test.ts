import t, { type Test } from 'tap'
import { Follower, type FollowerOptions } from '../../../src/drivers/gateway/follower.ts'
import type { PeerApi } from '../../../src/drivers/gateway/peer-api.ts'
import type { PeerAnswer } from '../../../src/drivers/gateway/peer-client.ts'
import { inTime, turnsUntil } from '../../in-time.ts'

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

const answered = (data: object): Extract<PeerAnswer, { kind: 'answered' }> => ({
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

/** A follower of an account without rows, whose status is answered with each of these, the last one for ever. */
function following(t: Test, statuses: readonly number[], parts: Partial<FollowerOptions> = {}) {
  const left = [...statuses]
  const lost = Promise.withResolvers<string>()
  let looks = 0
  const api = {
    status: async (): Promise<PeerAnswer> => {
      looks += 1
      const status = (left.length > 1 ? left.shift() : left[0]) ?? 200
      return { ...answered({}), status }
    },
    list: (what: string) => Promise.resolve(answered({ [what]: [] })),
  }
  const follower = new Follower({
    api: api as unknown as PeerApi,
    hasStream: false,
    limits: { ...LIMITS, pollMs: 1, pollsFailedMax: 3 },
    read: { orders: () => [], deals: () => [], positions: () => [] },
    order: () => undefined,
    deal: () => undefined,
    position: () => undefined,
    unusable: (answer) => (answer.kind === 'answered' && answer.status === 200 ? '' : 'refused'),
    lost: lost.resolve,
    ...parts,
  })
  t.teardown(() => follower.stop())
  follower.start()
  return { lost: lost.promise, looks: () => looks }
}

t.test(
  'F245 a gateway that has no time now is asked again; one that goes on so is gone',
  async (t) => {
    const { lost, looks } = following(t, [200, 503, 429, 200, 500, 502, 200])
    const early = lost.then((reason) => t.fail(reason))
    await Promise.race([turnsUntil(() => looks() > 10, 'the looks after it'), early])
    for (const status of [503, 429]) {
      const { lost } = following(t, [status])
      t.match(await inTime(lost, 'the account to be lost'), /无应答/)
    }
    const refused = following(t, [401])
    t.equal(await inTime(refused.lost, 'the account to be lost'), 'refused')
    t.equal(refused.looks(), 1, 'a refusal counts at once')
  },
)

t.test('F247 what nobody foresaw ends the connection, and not the process', async (t) => {
  const read: FollowerOptions['read'] = {
    orders: () => {
      throw new TypeError('nobody foresaw this')
    },
    deals: () => [],
    positions: () => [],
  }
  const { lost } = following(t, [200], { read })
  t.match(await inTime(lost, 'the account to be lost'), /nobody foresaw this/)
})

/** A gateway with one row in each list. Who names the tag of a list is told that it is the same, and gets no rows. */
function tagging(t: Test, failing: readonly string[], hasStream = true) {
  const tags: string[] = []
  const toFail = [...failing]
  const told: string[] = []
  const all = Promise.withResolvers<void>()
  const note = (what: string) => () => {
    told.push(what)
    if (new Set(told).size === 3) all.resolve()
  }
  const api = {
    status: () => Promise.resolve(answered({})),
    events: () => Promise.reject(new Error('none')),
    list: async (what: string, tag = ''): Promise<PeerAnswer> => {
      tags.push(tag)
      if (what === toFail[0]) {
        toFail.shift()
        return { kind: 'lost', message: 'cut off', mayHaveArrived: true }
      }
      if (tag === `"${what}"`) return { ...answered({}), status: 304, json: undefined }
      return { ...answered({ [what]: [{}] }), headers: { etag: `"${what}"` } }
    },
  }
  const follower = new Follower({
    api: api as unknown as PeerApi,
    hasStream,
    limits: { ...LIMITS, pollMs: 1, pollsFailedMax: 3 },
    read: {
      orders: (rows) => rows.map(() => ({ orderId: '1' })) as never,
      deals: (rows) => rows.map(() => ({ dealId: '1' })) as never,
      positions: (rows) => rows.map(() => ({ code: '600000.SH' })) as never,
    },
    order: note('order'),
    deal: note('deal'),
    position: note('position'),
    unusable: () => '',
    lost: (reason) => t.fail(reason),
  })
  t.teardown(() => follower.stop())
  follower.start()
  return { all: all.promise, told, tags }
}

t.test('F382 news of one list outlive the failure of another', async (t) => {
  for (const failing of [
    ['orders'],
    ['trades'],
    ['positions'],
    ['trades', 'orders', 'positions'],
  ]) {
    const { all, told } = tagging(t, failing)
    await inTime(all, `an order, a deal and a position, where ${failing} failed`)
    t.same([...told].sort(), ['deal', 'order', 'position'], 'and each is told once')
  }
})

t.test('F382 a gateway without keys sends its lists whole each time', async (t) => {
  const { all, tags } = tagging(t, [], false)
  await inTime(all, 'an order, a deal and a position')
  const first = tags.length
  await turnsUntil(() => tags.length > first + 2, 'more looks')
  t.ok(
    tags.every((tag) => tag === ''),
    'rows that were held back come again',
  )
})
