import { strict as assert } from 'node:assert'
import fc from 'fast-check'
import t from 'tap'
import { emptyState } from '../../../src/account/model/state.ts'
import type { AccountInput } from '../../../src/account/step.ts'
import type { Effect } from '../../../src/account/turn/turn.ts'
import type { StockCode } from '../../../src/domain/instrument.ts'
import type { KillLevel } from '../../../src/domain/kill-level.ts'
import type { Price, Quantity } from '../../../src/domain/money.ts'
import {
  BANK,
  Bench,
  brokerPosition,
  commands,
  keyOf,
  ORDER,
  policy,
  quote,
  yuan,
} from '../fixture.ts'
import { accepted } from '../play.ts'
import { purchase } from './paced.ts'

const RUNS = 400
const KEYS_MAX = 60
const { pacedWaitMs, pacedBatchMs, callTimeoutMs } = policy.limits

/** Each may be sold by a stop once. */
const HELD = [BANK, ...Array.from({ length: 9 }, (_, n) => `60100${n}.SH` as StockCode)]

type Request = Extract<AccountInput, { kind: 'request' }>['request']

const ms = (max: number) => fc.integer({ min: 0, max })
const move = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({ kind: fc.constant('place' as const), patienceMs: ms(9_000) }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('sell' as const), patienceMs: ms(9_000) }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('again' as const), n: ms(KEYS_MAX) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('several' as const),
      count: fc.integer({ min: 1, max: 8 }),
      patienceMs: ms(9_000),
    }),
  },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('stop' as const), n: ms(9) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('withdraw' as const), n: ms(KEYS_MAX) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('leave' as const), n: ms(KEYS_MAX) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('clear' as const) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('level' as const),
      level: fc.constantFrom<KillLevel>('off', 'off', 'entries', 'all'),
    }),
  },
  { weight: 10, arbitrary: fc.record({ kind: fc.constant('wait' as const), ms: ms(1_500) }) },
  // The market clock is set; the one that durations go by never jumps.
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('set' as const),
      ms: fc.integer({ min: -5_000, max: 5_000 }),
    }),
  },
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('answer' as const) }) },
)
type Move = typeof move extends fc.Arbitrary<infer M> ? M : never

/** An account, people who ask it, and what each of them was promised. */
class Played {
  readonly bench: Bench
  readonly #rate: number
  /** Client order ids in the order in which they were asked for, with the last moment at which they may leave. */
  readonly #asked = new Map<string, number>()
  readonly #requests: Request[] = []
  /** Answers by request. */
  readonly #answers = new Map<number, number>()
  readonly #leftMs: number[] = []
  readonly #left: string[] = []
  #calls: { callId: number; id: string }[] = []
  #ref = 0
  #keys = 0

  constructor(rate: number, isActing: boolean) {
    this.#rate = rate
    const risk = { ...policy.risk, maxOrdersPerSecond: rate }
    const settings = { ...policy.settings, ENABLE_AUTO_OPERATION: isActing }
    const limits = { ...policy.limits, denialsMax: 1_000 }
    const shares = 1_000_000 as Quantity
    const held = HELD.map((code) => brokerPosition({ code, quantity: shares, sellable: shares }))
    this.bench = new Bench(emptyState({ ...policy, risk, settings, limits })).ready(held)
    for (const code of HELD) this.bench.quotes.set(code, quote(36, this.bench.nowMs))
  }

  play(one: Move): void {
    const { bench } = this
    switch (one.kind) {
      case 'place':
      case 'sell':
        return this.#one(one.kind, one.patienceMs)
      case 'several':
        return this.#several(one.count, one.patienceMs)
      case 'again': {
        const request = this.#requests[one.n % Math.max(1, this.#requests.length)]
        if (request !== undefined) this.#again(request)
        return
      }
      case 'stop':
        return this.#see(bench.signal({ ...STOP, code: HELD[one.n] ?? BANK }))
      case 'withdraw':
      case 'leave': {
        const isCallerGone = one.kind === 'leave' ? { isCallerGone: true as const } : {}
        const request = {
          kind: 'cancelQueued',
          clientOrderId: keyOf(one.n),
          ...isCallerGone,
        } as const
        return this.#ask({ ...request, source: 'test' })
      }
      case 'clear':
        return this.#ask({ kind: 'cancelQueued', clientOrderId: '', source: 'test' })
      case 'level':
        return this.#ask({ kind: 'setKillSwitch', level: one.level, reason: '', source: 'test' })
      case 'set':
        bench.nowMs += one.ms
        return
      case 'wait':
        return this.#wait(one.ms)
      case 'answer':
        return this.#answer()
    }
  }

