import t from 'tap'
import { crossProblems, resolveAccounts } from '../../src/config/rules.ts'
import { type AccountConfig, type Config, configSchema } from '../../src/config/schema.ts'
import { pathText } from '../../src/config/tree.ts'
import { warnings } from '../../src/config/warnings.ts'
import { inBoth } from '../../src/domain/in-both.ts'

const sections = (driver: string | undefined, source: string, strategy: object = {}) =>
  configSchema.parse({
    accounts: [{ account_id: 'a', qmt_path: 'q', ...(driver === undefined ? {} : { driver }) }],
    market: source === 'replay' ? { source, file: 'f' } : { source },
    strategy,
  })
const lines = (...config: Parameters<typeof sections>) =>
  crossProblems(sections(...config)).map(
    ({ path, message }) => `${pathText(path)}: ${inBoth(message).en}`,
  )

t.test(
  'the driver is real on a real market and paper everywhere else, unless it is named',
  async (t) => {
    const driver = (...config: Parameters<typeof sections>) =>
      resolveAccounts(sections(...config))[0]?.driver
    t.equal(driver(undefined, 'simulated'), 'paper')
    t.equal(driver(undefined, 'replay'), 'paper')
    t.equal(driver(undefined, 'xt'), 'xt')
    t.equal(driver('paper', 'xt'), 'paper')
  },
)

t.test('a sidecar that was started by hand needs its token', async (t) => {
  const problems = (xt: object, market: object) =>
    crossProblems(
      configSchema.parse({
        accounts: [{ account_id: 'a', qmt_path: 'q', xt }],
        market: { source: 'xt', ...market },
      }),
    ).map(({ path }) => pathText(path))
  t.strictSame(problems({}, {}), [])
  t.strictSame(problems({ attach: '58700' }, {}), ['accounts[0].xt.token_file'])
  t.strictSame(problems({ attach: '58700', token_file: 'token' }, {}), [])
  t.strictSame(problems({}, { attach: 'pc.lan:58701' }), ['market.token_file'])
})

t.test('two accounts do not share the port or the folder of a script', async (t) => {
  const problems = (...each: object[]) =>
    crossProblems(
      configSchema.parse({
        accounts: each.map((bigqmt, index) => ({
          account_id: `a${index}`,
          qmt_path: 'q',
          bigqmt,
        })),
        market: { source: 'bigqmt' },
      }),
    ).map(({ path, message }) => `${pathText(path)}: ${inBoth(message).en}`)
  t.strictSame(problems({}, {}), [
    'accounts[1].bigqmt.port: port 58800 of 127.0.0.1 is also that of accounts[0]',
  ])
  t.strictSame(problems({}, { port: 58801 }, { transport: 'files' }), [])
  t.strictSame(problems({}, { host: '10.0.0.7' }), [], 'another computer, another port')
  const folder = 'D:\\steward'
  t.strictSame(problems({ folder, transport: 'files' }, { folder, port: 58801 }), [
    'accounts[1].bigqmt.folder: folder D:\\steward is also that of accounts[0]',
  ])
})

t.test('quotes of a script need the account whose script it is', async (t) => {
  const problems = (driver: string, account: string) =>
    crossProblems(
      configSchema.parse({
        accounts: [{ account_id: 'a', qmt_path: 'q', driver }],
        market: { source: 'bigqmt', account },
      }),
    ).map(({ path }) => pathText(path))
  t.strictSame(problems('bigqmt', ''), [])
  t.strictSame(problems('bigqmt', 'a'), [])
  t.strictSame(problems('bigqmt', 'b'), ['market.account'])
  t.strictSame(problems('paper', ''), ['market.account'])
})

t.test('a real driver needs a real market; paper goes with every market', async (t) => {
  const sources = '"xt" or "bigqmt" or "gateway" or "cluster"'
  const needs = `accounts[0].driver: "xt" needs market.source ${sources}; it is "simulated"`
  t.ok(lines('xt', 'simulated').includes(needs))
  const [{ message } = { message: '' }] = crossProblems(sections('xt', 'simulated'))
  t.match(inBoth(message).zh, '"xt" 或 "bigqmt" 或 "gateway" 或 "cluster"')
  t.strictSame(lines('bigqmt', 'xt'), [], 'a script may trade on quotes of another terminal')
  t.notMatch(lines('xt', 'xt').join(), 'needs market.source')
  t.notMatch(lines('paper', 'xt').join(), 'needs market.source')
})

t.test('the master switch stands in the file for paper accounts only', async (t) => {
  const strategy = { ENABLE_AUTO_OPERATION: true }
  t.strictSame(lines('paper', 'simulated', strategy), [])
  for (const real of ['xt', 'bigqmt']) {
    t.match(
      lines(real, real, strategy)[0],
      /^strategy.ENABLE_AUTO_OPERATION: accounts\[0\] has a real/,
    )
  }
})

t.test('F431 a window that never holds the looks that the stops wait for is refused', async (t) => {
  const window = (strategy: object) => lines('paper', 'simulated', strategy)
  t.match(window({ MARKET_HEALTH_MIN_EVENTS: 50, MONITOR_LOOP_INTERVAL: 10 }), [
    /^strategy.MARKET_HEALTH_WINDOW_SECONDS: 300 s do not hold 50 looks .* at least 500$/,
  ])
  t.match(window({ MARKET_HEALTH_WINDOW_SECONDS: 10, MONITOR_LOOP_INTERVAL: 5 }), [/at least 15$/])
  t.strictSame(window({ MARKET_HEALTH_WINDOW_SECONDS: 10, MONITOR_LOOP_INTERVAL: 4 }), [])
  const off = { MARKET_HEALTH_WINDOW_SECONDS: 10, MONITOR_LOOP_INTERVAL: 60 }
  for (const way of [{ MARKET_HEALTH_ENABLED: false }, { MARKET_HEALTH_OBSERVE_ONLY: true }]) {
    t.strictSame(window({ ...off, ...way }), [], 'all quotes feed stops then')
  }
})

