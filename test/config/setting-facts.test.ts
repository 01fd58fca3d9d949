import t from 'tap'
import { loadConfig } from '../../src/config/load.ts'
import { allFacts, factsAt } from '../../src/config/setting-facts.ts'

const CHINESE = /[\u3400-\u9fff]/

t.test('every setting says what it is in both languages', async (t) => {
  t.ok(allFacts().size > 500)
  for (const [path, { text }] of allFacts()) {
    t.match(text.zh, CHINESE, path)
    t.notMatch(text.en, CHINESE, path)
    t.match(text.en, /[A-Za-z]{2}/, path)
    t.notMatch(text.zh, / \(/, `${path}: nothing of the other language is left over`)
  }
})

t.test('every number has both ends of its range', async (t) => {
  const numbers = [...allFacts()].filter(([, { kind }]) => kind === 'number' || kind === 'whole')
  t.ok(numbers.length > 350)
  for (const [path, { min, max }] of numbers) {
    t.ok(Number.isFinite(min) && Number.isFinite(max), path)
    t.ok(Number(min) < Number(max), path)
  }
})

t.test('a default lies within its range, and a choice has its options', async (t) => {
  for (const [path, { kind, min, max, default: value, options }] of allFacts()) {
    if (kind === 'choice') t.ok(options.length > 1, path)
    if (typeof value === 'number') t.ok(value >= Number(min) && value <= Number(max), path)
  }
})

t.test('the unit of a limit is the one that its name says', async (t) => {
  const unitAt = (path: string) => factsAt(path, 'simulated')?.unit?.[1]
  for (const [path, unit] of [
    ['limits.http.read_timeout_ms', 'ms'],
    ['limits.jobs.calculation_ms_max', 'ms'],
    ['limits.bigqmt.ms_per_tick', 'ms'],
    ['limits.http.body_bytes_max', 'bytes'],
    ['limits.store.reserve_mb', 'MB'],
    ['limits.http.guess_wait_max_s', 'seconds'],
    ['limits.http.scan_rows_per_s', undefined],
    ['limits.http.sse_kept_max', undefined],
    ['limits.account.orders_keep_days', 'days'],
    ['limits.market.past_years', 'years'],
    ['accounts[3].call_timeout', 'seconds'],
    ['accounts[0].paper.fees.stamp_duty', 'ratio'],
    ['risk.max_order_value', 'yuan'],
    ['risk.max_orders_per_day', undefined],
    ['strategy.STOP_LOSS_RATIO', 'ratio'],
  ] as const) {
    t.equal(unitAt(path), unit, path)
  }
})

t.test('a setting stands under the heading of its section', async (t) => {
  const sectionAt = (path: string) => factsAt(path, 'simulated')?.section
  t.equal(sectionAt('data_dir'), 'data_dir')
  t.equal(sectionAt('accounts[1].paper.fees.commission'), 'accounts[1]')
  t.equal(sectionAt('tokens[0].name'), 'tokens[0]')
  t.equal(sectionAt('market.seed'), 'market')
  t.equal(sectionAt('limits.accounts_max'), 'limits')
  t.equal(sectionAt('limits.http.url_bytes_max'), 'limits.http')
  t.equal(sectionAt('strategy.GRID_STOP_LOSS_RATIO'), 'strategy.grid')
  t.equal(sectionAt('strategy.LOG_MAX_SIZE'), 'strategy.without_effect')
  t.equal(factsAt('strategy.LOG_MAX_SIZE', 'xt')?.isDead, true)
})

t.test('a section with variants is described by the one that was chosen', async (t) => {
  t.match(factsAt('market.speed', 'replay')?.text.zh, /回放速度/)
  t.match(factsAt('market.speed', 'simulated')?.text.zh, /行情时间/)
  t.equal(factsAt('market.speed', 'xt'), undefined)
  t.equal(factsAt('nothing.of.the.kind', 'xt'), undefined)
})

t.test('every setting that is listed is described, whatever the file has', async (t) => {
  const account = (id: string) => ({
    account_id: id,
    qmt_path: 'x',
    paper: { positions: [{ stock_code: '600036', volume: 100, cost_price: 35 }] },
  })
  const files = [
    undefined,
    {
      accounts: [account('10000001'), account('10000002')],
      tokens: [{ name: 'wall', hash: `sha256:${'ab'.repeat(32)}`, scope: 'view' }],
      market: { source: 'replay', file: 'x.ndjson' },
    },
    { accounts: [{ account_id: '1', qmt_path: 'C:/qmt' }], market: { source: 'xt' } },
    { accounts: [{ account_id: '1', qmt_path: 'C:/qmt' }], market: { source: 'bigqmt' } },
  ]
  for (const [index, file] of files.entries()) {
    const cwd = t.testdir(file === undefined ? {} : { 'steward.config.json': JSON.stringify(file) })
    const loaded = loadConfig({ cwd, env: { SVC_API_TOKEN: 'sesame', WEB_PUBLIC_MODE: '1' } })
    if (!loaded.ok) throw new Error(loaded.error.join('; '))
    const { settings, config } = loaded.value
    for (const { path } of settings) {
      t.ok(factsAt(path, config.market.source), `${path} of file ${index}`)
    }
  }
})
