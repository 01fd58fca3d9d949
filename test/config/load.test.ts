import { mkdirSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import t from 'tap'
import { type ConfigOptions, loadConfig } from '../../src/config/load.ts'
import { inEnglish } from './fixtures/in-english.ts'

type Env = Record<string, string>
const FILE = 'steward.config.json'

function load(cwd: string, env: Env = {}, options: ConfigOptions = {}) {
  const loaded = loadConfig({ cwd, env, options })
  if (!loaded.ok) throw new Error(loaded.error.join('\n'))
  return loaded.value
}

const account = (fields: object = {}) => ({ account_id: 'a', qmt_path: 'q', ...fields })
/** The example of the documentation, comments included. */
const EXAMPLE = `{
  "data_dir": "./data",                    // one folder per account inside; created with mode 0700
  "accounts": [                            // order fixes the direct-mode ports
    { "account_id": "10000001", "qmt_path": "C:/qmt/userdata_mini", "account_type": "STOCK",
      "call_timeout": 3.0, "reconnect_interval": 60.0, "max_reconnect_attempts": 5,
      "driver": "paper",                   // "paper" | "xt"
      "paper": { "cash": 1000000,          // state of the embedded trading client at its first start
                 "positions": [ { "stock_code": "600036", "volume": 1000, "available": 1000, "cost_price": 35.1, "open_date": "2026-08-03", "stock_name": "招商银行" } ],
                 "latency_ms": 0 } }
  ],
  "market": { "source": "simulated", "seed": 1, "interval_ms": 3000, "speed": 1 },
  //         { "source": "replay", "file": "day.ndjson", "speed": "max" }    speed: a number (1 = as recorded) or "max"
  //         { "source": "xt" }
  "direct":  { "base_port": 5000, "host": "127.0.0.1" },
  "gateway": { "host": "0.0.0.0", "port": 8888, "api_token": "", "trust_proxy": false, "allowed_ips": [], "rate_limit": 600 },
  "strategy": { "ENABLE_SIMULATION_MODE": false, "ENABLE_DYNAMIC_STOP_PROFIT": true, "STOP_LOSS_RATIO": -0.075 },
  "risk": { "max_orders_per_second": 5, "max_orders_per_day": 500, "max_order_value": 0, "price_deviation": 0,
            "max_daily_loss": 0, "max_rejects_in_row": 10, "stale_quote_seconds": 60 },   // yuan, ratios, seconds; 0 = off
  "log": { "level": "info" }
}
`

t.test('the example of the documentation loads, comments included', async (t) => {
  const cwd = t.testdir({ [FILE]: EXAMPLE })
  const { config, file, settings } = load(cwd)
  t.equal(file, join(cwd, FILE))
  t.equal(config.data_dir, join(cwd, 'data'))
  t.match(config.accounts, [{ account_id: '10000001', driver: 'paper' }])
  t.match(config.accounts[0]?.paper.positions, [
    { stock_code: '600036.SH', stock_name: '招商银行' },
  ])
  const sourceOf = (path: string) => settings.find((setting) => setting.path === path)?.source
  t.equal(sourceOf('strategy.STOP_LOSS_RATIO'), 'file')
  t.equal(sourceOf('strategy.POSITION_UNIT'), 'default')
  t.equal(sourceOf('accounts[0].paper.positions[0].volume'), 'file')
})

t.test(
  'without a file the demo runs: two accounts, eight holdings, a simulated market',
  async (t) => {
    const cwd = t.testdir()
    const { config, file, settings } = load(cwd)
    t.equal(file, undefined)
    t.strictSame(
      config.accounts.map(({ account_id, driver, paper }) => [
        account_id,
        driver,
        paper.positions.length,
      ]),
      [
        ['10000001', 'paper', 4],
        ['10000002', 'paper', 4],
      ],
    )
    t.match(config.market, { source: 'simulated', interval_ms: 1_000 })
    t.equal(config.data_dir, join(cwd, 'data'))
    t.equal(settings.find(({ path }) => path === 'market.interval_ms')?.source, 'built-in demo')
    for (const { paper } of config.accounts) {
      for (const { stock_name } of paper.positions) t.match(stock_name, /[\u4e00-\u9fff]/)
    }
  },
)

t.test(
  'a place named by the launcher holds file and data wherever it is called from',
  async (t) => {
    const dir = t.testdir({
      place: { 'steward.config.json': '{"log": {"level": "warn"}}', '.env': 'GW_API_TOKEN=abc\n' },
      cwd: { 'steward.config.json': '{"log": {"level": "error"}}', 'own.json': '{}' },
    })
    const [place, cwd] = [join(dir, 'place'), join(dir, 'cwd')]
    const env = { STEWARD_PLACE: place }
    const { config, file } = load(cwd, env, {})
    t.equal(file, join(place, 'steward.config.json'), 'not the one that lies around')
    t.equal(config.log.level, 'warn')
    t.equal(config.data_dir, join(place, 'data'))
    t.equal(config.gateway.api_token, 'abc', 'its .env too')

    const named = load(cwd, env, { configFile: 'own.json', dataDir: 'mine' })
    t.equal(named.file, join(cwd, 'own.json'), 'what the user types starts where the user is')
    t.equal(named.config.data_dir, join(cwd, 'mine'))
    t.equal(load(cwd, env, { configFile: 'own.json' }).config.data_dir, join(place, 'data'))
    t.equal(load(cwd, { STEWARD_PLACE: '' }, {}).config.log.level, 'error', 'empty is none')
  },
)

t.test('command line, environment, .env, file, default: the first that speaks wins', async (t) => {
  const cwd = t.testdir({
    conf: { 'c.json': '{"data_dir": "from-file", "log": {"level": "warn"}}' },
  })
  const options = { configFile: 'conf/c.json' }
  const dirOf = (env: Env, more: ConfigOptions = {}) => {
    const { config, settings } = load(cwd, env, { ...options, ...more })
    return [config.data_dir, settings[0]?.source]
  }
  t.strictSame(dirOf({}), [join(cwd, 'from-file'), 'file'])
  writeFileSync(join(cwd, 'conf', '.env'), 'STEWARD_HOME="from-dotenv"\n')
  t.strictSame(dirOf({}), [join(cwd, 'from-dotenv'), '.env STEWARD_HOME'])
  const env = { STEWARD_HOME: ' from-env ' }
  t.strictSame(dirOf(env), [join(cwd, 'from-env'), 'env STEWARD_HOME'])
  t.strictSame(dirOf(env, { dataDir: 'from-cli' }), [join(cwd, 'from-cli'), 'command line'])
  const elsewhere = resolve(cwd, 'elsewhere')
  t.strictSame(dirOf(env, { dataDir: elsewhere }), [elsewhere, 'command line'])
  t.equal(load(cwd, {}, options).config.log.level, 'warn')
  t.equal(load(cwd, {}, { ...options, logLevel: 'debug' }).config.log.level, 'debug')
})

t.test('F391 data that lies beside the file is not begun anew somewhere else', async (t) => {
  const text =
    '{"data_dir": "d", "accounts": [{"account_id": "88001234", "qmt_path": "q", "driver": "paper"}]}'
  const dir = t.testdir({ conf: { 'c.json': text, d: { '88001234': {} } }, cwd: {} })
  const [conf, cwd] = [join(dir, 'conf'), join(dir, 'cwd')]
  const options = { configFile: join(conf, 'c.json') }
  const refused = loadConfig({ cwd, env: {}, options })
  if (refused.ok) throw new Error('it would begin anew')
  t.match(refused.error, [/data_dir: .*88001234.*write the whole path in data_dir/])
  t.ok(refused.error[0]?.includes(join(cwd, 'd')) && refused.error[0].includes(join(conf, 'd')))
  t.equal(load(conf, {}, options).config.data_dir, join(conf, 'd'), 'where it was started before')
  const named = { STEWARD_HOME: join(cwd, 'd') }
  t.equal(load(cwd, named, options).config.data_dir, join(cwd, 'd'), 'who names it means it')
  t.equal(load(cwd, {}, { ...options, dataDir: 'd' }).config.data_dir, join(cwd, 'd'))
  mkdirSync(join(cwd, 'd', '88001234'), { recursive: true })
  t.equal(load(cwd, {}, options).config.data_dir, join(cwd, 'd'), 'it has lived there too')
})

t.test(
  'data_dir starts at the working directory, a replay file at the configuration file',
  async (t) => {
    const cwd = t.testdir({
      conf: {
        'c.json':
          '{"data_dir": "d", "market": {"source": "replay", "file": "day.ndjson", "speed": "max"}}',
      },
    })
    const { config } = load(cwd, {}, { configFile: 'conf/c.json' })
    t.equal(config.data_dir, join(cwd, 'd'))
    t.strictSame(config.market, {
      source: 'replay',
      file: join(cwd, 'conf', 'day.ndjson'),
      speed: 'max',
      autostart: true,
    })
  },
)

t.test(
  'tokens: direct takes SVC_API_TOKEN, the gateway GW_API_TOKEN, SVC_API_TOKEN, file',
  async (t) => {
    const cwd = t.testdir({ [FILE]: '{"gateway": {"api_token": "file"}}' })
    const tokens = (env: Env) => {
      const { direct, gateway } = load(cwd, env).config
      return [direct.api_token, gateway.api_token]
    }
    t.strictSame(tokens({}), ['', 'file'])
    t.strictSame(tokens({ SVC_API_TOKEN: 'svc' }), ['svc', 'svc'])
    t.strictSame(tokens({ GW_API_TOKEN: 'gw' }), ['', 'gw'])
    t.strictSame(tokens({ GW_API_TOKEN: 'gw', SVC_API_TOKEN: 'svc' }), ['svc', 'gw'])
    t.strictSame(tokens({ GW_API_TOKEN: ' ', SVC_API_TOKEN: '' }), ['', 'file'])
    t.equal(load(cwd, { WEB_PUBLIC_MODE: 'True' }).config.direct.public_mode, true)
  },
)

t.test(
  'a gateway without a token listens on this computer, unless it is told otherwise',
  async (t) => {
    const tokens = [{ name: 'desk', hash: `sha256:${'a'.repeat(64)}`, scope: 'view' }]
    const rows: [file: object, env: Env, host: string][] = [
      [{}, {}, '127.0.0.1'],
      [{}, { GW_API_TOKEN: 'secret' }, '0.0.0.0'],
      [{ gateway: { api_token: 'secret' } }, {}, '0.0.0.0'],
      [{ tokens }, {}, '0.0.0.0'],
      [{ gateway: { host: '0.0.0.0' } }, {}, '0.0.0.0'],
      [{ gateway: { host: '192.168.1.5' }, tokens }, {}, '192.168.1.5'],
    ]
    const cwd = t.testdir()
    for (const [file, env, host] of rows) {
      writeFileSync(join(cwd, FILE), JSON.stringify(file))
      const { config, settings } = load(cwd, env)
      t.equal(config.gateway.host, host, JSON.stringify([file, env]))
      t.equal(settings.find(({ path }) => path === 'gateway.host')?.value, host, 'as it is shown')
    }
    writeFileSync(join(cwd, FILE), '{}')
    mkdirSync(join(cwd, 'data'))
    const made = { ...tokens[0], accounts: [], expires: '' }
    const list = { version: 1, tokens: [made], revoked: [], changes: [] }
    writeFileSync(join(cwd, 'data', 'tokens.json'), JSON.stringify(list))
    t.equal(load(cwd).config.gateway.host, '0.0.0.0', 'one that steward token has made is one too')
  },
)

t.test('F484 a token that steward token has made is a token to the warnings, too', async (t) => {
  const made = {
    name: 'desk',
    hash: `sha256:${'a'.repeat(64)}`,
    scope: 'view',
    accounts: [],
    expires: '',
  }
  const list = { version: 1, tokens: [made], revoked: [], changes: [] }
  const cwd = t.testdir({ data: { 'tokens.json': JSON.stringify(list) } })
  writeFileSync(join(cwd, FILE), '{"gateway": {"proxy_port": 9000}}')
  t.strictSame(
    load(cwd).warnings.map((line) => /no token|clear text/.exec(line)?.[0]),
    ['clear text'],
  )
  writeFileSync(join(cwd, 'data', 'tokens.json'), JSON.stringify({ ...list, tokens: [] }))
  t.match(load(cwd).warnings, [/gateway.proxy_port is set and there is no token/])
})

t.test('switches of the strategy may come from the environment', async (t) => {
  const name = 'ENABLE_PAUSE_GRID_AFTER_TAKE_PROFIT_FULL'
  const cwd = t.testdir({ [FILE]: `{"strategy": {"${name}": true}}` })
  t.equal(load(cwd).config.strategy[name], true)
  t.equal(load(cwd, { [name]: 'off' }).config.strategy[name], false)
  t.equal(load(cwd, { ENABLE_SIMULATION_MODE: 'y' }).config.strategy.ENABLE_SIMULATION_MODE, true)
  t.equal(
    load(cwd, { ENABLE_SIMULATION_MODE: '' }).config.strategy.ENABLE_SIMULATION_MODE,
    undefined,
  )
})

t.test('a file that cannot be read is one line', async (t) => {
  const cwd = t.testdir({ 'bad.json': '{\n  "data_dir" 1}', 'list.json': '[]', dir: {} })
  writeFileSync(join(cwd, 'gbk.json'), Buffer.from([0x7b, 0xd6, 0xd0, 0x7d]))
  writeFileSync(join(cwd, 'big.json'), ' '.repeat(1_048_577))
  const table: [string, string][] = [
    ['none.json', 'none.json: no such file; check the path after --config'],
    ['bad.json', 'bad.json:2:14: expected ":"'],
    ['list.json', 'list.json: must hold one object in braces'],
    ['gbk.json', 'gbk.json: is not UTF-8; save it as UTF-8'],
    ['big.json', 'big.json: is larger than 1048576 bytes'],
  ]
  for (const [configFile, message] of table) {
    const read = loadConfig({ cwd, env: {}, options: { configFile } })
    t.strictSame(read.ok ? [] : read.error.map(inEnglish), [message])
  }
  t.match(loadConfig({ cwd, env: {}, options: { configFile: 'dir' } }), {
    ok: false,
    error: [/^dir: /],
  })
})

t.test('a folder in the place of .env is a problem, a bad line in it a warning', async (t) => {
  const cwd = t.testdir({ [FILE]: '{}', '.env': 'SVC_API_TOKEN=x\n???\n' })
  t.match(load(cwd).warnings, [/^\.env:2: .*not NAME=value; ignored/])
  const other = t.testdir({ [FILE]: '{}' })
  mkdirSync(join(other, '.env'))
  t.match(loadConfig({ cwd: other, env: {} }), { ok: false, error: [/^\.env: /] })
})

t.test(
  'the same thing under its old name fills the setting, so neither name is dead',
  async (t) => {
    const strategy = {
      QMT_POSITION_QUERY_INTERVAL: 20,
      XTQUANT_CALL_TIMEOUT: 7,
      SIMULATION_BALANCE: 5_000,
    }
    const accounts = [account(), account({ account_id: 'b', call_timeout: 4, paper: { cash: 1 } })]
    const old = load(t.testdir({ [FILE]: JSON.stringify({ strategy, accounts }) }))
    t.equal(old.config.limits.account.position_query_interval_ms, 20_000)
    const pairs = old.config.accounts.map(({ call_timeout, paper }) => [call_timeout, paper.cash])
    t.strictSame(pairs, [
      [7, 5_000],
      [4, 1],
    ])
    const sourceOf = (path: string) => old.settings.find((setting) => setting.path === path)?.source
    t.equal(sourceOf('accounts[0].call_timeout'), 'file, as strategy.XTQUANT_CALL_TIMEOUT')
    t.equal(sourceOf('accounts[1].call_timeout'), 'file')
    const limits = { account: { position_query_interval_ms: 500 } }
    const own = load(t.testdir({ [FILE]: JSON.stringify({ limits }) }))
    t.equal(own.config.strategy.QMT_POSITION_QUERY_INTERVAL, 0.5)
  },
)

t.test('F986 the same time under both its names is no contradiction', async (t) => {
  const file = (ms: number) => ({
    strategy: { QMT_POSITION_QUERY_INTERVAL: 1.001 },
    limits: { account: { position_query_interval_ms: ms } },
  })
  const both = load(t.testdir({ [FILE]: JSON.stringify(file(1_001)) }))
  t.equal(both.config.limits.account.position_query_interval_ms, 1_001)
  t.equal(both.config.strategy.QMT_POSITION_QUERY_INTERVAL, 1.001)
  const cwd = t.testdir({ [FILE]: JSON.stringify(file(1_002)) })
  t.match(loadConfig({ cwd, env: {} }), { ok: false, error: [/contradicts/] })
})

t.test('a constant that nothing reads gives a warning when it is set', async (t) => {
  const strategy = { ENABLE_THREAD_MONITOR: true, STOP_LOSS_RATIO: -0.1 }
  const { warnings } = load(
    t.testdir({ [FILE]: JSON.stringify({ strategy, gateway: { host: '::1' } }) }),
  )
  t.match(warnings, [
    /strategy.ENABLE_THREAD_MONITOR is accepted for existing configurations and has no effect/,
  ])
})

t.test('one mistake made a hundred times does not fill the screen', async (t) => {
  const positions = Array.from({ length: 100 }, () => ({ code: '600036', volume: 100 }))
  const accounts = [{ account_id: '10000001', qmt_path: 'x', paper: { positions } }]
  const cwd = t.testdir({ [FILE]: JSON.stringify({ accounts }) })
  const loaded = loadConfig({ cwd, env: {} })
  t.notOk(loaded.ok)
  if (loaded.ok) return
  t.equal(loaded.error.length, 21)
  t.match(loaded.error.at(-1), /^… 另有 \d+ 处 \(and \d+ more\)$/)
})

t.test(
  'a file to which an editor has added .txt is named, and no demo runs in its place',
  async (t) => {
    const added = (files: Record<string, string>) => {
      const loaded = loadConfig({ cwd: t.testdir(files), env: {} })
      return loaded.ok ? loaded.value.warnings : loaded.error
    }
    t.match(added({ [`${FILE}.txt`]: '{}' }), [/^steward\.config\.json\.txt: .*rename it to/])
    t.match(added({ '.env.txt': 'A=1' }), [/^\.env\.txt: .*rename it to \.env\)/])
    t.strictSame(added({ [FILE]: '{}', [`${FILE}.txt`]: '{}', '.env': '', '.env.txt': '' }), [])
  },
)

