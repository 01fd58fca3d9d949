import { MessageChannel } from 'node:worker_threads'
import fc from 'fast-check'
import t from 'tap'
import { Mailbox, type MailboxLane, type MailboxLimits } from '../../src/runtime/mailbox.ts'
import { startThread } from '../../src/runtime/thread.ts'
import { turnsUntil } from '../in-time.ts'

const LIMITS: MailboxLimits = { requestsMax: 4, eventsMax: 4 }
const ROOMY: MailboxLimits = { requestsMax: 10_000, eventsMax: 10_000 }
const turnOfTheLoop = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

/** A mailbox that notes what it receives; `idle` resolves when `count` messages have come. */
function notebook(limits: MailboxLimits, count: number) {
  const seen: string[] = []
  const done = Promise.withResolvers<void>()
  const receive = (message: string): void => {
    if (seen.push(message) === count) done.resolve()
  }
  return { mailbox: new Mailbox({ limits, receive }), seen, done: done.promise }
}

t.test('lanes are served by urgency, each in order', async (t) => {
  const { mailbox, seen, done } = notebook(LIMITS, 8)
  for (const n of [1, 2]) {
    for (const lane of ['tick', 'request', 'event', 'system'] as const) {
      t.ok(mailbox.offer(lane, `${lane} ${n}`))
    }
  }
  t.equal(mailbox.depth('event'), 2)
  t.strictSame(seen, [], 'nothing is received inside of `offer`')
  await done
  t.equal(
    seen.join(', '),
    'system 1, system 2, event 1, event 2, request 1, request 2, tick 1, tick 2',
  )
  t.equal(mailbox.depth('event'), 0)
})

t.test(
  'a full lane refuses requests and ticks, and throws at events and system messages',
  async (t) => {
    const { mailbox, seen, done } = notebook(LIMITS, 16)
    for (const lane of ['system', 'event', 'request', 'tick'] as const) {
      for (let n = 1; n <= 4; n++) t.ok(mailbox.offer(lane, lane))
    }
    t.equal(mailbox.offer('request', 'one too many'), false)
    t.equal(mailbox.offer('tick', 'one too many'), false)
    t.throws(() => mailbox.offer('event', 'one too many'), RangeError)
    t.throws(() => mailbox.offer('system', 'one too many'), RangeError)
    await done
    t.equal(seen.length, 16)
    t.notOk(seen.includes('one too many'))
    t.ok(mailbox.offer('request', 'there is room again'))
  },
)

t.test('one message at a time: the next waits for an asynchronous one', async (t) => {
  const log: string[] = []
  const done = Promise.withResolvers<void>()
  const mailbox = new Mailbox<string>({
    limits: LIMITS,
    receive: async (message) => {
      log.push(`${message} begins`)
      if (message === 'first') mailbox.offer('system', 'urgent')
      await turnOfTheLoop()
      log.push(`${message} ends`)
      if (message === 'second') done.resolve()
    },
  })
  mailbox.offer('request', 'first')
  mailbox.offer('request', 'second')
  await done.promise
  t.strictSame(log, [
    'first begins',
    'first ends',
    'urgent begins',
    'urgent ends',
    'second begins',
    'second ends',
  ])
})

t.test('a lane that never empties starves nobody', async (t) => {
  const limits = { ...ROOMY, overtakesMax: 8 }
  const seen: string[] = []
  const done = Promise.withResolvers<void>()
  const mailbox = new Mailbox<MailboxLane>({
    limits,
    receive: (lane) => {
      seen.push(lane)
      if (lane === 'system' || lane === 'event') mailbox.offer(lane, lane) // and so on for ever
      if (seen.length === 200) {
        mailbox.close()
        done.resolve()
      }
    },
  })
  for (const lane of ['tick', 'request', 'event', 'system'] as const) mailbox.offer(lane, lane)
  await done.promise
  for (const lane of ['event', 'request', 'tick'] as const) {
    const first = seen.indexOf(lane)
    t.ok(first >= 8 && first <= 3 * 8, `${lane} waited for ${first} others`)
  }
  t.ok(seen.filter((lane) => lane === 'system').length > 150, 'urgent ones come first all the same')
})

t.test('a turn of the event loop receives a bounded number of messages', async (t) => {
  const turns: number[] = []
  let received = 0
  const done = Promise.withResolvers<void>()
  const mailbox = new Mailbox<number>({
    limits: { ...ROOMY, turnMessagesMax: 10 },
    receive: () => {
      received++
    },
    batchEnd: () => {
      turns.push(received)
      if (received === 25) done.resolve()
    },
  })
  for (let n = 0; n < 25; n++) mailbox.offer('request', n)
  await done.promise
  t.strictSame(turns, [10, 20, 25])
})

