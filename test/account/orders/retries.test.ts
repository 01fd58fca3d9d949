import t from 'tap'
import { withKeys } from '../../../actors/account/keys.ts'
import { MINUTE_MS } from '../../../src/domain/exchange-time.ts'
import type { AccountRequest } from '../../../src/protocol/account.ts'
import type { DriverCommand } from '../../../src/protocol/driver.ts'
import type { OrderAnswer } from '../../../src/protocol/orders.ts'
import {
  BANK,
  Bench,
  brokerOrder,
  brokerPosition,
  commands,
  ORDER,
  policy,
  quote,
  replies,
} from '../fixture.ts'
import { accepted, gone, reborn, recovered, settle, started } from '../play.ts'

/**
 * A script without a memory: what it did not read as a success it sends again. It meets a broker that
 * answers late, never, or after the script is gone, and an account that dies. Counted is what left for
 * the broker: two orders for one intent are one too many, unless the script was told of the first.
 */

type Submit = Extract<DriverCommand, { kind: 'submit' }>
/** Its key is given anew with each request. */
type Intent = Extract<AccountRequest, { kind: 'placeOrder' | 'executeBuy' | 'executeSell' }>
const source = 'http/gateway/127.0.0.1/script'

const INTENTS: Readonly<Record<string, Intent>> = {
  purchase: { ...ORDER, side: 'buy' },
  sale: { ...ORDER, side: 'sell', requestHash: 'h2' },
  'purchase for an amount': {
    kind: 'executeBuy',
    key: '',
    requestHash: 'h3',
    strategy: 'custom_stock',
    count: 1,
    codes: [BANK],
    keys: [],
    source,
  },
  'sale of a part': {
    kind: 'executeSell',
    key: '',
    requestHash: 'h4',
    code: BANK,
    ratio: 0.5,
    priceType: 5,
    price: 0,
    source,
  },
}

/** One script, what left the account for its intent, and what it was answered. */
class Story {
  bench = new Bench()
  readonly sent: Submit[] = []
  readonly answers: OrderAnswer[] = []
  readonly refusals: { readonly code: string; readonly message: string }[] = []
  readonly intent: Intent
  #ref = 100

  constructor(intent: Intent) {
    this.intent = intent
    this.bench.ready([brokerPosition()])
    this.bench.quotes.set(BANK, quote(36.5))
  }

  get first(): Submit {
    const [first] = this.sent
    if (first === undefined) throw new Error('nothing was sent')
    return first
  }

  get firstId(): string {
    return this.first.order.clientOrderId
  }

  /** Sends the intent; an empty key is none. */
  send(key: string): void {
    const request: Intent = { ...this.intent, key }
    const { state, nowMs } = this.bench
    this.ask(withKeys(state, request, nowMs))
  }

