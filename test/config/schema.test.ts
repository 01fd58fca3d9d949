import { readdirSync, readFileSync } from 'node:fs'
import t from 'tap'
import { accountSchema, registerDefaults, registrationSchema } from '../../src/config/account.ts'
import { configSchema, isLoopback } from '../../src/config/schema.ts'

t.test(
  'the defaults of everything but the constants of the strategies and the limits',
  async (t) => {
    const { strategy: _, limits, ...rest } = configSchema.parse({})
    t.match(limits, { accounts_max: 128, runtime: { heartbeat_timeout_ms: 2_000 } })
    t.strictSame(rest, {
      data_dir: './data',
      accounts: [],
      closed_days: [],
      market: { source: 'simulated', seed: 1, interval_ms: 3_000, speed: 1 },
      direct: { base_port: 5_000, proxy_base_port: 0, host: '127.0.0.1', allowed_origins: [] },
      gateway: {
        host: '',
        port: 8_888,
        proxy_port: 0,
        api_token: '',
        trust_proxy: false,
        proxies: [],
        ssl_certfile: '',
        ssl_keyfile: '',
        allowed_ips: [],
        rate_limit: 600,
      },
      tokens: [],
      risk: {
        max_orders_per_second: 5,
        max_orders_per_day: 500,
        max_protective_orders_per_day: 1_000,
        max_order_value: 0,
        price_deviation: 0,
        max_daily_loss: 0,
        max_rejects_in_row: 10,
        stale_quote_seconds: 60,
        refuse_duplicates: false,
      },
      audit: { head_file: '', key_file: '' },
      log: { level: 'info', folder: 'logs' },
    })
  },
)

t.test('a market that names no source is the simulated one, with what it does name', async (t) => {
  const marketOf = (market: object) => configSchema.parse({ market }).market
  const simulated = { source: 'simulated', seed: 1, interval_ms: 3_000, speed: 1 }
  t.strictSame(marketOf({}), simulated)
  t.strictSame(marketOf({ seed: 7 }), { ...simulated, seed: 7 })
  t.strictSame(marketOf({ speed: 2, interval_ms: 500 }), {
    ...simulated,
    speed: 2,
    interval_ms: 500,
  })
})

const account = (fields: object) => ({ account_id: 'a', qmt_path: 'q', ...fields })

t.test('an account needs an id and a path; the rest has defaults', async (t) => {
  t.strictSame(accountSchema.parse(account({})), {
    account_id: 'a',
    qmt_path: 'q',
    alias: '',
    account_type: 'STOCK',
    call_timeout: 3,
    reconnect_interval: 60,
    max_reconnect_attempts: 5,
    eligible: [],
    bigqmt: { transport: 'socket', port: 58_800, host: '127.0.0.1', folder: '' },
    gateway: {
      url: '',
      token_file: '',
      account_id: '',
      ca_file: '',
      allow_http: false,
      allow_simulation: false,
    },
    xt: { python: '', xtquant_path: '', attach: '', token_file: '' },
    paper: {
      cash: 1_000_000,
      positions: [],
      pushes: 'all',
      latency_ms: 0,
      fees: { commission: 0.0003, commission_min: 5, stamp_duty: null, transfer_fee: null },
    },
  })
})

t.test('a paper position is normalized and completed', async (t) => {
  const position = { stock_code: 'sh.600036', volume: 1_000, cost_price: 35.1 }
  const { paper } = accountSchema.parse(account({ paper: { positions: [position] } }))
  t.strictSame(paper.positions, [
    {
      stock_code: '600036.SH',
      volume: 1_000,
      cost_price: 35.1,
      open_date: '',
      stock_name: '600036.SH',
      available: 1_000,
    },
  ])
})

t.test(
  'an account that is registered at run time plays on paper unless the market is real',
  async (t) => {
    const registration = registrationSchema.parse({ account_id: 'b', qmt_path: ' C:/qmt ' })
    t.match(registerDefaults(registration, 'simulated'), {
      account_id: 'b',
      qmt_path: 'C:/qmt',
      call_timeout: 3,
      driver: 'paper',
      paper: { cash: 1_000_000, positions: [] },
    })
    t.equal(registerDefaults(registration, 'replay').driver, 'paper')
    t.equal(registerDefaults(registration, 'xt').driver, 'xt')
  },
)

t.test('loopback addresses', async (t) => {
  for (const host of ['127.0.0.1', '127.8.9.10', '::1', 'localhost', '::ffff:127.0.0.1']) {
    t.ok(isLoopback(host), host)
  }
  for (const host of [
    '0.0.0.0',
    '::',
    '10.0.0.1',
    '128.0.0.1',
    'localhost.example',
    '127.0.0.1.x',
    '',
  ]) {
    t.notOk(isLoopback(host), host)
  }
})

/** Every limit of a section, with its section. */
const LIMITS = Object.entries(configSchema.shape.limits.def.innerType.shape).flatMap(
  ([section, group]) =>
    'innerType' in group.def && 'shape' in group.def.innerType
      ? Object.entries(group.def.innerType.shape).map(([key, limit]) => ({ section, key, limit }))
      : [],
)

t.test('every limit says what it bounds', async (t) => {
  t.ok(LIMITS.length > 200)
  for (const { section, key, limit } of LIMITS) t.ok(limit.description, `${section}.${key}`)
})

const ROOT = new URL('../../', import.meta.url)

/** The words of all sources but the lines that say what a key is, and the names of keys for people. */
function wordsRead(): ReadonlySet<string> {
  const files = ['src', 'actors', 'http'].flatMap((room) =>
    readdirSync(new URL(`${room}/`, ROOT), { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts'))
      .map((file) => new URL(`${room}/${file.replaceAll('\\', '/')}`, ROOT)),
  )
  const texts = files.map((file) =>
    readFileSync(file, 'utf8').replace(/'limits\.[\w.]+'|^\s+\w+: (?:ms|count|bytes)\(.*$/gm, ''),
  )
  return new Set(texts.flatMap((text) => text.match(/\w+/g) ?? []))
}

t.test('every limit is read somewhere, under its name or that of the code', async (t) => {
  const words = wordsRead()
  const inCode = (key: string) => key.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase())
  const isRead = (key: string) => words.has(key) || words.has(inCode(key))
  const unread = LIMITS.filter(({ key }) => !isRead(key))
  t.strictSame(
    unread.map(({ section, key }) => `${section}.${key}`),
    [],
  )
  t.notOk(isRead(['nobody', 'reads', 'this', 'ms'].join('_')), 'the check bites')
})
