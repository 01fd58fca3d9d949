import t from 'tap'
import { crossProblems, resolveAccounts, warnings } from '../../src/config/rules.ts'
import { type AccountConfig, type Config, configSchema } from '../../src/config/schema.ts'
import { pathText } from '../../src/config/tree.ts'

const sections = (driver: string | undefined, source: string, strategy: object = {}) =>
  configSchema.parse({
    accounts: [{ account_id: 'a', qmt_path: 'q', ...(driver === undefined ? {} : { driver }) }],
    market: source === 'replay' ? { source, file: 'f' } : { source },
    strategy,
  })
const lines = (...config: Parameters<typeof sections>) =>
  crossProblems(sections(...config)).map(({ path, message }) => `${pathText(path)}: ${message}`)

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

t.test('a real driver needs a real market; paper goes with every market', async (t) => {
  const needs = 'accounts[0].driver: "xt" needs market.source "xt"; it is "simulated"'
  t.ok(lines('xt', 'simulated').includes(needs))
  t.notMatch(lines('xt', 'xt').join(), 'needs market.source')
  t.notMatch(lines('paper', 'xt').join(), 'needs market.source')
})

t.test('the master switch stands in the file for paper accounts only', async (t) => {
  const strategy = { ENABLE_AUTO_OPERATION: true }
  t.strictSame(lines('paper', 'simulated', strategy), [])
  t.match(
    lines('xt', 'xt', strategy)[0],
    /^strategy.ENABLE_AUTO_OPERATION: accounts\[0\] has a real/,
  )
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
    const accounts = [{ account_id: 'A' } as AccountConfig]
    const rest = { tokens: named, accounts, strategy: config.strategy as Config['strategy'] }
    return warnings({ direct, gateway: checked, ...rest }, '2026-08-11')
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
  t.match(stop(-0.019), [/STOP_LOSS_RATIO is -0.019, but nothing is sold at a loss below 2 %/])
  t.strictSame(stop(-0.02), [])
})