t.test('warnings are given for what is allowed but unwise', async (t) => {
  const tls = { ssl_certfile: 'cert.pem', ssl_keyfile: 'key.pem' }
  const of = (
    gateway: object,
    public_mode = false,
    tokens: readonly object[] = [],
    strategy: object = {},
  ) => {
    const config = configSchema.parse({ gateway: { ...tls, ...gateway }, tokens, strategy })
    const direct = { ...config.direct, api_token: '', public_mode }
    const { gateway: checked, tokens: named } = config
    const accounts = [{ account_id: 'A', driver: 'paper' } as AccountConfig]
    const rest = { tokens: named, accounts, strategy: config.strategy as Config['strategy'] }
    return warnings({ direct, gateway: checked, ...rest }, '2026-08-11').map(
      (each) => inBoth(each).en,
    )
  }
  const long = 'x'.repeat(32)
  t.strictSame(of({ api_token: long }), [])
  t.strictSame(of({ host: '127.0.0.1' }), [])
  t.strictSame(of({ host: '127.0.0.1', api_token: 'short' }), [])
  t.match(of({}), [/no token/])
  t.match(of({ api_token: 'short' }), [/has 5 characters/])
  t.match(of({ api_token: long, rate_limit: 0 }), [/rate_limit is 0/])
  t.match(of({ api_token: long }, true), [/WEB_PUBLIC_MODE/])
  t.match(of({ api_token: long, ssl_certfile: '' }), [/clear text/])
  t.match(of({ host: '127.0.0.1', proxy_port: 9_000 }), [
    /gateway.proxy_port is set and there is no token/,
  ])
  t.strictSame(of({ api_token: long, proxy_port: 9_000 }), [])
  const named = (fields: object) => [
    { name: 'wall', hash: `sha256:${'a'.repeat(64)}`, scope: 'view', ...fields },
  ]
  t.strictSame(of({}, false, named({ accounts: ['A'], expires: '2026-08-11' })), [])
  t.match(of({}, false, named({ expires: '2026-08-10' })), [/wall has expired on 2026-08-10/])
  t.match(of({}, false, named({ accounts: ['B'] })), [/wall names no configured account: B/])
  const stop = (STOP_LOSS_RATIO: number) => of({ api_token: long }, false, [], { STOP_LOSS_RATIO })
  const looks = (MARKET_HEALTH_WINDOW_SECONDS: number) =>
    of({ api_token: long }, false, [], {
      MARKET_HEALTH_WINDOW_SECONDS,
      MONITOR_LOOP_INTERVAL: 4,
    })
  t.match(looks(10), [/10 s do not hold 3 looks .* at every moment: .* up to 2 s .* at least 12$/])
  t.strictSame(looks(12), [])
  t.match(stop(-0.019), [/STOP_LOSS_RATIO is -0.019, but nothing is sold at a loss below 2 %/])
  t.strictSame(stop(-0.02), [])
  const exits = (settings: object) => of({ api_token: long }, false, [], settings)
  t.match(exits({ BUY_GRID_LEVELS: [1, 0.9, 0.88] }), [
    /after a fall of 10 %, but .* at a loss of 7\.5 %: nothing is ever bought/,
  ])
  t.strictSame(exits({ BUY_GRID_LEVELS: [1, 0.9, 0.88], STOP_LOSS_RATIO: -0.12 }), [])
  t.strictSame(exits({ BUY_GRID_LEVELS: [1, 0.9, 0.88], ENABLE_STOP_LOSS_BUY: false }), [])
  t.strictSame(exits({ STOP_LOSS_RATIO: -0.05 }), [], 'a nearer stop alone asks for no purchases')
  t.match(exits({ INITIAL_TAKE_PROFIT_PULLBACK_RATIO: 0.1 }), [
    /PULLBACK_RATIO is 10 %: .* a profit of 6 % on, but until the highest profit exceeds 11\.11 %/,
  ])
  t.strictSame(exits({ INITIAL_TAKE_PROFIT_PULLBACK_RATIO: 0.05 }), [])
  const grid = (settings: object) => of({ api_token: long }, false, [], settings)
  t.match(grid({ GRID_STOP_LOSS_RATIO: -0.05 }), [
    /GRID_STOP_LOSS_RATIO -0.05 only fills the form .* from the template of its risk level/,
  ])
  t.strictSame(grid({ GRID_STOP_LOSS_RATIO: -0.1, GRID_DEFAULT_TRADE_MODE: 'shares' }), [])
})

t.test('F848 an account of a kind that its driver cannot trade for is said', async (t) => {
  const of = (driver: string, account_type: string) => {
    const { gateway, direct, strategy } = configSchema.parse({ gateway: { host: '127.0.0.1' } })
    const accounts = [{ account_id: 'A', driver, account_type } as AccountConfig]
    const rest = { gateway, direct, strategy } as Pick<Config, 'gateway' | 'direct' | 'strategy'>
    return warnings({ ...rest, tokens: [], accounts }, '2026-08-11')
  }
  for (const kind of ['STOCK', 'CREDIT']) t.strictSame(of('bigqmt', kind), [])
  t.match(of('bigqmt', 'FUTURE'), [
    /^accounts\[0\]\.account_type 是 FUTURE.*"bigqmt" places no orders; set it to STOCK or CREDIT/,
  ])
  for (const driver of ['paper', 'xt', 'gateway']) t.strictSame(of(driver, 'FUTURE'), [])
})