t.test('a folder of the log that is no folder inside data_dir is told', async (t) => {
  const told = (folder: string) => {
    const cwd = t.testdir({ [FILE]: JSON.stringify({ log: { folder } }) })
    const loaded = loadConfig({ cwd, env: {} })
    return loaded.ok ? loaded.value.warnings : loaded.error
  }
  t.match(told('D:/steward/logs'), [/log\.folder D:\/steward\/logs is taken for a folder inside/])
  t.match(told('/var/log/steward'), [/inside data_dir; write a name/])
  for (const folder of ['logs', 'a/b', '']) t.strictSame(told(folder), [], folder)
})

t.test('F767 a data folder with a sign that no shell has replaced is told', async (t) => {
  const told = (dataDir: string, env: Readonly<Record<string, string>> = {}) => {
    const cwd = t.testdir({ [FILE]: JSON.stringify({ data_dir: dataDir }) })
    const loaded = loadConfig({ cwd, env })
    return loaded.ok ? loaded.value.warnings : loaded.error
  }
  t.match(told('~/data'), [/data_dir .*: ~ .* in a folder of that very name: write the whole path/])
  t.match(told('data', { STEWARD_HOME: '~' }), [/in a folder of that very name/])
  for (const written of ['$HOME/data', ['$', '{HOME}/data'].join(''), '%USERPROFILE%/data']) {
    t.match(told(written), [/in a folder of that very name/], written)
  }
  for (const written of ['data', 'a~/data', '~a', 'PROGRA~1', 'D$/x', '100%/data', '中文 数据']) {
    t.strictSame(told(written), [], written)
  }
})
