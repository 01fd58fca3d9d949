import t from 'tap'
import { rowOf } from '../../../actors/account/rows.ts'
import type { AccountPolicy, RiskPolicy } from '../../../src/account/model/policy.ts'
import { emptyState } from '../../../src/account/model/state.ts'
import type { WantedLimit } from '../../../src/protocol/account.ts'
import {
  BANK,
  Bench,
  brokerPosition,
  holder,
  keyOf,
  policy,
  quote,
  refusals,
  replies,
  set,
} from '../fixture.ts'

const account = (risk: Partial<RiskPolicy> = {}, fields: Partial<AccountPolicy> = {}): Bench =>
  new Bench(emptyState({ ...policy, ...fields, risk: { ...policy.risk, ...risk } })).ready()
const real = (risk: Partial<RiskPolicy>) => account(risk, { isReal: true })
const change = (bench: Bench, limits: readonly WantedLimit[], confirm = '') =>
  bench.input({
    kind: 'request',
    ref: 7,
    request: { kind: 'setRiskLimits', limits, confirm, source: 'operator' },
  })
const changes = (bench: Bench) =>
  bench.journal.flatMap(({ event }) => (event.kind === 'riskChanged' ? [event] : []))
/** 3,650 yuan. */
const buy = (bench: Bench, n: number) => bench.place({ key: keyOf(n), requestHash: `h${n}` })
const VALUE = 'max_order_value'
const YUAN = 10_000

/** The account as another thread finds it on disk, with what the file says by then. */
function restarted(bench: Bench, risk: RiskPolicy = bench.state.policy.risk): Bench {
  const loaded = emptyState({ ...bench.state.policy, risk })
  loaded.seq = bench.state.seq
  Object.assign(loaded, rowOf(bench.state, { table: 'meta', key: 'account' }))
  return new Bench(loaded).ready()
}

t.test('a limit holds from the next order on, over a restart, until it is put back', async (t) => {
  const bench = account()
  t.strictSame(refusals(buy(bench, 1)), [])
  const effects = change(bench, [{ name: VALUE, from: 0, to: 3_000 * YUAN }])
  t.match(replies(effects), [
    { changedCount: 1, fields: { limits: [{}, {}, {}, { name: VALUE, value: 3_000 }] } },
  ])
  t.strictSame(refusals(buy(bench, 2)), ['MAX_ORDER_VALUE'])

  const again = restarted(bench)
  t.strictSame(refusals(buy(again, 3)), ['MAX_ORDER_VALUE'], 'after a restart')
  const wider = restarted(bench, { ...policy.risk, maxOrderValue: 1e6 })
  t.strictSame(refusals(buy(wider, 3)), ['MAX_ORDER_VALUE'], 'it wins over another file')

  change(again, [{ name: VALUE, from: 3_000 * YUAN, to: null }])
  t.strictSame(refusals(buy(again, 4)), [], 'put back')
  t.strictSame(again.state.changedLimits, {})
  t.strictSame(refusals(buy(restarted(again), 5)), [], 'and so after one more restart')
})

t.test(
  'what is answered says what holds, what the file says, and who has changed it',
  async (t) => {
    const bench = account({ maxDailyLoss: 5_000, staleQuoteMs: 60_000, priceDeviation: 0.1 })
    change(bench, [
      { name: 'max_daily_loss', from: 5_000 * YUAN, to: 2_000.5 * YUAN },
      { name: 'price_deviation', from: 100_000, to: 50_000 },
      { name: 'stale_quote_seconds', from: 60_000, to: 1_500 },
      { name: 'refuse_duplicates', from: false, to: true },
    ])
    const [reply] = replies(
      bench.input({ kind: 'request', ref: 8, request: { kind: 'riskLimits' } }),
    ) as { fields: { is_real: boolean; limits: { name: string }[] } }[]
    const row = (name: string) => reply?.fields.limits.find((limit) => limit.name === name)
    t.equal(reply?.fields.is_real, false)
    t.match(row('max_daily_loss'), {
      value: 2_000.5,
      file_value: 5_000,
      changed_at: '2026-08-11 10:00:00',
      changed_by: 'operator',
    })
    t.match(row('price_deviation'), { value: 0.05, file_value: 0.1 })
    t.match(row('stale_quote_seconds'), { value: 1.5, file_value: 60 })
    t.match(row('refuse_duplicates'), { value: true, file_value: false })
    t.match(row('max_orders_per_day'), {
      value: 0,
      file_value: 0,
      changed_at: null,
      changed_by: null,
    })
    t.match(bench.state.risk, {
      staleQuoteMs: 1_500,
      maxDailyLoss: 2_000.5,
      refuseDuplicates: true,
    })
  },
)

t.test(
  'of several either all are changed or none, and one that was seen otherwise is none',
  async (t) => {
    const bench = account({ maxOrdersPerDay: 500 })
    const effects = change(bench, [
      { name: VALUE, from: 0, to: 5_000 * YUAN },
      { name: 'max_orders_per_day', from: 400, to: 300 },
    ])
    t.strictSame(refusals(effects), ['CONFLICT'])
    const [refused] = effects.flatMap((effect) => (effect.kind === 'refuse' ? [effect.error] : []))
    t.match(refused?.message, /max_orders_per_day = 500/)
    t.strictSame(Object.keys(refused?.details ?? {}), ['limits.max_orders_per_day.from'])
    t.match(bench.state.risk, { maxOrderValue: 0, maxOrdersPerDay: 500 })
    t.strictSame(changes(bench), [])
  },
)

