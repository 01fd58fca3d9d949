import { createHash } from 'node:crypto'
import { request as httpRequest } from 'node:http'
import { setImmediate } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { ServiceError } from '../../../src/domain/errors.ts'
import { inTime } from '../../in-time.ts'
import { call, post } from '../fixtures/client.ts'
import { FakeLink, restarting } from '../fixtures/fake-service.ts'
import { directFront, gatewayFront } from '../fixtures/fronts.ts'

/** Whether an account hears of answers that its callers never got, or got after all. */

const MINE = '01ARZ3NDEKTSV4RRFFQ69G5FAV'
const PLACE = '/api/actions/place_order'
const ORDER = {
  stock_code: '600036',
  order_type: 23,
  order_volume: 200,
  price_type: 11,
  price: 36.5,
  client_order_id: MINE,
}
const TAKEN = { clientOrderId: MINE, orderId: '7', state: 'accepted', statusMessage: '' } as const
const source = 'http/direct/127.0.0.1'

/** What the account was told besides being asked. */
const notesOf = ({ asked }: FakeLink) => asked.filter(({ kind }) => kind === 'noteTold')
const missed = { kind: 'noteTold', told: [], untold: [MINE], source }
const given = { kind: 'noteTold', told: [MINE], untold: [], source }

/** A link that says when the account is asked, and answers orders when it is let. */
class SlowLink extends FakeLink {
  readonly reached = Promise.withResolvers<void>()
  readonly answer = Promise.withResolvers<void>()
  readonly #waiting = new Map<string, () => void>()

  constructor() {
    super('A')
    this.answers.placeOrder = { ...TAKEN, replayed: false }
    this.before = async (kind) => {
      this.#waiting.get(kind)?.()
      if (kind !== 'placeOrder') return
      this.reached.resolve()
      await this.answer.promise
    }
  }

