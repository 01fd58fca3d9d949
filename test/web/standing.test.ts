import t from 'tap'
import {
  type Deciders,
  decidersOf,
  type Heard,
  standingOf,
  toneOf,
  verdictOf,
} from '../../web/shared/standing.ts'

const OPEN: Deciders = {
  isConnected: true,
  kill: { level_in_force: 'off', reason_in_force: '' },
  isRestoreHeld: false,
  isReady: true,
  isInSession: true,
  hasQuotes: true,
  switches: {
    isMonitoring: true,
    enableAutoTrading: true,
    enableGridTrading: true,
    allowBuy: true,
    allowSell: true,
    simulationMode: false,
  },
  stocks: { on: 2, all: 3 },
  sessions: { on: 1, all: 2 },
}
const level = (level_in_force: 'entries' | 'all' | 'cancel_all') => ({
  kill: { level_in_force, reason_in_force: 'lunch' },
})
const turned = (switches: Deciders['switches']) => ({ switches: { ...OPEN.switches, ...switches } })

/** What is otherwise than all open; what exits may then, and grids. */
const TABLE: readonly (readonly [what: string, Partial<Deciders>, exits: string, grid: string])[] =
  [
    ['everything is open', {}, 'trade', 'trade'],
    ['the kill switch is at all', level('all'), 'nothing kill', 'nothing kill'],
    ['the kill switch cancels', level('cancel_all'), 'nothing kill', 'nothing kill'],
    ['the kill switch stops entries', level('entries'), 'trade', 'sellOnly kill'],
    ['nobody knows the kill switch', { kill: undefined }, 'unknown kill', 'unknown kill'],
    ['a restore waits', { isRestoreHeld: true }, 'nothing restore', 'nothing restore'],
    [
      'a restore waits behind the kill switch',
      { isRestoreHeld: true, ...level('all') },
      'nothing restore',
      'nothing restore',
    ],
    ['it crashed too often', { resting: 'suspended' }, 'nothing suspended', 'nothing suspended'],
    ['no room on the disk', { resting: 'disk_space' }, 'nothing disk_space', 'nothing disk_space'],
    ['the disk is late', { resting: 'disk_late' }, 'nothing disk_late', 'nothing disk_late'],
    ['disconnected', { isConnected: false }, 'nothing connection', 'nothing connection'],
    ['connection not known', { isConnected: null }, 'unknown connection', 'unknown connection'],
    ['not yet compared', { isReady: false }, 'nothing ready', 'nothing ready'],
    ['comparison not known', { isReady: null }, 'unknown ready', 'unknown ready'],
    ['after hours', { isInSession: false }, 'nothing session', 'nothing session'],
    ['hours not known', { isInSession: null }, 'unknown session', 'unknown session'],
    ['no quotes', { hasQuotes: false }, 'nothing quotes', 'nothing quotes'],
    ['quotes not known', { hasQuotes: null }, 'unknown quotes', 'unknown quotes'],
    ['master off', turned({ isMonitoring: false }), 'nothing master', 'nothing master'],
    ['master not known', turned({ isMonitoring: null }), 'unknown master', 'unknown master'],
    ['exits off', turned({ enableAutoTrading: false }), 'nothing exits', 'trade'],
    ['exits off in the file', { exitsHeld: 'module_off' }, 'nothing module_off', 'trade'],
    ['no more sales today', { exitsHeld: 'protective_limit' }, 'nothing protective_limit', 'trade'],
    ['grids off', turned({ enableGridTrading: false }), 'trade', 'nothing grid'],
    ['grids not known', turned({ enableGridTrading: null }), 'trade', 'unknown grid'],
    ['no buying', turned({ allowBuy: false }), 'trade', 'sellOnly allowBuy'],
    ['no selling', turned({ allowSell: false }), 'nothing allowSell', 'buyOnly allowSell'],
    ['selling not known', turned({ allowSell: null }), 'unknown allowSell', 'unknown allowSell'],
    [
      'neither buying nor selling',
      turned({ allowBuy: false, allowSell: false }),
      'nothing allowSell',
      'nothing allowBuy',
    ],
    ['no switches at all', { switches: {} }, 'unknown master', 'unknown master'],
    ['every holding off', { stocks: { on: 0, all: 3 } }, 'nothing stocks', 'trade'],
    ['nothing held', { stocks: { on: 0, all: 0 } }, 'nothing noStocks', 'trade'],
    ['holdings not known', { stocks: undefined }, 'unknown stocks', 'trade'],
    ['every grid paused', { sessions: { on: 0, all: 2 } }, 'trade', 'nothing sessions'],
    ['no grid', { sessions: { on: 0, all: 0 } }, 'trade', 'nothing noSessions'],
    ['grids not known', { sessions: undefined }, 'trade', 'unknown sessions'],
    [
      'one shut gate says no, whatever else is not known',
      { isConnected: null, hasQuotes: null, sessions: undefined, ...level('all') },
      'nothing kill',
      'nothing kill',
    ],
  ]

for (const [what, otherwise, exits, grid] of TABLE) {
  t.test(`${what}: exits ${exits}, grids ${grid}`, async (t) => {
    const deciders = { ...OPEN, ...otherwise }
    const said = (strategy: 'exits' | 'grid') => {
      const { may, because = '' } = verdictOf(strategy, deciders)
      return `${may} ${because}`.trim()
    }
    t.equal(said('exits'), exits)
    t.equal(said('grid'), grid)
  })
}

