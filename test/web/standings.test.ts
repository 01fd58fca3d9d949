import t from 'tap'
import {
  heardOf,
  type OverviewRow,
  type Place,
  standingOf,
  standingsOf,
  toneOf,
  wallSums,
  worstFirst,
} from '../../web/monitor/standings.ts'
import { alertsOf } from '../../web/shared/alerts.ts'

type Told = NonNullable<OverviewRow['overview']>

const FINE: Told = {
  driver: 'xt',
  simulation_mode: false,
  resting: null,
  ready: true,
  connected: true,
  disconnected_since: null,
  failures: 0,
  last_failure: null,
  next_attempt_at: null,
  waiting_for_terminal: false,
  account: {
    id: 'A',
    alias: '',
    availableBalance: 90_000,
    maxHoldingValue: 11_000,
    totalAssets: 101_000,
    frozenCash: 0,
    isKnown: true,
    isTotalKnown: true,
    timestamp: '2026-08-11 10:00:00',
  },
  today: { day: '2026-08-11', pnl: 1_000, ratio: 0.01, method: 'holdings_and_deals', reason: null },
  nearest_stop: {
    stock_code: '600036',
    stock_name: '招商银行',
    price: 10,
    stop: 9,
    distance: 0.1,
  },
  unpriced_stops: 0,
  kill_level: 'off',
  kill_level_in_force: 'off',
  kill_reason: '',
  kill_reason_zh: '',
  kill_reason_en: '',
  quiet_seconds: 1,
  quiet_limit_seconds: 60,
  is_in_session: true,
  reconcile: 'ok',
  differences: 0,
  orders_in_doubt: 0,
  restore_waits: false,
  open_orders: 0,
}

const row = (more: Partial<Told> = {}, id = 'A'): OverviewRow => ({
  account_id: id,
  alias: '',
  is_reduced: false,
  fault: null,
  overview: { ...FINE, ...more },
})
const silent = (code: string): OverviewRow => ({
  ...row(),
  overview: null,
  fault: { code, message: '', message_zh: '', message_en: '' },
})

const run = (standing: Place['standing']) => ({ place: { standing, node: null } })

t.test('who runs an account of a cluster is a trouble of it, and why it says nothing', (t) => {
  const cases: readonly (readonly [OverviewRow, readonly string[]])[] = [
    [{ ...row(), place: { standing: 'running', node: 'n1' } }, []],
    [{ ...row(), ...run('unknown') }, []],
    [{ ...row(), ...run('no_owner') }, ['noOwner']],
    [{ ...row({ connected: false }), ...run('owner_silent') }, ['ownerSilent', 'disconnected']],
    [{ ...silent('NOT_OWNER'), ...run('no_owner') }, ['noOwner']],
    [{ ...silent('NOT_OWNER'), ...run('taking_over') }, ['takingOver']],
    [{ ...silent('NOT_OWNER'), ...run('unknown') }, ['silent']],
    [{ ...silent('ACCOUNT_PARKED'), ...run('no_owner') }, ['noOwner', 'parked']],
    [{ ...silent('ACCOUNT_PARKED'), ...run('taking_over') }, ['parked', 'takingOver']],
  ]
  for (const [told, names] of cases) {
    const { troubles } = standingOf(told, true)
    t.strictSame(
      troubles.map(({ name }) => name),
      names,
    )
  }
  const lost = standingOf({ ...row(), ...run('running') }, false)
  t.equal(lost.place, undefined, 'what is too old says nothing of where it runs')
  const heard = (standing: Place['standing'], isAnswering = true) =>
    heardOf({ ...row(), ...run(standing) }, isAnswering).isRun
  t.strictSame(
    [heard('running'), heard('no_owner'), heard('taking_over'), heard('running', false)],
    [true, false, null, null],
  )
  t.end()
})