t.test(
  'what belongs to a message is received with it: of its lane, in order, so many',
  async (t) => {
    const seen: string[][] = []
    const done = Promise.withResolvers<void>()
    const mailbox = new Mailbox<string>({
      limits: { ...ROOMY, togetherMax: 3 },
      receive: (message, others) => {
        seen.push([message, ...others])
        if (seen.flat().length === 11) done.resolve()
      },
      belongs: (message, before) => message.startsWith('news') && before.startsWith('news'),
    })
    for (const n of [1, 2, 3, 4]) mailbox.offer('event', `news ${n}`)
    for (const n of [1, 2]) mailbox.offer('event', `else ${n}`)
    for (const n of [5, 6]) mailbox.offer('event', `news ${n}`)
    for (const lane of ['request', 'tick', 'tick'] as const) mailbox.offer(lane, 'news elsewhere')
    await done.promise
    t.strictSame(seen, [
      ['news 1', 'news 2', 'news 3'],
      ['news 4'],
      ['else 1'],
      ['else 2'],
      ['news 5', 'news 6'],
      ['news elsewhere'],
      ['news elsewhere', 'news elsewhere'],
    ])
  },
)

t.test('timers and ports are served while an actor talks to itself without end', async (t) => {
  const mailbox = new Mailbox<string>({
    limits: LIMITS,
    receive: async (message) => {
      mailbox.offer('event', message)
    },
  })
  mailbox.offer('event', 'again')
  const { port1, port2 } = new MessageChannel()
  const heard = new Promise((resolve) => port2.once('message', resolve))
  await new Promise((resolve) => setTimeout(resolve, 1))
  port1.postMessage('hello')
  t.equal(await heard, 'hello')
  mailbox.close()
  port1.close()
})

t.test('a closed mailbox drops what waits and refuses the rest', async (t) => {
  const { mailbox, seen } = notebook(LIMITS, 1)
  mailbox.offer('request', 'too late')
  mailbox.close()
  for (const lane of ['system', 'event', 'request', 'tick'] as const) {
    t.equal(mailbox.offer(lane, 'later'), false)
    t.equal(mailbox.depth(lane), 0)
  }
  await turnOfTheLoop()
  t.strictSame(seen, [])
})

for (const how of ['sync', 'async', 'turn'] as const) {
  t.test(
    `an error of an actor's own code (${how}) ends its thread, and nothing follows`,
    async (t) => {
      const { port1, port2 } = new MessageChannel()
      const seen: unknown[] = []
      port1.on('message', (message) => seen.push(message))
      const thread = startThread({
        entry: 'test/runtime/fixtures/mailbox.thread.ts',
        name: 'mailbox',
        data: { how },
        ports: { out: port2 },
      })
      t.match(await thread.exited, { code: 1, error: { message: `planted: ${how}` } })
      // What it said before its end may be heard after it.
      await turnsUntil(() => seen.length >= 2, 'what the thread said before its end')
      t.strictSame(seen, ['one', 'bad'])
    },
  )
}

t.test(
  'whatever is offered, each lane keeps its order and nothing is lost or doubled',
  async () => {
    const lane = fc.constantFrom<MailboxLane[]>('system', 'event', 'request', 'tick')
    const offers = fc.array(fc.record({ lane, isAsync: fc.boolean() }), { maxLength: 200 })
    const limits = fc.record({
      requestsMax: fc.constant(10_000),
      eventsMax: fc.constant(10_000),
      turnMessagesMax: fc.integer({ min: 0, max: 5 }),
      overtakesMax: fc.integer({ min: 0, max: 5 }),
      togetherMax: fc.integer({ min: 1, max: 5 }),
    })
    const property = fc.asyncProperty(offers, limits, async (offers, limits) => {
      const seen: number[] = []
      const mailbox = new Mailbox<number>({
        limits,
        receive: (n, others) => {
          seen.push(n, ...others)
          return offers[n]?.isAsync === true ? Promise.resolve() : undefined
        },
        belongs: (n, before) => offers[n]?.isAsync === offers[before]?.isAsync,
      })
      for (const [n, { lane }] of offers.entries()) {
        mailbox.offer(lane, n)
        if (n % 50 === 49) await turnOfTheLoop()
      }
      while (seen.length < offers.length) await turnOfTheLoop()
      const laneOf = (n: number): MailboxLane | undefined => offers[n]?.lane
      return (['system', 'event', 'request', 'tick'] as const).every((lane) => {
        const order = seen.filter((n) => laneOf(n) === lane)
        const isSorted = order.every((n, i) => i === 0 || n > (order[i - 1] ?? n))
        return isSorted && order.length === offers.filter((offer) => offer.lane === lane).length
      })
    })
    await fc.assert(property, { numRuns: 50 })
  },
)
