import t from 'tap'
import { compare, connect, DEAL_KEY, fill, tell, together } from '../client.ts'
import { type Bench, brokerOrder } from '../fixture.ts'
import { count, dealt, gone, reborn, timer } from '../play.ts'

const OTHER = '01ARZ3NDEKTSV4RRFFQ69G5FAW'
/** Moments of the exchange, 2026-08-12 and the Saturday of that week. */
const [NIGHT, MORNING, TRADING, SATURDAY] = [
  '2026-08-12T00:00:05+08:00',
  '2026-08-12T09:10:00+08:00',
  '2026-08-12T09:31:00+08:00',
  '2026-08-15T11:00:00+08:00',
].map((text) => Date.parse(text)) as [number, number, number, number]

/** It is then, and the client still lists what it did before, without a time. */
function listedAt(bench: Bench, client: ReturnType<typeof together>['client'], nowMs: number) {
  bench.nowMs = nowMs
  bench.wallMs = nowMs
  const undated = { timeMs: nowMs, isUndated: true } as const
  client.deals = client.deals.map((deal) => ({ ...deal, ...undated }))
  client.orders = client.orders.map((order) => ({ ...order, clientOrderId: '', ...undated }))
}

t.test(
  'F903 a deal without a time that is listed again after midnight is booked once',
  async (t) => {
    const { bench, client } = together()
    fill(bench, client)
    tell(bench, client)
    listedAt(bench, client, NIGHT)
    bench.input({ kind: 'dayOpened', day: '2026-08-12' })
    t.strictSame(compare(bench, client), [], 'a comparison finds it known')
    tell(bench, client)
    bench.input(gone)
    connect(bench, client, bench.input(timer('reconnect')))
    listedAt(bench, client, MORNING)
    compare(bench, client)
    t.equal(count(bench, 'dealBooked'), 1)
    t.equal(bench.state.orders.size, 1, 'nor is its order one of today')
    t.match([...bench.state.deals.values()], [{ deal: { isUndated: undefined } }])

    const next = reborn(bench)
    connect(next, client, next.input({ kind: 'started', incarnation: 2, day: '2026-08-12' }))
    t.equal(count(next, 'dealBooked'), 0, 'nor after a start')
    listedAt(next, client, SATURDAY)
    compare(next, client)
    t.equal(count(next, 'dealBooked'), 0, 'nor on a day without trading')
    t.strictSame([...next.state.deals.keys()], [DEAL_KEY])
  },
)

t.test('F903 one that is told while today trades is of today', async (t) => {
  const { bench, client } = together()
  fill(bench, client)
  tell(bench, client)
  bench.nowMs = NIGHT
  bench.wallMs = NIGHT
  bench.input({ kind: 'dayOpened', day: '2026-08-12' })
  listedAt(bench, client, TRADING)
  tell(bench, client)
  t.equal(count(bench, 'dealBooked'), 2, 'counters begin their numbers anew')
})

t.test('F903 one that waits for the auction under a number of yesterday is of today', async (t) => {
  const { bench, client } = together()
  fill(bench, client)
  tell(bench, client)
  bench.nowMs = MORNING
  bench.wallMs = MORNING
  bench.input({ kind: 'dayOpened', day: '2026-08-12' })
  bench.place({ key: OTHER })
  client.orders = [brokerOrder({ clientOrderId: OTHER, timeMs: MORNING })]
  tell(bench, client)
  client.orders = [brokerOrder({ clientOrderId: '', timeMs: MORNING, isUndated: true })]
  compare(bench, client)
  compare(bench, client)
  t.strictSame([...bench.state.unlisted], [], 'it is not missed')
  t.match(bench.state.orders.get(OTHER), { status: 'accepted', day: '2026-08-12' })
})

t.test('F903 one that was told in trading hours and arrives later is of those', async (t) => {
  const { bench, client } = together()
  fill(bench, client)
  tell(bench, client)
  listedAt(bench, client, TRADING)
  const kept = client.deals
  bench.input({ kind: 'dayOpened', day: '2026-08-12' })
  bench.nowMs = SATURDAY
  bench.wallMs = SATURDAY
  bench.input({ kind: 'dayOpened', day: '2026-08-15' })
  for (const deal of kept) bench.input(dealt(deal))
  t.equal(count(bench, 'dealBooked'), 2)
  t.strictSame([...bench.state.deals.keys()], [DEAL_KEY, DEAL_KEY.replace('11', '12')])
})

t.test('F903 also where the client has numbered its orders anew', async (t) => {
  const { bench, client } = together()
  fill(bench, client)
  tell(bench, client)
  client.orders.push(brokerOrder({ orderId: '1002', clientOrderId: OTHER, isOthers: true }))
  tell(bench, client)
  bench.nowMs = MORNING
  bench.wallMs = MORNING
  bench.input({ kind: 'dayOpened', day: '2026-08-12' })
  const undated = { timeMs: MORNING, isUndated: true } as const
  const anew: Readonly<Record<string, string>> = { 1001: '7', 1002: '1002' }
  const numbered = <R extends { orderId: string }>(row: R) => ({
    ...row,
    ...undated,
    orderId: anew[row.orderId] ?? '',
  })
  client.orders = client.orders.map(numbered)
  client.deals = client.deals.map(numbered)
  compare(bench, client)
  tell(bench, client)
  compare(bench, client)
  t.equal(count(bench, 'dealBooked'), 1)
  t.equal(bench.state.orders.size, 2)
  t.notOk([...bench.state.orders.values()].some(({ day }) => day === '2026-08-12'))
})

t.test('F903 nor is one that still rests an order of yesterday that has ended', async (t) => {
  const { bench, client } = together()
  fill(bench, client)
  tell(bench, client)
  bench.nowMs = MORNING
  bench.wallMs = MORNING
  bench.input({ kind: 'dayOpened', day: '2026-08-12' })
  client.orders = [brokerOrder({ clientOrderId: '', timeMs: MORNING, isUndated: true })]
  compare(bench, client)
  t.match(
    [...bench.state.orders.values()].map(({ day, status }) => [day, status]),
    [
      ['2026-08-11', 'filled'],
      ['2026-08-12', 'accepted'],
    ],
  )
})