  ask(request: AccountRequest): void {
    this.#ref += 1
    this.note(this.bench.input({ kind: 'request', ref: this.#ref, request } as never))
  }

  note(effects: readonly ReturnType<Bench['input']>[number][]): void {
    for (const command of commands(effects)) if (command.kind === 'submit') this.sent.push(command)
    for (const reply of replies(effects)) this.answers.push(...answersIn(reply))
    for (const effect of effects) if (effect.kind === 'refuse') this.refusals.push(effect.error)
  }

  /** The front says whether the caller of these got to know what became of them. */
  tell(what: 'told' | 'untold', ...keys: readonly string[]): void {
    const none = { told: [], untold: [] }
    this.ask({ kind: 'noteTold', ...none, [what]: keys, source })
  }

  isTaken(): void {
    const { callId, order } = this.first
    this.note(this.bench.input(accepted(callId, '1001', order.clientOrderId)))
  }

  callTimesOut(): void {
    this.note(this.bench.input({ kind: 'callTimedOut', callId: this.first.callId }))
  }

  wait(ms: number): void {
    this.bench.nowMs += ms
    this.bench.wallMs += ms
    this.bench.quotes.set(BANK, quote(36.6, this.bench.nowMs))
  }

  /** What the trading client lists of it. */
  get row() {
    const { clientOrderId, side, quantity, priceType, price } = this.first.order
    const timeMs = this.bench.nowMs
    return brokerOrder({ clientOrderId, side, quantity, priceType, price, timeMs })
  }

  /** The thread or the process ends, and another reads what was durable. */
  dies(): void {
    const { bench } = this
    this.bench = reborn(bench)
    this.bench.journal.unshift(...bench.journal)
    this.bench.quotes.set(BANK, quote(36.5, bench.nowMs))
    const rows = { positions: [brokerPosition()], orders: [this.row] }
    this.note(started(this.bench, rows))
  }
}

const answersIn = (reply: unknown): readonly OrderAnswer[] => {
  const { orders } = reply as { readonly orders?: readonly OrderAnswer[] }
  return orders ?? ('clientOrderId' in (reply as object) ? [reply as OrderAnswer] : [])
}

const KEY = 'first-key'
/** What happens between the first request and the next, and what the next one is refused with. */
const MOMENTS: Readonly<Record<string, readonly [code: string, (story: Story) => void]>> = {
  'a 202 that it reads as −1': [
    'ORDER_IN_DOUBT_HELD',
    (story) => {
      story.callTimesOut()
      t.match(story.answers, [{ state: 'unknown', orderId: '' }])
    },
  ],
  'a 202, and then the order is found': [
    'ORDER_UNTOLD',
    (story) => {
      story.callTimesOut()
      story.wait(2_000)
      settle(story.bench, { positions: [brokerPosition()], orders: [story.row] })
      story.wait(30_000)
    },
  ],
  'a 202 of an account that answered too late': [
    'ORDER_UNTOLD',
    (story) => {
      story.tell('untold', story.firstId)
      story.isTaken()
      story.wait(30_000)
    },
  ],
  'an answer that could not be delivered': [
    'ORDER_UNTOLD',
    (story) => {
      story.isTaken()
      story.tell('untold', story.firstId)
    },
  ],
  'its own patience, while the call hangs': [
    'ORDER_UNTOLD',
    (story) => story.tell('untold', story.firstId),
  ],
  'a connection to the broker that breaks': [
    'ORDER_IN_DOUBT_HELD',
    (story) => {
      story.note(story.bench.input(gone))
      story.note(recovered(story.bench, { positions: [brokerPosition()] }))
    },
  ],
  'an account that dies before the answer': ['ORDER_UNTOLD', (story) => story.dies()],
  'an account that dies right after it': [
    'ORDER_UNTOLD',
    (story) => {
      story.isTaken()
      story.dies()
      story.wait(MINUTE_MS)
    },
  ],
  'an account that dies twice': [
    'ORDER_UNTOLD',
    (story) => {
      story.isTaken()
      story.dies()
      story.wait(MINUTE_MS)
      story.dies()
    },
  ],
}

for (const [what, intent] of Object.entries(INTENTS)) {
  for (const [moment, [code, happens]] of Object.entries(MOMENTS)) {
    t.test(`one ${what} is one order, after ${moment}`, async (t) => {
      for (const [manner, again] of [
        ['another key', 'second-key'],
        ['no key', ''],
      ] as const) {
        const story = new Story(intent)
        story.send(manner === 'no key' ? '' : KEY)
        happens(story)
        story.send(again)
        story.wait(1_000)
        story.send(again === '' ? '' : 'third-key')
        t.equal(story.sent.length, 1, `${manner}: one order`)
        t.equal(story.refusals.length, 2, manner)
        for (const refusal of story.refusals) {
          t.equal(refusal.code, code, manner)
          t.match(refusal.message, story.firstId, 'names the order that it may repeat')
        }
      }
    })

    t.test(`the same key asks for that ${what}, after ${moment}`, async (t) => {
      for (const asked of [(_: Story) => KEY, (story: Story) => story.firstId]) {
        const story = new Story(intent)
        story.send(KEY)
        happens(story)
        const before = story.answers.length
        story.send(asked(story))
        story.send(asked(story))
        t.equal(story.sent.length, 1, 'one order')
        t.strictSame(story.refusals, [])
        for (const answer of story.answers.slice(before)) {
          t.match(answer, { clientOrderId: story.firstId, replayed: true })
        }
      }
    })
  }
}

for (const [what, intent] of Object.entries(INTENTS)) {
  t.test(
    `one ${what} is one order, where the news that nobody hears of it comes first`,
    async (t) => {
      const story = new Story(intent)
      const { state, nowMs } = story.bench
      const request = withKeys(state, { ...intent, key: KEY }, nowMs)
      story.tell('untold', 'key' in request ? request.key : '')
      story.ask(request)
      story.isTaken()
      story.send('second-key')
      t.equal(story.sent.length, 1)
      t.match(story.refusals, [{ code: 'ORDER_UNTOLD' }])
    },
  )
}

t.test('equal slices under other keys pass, as long as each was answered', async (t) => {
  const story = new Story(INTENTS['sale'] ?? ORDER)
  for (const key of ['1', '2', '3', '']) story.send(key)
  t.equal(story.sent.length, 4)
  t.strictSame(story.refusals, [])
})

t.test('who was told may order the same again', async (t) => {
  const ways: Readonly<Record<string, (story: Story) => void>> = {
    'the front says so': (story) => story.tell('told', story.firstId),
    'a while has passed': (story) => story.wait(policy.limits.untoldMs),
    'it came to nothing': (story) => {
      story.bench.input({
        kind: 'driver',
        event: { kind: 'orderPushed', order: { ...story.row, status: 54 } },
      })
    },
  }
  for (const [way, tell] of Object.entries(ways)) {
    const story = new Story(INTENTS['purchase'] ?? ORDER)
    story.send(KEY)
    story.isTaken()
    story.tell('untold', story.firstId)
    story.send('second-key')
    t.equal(story.sent.length, 1, way)
    tell(story)
    story.send('third-key')
    t.equal(story.sent.length, 2, way)
  }
})
