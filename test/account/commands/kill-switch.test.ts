import t from 'tap'
import { apply } from '../../../src/account/fold/apply.ts'
import { safetyRow } from '../../../src/account/fold/fold-safety.ts'
import { emptyState } from '../../../src/account/model/state.ts'
import type { KillLevel } from '../../../src/domain/kill-level.ts'
import {
  type Bench,
  brokerOrder,
  commands,
  driver,
  holder,
  keyOf,
  MORNING_MS,
  policy,
  push,
  refusals,
  replies,
  rest,
  set,
  yuan,
} from '../fixture.ts'

const canceled = (effects: ReturnType<Bench['input']>) =>
  commands(effects).flatMap((command) => (command.kind === 'cancel' ? [command.orderId] : []))

/** Answers each cancel with no. Returns what was to be canceled. */
const refusing = (bench: Bench) => (effects: ReturnType<Bench['input']>) => {
  for (const command of commands(effects)) {
    if (command.kind !== 'cancel') continue
    const result = { ok: false, error: { code: 'FAILED', message: 'no' } } as const
    driver(bench, { ...command, kind: 'cancelAnswered', result })
  }
  return canceled(effects)
}

const BLOCKED: readonly (readonly [KillLevel, boolean, boolean])[] = [
  ['off', false, false],
  ['entries', true, false],
  ['all', true, true],
  ['cancel_all', true, true],
]

for (const [level, buy, sell] of BLOCKED) {
  t.test(
    `at ${level} a purchase is ${buy ? 'refused' : 'sent'}, a sale ${sell ? 'refused' : 'sent'}, a cancel passes`,
    async (t) => {
      const bench = holder()
      rest(bench, 1)
      const cancels = canceled(set(bench, level))
      const by = (n: number, side: 'buy' | 'sell') =>
        refusals(bench.place({ key: keyOf(n), side, price: yuan(35) }))
      t.strictSame(by(2, 'buy'), buy ? ['KILL_SWITCH'] : [])
      t.strictSame(by(3, 'sell'), sell ? ['KILL_SWITCH'] : [])
      const request = { kind: 'cancelOrder', orderId: '1', source: 'operator' } as const
      const asked = canceled(bench.input({ kind: 'request', ref: 7, request }))
      t.ok([...cancels, ...asked].includes('1'), 'the cancel reached the trading client')
    },
  )
}

t.test('the refusal says why the switch is there', async (t) => {
  const bench = holder()
  set(bench, 'all', 'trying something')
  const [refusal] = bench.place().filter(({ kind }) => kind === 'refuse')
  t.match(refusal, { error: { code: 'KILL_SWITCH', message: /trying something/ } })
})

t.test('level, since, reason and source are answered and folded from the journal', async (t) => {
  const bench = holder()
  bench.nowMs += 61_000
  const [reply] = replies(set(bench, 'entries', 'lunch'))
  t.match(reply, {
    fields: {
      level: 'entries',
      since: '2026-08-11 10:01:01',
      reason: 'lunch',
      source: 'operator',
      level_in_force: 'entries',
    },
  })
  const before = bench.journal.length
  bench.nowMs += 1_000
  set(bench, 'entries', 'lunch')
  t.equal(bench.journal.length, before, 'what is set already is not written again')
  set(bench, 'entries', 'a longer lunch')
  t.match(bench.state.killSwitch, { sinceMs: MORNING_MS + 61_000, reason: 'a longer lunch' })
  const folded = emptyState(policy)
  for (const event of bench.journal) apply(folded, event)
  t.strictSame(safetyRow(folded), safetyRow(bench.state))
})

t.test('a new incarnation starts at the level that was set', async (t) => {
  const bench = holder()
  set(bench, 'all', 'overnight')
  bench.input({ kind: 'started', incarnation: 2, day: '2026-08-12' })
  t.equal(bench.state.killSwitch.level, 'all')
})

t.test(
  'cancel_all cancels every open order, those of others too, with the intent first',
  async (t) => {
    const bench = holder()
    rest(bench, 1)
    rest(bench, 2)
    push(bench, { orderId: '77', clientOrderId: '' })
    rest(bench, 3, { status: 54 })
    bench.place({ key: keyOf(4) }) // no number yet
    const before = bench.journal.length
    t.strictSame(canceled(set(bench, 'cancel_all')), ['1', '2', '77'])
    const kinds = bench.journal.slice(before).map(({ event }) => event.kind)
    t.strictSame(kinds, ['killSwitchSet', 'orderMoved', 'orderMoved', 'orderMoved'])
    t.match(bench.journal.at(-1)?.event, { event: 'requestCancel', source: 'kill_switch' })
  },
)

