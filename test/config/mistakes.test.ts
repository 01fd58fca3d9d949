import t, { type Test } from 'tap'
import { type ConfigOptions, loadConfig } from '../../src/config/load.ts'
import { parted } from './fixtures/in-english.ts'

type Env = Record<string, string>
const FILE = 'steward.config.json'

/** The problems of a file in both languages, without the name in front of each. */
function bothOf(t: Test, file: unknown, env: Env = {}, options: ConfigOptions = {}) {
  const text = typeof file === 'string' ? file : JSON.stringify(file)
  const loaded = loadConfig({ cwd: t.testdir({ [FILE]: text }), env, options })
  return loaded.ok ? [] : loaded.error.map((line) => parted(line.replace(`${FILE}: `, '')))
}

const problemsOf = (...file: Parameters<typeof bothOf>) =>
  bothOf(...file).map(({ where, en }) => `${where}${en}`)

const account = (fields: object = {}) => ({ account_id: 'a', qmt_path: 'q', ...fields })
const holding = (fields: object = {}) =>
  account({
    paper: { positions: [{ stock_code: '600036', volume: 100, cost_price: 35.1, ...fields }] },
  })

const token = (fields: object = {}) => ({
  name: 'wall',
  hash: `sha256:${'a'.repeat(64)}`,
  scope: 'view',
  ...fields,
})
const HASH_TEXT = 'must be "sha256:" and 64 small hexadecimal digits; steward token prints it'

const PATH_TEXT = 'has control characters: write / or \\\\ for each \\ of a path'