t.test('what stops both is said once, what stops one of that one', async (t) => {
  const of = (otherwise: Partial<Deciders>) =>
    standingOf({ ...OPEN, ...otherwise }).map((one) => [one.of, toneOf(one.verdict)])
  t.strictSame(of(level('all')), [['both', 'error']])
  t.strictSame(of({ isInSession: false }), [['both', 'plain']])
  t.strictSame(of(turned({ isMonitoring: false })), [['both', 'warn']])
  t.strictSame(of({ kill: undefined }), [['both', 'plain']])
  t.strictSame(of({}), [
    ['exits', 'ok'],
    ['grid', 'ok'],
  ])
  t.strictSame(of(level('entries')), [
    ['exits', 'ok'],
    ['grid', 'error'],
  ])
})

t.test('no combination says yes unless everything is known and open', async (t) => {
  const ways: readonly Partial<Deciders>[] = TABLE.map(([, otherwise]) => otherwise).slice(1)
  for (const one of ways) {
    for (const other of ways) {
      const deciders = { ...OPEN, ...one, ...other }
      const { kill, switches, isConnected, isReady, isInSession, hasQuotes } = deciders
      const isSure =
        kill !== undefined &&
        ['off', 'entries'].includes(kill.level_in_force) &&
        deciders.isRestoreHeld === false &&
        (deciders.resting ?? null) === null &&
        [isConnected, isReady, isInSession, hasQuotes].every((it) => it === true) &&
        switches.isMonitoring === true
      const says = (['exits', 'grid'] as const).map((of) => verdictOf(of, deciders).may)
      if (!isSure) t.notOk(says.some((may) => may === 'trade' || may.endsWith('Only')))
    }
  }
})

const HEARD: Heard = {
  isConnected: true,
  switches: { ...OPEN.switches },
  kill: {
    level_in_force: 'off',
    reason_in_force: '',
    holds: [],
    resting: null,
    is_ready: true,
    is_in_session: true,
    triggers: [
      {
        name: 'stale_market',
        raises: 'entries',
        clears_itself: true,
        unit: 'seconds',
        limit: 60,
        actual: 1,
      },
    ],
  },
  rows: [{ stop_profit_enabled: true }, { stop_profit_enabled: false }] as never,
  grids: [
    { status: 'active', enabled: true },
    { status: 'active', enabled: false },
    { status: 'stopped', enabled: true },
  ] as never,
}
const market = (actual: number | null, limit = 60) => ({
  ...HEARD.kill,
  triggers: [{ ...HEARD.kill?.triggers?.[0], actual, limit }] as never,
})

t.test('what decides is put together from what was read; what was not is not known', async (t) => {
  t.match(decidersOf(HEARD), {
    isConnected: true,
    isRestoreHeld: false,
    isReady: true,
    hasQuotes: true,
    stocks: { on: 1, all: 2 },
    sessions: { on: 1, all: 2 },
  })
  const nothing = decidersOf({
    isConnected: undefined,
    switches: undefined,
    kill: undefined,
    rows: undefined,
    grids: undefined,
  })
  t.match(nothing, { isConnected: null, isReady: null, isInSession: null, hasQuotes: null })
  t.match(verdictOf('exits', nothing), { may: 'unknown' })
  const older = { level_in_force: 'off' as const, reason_in_force: '', holds: [] }
  t.match(verdictOf('exits', decidersOf({ ...HEARD, kill: older })), { may: 'unknown' })
  const no = { reason: '', reason_zh: '', reason_en: '' }
  const restore = { name: 'restore', level: 'all', since: '', ...no }
  const held = decidersOf({ ...HEARD, kill: { ...HEARD.kill, holds: [restore] } })
  t.match(verdictOf('grid', held), { because: 'restore' })
  const rows = [{ why: { reasons: ['stock_off'] } }, { why: { reasons: ['module_off'] } }] as never
  t.match(verdictOf('exits', decidersOf({ ...HEARD, rows })), { because: 'module_off' })
  const resting = decidersOf({ ...HEARD, kill: { ...HEARD.kill, resting: 'suspended' } })
  t.match(verdictOf('exits', resting), { may: 'nothing', because: 'suspended' })
})

t.test(
  'quotes that nobody heard of are missed in the session, by whoever holds something',
  async (t) => {
    const of = (heard: Partial<Heard>) => decidersOf({ ...HEARD, ...heard }).hasQuotes
    t.equal(of({ kill: market(61) }), false)
    t.equal(of({ kill: market(600, 0) }), true, 'the rule is off')
    t.equal(of({ kill: market(null) }), false)
    t.equal(of({ kill: market(null), rows: [] }), true)
    const priced = [{ is_priced: true }] as never
    t.equal(of({ kill: market(null), rows: priced }), null, 'a price of no age')
    t.equal(of({ kill: { ...market(null), is_in_session: false } }), true)
    t.equal(of({ kill: undefined }), null)
  },
)

t.test('a simulation works without its trading client', async (t) => {
  const switches = { ...OPEN.switches, simulationMode: true }
  t.equal(decidersOf({ ...HEARD, isConnected: false, switches }).isConnected, true)
})