t.test('while cancel_all is set, what appears open is canceled too', async (t) => {
  const bench = holder()
  const [submit] = commands(bench.place({ key: keyOf(1) }))
  bench.input({ kind: 'callTimedOut', callId: submit?.callId ?? 0 })
  t.equal(bench.state.orders.get(keyOf(1))?.status, 'inDoubt')
  t.strictSame(canceled(set(bench, 'cancel_all')), [])
  t.strictSame(
    canceled(push(bench, { orderId: '9', clientOrderId: keyOf(1) })),
    ['9'],
    'an order in doubt that is found',
  )
  t.strictSame(canceled(push(bench, { orderId: '10', clientOrderId: '', price: yuan(30) })), ['10'])
  t.strictSame(canceled(push(bench, { orderId: '9', clientOrderId: keyOf(1), status: 54 })), [])
})

t.test('a cancel that did nothing is tried again, each time after twice the wait', async (t) => {
  const bench = holder()
  rest(bench, 1)
  const { cancelRetryIntervalMs: retryMs } = policy.limits
  const refuse = refusing(bench)
  t.strictSame(refuse(set(bench, 'cancel_all')), ['1'])
  const tried: number[] = []
  for (let tick = 1; tick <= 8; tick++) {
    bench.wallMs += retryMs
    const effects = bench.input({ kind: 'timer', name: 'cancelAll' })
    if (refuse(effects).length > 0) tried.push(tick)
    t.ok(
      effects.some((effect) => effect.kind === 'timer' && effect.name === 'cancelAll'),
      'it goes on while something is open',
    )
  }
  t.strictSame(tried, [1, 3, 7])
  push(bench, { orderId: '1', clientOrderId: keyOf(1), status: 54 })
  t.strictSame(bench.input({ kind: 'timer', name: 'cancelAll' }), [], 'nothing open, no timer')
})

t.test('what was refused in the break at noon is tried again at the open', async (t) => {
  const bench = holder()
  rest(bench, 1)
  const refuse = refusing(bench)
  const pass = (ms: number) => {
    bench.nowMs += ms
    bench.wallMs += ms
    return refuse(bench.input({ kind: 'timer', name: 'cancelAll' }))
  }
  pass(105 * 60_000) // 11:45
  refuse(set(bench, 'cancel_all'))
  let last = 0
  for (let second = 1; second < 75 * 60; second++) if (pass(1_000).length > 0) last = second
  t.ok(last < 75 * 60 - 10, 'the next one would come much later')
  t.strictSame(pass(1_000), ['1'], '13:00')
  const tried = Array.from({ length: 8 }, () => pass(1_000).length)
  t.strictSame(tried, [1, 0, 1, 0, 0, 0, 1, 0], 'the wait is short again')
})

t.test('cancel_all outlives a lost connection', async (t) => {
  const bench = holder()
  driver(bench, { kind: 'disconnected', reason: 'gone' })
  t.strictSame(canceled(set(bench, 'cancel_all')), [])
  const [connect] = commands(bench.input({ kind: 'timer', name: 'reconnect' }))
  const queries = commands(
    driver(bench, {
      kind: 'connectAnswered',
      callId: connect?.callId ?? 0,
      result: { ok: true, value: null },
    }),
  )
  const orders = [brokerOrder({ orderId: '5', clientOrderId: '' })]
  t.strictSame(canceled(bench.answerQueries(queries, { orders })), ['5'])
})

t.test(
  'it tells whether strategies may act by the hours, and whether the broker is known',
  async (t) => {
    const bench = holder()
    const fields = (level: KillLevel) => {
      const [reply] = replies(set(bench, level))
      const { is_in_session: isInSession, is_ready: isReady } = Object(reply).fields
      return { isInSession, isReady }
    }
    t.strictSame(fields('entries'), { isInSession: true, isReady: true })
    bench.nowMs += 2 * 3_600_000 // 12:00
    bench.input({ kind: 'timer', name: 'poll' })
    t.strictSame(fields('all'), { isInSession: false, isReady: true })
    driver(bench, { kind: 'disconnected', reason: 'gone' })
    t.strictSame(fields('cancel_all'), { isInSession: false, isReady: false })
  },
)

t.test(
  'a raise that is for many accounts lowers none of them, and says how it stands',
  async (t) => {
    const order: readonly KillLevel[] = ['off', 'entries', 'all', 'cancel_all']
    for (const before of order) {
      for (const level of order.slice(1)) {
        const bench = holder()
        if (before !== 'off') set(bench, before, 'mine')
        const length = bench.journal.length
        const request = {
          kind: 'setKillSwitch',
          level,
          reason: 'all of them',
          source: 'operator',
          isRaiseOnly: true,
        } as const
        const answers = replies(bench.input({ kind: 'request', ref: 9, request }))
        const isKept = order.indexOf(before) > order.indexOf(level)
        const stands = isKept ? { level: before, reason: 'mine' } : { level, reason: 'all of them' }
        t.match(bench.state.killSwitch, stands, `${before} → ${level}`)
        t.match(answers, [{ fields: stands }])
        const entries = bench.journal
          .slice(length)
          .filter(({ event }) => event.kind === 'killSwitchSet')
        t.equal(entries.length, isKept ? 0 : 1, 'an entry of its own in the audit')
        const again = bench.journal.length
        bench.input({ kind: 'request', ref: 10, request })
        t.equal(bench.journal.length, again, 'again changes nothing')
      }
    }
  },
)