const MISTAKES: readonly (readonly [file: unknown, message: string])[] = [
  ['{"data_dir": "D:\\new\\bak"}', `data_dir: ${PATH_TEXT}`],
  [{ data_dir: 'a\u0000b' }, `data_dir: ${PATH_TEXT}`],
  [{ accounts: [account({ qmt_path: 'D:\nqmt' })] }, `accounts[0].qmt_path: ${PATH_TEXT}`],
  [
    { accounts: [account({ driver: 'xt', xt: { python: 'C:\ty' } })], market: { source: 'xt' } },
    `accounts[0].xt.python: ${PATH_TEXT}`,
  ],
  [{ log: { folder: 'a\tb' } }, `log.folder: ${PATH_TEXT}`],
  [{ gateway: { ssl_keyfile: 'k\rey' } }, `gateway.ssl_keyfile: ${PATH_TEXT}`],
  [{ audit: { head_file: 'h\n' } }, `audit.head_file: ${PATH_TEXT}`],
  [{ acounts: [] }, 'acounts: unknown key; did you mean accounts?'],
  [{ qqqqqqq: 1 }, 'qqqqqqq: unknown key'],
  [{ tokens: [token({ scop: 1 })] }, 'tokens[0].scop: unknown key; did you mean scope?'],
  [
    { tokens: [token({ scope: 'root' })] },
    'tokens[0].scope: must be one of "view", "trade", "admin", not "root"',
  ],
  // What stands there may be the token itself, written in the wrong place.
  [{ tokens: [token({ hash: 'my-secret-token' })] }, `tokens[0].hash: ${HASH_TEXT}`],
  [
    { tokens: [token({ expires: '2026-02-30' })] },
    'tokens[0].expires: must be a day such as "2027-01-31", not "2026-02-30"',
  ],
  [
    { tokens: [token(), token({ hash: `sha256:${'b'.repeat(64)}` })] },
    'tokens[1].name: is also the name of tokens[0]',
  ],
  [{ tokens: [token(), token({ name: 'two' })] }, 'tokens[1].hash: is also the hash of tokens[0]'],
  [
    { gateway: { ssl_certfile: 'c.pem' } },
    'gateway.ssl_keyfile: HTTPS needs both ssl_certfile and ssl_keyfile',
  ],
  // A setting with a second name: only the name that was written is blamed.
  [{ gateway: { port: 99_999 } }, 'gateway.port: must be at most 65535, not 99999'],
  ['{"__proto__": {}}', '__proto__: unknown key'],
  [
    { accounts: [account({ call_timout: 3 })] },
    'accounts[0].call_timout: unknown key; did you mean call_timeout?',
  ],
  [
    { accounts: [account({ paper: { csh: 1 } })] },
    'accounts[0].paper.csh: unknown key; did you mean cash?',
  ],
  [
    { accounts: [holding({ volum: 1 })] },
    'accounts[0].paper.positions[0].volum: unknown key; did you mean volume?',
  ],
  [
    { market: { source: 'replay', file: 'x', sped: 1 } },
    'market.sped: unknown key; did you mean speed?',
  ],
  [{ market: { source: 'simulated', file: 'x' } }, 'market.file: unknown key'],
  [
    { strategy: { STOP_LOS_RATIO: -0.1 } },
    'strategy.STOP_LOS_RATIO: unknown key; did you mean STOP_LOSS_RATIO?',
  ],
  [
    { limits: { runtime: { mailbox_request_max: 1 } } },
    'limits.runtime.mailbox_request_max: unknown key; did you mean mailbox_requests_max?',
  ],
  [
    { direct: { api_token: 'x' } },
    'direct.api_token: unknown key; set the environment variable SVC_API_TOKEN instead',
  ],
  [
    { limits: { cluster: { append_records_max: 16 } } },
    'limits.cluster.append_records_max: unknown key; remove it: limits.cluster.append_bytes_max is what bounds an append',
  ],
  [{ accounts: {} }, 'accounts: must be a list'],
  [{ accounts: [{ qmt_path: 'q' }] }, 'accounts[0].account_id: is missing'],
  [
    { accounts: [account({ account_id: 10000001 })] },
    'accounts[0].account_id: must be a text, not 10000001',
  ],
  [
    { accounts: [account({ account_id: 'a/b' })] },
    'accounts[0].account_id: must be 1 to 32 letters, digits, "_" or "-", not "a/b"',
  ],
  [
    { accounts: [account({ account_id: 'Paper' })] },
    'accounts[0].account_id: this name is reserved for a folder of the service',
  ],
  [
    { accounts: [account({ account_id: 'Aux' })] },
    'accounts[0].account_id: is the name of a device on Windows, where no folder can have it; choose another one. Of one that was used before the data stays in its folder, and the account compares with the trading client under its new name',
  ],
  [
    { accounts: [account(), account({ account_id: 'A' })] },
    'accounts[1].account_id: "A" is also the id of accounts[0]',
  ],
  [
    { accounts: [account({ alias: '长'.repeat(21) })] },
    'accounts[0].alias: must have at most 20 characters',
  ],
  [
    { accounts: [account({ alias: 'a\u202eb' })] },
    'accounts[0].alias: must not have control or invisible characters',
  ],
  [{ accounts: [account({ alias: 7 })] }, 'accounts[0].alias: must be a text, not 7'],
  [
    { accounts: [account({ alias: '稳健 A' }), account({ account_id: 'b', alias: ' 稳健 a ' })] },
    'accounts[1].alias: is the alias of accounts[0] too',
  ],
  [{ accounts: [account({ qmt_path: ' ' })] }, 'accounts[0].qmt_path: must not be empty'],
  [
    { accounts: [account({ account_type: 'stock' })] },
    'accounts[0].account_type: must be one of "STOCK", "FUTURE", "CREDIT", not "stock"',
  ],
  [
    { accounts: [account({ call_timeout: 0 })] },
    'accounts[0].call_timeout: must be at least 0.05, not 0',
  ],
  [
    { accounts: [account({ call_timeout: '3' })] },
    'accounts[0].call_timeout: must be a number, not "3"',
  ],
  [
    { accounts: [account({ reconnect_interval: 3_601 })] },
    'accounts[0].reconnect_interval: must be at most 3600, not 3601',
  ],
  [
    { accounts: [account({ max_reconnect_attempts: 1.5 })] },
    'accounts[0].max_reconnect_attempts: must be a whole number, not 1.5',
  ],
  [
    { accounts: [holding({ stock_code: '830799' })] },
    'accounts[0].paper.positions[0].stock_code: no exchange is known for this code; add .SH, .SZ or .BJ',
  ],
  [
    { accounts: [holding({ stock_code: 'x' })] },
    'accounts[0].paper.positions[0].stock_code: must be a stock code such as "600036.SH", not "x"',
  ],
  [
    { accounts: [holding({ volume: 0 })] },
    'accounts[0].paper.positions[0].volume: must be at least 1, not 0',
  ],
  [
    { accounts: [holding({ available: 101 })] },
    'accounts[0].paper.positions[0].available: must be at most volume, not 101',
  ],
  [
    { accounts: [holding({ cost_price: 0 })] },
    'accounts[0].paper.positions[0].cost_price: must be above 0, not 0',
  ],
  [
    { accounts: [holding({ open_date: '2026-02-30' })] },
    'accounts[0].paper.positions[0].open_date: must be a date such as "2026-08-03", not "2026-02-30"',
  ],
  [
    { market: { source: 'live' } },
    'market.source: must be one of "simulated", "replay", "cluster", "bigqmt", "gateway", "xt", not "live"',
  ],
  [
    { gateway: { allowed_ips: ['::ffff:10.0.0.0/33'] } },
    'gateway.allowed_ips[0]: must be an IP address or a range such as "192.168.1.0/24", not "::ffff:10.0.0.0/33"',
  ],
  [{ market: { sed: 7 } }, 'market.sed: unknown key; did you mean seed?'],
  [{ market: { file: 'day.ndjson' } }, 'market.file: unknown key'],
  [{ market: { source: 'replay' } }, 'market.file: is missing'],
  [
    { market: { source: 'replay', file: 'x', speed: 'fast' } },
    'market.speed: must be a number from 0.001 to 1000000 or "max", not "fast"',
  ],
  [
    { direct: { host: '0.0.0.0' } },
    'direct.host: must be a loopback address such as "127.0.0.1"; other computers use the gateway, not "0.0.0.0"',
  ],
  [
    { direct: { base_port: 65_535 }, accounts: [account(), account({ account_id: 'b' })] },
    'direct.base_port: 65535 leaves no port for account 2',
  ],
  [
    { direct: { base_port: 8_887 }, accounts: [account(), account({ account_id: 'b' })] },
    'gateway.port: 8888 is also the direct-mode port of accounts[1]',
  ],
  [
    { gateway: { proxy_port: 5_001 }, accounts: [account(), account({ account_id: 'b' })] },
    'gateway.proxy_port: 5001 is also the direct-mode port of accounts[1]',
  ],
  [{ gateway: { proxy_port: 8_888 } }, 'gateway.proxy_port: 8888 is also gateway.port'],
  [
    { direct: { proxy_base_port: 4_999 }, accounts: [account(), account({ account_id: 'b' })] },
    'direct.proxy_base_port: 5000 is also the direct-mode port of accounts[0]',
  ],
  [
    {
      direct: { proxy_base_port: 6_000 },
      gateway: { proxy_port: 6_001 },
      accounts: [account(), account({ account_id: 'b' })],
    },
    'gateway.proxy_port: 6001 is also the port for proxies of accounts[1]',
  ],
  [{ gateway: { trust_proxy: ['10.0.0.1'] } }, 'gateway.trust_proxy: must be true or false'],
  [
    { direct: { allowed_origins: ['http://localhost:3000/'] } },
    'direct.allowed_origins[0]: must be an origin such as "http://localhost:3000": scheme, host and port, nothing behind them, not "http://localhost:3000/"',
  ],
  [
    { gateway: { trust_proxy: true } },
    'gateway.trust_proxy: needs the addresses of the proxies in gateway.proxies; otherwise every caller could name another address as its own',
  ],
  [
    { gateway: { allowed_ips: ['10.0.0.0/33'] } },
    'gateway.allowed_ips[0]: must be an IP address or a range such as "192.168.1.0/24", not "10.0.0.0/33"',
  ],
  [{ risk: { price_deviation: 2 } }, 'risk.price_deviation: must be at most 1, not 2'],
  [
    { log: { level: 'loud' } },
    'log.level: must be one of "debug", "info", "warn", "error", "silent", not "loud"',
  ],
  [
    {
      strategy: {
        DYNAMIC_TAKE_PROFIT: [
          [0.2, 0.9],
          [0.1, 0.9],
        ],
      },
    },
    'strategy.DYNAMIC_TAKE_PROFIT: levels must rise from row to row',
  ],
  [
    { limits: { accounts_max: 1 }, accounts: [account(), account({ account_id: 'b' })] },
    'accounts: 2 accounts, but limits.accounts_max is 1',
  ],
  [
    { limits: { runtime: { restart_backoff_min_ms: 9_000 } } },
    'limits.runtime.restart_backoff_min_ms: 9000 exceeds limits.runtime.restart_backoff_max_ms, which is 5000',
  ],
  [
    { strategy: { XTQUANT_MANAGER_PORT: 9_000 }, gateway: { port: 9_001 } },
    'strategy.XTQUANT_MANAGER_PORT: contradicts gateway.port; keep one of the two',
  ],
]