t.test('what is wrong is said by name, the worst first, and all is well when nothing is', (t) => {
  const cases: readonly (readonly [OverviewRow, readonly string[], string])[] = [
    [row(), [], ''],
    [silent('ACCOUNT_PARKED'), ['parked'], 'error'],
    [silent('ACTOR_RESTARTING'), ['restarting'], 'error'],
    [silent('DEADLINE_EXCEEDED'), ['silent'], 'error'],
    [{ ...row(), is_reduced: true }, ['crashed'], 'error'],
    [row({ resting: 'disk_space' }), ['noRoom'], 'error'],
    [row({ resting: 'disk_late' }), ['diskLate'], 'error'],
    [{ ...row({ resting: 'suspended' }), is_reduced: true }, ['crashed'], 'error'],
    [row({ connected: false, ready: false }), ['disconnected'], 'error'],
    [row({ connected: false, simulation_mode: true }), [], ''],
    [row({ kill_level_in_force: 'cancel_all' }), ['stopped'], 'error'],
    [row({ kill_level_in_force: 'all', orders_in_doubt: 2 }), ['doubt', 'stopped'], 'error'],
    [row({ kill_level_in_force: 'entries' }), ['entries'], 'warn'],
    [row({ quiet_seconds: 61 }), ['stale'], 'error'],
    [row({ quiet_seconds: 61, is_in_session: false }), [], ''],
    [row({ quiet_seconds: 61, quiet_limit_seconds: 0 }), [], ''],
    [row({ reconcile: 'differences', differences: 3 }), ['differences'], 'error'],
    [row({ reconcile: 'unavailable' }), ['unavailable'], 'warn'],
    [row({ restore_waits: true }), ['restore'], 'error'],
    [row({ ready: false }), ['notReady'], 'warn'],
    [row({ calendar_notice: null }), [], ''],
    [row({ calendar_notice: { year: 2027, days: 31 } }), ['calendar'], 'warn'],
  ]
  for (const [told, names, tone] of cases) {
    const { troubles } = standingOf(told, true)
    t.strictSame(
      troubles.map(({ name }) => name),
      names,
    )
    const [worst] = troubles
    t.equal(worst === undefined ? '' : toneOf(worst), tone, names.join(' '))
  }
  t.end()
})

t.test('what is too old to be believed is unknown, and nothing is called well', (t) => {
  const rows = { data: [row()], updatedAt: 0 }
  const [fresh] = standingsOf(rows, 60_000)
  t.match(fresh, { troubles: [], pnl: 1_000, mode: 'live' })
  const [old] = standingsOf(rows, 90_000)
  t.match(old, { accountId: 'A', mode: 'unknown', isConnected: null, troubles: [{ name: 'lost' }] })
  t.strictSame([old?.pnl, old?.money, old?.nearest], [undefined, undefined, undefined])
  t.end()
})

t.test('trouble comes first, then who is near a stop, else the order stays', (t) => {
  const near = (distance: number) => ({
    nearest_stop: { stock_code: '1', stock_name: '', price: 1, stop: 1, distance },
  })
  const rows = [
    row({ nearest_stop: null }, 'none'),
    row(near(0.2), 'far'),
    row(near(0.012), 'near'),
    row(near(0.011), 'as near'),
    row(near(0.001), 'nearest'),
    row(near(0.2), 'far too'),
    row({ kill_level_in_force: 'entries' }, 'warned'),
    { ...silent('ACCOUNT_PARKED'), account_id: 'parked' },
  ]
  t.strictSame(
    worstFirst(rows.map((one) => standingOf(one, true))).map(({ accountId }) => accountId),
    ['parked', 'warned', 'nearest', 'near', 'as near', 'none', 'far', 'far too'],
  )
  t.end()
})