  #one(kind: 'place' | 'sell', patienceMs: number): void {
    if (this.#keys >= KEYS_MAX) return
    const n = this.#keys++
    const common = { key: keyOf(n), requestHash: `h${n}`, source: 'test' }
    const request: Request =
      kind === 'place'
        ? { ...ORDER, ...common, price: yuan(34 + n / 100) }
        : { kind: 'executeSell', ...common, code: BANK, quantity: 100, priceType: 5, price: 0 }
    this.#requests.push(request)
    const waitMs = Math.min(pacedWaitMs, patienceMs - callTimeoutMs)
    this.#asked.set(keyOf(n), this.bench.wallMs + Math.max(0, waitMs))
    this.#ask(request, patienceMs)
  }

  /** What was refused for now may come again under its key, behind those that wait by then. */
  #again(request: Request): void {
    const id = 'key' in request ? request.key : ''
    const waits = this.bench.state.queue.some(({ clientOrderId }) => clientOrderId === id)
    if (this.#asked.has(id) && !waits && !this.#left.includes(id)) {
      this.#asked.delete(id)
      this.#asked.set(id, this.bench.wallMs + pacedWaitMs)
    }
    this.#ask(request)
  }

  #several(count: number, patienceMs: number): void {
    if (this.#keys + count + 1 > KEYS_MAX) return
    const first = this.#keys
    this.#keys += count + 1
    const request = { ...purchase(this.bench, count, first + 1), key: keyOf(first) }
    this.#requests.push(request)
    for (const id of request.keys) this.#asked.set(id, this.bench.wallMs + pacedBatchMs)
    this.#ask(request, patienceMs)
  }

  #ask(request: Request, patienceMs = 9_000): void {
    this.#ref += 1
    this.#answers.set(this.#ref, 0)
    const deadlineMs = this.bench.wallMs + patienceMs
    this.#see(this.bench.input({ kind: 'request', ref: this.#ref, request, deadlineMs }))
  }

  #wait(some: number): void {
    const { bench } = this
    bench.nowMs += some
    bench.wallMs += some
    this.#see(bench.input({ kind: 'timer', name: 'queue' }))
  }

  #answer(): void {
    const calls = this.#calls
    this.#calls = []
    for (const { callId, id } of calls) {
      this.#see(this.bench.input(accepted(callId, String(1_000 + callId), id)))
    }
  }

  #see(effects: readonly Effect[]): void {
    for (const command of commands(effects)) {
      if (command.kind !== 'submit') continue
      const { clientOrderId: id } = command.order
      assert(!this.#left.includes(id), `${id} left twice`)
      this.#left.push(id)
      this.#leftMs.push(this.bench.wallMs)
      this.#calls.push({ callId: command.callId, id })
      const untilMs = this.#asked.get(id)
      assert(untilMs === undefined || this.bench.wallMs <= untilMs, `${id} left too late`)
    }
    for (const effect of effects) {
      if (effect.kind !== 'reply' && effect.kind !== 'refuse') continue
      this.#answers.set(effect.ref, (this.#answers.get(effect.ref) ?? 0) + 1)
      assert(this.#answers.get(effect.ref) === 1, `request ${effect.ref} answered again`)
    }
    const ms = this.#leftMs.at(-1) ?? 0
    const before = this.#leftMs.at(-1 - this.#rate)
    assert(before === undefined || ms - before >= 1_000, `more than ${this.#rate} within a second`)
  }

  /** All is calm: whoever asked has been told, and what left did so in its order. */
  finish(): void {
    for (let turn = 0; this.bench.state.queue.length > 0; turn++) {
      assert(turn < 1_000, 'the queue moves on')
      this.#wait(500)
      this.#answer()
    }
    this.#answer()
    for (const [ref, count] of this.#answers) assert.equal(count, 1, `request ${ref}`)
    const ofPeople = this.#left.filter((id) => this.#asked.has(id))
    const order = [...this.#asked.keys()].filter((id) => ofPeople.includes(id))
    assert.deepEqual(ofPeople, order)
  }
}

const STOP = {
  signalType: 'stop_loss',
  side: 'sell',
  quantity: 100 as Quantity,
  priceType: 5,
  price: 0 as Price,
  signalPrice: 0 as Price,
} as const

t.test(
  'whatever people, stops and clocks do: so many a second, in order, each answered once, none late',
  async () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 5 }),
        fc.boolean(),
        fc.array(move, { minLength: 5, maxLength: 80 }),
        (rate, isActing, moves) => {
          const played = new Played(rate, isActing)
          for (const one of moves) played.play(one)
          played.finish()
        },
      ),
      { numRuns: RUNS, seed: 18 },
    )
  },
)