  /** Resolves when it is asked so. */
  asks(kind: string): Promise<void> {
    const asked = new Promise<void>((resolve) => this.#waiting.set(kind, resolve))
    return inTime(asked, `the account being asked ${kind}`)
  }
}

/** A caller whose patience ends while the order is under way. */
async function leaves(port: number, link: SlowLink): Promise<void> {
  const request = httpRequest({
    host: '127.0.0.1',
    port,
    path: PLACE,
    method: 'POST',
    agent: false,
    headers: { 'Content-Type': 'application/json' },
  })
  request.on('error', () => undefined)
  request.end(JSON.stringify(ORDER))
  await inTime(link.reached.promise, 'the order at the account')
  request.destroy()
}

t.test(
  'who is gone before the answer was not told, and the account hears it at once',
  async (t) => {
    const link = new SlowLink()
    const { front } = await directFront(t, link)
    const told = link.asks('noteTold')
    await leaves(front.port, link)
    await told
    t.strictSame(notesOf(link), [missed], 'before the account has answered')
    const again = link.asks('noteTold')
    link.answer.resolve()
    await again
    t.strictSame(notesOf(link), [missed, missed], 'and when there is an answer for nobody')
  },
)

t.test('an answer after the end of its request was not told either', async (t) => {
  const link = new SlowLink()
  const { front } = await directFront(t, link, { limits: { requestTimeoutMs: 50 } })
  const told = link.asks('noteTold')
  t.equal((await post(front.port, PLACE, ORDER)).status, 504)
  await told
  t.strictSame(notesOf(link), [missed])
  link.answer.resolve()
})

t.test('who is answered that nobody knows was not told', async (t) => {
  const link = new FakeLink('A')
  const { front } = await directFront(t, link)
  link.before = async (kind) => {
    if (kind !== 'placeOrder') return
    await setImmediate()
    throw new ServiceError('DEADLINE_EXCEEDED', 'lost')
  }
  t.equal((await post(front.port, PLACE, ORDER)).status, 202)
  t.strictSame(notesOf(link), [missed])
})

t.test('an answer that goes the usual way costs nothing more', async (t) => {
  const link = new FakeLink('A')
  const { front } = await directFront(t, link)
  link.answers.placeOrder = { ...TAKEN, replayed: false }
  t.equal((await post(front.port, PLACE, ORDER)).status, 200)
  t.equal((await post(front.port, '/api/actions/execute_buy', BUY)).status, 200)
  link.answers.placeOrder = { ...TAKEN, orderId: '', state: 'unknown', replayed: false }
  t.equal(
    (await post(front.port, PLACE, ORDER)).status,
    202,
    'the account knows that it is in doubt',
  )
  t.strictSame(notesOf(link), [])
})
const BUY = { strategy: 'custom_stock', quantity: 1, stocks: ['600036'] }

t.test('an order like one that was answered comes with the news of that answer', async (t) => {
  const link = new FakeLink('A')
  const { front } = await directFront(t, link)
  link.answers.placeOrder = { ...TAKEN, replayed: false }
  t.equal((await post(front.port, PLACE, ORDER)).status, 200)
  const other = { ...ORDER, client_order_id: '01ARZ3NDEKTSV4RRFFQ69G5FB0' }
  t.equal((await post(front.port, PLACE, other)).status, 200)
  const kinds = link.asked.map(({ kind }) => kind)
  t.strictSame(kinds, ['placeOrder', 'noteTold', 'placeOrder'], 'before the account judges it')
  t.strictSame(notesOf(link), [given])
  t.equal((await post(front.port, PLACE, { ...other, order_volume: 300 })).status, 200)
  t.equal(notesOf(link).length, 1, 'another order needs no news')
})

const SECOND = { ...ORDER, client_order_id: '01ARZ3NDEKTSV4RRFFQ69G5FB0' }
const THIRD = { ...ORDER, client_order_id: '01ARZ3NDEKTSV4RRFFQ69G5FB1' }

t.test('an account that has doubted nothing since is told nothing', async (t) => {
  const link = new FakeLink('A')
  link.doubtsOfAnswers = 1
  const { front } = await directFront(t, link)
  for (const order of [ORDER, SECOND, THIRD]) {
    const { client_order_id: clientOrderId } = order
    link.answers.placeOrder = { ...TAKEN, clientOrderId, replayed: false }
    t.equal((await post(front.port, PLACE, order)).status, 200)
  }
  t.strictSame(notesOf(link), [], 'equal slices cost no message')
  link.doubtsOfAnswers = 2
  t.equal((await post(front.port, PLACE, THIRD)).status, 200)
  const all = [MINE, SECOND.client_order_id]
  t.strictSame(notesOf(link), [{ ...given, told: all }], 'once it does, of all the others')
})

t.test(
  'what an account came to doubt while it was asked is told with the next like order',
  async (t) => {
    const link = new FakeLink('A')
    link.doubtsOfAnswers = 1
    const { front } = await directFront(t, link)
    link.answers.placeOrder = { ...TAKEN, replayed: false }
    link.before = () => {
      link.doubtsOfAnswers = 2
    }
    t.equal((await post(front.port, PLACE, ORDER)).status, 200)
    link.answers.placeOrder = { ...TAKEN, clientOrderId: SECOND.client_order_id, replayed: false }
    t.equal((await post(front.port, PLACE, SECOND)).status, 200)
    t.strictSame(notesOf(link), [given])
    t.equal((await post(front.port, PLACE, SECOND)).status, 200)
    t.equal(notesOf(link).length, 1, 'and once it has been told it knows')
  },
)

t.test(
  'an account that could not be told is told again, though it doubts nothing new',
  async (t) => {
    const link = new FakeLink('A')
    link.doubtsOfAnswers = 1
    const { front } = await directFront(t, link)
    link.answers.placeOrder = { ...TAKEN, replayed: false }
    t.equal((await post(front.port, PLACE, ORDER)).status, 200)
    link.doubtsOfAnswers = 2
    link.before = async (kind) => {
      if (kind === 'noteTold') throw restarting()
    }
    link.answers.placeOrder = { ...TAKEN, clientOrderId: SECOND.client_order_id, replayed: false }
    t.equal((await post(front.port, PLACE, SECOND)).status, 200)
    t.equal((await post(front.port, PLACE, SECOND)).status, 200)
    t.equal(notesOf(link).length, 2)
  },
)

t.test('news of an answer that an account could not take comes with each like order', async (t) => {
  const link = new FakeLink('A')
  const { front } = await directFront(t, link, { limits: { tellingRetryMs: 60_000 } })
  link.answers.placeOrder = { ...TAKEN, replayed: false }
  t.equal((await post(front.port, PLACE, ORDER)).status, 200)
  link.before = async () => {
    throw restarting()
  }
  const other = { ...ORDER, client_order_id: '01ARZ3NDEKTSV4RRFFQ69G5FB0' }
  t.equal((await post(front.port, PLACE, other)).status, 503)
  link.before = async () => undefined
  t.equal((await post(front.port, PLACE, other)).status, 200)
  const kinds = link.asked.map(({ kind }) => kind)
  t.strictSame(kinds.slice(-2), ['noteTold', 'placeOrder'])
})

t.test('who asks again under the same key is told then', async (t) => {
  const link = new SlowLink()
  const { front } = await directFront(t, link)
  link.answer.resolve()
  link.answers.placeOrder = { ...TAKEN, replayed: true }
  const told = link.asks('noteTold')
  t.equal((await post(front.port, PLACE, ORDER)).status, 200)
  await told
  t.strictSame(notesOf(link), [given])
})

t.test(
  'an account that cannot be asked is told later, in order, as long as that helps',
  async (t) => {
    const link = new SlowLink()
    const limits = { tellingRetryMs: 10, tellingKeepMs: 60_000 }
    const { front } = await directFront(t, link, { limits })
    const { before } = link
    let failures = 3
    link.before = async (kind) => {
      if (kind === 'noteTold' && failures-- > 0) throw restarting()
      await before(kind)
    }
    const told = link.asks('noteTold')
    await leaves(front.port, link)
    await told
    t.strictSame(notesOf(link), [missed, missed, missed, missed])
  },
)

t.test(
  'of an answer that was missed and cannot be told at an end its account is doubtful',
  async (t) => {
    const link = new SlowLink()
    const limits = { tellingRetryMs: 60_000, drainTimeoutMs: 0 }
    const { front } = await directFront(t, link, { limits })
    const { before } = link
    link.before = async (kind) => {
      await before(kind)
      if (kind === 'noteTold') throw restarting()
    }
    const told = link.asks('noteTold')
    await leaves(front.port, link)
    await told
    t.equal(link.unsaid, 0, 'it is tried again')
    t.equal(await front.close(), true, 'nobody waits for an answer')
    t.ok(link.unsaid > 0)
  },
)

t.test('a front that closes says whether somebody still waited for an answer', async (t) => {
  const link = new SlowLink()
  const { front } = await directFront(t, link, { limits: { drainTimeoutMs: 0 } })
  const answered = post(front.port, PLACE, ORDER).catch(() => undefined)
  await inTime(link.reached.promise, 'the order at the account')
  t.equal(await front.close(), false)
  await answered
  t.ok(link.unsaid > 0, 'the account may not hear of it')
  link.answer.resolve()
})

t.test(
  'who was missed and asks again is told, although it is the first that the account hears',
  async (t) => {
    const link = new SlowLink()
    link.answer.resolve()
    const { before } = link
    const { front } = await directFront(t, link)
    link.before = async (kind) => {
      if (kind === 'noteTold') return before(kind)
      await setImmediate()
      throw restarting()
    }
    t.equal((await post(front.port, PLACE, ORDER)).status, 202)
    link.before = before
    const told = link.asks('noteTold')
    t.equal((await post(front.port, PLACE, ORDER)).status, 200)
    await told
    t.strictSame(notesOf(link), [missed, given])
    t.equal((await post(front.port, PLACE, ORDER)).status, 200)
    t.strictSame(notesOf(link), [missed, given], 'once')
  },
)

async function asked(t: Test, what: object, headers: Record<string, string> = {}) {
  const link = new FakeLink('A')
  const found = { row: { client_order_id: MINE, order_id: MINE }, answer: TAKEN, isUntold: true }
  Object.assign(link.answers, { findOrder: { ...found, ...what } })
  const named = (scope: 'view' | 'trade') => ({
    name: scope,
    hash: `sha256:${createHash('sha256').update(`to ${scope}`).digest('hex')}`,
    scope,
    accounts: [],
    expires: '',
  })
  const tokens = [named('view'), named('trade')]
  const { front } = await gatewayFront(t, [link], { tokens })
  const answer = await call(front.port, `/api/v1/accounts/A/orders/${MINE}`, { headers })
  await setImmediate()
  return { answer, link }
}
const SCRIPT = { 'X-API-Token': 'to trade' }

t.test('one order is asked for by its id, and whoever may have sent it is told', async (t) => {
  const { answer, link } = await asked(t, {}, SCRIPT)
  t.equal(answer.status, 200)
  t.match(answer.body, { data: { order_id: 7, client_order_id: MINE, outcome: 'accepted' } })
  t.match(link.asked[0], { kind: 'findOrder', id: MINE })
  t.match(notesOf(link), [{ told: [MINE], untold: [] }])
  const nobodyMissed = await asked(t, { isUntold: false }, SCRIPT)
  t.strictSame(notesOf(nobodyMissed.link), [])
  const screen = await asked(t, {}, { 'X-API-Token': 'to view' })
  t.equal(screen.answer.status, 200)
  t.strictSame(notesOf(screen.link), [], 'a screen places no orders')
  const inDoubt = { ...TAKEN, orderId: '', state: 'unknown' }
  const unknown = await asked(t, { answer: inDoubt }, SCRIPT)
  t.match(unknown.answer.body, { data: { order_id: null, outcome: 'unknown' } })
  t.strictSame(notesOf(unknown.link), [])
})

t.test('both backends know one order; what is no id is no order', async (t) => {
  const link = new FakeLink('A')
  const { front } = await directFront(t, link)
  Object.assign(link.answers, { findOrder: { row: {}, answer: TAKEN, isUntold: false } })
  const one = await call(front.port, `/api/orders/${MINE}`)
  t.match(one.body, { status: 'success', data: { order_id: 7, outcome: 'accepted' } })
  const none = await call(front.port, `/api/orders/${'x'.repeat(129)}`)
  t.match(none, { status: 404, body: { code: 'UNKNOWN_ORDER' } })
  t.equal((await call(front.port, '/api/orders/preview')).status, 405)
})

t.test('F461 the key of a request for several is answered with its orders', async (t) => {
  const link = new FakeLink('A')
  const { front } = await directFront(t, link)
  const request = {
    clientOrderId: MINE,
    state: 'queued',
    code: null,
    message: '已提交 1/2 笔委托 (1 of 2 orders sent)',
    successCount: 1,
    totalCount: 2,
    orders: [{ answer: TAKEN }],
    queued: [{ clientOrderId: `${MINE.slice(0, -1)}9`, code: '600036.SH' }],
    refusals: [],
  }
  Object.assign(link.answers, { findOrder: { request, isUntold: true } })
  const found = await call(front.port, '/api/orders/my-purchase')
  t.match(found, {
    status: 200,
    body: {
      data: {
        client_order_id: MINE,
        order_id: null,
        state: 'queued',
        outcome: 'unknown',
        orders: [{ client_order_id: MINE, order_id: 7, status: 'accepted' }],
        queued: [{ stock_code: '600036.SH' }],
        not_sent: [],
      },
    },
  })
  await setImmediate()
  t.match(notesOf(link), [{ told: [MINE], untold: [] }])
})