t.test('sums are of real money that is known, and the percentage of the same accounts', (t) => {
  const sumsOf = (rows: readonly OverviewRow[]) =>
    wallSums(rows.map((one) => standingOf(one, true)))
  const two = sumsOf([row(), row({ driver: 'paper' }), row({ simulation_mode: true }), row()])
  t.match(two, { money: { value: 202_000, simulated: 2 }, pnl: { value: 2_000 }, pnlRatio: 0.01 })
  const unknown = { today: { ...FINE.today, pnl: null, ratio: null } }
  const one = sumsOf([row(), row(unknown)])
  t.equal(one.pnl.value, undefined, 'one unknown part makes the sum unknown')
  t.equal(one.pnlRatio, undefined)
  t.equal(one.money.value, 202_000)
  t.equal(sumsOf([row(), silent('ACTOR_RESTARTING')]).money.value, undefined)
  const played = sumsOf([row({ driver: 'paper' }), row({ simulation_mode: true })])
  t.match(played, { money: { value: 101_000, simulated: 1 }, troubled: 0 })
  t.equal(sumsOf([row({ driver: 'paper' }), row({ driver: 'paper' })]).money.value, 202_000)
  t.end()
})

t.test('what is told of an account among many, and nothing that nobody knows', async (t) => {
  const row = { account_id: 'A', alias: '', is_reduced: false, fault: null, overview: FINE }
  t.match(heardOf(row, true), {
    accountId: 'A',
    isAnswering: true,
    isConnected: true,
    hasQuotes: true,
    killLevel: 'off',
    doubts: 0,
    differences: 0,
    orders: undefined,
  })
  const full: Told = { ...FINE, resting: 'disk_space' }
  t.equal(heardOf(row, true).isWorking, true)
  t.equal(heardOf({ ...row, overview: full }, true).isWorking, false, 'its stops do not fall')
  t.equal(heardOf({ ...row, is_reduced: true }, true).isWorking, false)
  const gone = { ...FINE, connected: false }
  t.equal(heardOf({ ...row, overview: gone }, true).isConnected, false)
  const simulated = { ...gone, simulation_mode: true }
  t.equal(heardOf({ ...row, overview: simulated }, true).isConnected, true, 'it has let it go')
  const quiet = { ...FINE, is_in_session: true, quiet_limit_seconds: 60, quiet_seconds: 61 }
  t.equal(heardOf({ ...row, overview: quiet }, true).hasQuotes, false)
  for (const unknown of [heardOf({ ...row, overview: null }, true), heardOf(row, false)]) {
    t.match(unknown, { isAnswering: false, isConnected: null, hasQuotes: null })
    t.equal(unknown.killLevel ?? unknown.doubts ?? unknown.differences, undefined)
  }
})

t.test('F731 among many accounts, too, it is told that a master switch went off', (t) => {
  const seen = (overview: Told, isAnswering = true) =>
    heardOf({ account_id: 'A', alias: '', is_reduced: false, fault: null, overview }, isAnswering)
  const on = alertsOf(undefined, seen({ ...FINE, auto_operation: true }))
  const silent = alertsOf(on.memory, seen(FINE, false))
  const off = alertsOf(silent.memory, seen({ ...FINE, auto_operation: false }))
  t.match(
    off.alerts.filter(({ subject }) => subject === 'master'),
    [{ kind: 'masterOff', severity: 'critical' }],
    'after a start of the service it is off until somebody confirms it',
  )
  const older = alertsOf(off.memory, seen(FINE))
  t.strictSame(older.alerts, [], 'a node of before does not tell')
  t.match(alertsOf(older.memory, seen({ ...FINE, auto_operation: true })).alerts, [
    { kind: 'masterOn' },
  ])
  t.end()
})

t.test('F768 an account whose master switch is off is no fine tile', (t) => {
  const namesOf = (more: Partial<Told>) => standingOf(row(more), true).troubles
  const below = { nearest_stop: FINE.nearest_stop && { ...FINE.nearest_stop, distance: -0.01 } }
  const off = { auto_operation: false }
  t.strictSame(namesOf(off), [{ name: 'masterOff' }])
  t.strictSame(namesOf(off).map(toneOf), ['warn'])
  t.strictSame(
    namesOf({ ...off, ...below, connected: false }).map(({ name }) => name),
    ['disconnected', 'masterOff', 'belowStop'],
    'the reason why nobody sells below a stop stands before it',
  )
  t.strictSame(namesOf({ auto_operation: true }), [])
  t.strictSame(namesOf({}), [], 'a node of an older release does not tell')
  t.end()
})