t.test('what changes nothing is no entry, and one that does says old and new', async (t) => {
  const bench = account({ maxOrdersPerDay: 500 })
  t.match(replies(change(bench, [{ name: 'max_orders_per_day', from: 500, to: 500 }])), [
    { changedCount: 0 },
  ])
  t.match(replies(change(bench, [{ name: 'max_orders_per_day', from: 500, to: null }])), [
    { changedCount: 0 },
  ])
  t.strictSame(changes(bench), [])
  change(bench, [{ name: 'max_orders_per_day', from: 500, to: 300 }])
  t.match(changes(bench), [
    { source: 'operator', changes: [{ limit: 'max_orders_per_day', before: 500, after: 300 }] },
  ])
  const same = restarted(bench, { ...policy.risk, maxOrdersPerDay: 300 })
  const back = change(same, [{ name: 'max_orders_per_day', from: 300, to: null }])
  t.match(replies(back), [{ changedCount: 1 }], 'the file decides again, though it says the same')
  t.strictSame(same.state.changedLimits, {})
})

t.test('more gets through at a real broker only with the tail of the account id', async (t) => {
  const limits = { maxOrderValue: 5_000, maxOrdersPerDay: 500 }
  const looser: WantedLimit = { name: VALUE, from: 5_000 * YUAN, to: 6_000 * YUAN }
  const tighter: WantedLimit = { name: 'max_orders_per_day', from: 500, to: 400 }
  for (const confirm of ['', '0002', '10000001']) {
    const bench = real(limits)
    t.strictSame(
      refusals(change(bench, [tighter, looser], confirm)),
      ['CONFIRMATION_NEEDED'],
      confirm,
    )
    t.match(bench.state.risk, limits, 'not even the tighter one')
  }
  t.strictSame(refusals(change(real(limits), [tighter])), [], 'tighter asks nothing')
  t.strictSame(refusals(change(real(limits), [tighter, looser], '0001')), [])
  t.strictSame(refusals(change(account(limits), [looser])), [], 'nor does one of paper')
  const off: WantedLimit = { name: VALUE, from: 5_000 * YUAN, to: null }
  const tightened = real({ ...limits, maxOrderValue: 9_000 })
  change(tightened, [{ name: VALUE, from: 9_000 * YUAN, to: 5_000 * YUAN }])
  t.strictSame(
    refusals(change(tightened, [off])),
    ['CONFIRMATION_NEEDED'],
    'the way back is looser too',
  )
})

t.test('a loss that is over a new limit already stops purchases at once', async (t) => {
  const bench = new Bench(emptyState({ ...policy, risk: { ...policy.risk, maxDailyLoss: 50_000 } }))
  bench.ready([brokerPosition()])
  bench.quotes.set(BANK, quote(36))
  bench.input({ kind: 'alarm' })
  bench.quotes.set(BANK, quote(30))
  bench.input({ kind: 'alarm' })
  t.equal(bench.state.killSwitch.level, 'off')
  change(bench, [{ name: 'max_daily_loss', from: 50_000 * YUAN, to: 1_000 * YUAN }])
  t.equal(bench.state.killSwitch.level, 'entries')
})

t.test(
  'a raised limit of the day counts from its first total, not from where it fired',
  async (t) => {
    const bench = new Bench(
      emptyState({ ...policy, risk: { ...policy.risk, maxDailyLoss: 1_000 } }),
    )
    bench.quotes.set(BANK, quote(35.1))
    bench.ready([brokerPosition()])
    const priced = (price: number) => {
      bench.quotes.set(BANK, quote(price))
      bench.input({ kind: 'alarm' })
    }
    priced(36)
    priced(34)
    t.equal(bench.state.killSwitch.level, 'entries', '1,100 yuan lost, 1,000 allowed')
    change(bench, [{ name: 'max_daily_loss', from: 1_000 * YUAN, to: 3_000 * YUAN }])
    Object.assign(bench.state, { killSwitch: { ...bench.state.killSwitch, level: 'off' } })
    priced(32.6)
    t.equal(bench.state.killSwitch.level, 'off', '2,500 yuan lost, 3,000 allowed')
    priced(32)
    t.equal(bench.state.killSwitch.level, 'entries', '3,100 yuan lost')
  },
)

t.test('that protective sales come near their limit is told anew of a new limit', async (t) => {
  const bench = account({ maxProtectiveOrdersPerDay: 10 })
  const told = { day: bench.state.day, stage: 'reached' } as const
  Object.assign(bench.state, { protectiveTold: told })
  change(bench, [{ name: 'max_orders_per_day', from: 0, to: 5 }])
  t.strictSame(bench.state.protectiveTold, told)
  change(bench, [{ name: 'max_protective_orders_per_day', from: 10, to: 20 }])
  t.equal(bench.state.protectiveTold.day, '')
})

t.test('the kill switch is not touched by it', async (t) => {
  const bench = holder()
  set(bench, 'all')
  change(bench, [{ name: 'max_rejects_in_row', from: 0, to: 3 }])
  t.equal(bench.state.killSwitch.level, 'all')
})