t.test('each mistake has its path and says how to mend it', async (t) => {
  for (const [file, message] of MISTAKES) t.strictSame(problemsOf(t, file), [message], message)
})

t.test('F459 each mistake is said in Chinese first, and then in English', async (t) => {
  for (const [file, message] of MISTAKES) {
    for (const { zh, en } of bothOf(t, file)) {
      t.match(zh, /[\u3400-\u9fff]/, message)
      t.notMatch(en, /[\u3400-\u9fff]/, message)
    }
  }
})

t.test('all problems are reported at once', async (t) => {
  const problems = problemsOf(t, { acounts: 1, log: { level: 1 }, market: { source: 2 }, risk: 3 })
  t.equal(problems.length, 4)
})

t.test('a problem from outside the file names where it comes from', async (t) => {
  t.strictSame(problemsOf(t, {}, {}, { logLevel: 'loud' }), [
    'command line: log.level: must be one of "debug", "info", "warn", "error", "silent", not "loud"',
  ])
  t.strictSame(problemsOf(t, {}, { GW_API_TOKEN: 'open sesame' }), [
    'env GW_API_TOKEN: gateway.api_token: must be visible ASCII characters without spaces',
  ])
})

t.test('addresses, ranges and host names are accepted', async (t) => {
  const allowed_ips = ['10.0.0.7', '10.0.0.0/8', '::1', 'fd00::/8', '::ffff:10.0.0.7']
  for (const host of ['0.0.0.0', '::', '127.0.0.1', 'trade.local']) {
    t.strictSame(problemsOf(t, { gateway: { host, port: 0, allowed_ips } }), [], host)
  }
  for (const host of ['127.0.0.1', '127.1.2.3', '::1', 'localhost']) {
    t.strictSame(problemsOf(t, { direct: { host, base_port: 0 } }), [], host)
  }
})
